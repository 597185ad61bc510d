"""``kill -9`` of apply at arbitrary moments, then resume, and in another try rollback: it ends as a calm run does."""

import random
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import cluster
from tests.e2e.api import Json
from tests.e2e.stage import GO, Options, Stage, opened

pytestmark = pytest.mark.slow

FORCE = ("--accept", "force-custom-plugins-configmap=re-applied by CHG-1042")
EXAMPLE = "customised"
_CALM: dict[str, Any] = {}
_CALM_LOCK = threading.Lock()


def _calm(place: Path) -> dict[str, Any]:
    """Return what a run without a crash leaves behind: its events, and the cluster after it and back again."""
    with _CALM_LOCK:
        if not _CALM:
            with opened(place / "calm", Options(example=EXAMPLE)) as stage:
                run = stage.apply(stage.plan(*FORCE)["id"])["id"]
                _CALM["events"] = len(stage.journal())
                _CALM["after"] = cluster.content(stage)
                stage.cli("rollback", run, "--yes")
                _CALM["back"] = cluster.content(stage)
        return _CALM


def _killed(stage: Stage, plan: Json, events: int) -> str:
    """Kill an apply once its journal has that many events, and return the run's id."""
    applying = stage.start("apply", plan["id"], *GO)
    end, pause = time.monotonic() + 120, threading.Event()
    while len(stage.journal()) < events and applying.poll() is None:
        assert time.monotonic() < end, "the journal does not grow"
        pause.wait(0.02)
    applying.send_signal(signal.SIGKILL)
    try:
        applying.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        pytest.fail("not even kill -9 ended it")
    assert applying.returncode == -signal.SIGKILL
    return stage.run_id()


def _moment(stage: Stage, seed: int) -> int:
    """Return after how many events of the journal the process is killed."""
    return random.Random(seed).randint(2, _calm(stage.place)["events"] - 2)


@pytest.mark.story(example=EXAMPLE)
@pytest.mark.parametrize("seed", [11, 12])
def test_ch_30_killed_at_any_moment_and_resumed_it_ends_as_a_calm_run(stage: Stage, seed: int) -> None:
    moment = _moment(stage, seed)
    run = _killed(stage, stage.plan(*FORCE), moment)
    assert stage.cli("status", run, wanted=0).document["state"] in {"running", "halted"}
    stage.cli("apply", *FORCE, *GO, wanted=14)

    done = stage.cli("resume", run, *GO).document

    assert done["state"] == "succeeded"
    assert cluster.content(stage) == _calm(stage.place)["after"], f"killed after event {moment}"
    assert all(entry["verified"] for entry in stage.cli("backups", "verify", run).document["backups"])


@pytest.mark.story(example=EXAMPLE)
@pytest.mark.parametrize("seed", [21, 22])
def test_ch_30_killed_at_any_moment_and_rolled_back_everything_is_as_before(stage: Stage, seed: int) -> None:
    moment = _moment(stage, seed)
    before = cluster.content(stage)
    run = _killed(stage, stage.plan(*FORCE), moment)

    back = stage.cli("rollback", run, "--yes").document

    assert back["state"] == "rolled-back"
    stage.until("IPP serves", lambda: cluster.on_ipp(stage))
    assert cluster.FORCE not in cluster.annotations(stage)
    after = cluster.content(stage)
    calm = _calm(stage.place)["back"]
    if "flip" not in str([entry for entry in stage.journal() if entry["event"] == "write.intended"]):
        calm = before
    assert after == calm, f"killed after event {moment}"


@pytest.mark.story(example=EXAMPLE)
def test_ch_30_a_torn_last_line_is_dropped_and_told(stage: Stage) -> None:
    run = _killed(stage, stage.plan(*FORCE), 6)
    with (stage.state / run / "journal.jsonl").open("a", encoding="utf-8") as journal:
        journal.write('{"seq":999,"at":"2026-1')

    done = stage.cli("resume", run, *GO).document

    assert done["state"] == "succeeded"
    assert any(entry["event"] == "journal.repaired" for entry in stage.journal())
