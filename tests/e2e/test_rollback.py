"""Every row of the rollback table, what is restored byte for byte, and where a rollback refuses."""

import base64
import json
import signal
import subprocess

import pytest

from tests.e2e import cluster
from tests.e2e.api import PLAYERS, Json
from tests.e2e.stage import GO, Stage, step_of

pytestmark = pytest.mark.slow

FORCE = ("--accept", "force-custom-plugins-configmap=re-applied by CHG-1042")
WHERE = ("configmap", "payload-processing-plugins", "-n", cluster.GATEWAY_NAMESPACE)
FLIP, WAIT = f"flip:{cluster.TENANT_NAMESPACE}", f"praxis:{cluster.TENANT_NAMESPACE}"


def _stopped_on_the_way(stage: Stage, plan: Json, held: Json, reached: str) -> Json:
    """Apply while *held* keeps the players back, interrupt once the tenant is at *reached*, and return the run."""
    stage.api.fault(user=PLAYERS, resource="maastenantconfigs", code=500, times=None, **held)
    applying = stage.start("apply", plan["id"], *GO)
    stage.until_step(WAIT)
    stage.until(reached, lambda: _has_come_to(stage, reached))
    return _interrupted(stage, applying)


def _has_come_to(stage: Stage, reached: str) -> bool:
    return cluster.annotations(stage).get(cluster.STATUS, "half deleted") == reached and not cluster.data_of(stage)


def _interrupted(stage: Stage, applying: "subprocess.Popen[str]") -> Json:
    applying.send_signal(signal.SIGINT)
    document: Json = stage.finish(applying, 130).document
    return document


@pytest.mark.story(example="customised")
@pytest.mark.parametrize(
    ("held", "reached"),
    [
        pytest.param({"verb": "patch,update", "subresource": ""}, "half deleted", id="half-deleted"),
        pytest.param({"query": {"fieldManager": "ai-gateway-controller"}}, "cleanup-complete", id="cleanup-complete"),
    ],
)
def test_once_the_clean_up_has_begun_a_stop_runs_forward_and_rollback_restores(
    stage: Stage, held: Json, reached: str
) -> None:
    before = stage.api.get(cluster.PLUGINS)
    run = _stopped_on_the_way(stage, stage.plan(*FORCE), held, reached)
    assert cluster.annotations(stage)[cluster.TYPE] == "praxis"
    assert cluster.annotations(stage)[cluster.FORCE] == "true"
    assert any("goes on by itself" in note for note in run["notes"])
    stage.api.clear_faults()

    back = stage.cli("rollback", run["id"], "--yes").document

    assert back["state"] == "rolled-back"
    assert cluster.on_ipp(stage)
    assert cluster.FORCE not in cluster.annotations(stage)
    assert stage.api.get(cluster.PLUGINS)["data"] == before["data"]


@pytest.mark.story
def test_with_ai_gateway_controller_gone_rollback_refuses_and_writes_nothing(stage: Stage) -> None:
    run = stage.apply(stage.plan()["id"])["id"]
    stage.kubectl("delete", "deployment", "ai-gateway-controller", "-n", "redhat-ods-applications")
    stage.api.forget_requests()

    refused = stage.cli("rollback", run, "--yes", wanted=11)

    assert refused.document["reason"] == "Blocked"
    assert "praxis-cleanup" in refused.document["message"]
    assert stage.api.writes_of_the_tool() == []
    assert cluster.on_praxis(stage)


@pytest.mark.story(controllers="3.5")
def test_at_the_gate_still_on_3_5_rollback_writes_nothing_and_the_pin_stays(stage: Stage) -> None:
    run = stage.apply(stage.plan()["id"], wanted=20)["id"]
    stage.api.forget_requests()

    document = stage.cli("rollback", run, "--yes").document

    assert document["state"] == "rolled-back"
    assert stage.api.writes_of_the_tool() == []
    assert cluster.annotations(stage)[cluster.TYPE] == "ipp"
    assert stage.plan()["steps"]


@pytest.mark.story
def test_everything_in_the_configmap_comes_back_byte_for_byte(stage: Stage) -> None:
    extra = {
        "binaryData": {"logo.bin": base64.b64encode(bytes(range(256))).decode()},
        "metadata": {"annotations": {"team.example/note": "kept ÿ\n"}, "labels": {"team.example/owner": "billing"}},
    }
    stage.kubectl("patch", *WHERE, "--type", "merge", "-p", json.dumps(extra))
    before = stage.api.get(cluster.PLUGINS)
    plan = stage.plan()
    assert any("binarydata-present" in finding["message"] for finding in plan["findings"])
    run = stage.apply(plan["id"])["id"]
    assert "binaryData" not in stage.api.get(cluster.PLUGINS)

    stage.cli("rollback", run, "--yes")

    after = stage.api.get(cluster.PLUGINS)
    assert (after["data"], after["binaryData"]) == (before["data"], before["binaryData"])
    assert after["metadata"]["annotations"] == before["metadata"]["annotations"]
    assert after["metadata"]["labels"] == before["metadata"]["labels"]


@pytest.mark.story
def test_ch_17_an_immutable_configmap_is_replaced_and_comes_back_immutable(stage: Stage) -> None:
    stage.kubectl("patch", *WHERE, "--type", "merge", "-p", '{"immutable":true}')
    before = stage.api.get(cluster.PLUGINS)
    run = stage.apply(stage.plan()["id"])["id"]
    stage.cli("rollback", run, "--yes")
    restored = stage.api.get(cluster.PLUGINS)
    assert (restored["immutable"], restored["data"]) == (True, before["data"])

    # Somebody puts another immutable one there; going back once more cannot patch it.
    stage.kubectl("delete", *WHERE)
    other = {**before, "data": {**before["data"], "custom-ipp-config.yaml": "kind: PayloadProcessorConfig\n"}}
    other["metadata"] = {key: before["metadata"][key] for key in ("name", "namespace", "labels", "annotations")}
    stage.until("the controller makes a default again", lambda: stage.api.find(cluster.PLUGINS))
    stage.kubectl("replace", "-f", "-", said=json.dumps(other))
    stage.api.forget_requests()
    again = stage.cli("rollback", run, "--yes")

    written = [word for word in stage.api.writes_of_the_tool() if "configmaps" in word]
    assert [word.split()[0] for word in written] == ["delete", "create"]
    assert again.document["state"] == "rolled-back"
    # What somebody had put there is not lost, and the command that shows it is told.
    told = [step["message"] for step in again.document["steps"] if "what stood there" in step["message"]][-1]
    shown = stage.plain(*told.partition("kept: maas-migrate ")[2].split(), "-o", "json").out
    assert (json.loads(shown)["data"], told in again.err) == (other["data"], True)
    assert (stage.api.get(cluster.PLUGINS)["data"], stage.api.get(cluster.PLUGINS)["immutable"]) == (
        before["data"],
        True,
    )


@pytest.mark.story(speed=10)
def test_with_no_configmap_before_the_default_that_appears_is_left_and_said(stage: Stage) -> None:
    stage.kubectl("delete", *WHERE)
    plan = stage.plan()
    assert plan["tenants"][0]["configMap"]["verdict"] == "absent"
    run = stage.apply(plan["id"])["id"]

    back = stage.cli("rollback", run, "--yes")

    assert set(cluster.data_of(stage)) == cluster.IPP_KEYS
    assert "DefaultLeft" in back.err
    assert step_of(back.document, "final")["state"] == "succeeded"


@pytest.mark.story(controllers="3.5")
def test_ch_07_a_peer_that_holds_the_tenant_is_waited_for_and_never_cleared(stage: Stage) -> None:
    """Whoever wrote the marker has to take it away; the tool says its value and waits."""
    run = stage.apply(stage.plan()["id"], wanted=20)["id"]
    stage.approve_upgrade()
    stage.cli("resume", *GO)
    stage.api.fault(user=PLAYERS, resource="maastenantconfigs", code=500, times=None)
    cluster.annotate(stage, f"{cluster.STATUS}=ai-gateway-controller-active")
    going_back = stage.start("rollback", run, "--yes")
    stage.until_step(f"ipp:{cluster.TENANT_NAMESPACE}")
    stage.until("it says who is waited for", lambda: any("peer holds" in str(entry) for entry in stage.journal()))
    assert cluster.annotations(stage)[cluster.STATUS] == "ai-gateway-controller-active"
    going_back.send_signal(signal.SIGTERM)
    stage.finish(going_back, 143)

    cluster.annotate(stage, f"{cluster.STATUS}=steady")
    stage.api.clear_faults()

    assert stage.cli("rollback", run, "--yes").document["state"] == "rolled-back"
    assert cluster.on_ipp(stage)
