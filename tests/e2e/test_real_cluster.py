"""A real 3.5 installation as input: the sandbox is seeded from manifests that a real controller wrote."""

import pytest

from tests.e2e import cluster
from tests.e2e.api import Json
from tests.e2e.stage import GO, SHARED, Stage, codes, tenant

REAL = SHARED / "clusters" / "real-3.5"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.shared,
    pytest.mark.skipif(not REAL.is_dir(), reason="the shared folder with the real cluster is not beside the checkout"),
    pytest.mark.story(objects=str(REAL), controllers="3.5"),
]

DEFAULT, OTHER = "models-as-a-service", "redteam"
OTHER_CONFIG = cluster.CONFIG.replace(f"/namespaces/{DEFAULT}/", f"/namespaces/ai-tenant-{OTHER}/")
LOSS = ("--api-translation", f"{DEFAULT}=false", "--accept", "unsupported-external-models=CHG-1043")


def test_as_seeded_the_plan_is_blocked_by_the_azure_model_of_the_default_tenant(stage: Stage) -> None:
    plan = stage.plan(wanted=11)

    assert (tenant(plan)["decision"], tenant(plan, OTHER)["decision"]) == ("blocked", "proceed")
    assert codes(plan, "blocking") == {"UnsupportedExternalModel"}
    assert stage.cli("apply", plan["id"], *GO, wanted=11).document["reason"] == "Blocked"


def _journey(stage: Stage, *flags: str) -> Json:
    """Go the whole way with *flags* and return the run."""
    waiting = stage.apply(stage.plan(*flags)["id"], wanted=20)
    stage.approve_upgrade()
    run: Json = stage.cli("resume", waiting["id"], *GO).document
    assert run["state"] == "succeeded"
    assert stage.cli("verify", run["id"]).document["passed"]
    return run


def test_the_second_tenant_goes_the_whole_way_and_back_alone(stage: Stage) -> None:
    before = stage.api.get(f"{cluster.PLUGINS}-{OTHER}")

    run = _journey(stage, "--tenant", OTHER)

    assert stage.api.get(OTHER_CONFIG)["metadata"]["annotations"][cluster.STATUS] == "steady"
    assert cluster.STATUS not in cluster.annotations(stage)
    stage.cli("rollback", run["id"], "--yes")
    assert stage.api.get(f"{cluster.PLUGINS}-{OTHER}")["data"] == before["data"]
    assert cluster.STATUS not in stage.api.get(OTHER_CONFIG)["metadata"]["annotations"]


def test_the_whole_installation_goes_the_whole_way_and_back_with_the_loss_accepted(stage: Stage) -> None:
    before = {name: stage.api.get(cluster.PLUGINS + name)["data"] for name in ("", f"-{OTHER}")}

    run = _journey(stage, *LOSS)

    assert cluster.on_praxis(stage)
    assert stage.api.get(OTHER_CONFIG)["metadata"]["annotations"][cluster.STATUS] == "steady"
    assert stage.api.get(cluster.CONFIG)["spec"]["apiTranslation"] == {"enabled": False}
    stage.cli("rollback", run["id"], "--yes")
    assert {name: stage.api.get(cluster.PLUGINS + name)["data"] for name in before} == before
    assert "apiTranslation" not in stage.api.get(cluster.CONFIG)["spec"]
