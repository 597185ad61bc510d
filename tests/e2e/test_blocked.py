"""The blocked path and its four exits, and what the tool does when the controller refuses after the flip."""

import json

import pytest

from migrate.sandbox.examples.plugins import DEFAULT
from tests.e2e import cluster, models
from tests.e2e.api import PLAYERS
from tests.e2e.stage import GO, Stage, codes, tenant

pytestmark = pytest.mark.slow

FORCE = ("--accept", "force-custom-plugins-configmap=re-applied by CHG-1042")
FLIP = {"verb": "patch", "resource": "maastenantconfigs", "query": {"fieldManager": "maas-migrate"}, "dry_run": False}
WHERE = ("configmap", "payload-processing-plugins", "-n", cluster.GATEWAY_NAMESPACE)


@pytest.mark.story
def test_refused_after_the_flip_the_tenant_is_withdrawn_to_ipp_and_a_person_is_needed(stage: Stage) -> None:
    plan = stage.plan()
    uids = cluster.ipp_uids(stage)
    # The flip is throttled once: long enough for somebody to create a model that the plan has not seen.
    stage.api.fault(**FLIP, code=429, headers={"Retry-After": "4"})
    applying = stage.start("apply", plan["id"], *GO)
    stage.until_step(f"flip:{cluster.TENANT_NAMESPACE}", "write.intended")
    models.create(stage, models.azure())

    run = stage.finish(applying, 21).document

    assert (run["state"], "PayloadProcessingBlocked" in run["message"]) == ("needs-person", True)
    assert "nothing was lost" in run["message"]
    assert cluster.annotations(stage)[cluster.TYPE] == "ipp"
    stage.until("IPP goes on", lambda: cluster.on_ipp(stage))
    assert cluster.ipp_uids(stage) == uids
    _rolls_back_without_a_write(stage, run["id"])


@pytest.mark.story
def test_refused_half_way_nothing_is_said_to_go_on_by_itself_and_rollback_brings_ipp_back(stage: Stage) -> None:
    before = cluster.data_of(stage)
    stage.api.fault(user=PLAYERS, verb="delete", resource="deployments", code=500, times=None)
    applying = stage.start("apply", stage.plan()["id"], *GO)
    stage.until("the ConfigMap is gone", lambda: not cluster.data_of(stage))
    models.create(stage, models.azure())

    run = stage.finish(applying, 21).document

    assert "half-way" in run["message"]
    assert f"rollback {run['id']}" in run["resolution"]
    assert cluster.annotations(stage)[cluster.TYPE] == "praxis"
    assert not [note for note in run["notes"] if "goes on by itself" in note]
    stage.api.clear_faults()
    assert stage.cli("rollback", run["id"], "--yes").document["state"] == "rolled-back"
    assert (cluster.on_ipp(stage), cluster.data_of(stage)) == (True, before)


def _rolls_back_without_a_write(stage: Stage, run: str) -> None:
    """The first row of the rollback table: nothing changed, IPP never stopped."""
    stage.api.forget_requests()
    assert stage.cli("rollback", run, "--yes").document["state"] == "rolled-back"
    assert stage.api.writes_of_the_tool() == []


def _block(stage: Stage) -> None:
    cluster.annotate(stage, f"{cluster.TYPE}=praxis")
    stage.until("blocked", lambda: cluster.blocked(stage))
    assert "force-payload-processing-migration=true" in cluster.ready(stage)["message"]


@pytest.mark.story(example="customised")
def test_exit_a_the_configmap_is_mended_and_the_tenant_moves_by_itself(stage: Stage) -> None:
    _block(stage)
    assert "blocked" in {entry["decision"] for entry in stage.plan(wanted=11)["tenants"]}

    stage.kubectl("patch", *WHERE, "--type", "merge", "-p", json.dumps({"data": DEFAULT}))

    stage.until("Praxis has the tenant", lambda: cluster.on_praxis(stage))
    assert tenant(stage.plan())["decision"] == "nothing-to-do"


@pytest.mark.story(example="customised")
def test_exits_d_and_b_back_to_ipp_untouched_then_reset_to_the_default(stage: Stage) -> None:
    uids, before = cluster.ipp_uids(stage), cluster.data_of(stage)
    _block(stage)

    cluster.annotate(stage, f"{cluster.TYPE}=ipp")

    stage.until("IPP goes on", lambda: cluster.on_ipp(stage))
    assert (cluster.ipp_uids(stage), cluster.data_of(stage)) == (uids, before)
    assert tenant(stage.plan(wanted=12))["decision"] == "needs-acceptance"

    stage.kubectl("annotate", *WHERE, f"{cluster.MANAGED}-")

    stage.until("reset to the default", lambda: cluster.data_of(stage) == DEFAULT)
    assert (tenant(stage.plan())["decision"], tenant(stage.plan())["force"]) == ("proceed", False)


@pytest.mark.story(example="customised")
def test_exit_c_force_deletes_the_custom_text_for_good_and_is_found_as_a_leftover(stage: Stage) -> None:
    _block(stage)

    cluster.annotate(stage, f"{cluster.FORCE}=true")

    stage.until("Praxis has the tenant", lambda: cluster.on_praxis(stage))
    assert cluster.annotations(stage)[cluster.FORCE] == "true"
    assert any("orce" in code for code in codes(stage.cli("check", wanted=2).document))


@pytest.mark.story(example="customised")
def test_the_forced_path_lists_what_was_lost_and_takes_the_annotation_away(stage: Stage) -> None:
    plan = stage.plan(*FORCE)
    assert plan["lostByForce"][cluster.TENANT_NAMESPACE]

    run = stage.apply(plan["id"])

    lost = [note for note in run["notes"] if "lost by the forced flip" in note]
    assert len(lost) == len(plan["lostByForce"][cluster.TENANT_NAMESPACE])
    assert cluster.FORCE not in cluster.annotations(stage)
    assert cluster.on_praxis(stage)
