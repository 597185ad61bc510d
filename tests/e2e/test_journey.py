"""The whole way, and back: plan, apply, the operator's upgrade, resume, verify, rollback; and the same once more."""

import json
from typing import Any

import pytest

from tests.e2e import cluster
from tests.e2e.stage import GO, Stage, codes, step_of, tenant

pytestmark = pytest.mark.slow

FORCE = ("--accept", "force-custom-plugins-configmap=re-applied by CHG-1042")
LOSS = ("--accept", "unsupported-external-models=CHG-1043")
NO_TRANSLATION = ("--api-translation", "models-as-a-service=false")


@pytest.mark.story(controllers="3.5")
@pytest.mark.parametrize(
    ("flags", "forced"),
    [
        pytest.param((), False, id="default", marks=pytest.mark.story(example="default")),
        pytest.param((), False, id="translation", marks=pytest.mark.story(example="response-translation")),
        pytest.param(FORCE, True, id="customised", marks=pytest.mark.story(example="customised")),
        pytest.param((*NO_TRANSLATION, *LOSS), False, id="azure", marks=pytest.mark.story(example="azure-model")),
    ],
)
def test_the_whole_way_and_back(stage: Stage, flags: tuple[str, ...], forced: bool) -> None:
    before = cluster.content(stage)
    plan = stage.plan(*flags)
    assert (tenant(plan)["decision"], tenant(plan)["force"]) == ("proceed", forced)
    assert plan["platform"] == "3.5"
    assert plan["forecast"]

    waiting = stage.apply(plan["id"], wanted=20)
    assert (waiting["state"], waiting["reason"]) == ("waiting-for-upgrade", "WaitingForUpgrade")
    assert cluster.annotations(stage)[cluster.TYPE] == "ipp"

    run = waiting["id"]
    again = stage.cli("resume", run, *GO, wanted=20).document
    assert again["state"] == "waiting-for-upgrade"

    stage.approve_upgrade()
    done = stage.cli("resume", *GO).document
    assert (done["state"], done["id"]) == ("succeeded", run)
    assert {step["state"] for step in done["steps"]} <= {"succeeded", "skipped"}
    assert done["verification"]["passed"]
    assert cluster.on_praxis(stage)
    assert cluster.FORCE not in cluster.annotations(stage)
    assert any("lost by the forced flip" in note for note in done["notes"]) is forced

    _nothing_more_is_written(stage, plan["id"], run)
    verified = stage.cli("verify", run).document
    assert (verified["passed"], verified["identity"]["short"], verified["identity"]["unexpected"]) == (True, 0, [])
    assert verified["notProved"]

    stage.cli("rollback", run, "--yes")
    assert cluster.on_ipp(stage)
    assert cluster.annotations(stage)[cluster.TYPE] == "ipp"
    _is_restored(before, cluster.content(stage))
    _rolled_back_twice(stage, run)
    assert all(entry["verified"] for entry in stage.cli("backups", "verify", run).document["backups"])


def _nothing_more_is_written(stage: Stage, plan: str, run: str) -> None:
    stage.api.forget_requests()

    again = stage.apply(plan)

    assert (again["state"], again["id"]) == ("succeeded", run)
    assert stage.api.writes_of_the_tool() == []


def _rolled_back_twice(stage: Stage, run: str) -> None:
    stage.api.forget_requests()

    document = stage.cli("rollback", run, "--yes").document

    assert document["state"] == "rolled-back"
    assert stage.api.writes_of_the_tool() == []


def _is_restored(before: dict[str, Any], after: dict[str, Any]) -> None:
    name = "configmaps openshift-ingress/payload-processing-plugins"
    assert after[name]["data"] == before[name]["data"]
    assert after[name].get("binaryData") == before[name].get("binaryData")
    assert after[name]["metadata"]["annotations"] == before[name]["metadata"]["annotations"]
    assert after[name]["metadata"]["labels"] == before[name]["metadata"]["labels"]


@pytest.mark.story
def test_forward_back_and_forward_again_with_a_new_plan(stage: Stage) -> None:
    first = stage.apply(stage.plan()["id"])
    stage.cli("rollback", first["id"], "--yes")
    stage.until("IPP is back", lambda: cluster.on_ipp(stage))

    second = stage.apply(stage.plan()["id"])

    assert (second["state"], second["id"] != first["id"]) == ("succeeded", True)
    assert cluster.on_praxis(stage)
    assert [run["state"] for run in stage.cli("runs").document["runs"]] == ["rolled-back", "succeeded"]


@pytest.mark.story
def test_the_same_snapshot_gives_the_same_plan_byte_for_byte(stage: Stage) -> None:
    stage.cli("snapshot", "--out", "seen.json")

    first = stage.plain("plan", "--snapshot", "seen.json", "-o", "json", "--out", "one.json")
    second = stage.plain("plan", "--snapshot", "seen.json", "-o", "json", "--out", "two.json")

    assert first.out == second.out
    assert (stage.place / "one.json").read_bytes() == (stage.place / "two.json").read_bytes()
    assert json.loads(first.out)["steps"]


@pytest.mark.story(example="customised")
def test_what_a_run_leaves_behind_can_be_read_and_put_back_by_hand(stage: Stage) -> None:
    before = cluster.data_of(stage)
    assert codes(stage.plan(wanted=12), "risk")
    run = stage.apply(stage.plan(*FORCE)["id"])["id"]

    status = stage.cli("status", run).document
    assert step_of(status, f"flip:{cluster.TENANT_NAMESPACE}")["state"] == "succeeded"
    assert stage.cli("report", run).document["format"] == "maas-migrate/report"
    stage.cli("backups", "export", run, "--out", "exported")
    exported = next((stage.place / "exported").rglob("*payload-processing-plugins*"))
    told = stage.kubectl("replace", "--dry-run=server", "-f", str(exported), "-o", "json")
    assert json.loads(told)["data"] == before
