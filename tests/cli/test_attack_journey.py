"""What a person sees on the way there and back: each thing once, and never the wrong next move."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.e2e.stage import Options, Stage, opened

NEXT = "  next: "


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A 3.6 cluster on IPP."""
    with opened(Path(tmp_path_factory.mktemp("journey")), Options(controllers="3.6")) as served:
        yield served


def test_there_and_back_as_a_person_reads_it(on: Call, tmp_path: Path) -> None:
    plan = on("plan", "-q", "-o", "name").out.strip()

    there = on("apply", plan, "--window", "now+90m", "--yes")

    assert (there.code, there.err.count("run 20")) == (0, 1)
    run = on("runs", "-o", "name").out.strip()
    folder = tmp_path / "state" / run
    assert "request.ended" in (folder / "log.jsonl").read_text(encoding="utf-8")
    assert on("verify", run).code == 0

    back = on("rollback", run, "--yes")

    assert back.code == 0
    assert "maas-migrate apply" not in back.err
    # What holds now is what the way back promised.
    verified = on("verify", run)
    assert (verified.code, verified.out.splitlines()[-1]) == (0, "Verified.")
    report = on("report", run).out
    assert "not recorded" not in report
    assert "then none" in report


def test_a_stop_is_told_once_with_a_next_move_that_can_be_typed(on: Call, stage: Stage) -> None:
    stage.kubectl("annotate", "maastenantconfig", "default-tenant", "-n", "models-as-a-service", "x=y", "--overwrite")
    plan = on("plan", "-q", "-o", "name").out.strip()
    stage.kubectl("annotate", "maastenantconfig", "default-tenant", "-n", "models-as-a-service", "x=z", "--overwrite")

    said = on("apply", plan, "--window", "now+90m", "--yes")

    assert said.code == 13
    assert (said.out, said.err.count("error: "), said.err.count(NEXT)) == ("", 1, 1)
    assert "metadata.annotations" in said.err
