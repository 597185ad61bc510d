"""One call of the program in this process, held to what every call promises."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from migrate.cli.logs import stop_logging
from migrate.cli.program import run_program
from tests.e2e.stage import Options, Stage, opened


@dataclass(frozen=True)
class Said:
    """How a call ended and what it said."""

    code: int
    out: str
    err: str


Call = Callable[..., Said]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Call]:
    """Run the program with *words*; its state dir is ``tmp_path/state`` unless another is named."""

    def run(*words: str) -> Said:
        capsys.readouterr()
        more = [] if "--state-dir" in words else ["--state-dir", str(tmp_path / "state")]
        code = run_program([*words, *more])
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        assert "\x1b" not in said.out + said.err or "always" in words
        return Said(int(code), said.out, said.err)

    yield run
    stop_logging()


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A 3.5 cluster that the module shares."""
    with opened(Path(tmp_path_factory.mktemp("stage")), Options(controllers="3.5")) as served:
        yield served


@pytest.fixture
def on(call: Call, stage: Stage) -> Call:
    """Run the program on the shared cluster."""

    def run(*words: str) -> Said:
        return call(*words, "--kubeconfig", str(stage.kubeconfig))

    return run
