"""A run whose ground moves: a kind is replaced while it is watched, the namespace of the way back is going."""

from collections.abc import Iterator

import pytest

from tests.e2e import cluster
from tests.e2e.stage import GO, codes
from tests.real.stage import Play, RealStage, real_stage
from tests.servers.locate import Programs

pytestmark = [pytest.mark.real, pytest.mark.slow]

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CONFIGS = f"{CRDS}/maastenantconfigs.maas.opendatahub.io"
LIMITS = f"{CRDS}/tokenratelimitpolicies.kuadrant.io"
POLICIES = "/apis/kuadrant.io/v1alpha1/tokenratelimitpolicies"
NAMESPACE = f"/api/v1/namespaces/{cluster.GATEWAY_NAMESPACE}"


@pytest.fixture(scope="module")
def stage(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealStage]:
    place = tmp_path_factory.mktemp("moving")
    with real_stage(place, programs, Play(example="default", controllers="3.6")) as found:
        yield found


def test_kinds_that_are_replaced_under_a_run_cost_time_only(stage: RealStage) -> None:
    plan = stage.plan()
    policies = _policies(stage)
    running = stage.start("apply", plan["id"], *GO)
    stage.until("the flip is written", lambda: cluster.annotations(stage).get(cluster.TYPE) == "praxis")

    with stage.players_asleep():
        _with_another_version_and_field(stage)
        _made_anew(stage)
        assert running.poll() is None
    done = stage.finish(running, None)
    stage.until("the policies are back", lambda: _policies(stage).keys() == policies.keys())
    if done.code:
        assert done.code in {1, 20, 22}, done.err
        stage.cli("resume", *GO)

    assert cluster.on_praxis(stage)
    assert not set(_policies(stage).values()) & set(policies.values())
    assert stage.cli("verify", stage.run_id()).document["passed"] is True


def test_nothing_is_taken_back_into_a_namespace_that_goes(stage: RealStage) -> None:
    if not cluster.on_praxis(stage):
        stage.apply(stage.plan()["id"])
    run = stage.run_id()
    so_far = len(stage.told())
    with stage.plane.manager_asleep():  # Nobody empties the namespace; it stays as one that somebody began to delete.
        stage.api.call("DELETE", NAMESPACE)
        refused = stage.cli("rollback", run, "--yes", wanted=11)
        checked = stage.cli("check", wanted=2).document  # The tenant has moved already.
        written = stage.writes(so_far)
        _rescued(stage)

    assert f"Namespace {cluster.GATEWAY_NAMESPACE} is being deleted" in refused.document["message"]
    assert "Nothing was written" in refused.document["message"]
    assert written == []
    assert "ObjectTerminating" in codes(checked)
    assert all(entry["verified"] for entry in stage.cli("backups", "verify", run).document["backups"])
    stage.cli("rollback", run, "--yes")
    stage.until("IPP is back", lambda: cluster.on_ipp(stage))


def _policies(stage: RealStage) -> dict[str, str]:
    """Return the UID of every policy by its name, nothing while the kind is not served."""
    found = stage.api.find(POLICIES) or {"items": []}
    return {
        f"{each['metadata']['namespace']}/{each['metadata']['name']}": each["metadata"]["uid"]
        for each in found["items"]
    }


def _with_another_version_and_field(stage: RealStage) -> None:
    definition = stage.api.get(CONFIGS)
    first = definition["spec"]["versions"][0]
    schema = first["schema"]["openAPIV3Schema"]
    schema["properties"]["spec"]["properties"]["ofTomorrow"] = {"type": "string"}
    definition["spec"]["versions"].append({**first, "name": "v1alpha9", "storage": False})
    stage.api.call("PUT", CONFIGS, definition)


def _made_anew(stage: RealStage) -> None:
    """Delete a kind with all its objects and create it again; their controllers write them again."""
    definition = stage.api.get(LIMITS)
    stage.api.call("DELETE", LIMITS)
    stage.until("the kind is gone", lambda: stage.api.find(LIMITS) is None)
    head = {key: definition["metadata"].get(key) for key in ("name", "labels", "annotations")}
    stage.api.call("POST", CRDS, {**definition, "metadata": head, "status": {}})


def _rescued(stage: RealStage) -> None:
    """Let the namespace go without what is in it, and make it again."""
    there = stage.api.get(NAMESPACE)
    stage.api.call("PUT", f"{NAMESPACE}/finalize", {**there, "spec": {"finalizers": []}})
    head = {key: there["metadata"].get(key) for key in ("name", "labels", "annotations")}
    stage.api.call("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": head})
