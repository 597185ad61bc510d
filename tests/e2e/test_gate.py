"""Between the parts: what changed meanwhile is named, and a person goes on with a plan that was looked at."""

import json

import pytest

from migrate.sandbox.examples.plugins import TRANSLATING
from tests.e2e import cluster
from tests.e2e.stage import GO, Stage, tenant

pytestmark = pytest.mark.slow

FORCE = ("--accept", "force-custom-plugins-configmap=re-applied by CHG-1042")
PLUGINS = ("configmap", "payload-processing-plugins", "-n", cluster.GATEWAY_NAMESPACE)


def _differs_after_the_upgrade(stage: Stage, run: str, told: str) -> str:
    """Approve the upgrade, expect the difference to be named, and return the id of part two as planned anew."""
    stage.approve_upgrade()
    refused = stage.cli("resume", run, *GO, wanted=13).document
    assert (refused["reason"], refused["run"], told in refused["message"]) == ("PlanIsStale", run, True)
    part_two = stage.plan("--run", run)
    assert (part_two["part"], part_two["run"]) == (2, run)
    assert f"resume {run} --plan" in refused["resolution"]
    return str(part_two["id"])


@pytest.mark.story(controllers="3.5")
def test_another_verdict_after_the_upgrade_is_named_and_a_looked_at_plan_goes_on(stage: Stage) -> None:
    run = stage.apply(stage.plan()["id"], wanted=20)["id"]
    stage.kubectl("patch", *PLUGINS, "--type", "merge", "-p", json.dumps({"data": TRANSLATING}))

    part_two = _differs_after_the_upgrade(stage, run, "default+response-api-translation")
    stage.cli("apply", part_two, *GO, wanted=3)
    done = stage.cli("resume", run, "--plan", part_two, *GO).document

    assert done["state"] == "succeeded"
    assert stage.api.get(cluster.CONFIG)["spec"]["apiTranslation"] == {"enabled": True}
    stage.cli("rollback", run, "--yes")
    assert cluster.data_of(stage) == TRANSLATING
    assert stage.api.get(cluster.CONFIG)["spec"]["apiTranslation"] == {"enabled": True}  # The controller's own.


@pytest.mark.story(controllers="3.5", example="response-translation", build="compatibility=off")
def test_what_only_the_new_build_asks_to_be_accepted_is_accepted_in_part_two(stage: Stage) -> None:
    run = stage.apply(stage.plan()["id"], wanted=20)["id"]
    stage.approve_upgrade()
    refused = stage.cli("resume", run, *GO, wanted=13).document
    assert f"maas-migrate plan --run {run} --accept unsupported-external-models=REASON" in refused["resolution"]
    accept = ("--accept", "unsupported-external-models=CHG-1043")
    stage.cli("resume", run, *accept, *GO, wanted=3)

    part_two = stage.plan("--run", run, *accept)["id"]
    done = stage.cli("resume", run, "--plan", part_two, *GO).document

    assert done["state"] == "succeeded"
    risks = stage.cli("report", run).document["plans"][-1]["risks"]
    accepted = {risk["id"]: risk["reason"] for risk in risks if risk["accepted"]}
    assert accepted == {"unsupported-external-models": "CHG-1043"}


@pytest.mark.story(controllers="3.5", example="customised")
def test_a_text_that_was_reset_on_the_way_is_in_part_ones_backup_and_comes_back(stage: Stage) -> None:
    custom = cluster.data_of(stage)
    run = stage.apply(stage.plan(*FORCE)["id"], wanted=20)["id"]
    stage.kubectl("annotate", *PLUGINS, f"{cluster.MANAGED}-")
    stage.until("reset to the default", lambda: cluster.data_of(stage) != custom)

    part_two = _differs_after_the_upgrade(stage, run, "custom-blocked")
    assert not tenant(stage.plan("--run", run))["force"]
    stage.cli("resume", run, "--plan", part_two, *GO)
    assert cluster.on_praxis(stage)

    stage.cli("rollback", run, "--yes")
    assert cluster.data_of(stage) == custom
