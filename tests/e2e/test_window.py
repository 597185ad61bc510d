"""The window closes on a run that is part-way: a safe point, then 20; a rollback is never stopped by it."""

import re

import pytest

from tests.e2e import cluster
from tests.e2e.api import PLAYERS
from tests.e2e.stage import GO, ROOT, Stage

pytestmark = pytest.mark.slow

CLOSED = ("--window", "2020-01-01T00:00:00Z/2020-01-01T02:00:00Z")
SHORT = ("--window", "now+45s", "--cutoff", "0s")
WAIT = f"praxis:{cluster.TENANT_NAMESPACE}"


def _quick_runbook(stage: Stage) -> str:
    """Write the shipped runbook with estimates of a second, so that it fits a window of seconds."""
    text = (ROOT / "runbooks" / "ipp-to-praxis.yaml").read_text(encoding="utf-8")
    path = stage.place / "quick.yaml"
    path.write_text(re.sub(r"stimateS: \d+", "stimateS: 1", text), encoding="utf-8")
    return str(path)


@pytest.mark.story
def test_a_window_that_closes_in_the_wait_withdraws_and_halts_and_never_bars_the_way_back(stage: Stage) -> None:
    stage.api.fault(user=PLAYERS, verb="delete", code=500, times=None)
    plan = stage.plan("--runbook", _quick_runbook(stage))

    run = stage.cli("apply", plan["id"], *SHORT, "--yes", wanted=20).document

    assert (run["state"], run["reason"]) == ("halted", "WindowClosed")
    assert cluster.annotations(stage)[cluster.TYPE] == "ipp"
    stage.api.clear_faults()
    stage.api.forget_requests()
    outside = stage.cli("resume", run["id"], *CLOSED, "--yes", wanted=15)
    assert stage.api.writes_of_the_tool() == [], outside.err

    assert stage.cli("resume", run["id"], *GO).document["state"] == "succeeded"
    back = stage.cli("rollback", run["id"], *CLOSED, "--yes").document
    assert back["state"] == "rolled-back"
    assert any("window is closed" in note for note in back["notes"])


@pytest.mark.story
def test_a_window_that_closes_after_the_clean_up_began_runs_forward_and_says_so(stage: Stage) -> None:
    stage.api.fault(user=PLAYERS, verb="delete", resource="deployments", code=500, times=None)
    plan = stage.plan("--runbook", _quick_runbook(stage))

    run = stage.cli("apply", plan["id"], *SHORT, "--yes", wanted=20).document

    assert cluster.annotations(stage)[cluster.TYPE] == "praxis"
    assert any("goes on by itself" in note for note in run["notes"])
    stage.api.clear_faults()
    assert stage.cli("resume", run["id"], *GO).document["state"] == "succeeded"


@pytest.mark.story
def test_without_a_window_a_named_risk_is_accepted_and_recorded(stage: Stage) -> None:
    words = ("--window", "none", "--accept", "no-maintenance-window=nobody works today", "--yes")

    run = stage.cli("apply", stage.plan()["id"], *words).document

    assert run["state"] == "succeeded"
    assert "nobody works today" in stage.plain("report", run["id"], "-o", "markdown").out
