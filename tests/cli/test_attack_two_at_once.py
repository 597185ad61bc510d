"""Two people who start at the same moment."""

import json

from tests.cli.conftest import Call
from tests.e2e.stage import GO, Stage


def test_of_two_applies_at_once_one_runs_and_the_other_is_14(stage: Stage) -> None:
    plan = stage.plan()["id"]

    both = [stage.start("apply", plan, *GO) for _ in range(2)]
    ended = [stage.finish(process, None) for process in both]

    assert sorted(done.code for done in ended) == [14, 20]
    refused = next(done.document for done in ended if done.code == 14)
    assert refused["reason"] == "RunLocked"
    assert "nothing was written" in refused["message"]
    runs = stage.cli("runs").document["runs"]
    assert [run["state"] for run in runs] == ["waiting-for-upgrade"]


def test_while_a_run_is_unfinished_every_way_on_is_named(stage: Stage, call: Call) -> None:
    run = stage.run_id()

    said = call("apply", *GO, "-o", "json", "--kubeconfig", str(stage.kubeconfig), "--state-dir", str(stage.state))

    document = json.loads(said.out)
    assert (said.code, document["run"]) == (14, run)
    assert f"resume {run} --window" in document["resolution"]
    assert f"rollback {run}" in document["resolution"]
