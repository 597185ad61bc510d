"""Objects changed by hand: between plan and apply, and while apply is at work."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.e2e import cluster, models
from tests.e2e.api import PLAYERS
from tests.e2e.stage import GO, Stage, step_of

pytestmark = pytest.mark.slow

TENANT = ("maastenantconfig", "default-tenant", "-n", cluster.TENANT_NAMESPACE)
PLUGINS = ("configmap", "payload-processing-plugins", "-n", cluster.GATEWAY_NAMESPACE)
WAIT = f"praxis:{cluster.TENANT_NAMESPACE}"


def _edit_the_config(stage: Stage) -> None:
    stage.kubectl("patch", *TENANT, "--type", "merge", "-p", '{"spec":{"apiKeys":{"maxExpirationDays":7}}}')


def _edit_the_configmap(stage: Stage) -> None:
    stage.kubectl("patch", *PLUGINS, "--type", "merge", "-p", '{"data":{"note.txt":"mine"}}')


def _add_a_model(stage: Stage) -> None:
    models.create(stage, models.anthropic())


@pytest.mark.story
@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(_edit_the_config, ("apiKeys.maxExpirationDays", "7", "kubectl-patch"), id="config"),
        pytest.param(_edit_the_configmap, ("payload-processing-plugins", "note.txt", "kubectl-patch"), id="configmap"),
        pytest.param(_add_a_model, ("ExternalModel", "claude"), id="model"),
    ],
)
def test_a_change_since_the_plan_is_refused_with_what_and_who(
    stage: Stage, change: Callable[[Stage], None], told: tuple[str, ...]
) -> None:
    plan = stage.plan()
    change(stage)
    stage.api.forget_requests()

    refused = stage.cli("apply", plan["id"], *GO, wanted=13).document

    assert refused["reason"] == "PlanIsStale"
    assert [word for word in told if word not in refused["message"]] == []
    assert stage.api.writes_of_the_tool() == []
    assert stage.cli("runs").document["runs"] == []


@pytest.mark.story
def test_ch_04_a_tenant_config_that_was_created_anew_is_another_object(stage: Stage) -> None:
    plan = stage.plan()
    before = stage.api.get(cluster.CONFIG)["metadata"]["uid"]
    stage.kubectl("delete", *TENANT, "--wait=false")
    stage.until("another one is there", lambda: _uid(stage) not in {"", before})
    stage.api.forget_requests()

    refused = stage.cli("apply", plan["id"], *GO, wanted=13).document

    assert (before in refused["message"], _uid(stage) in refused["message"]) == (True, True)
    assert stage.api.writes_of_the_tool() == []


def _uid(stage: Stage) -> str:
    found = stage.api.find(cluster.CONFIG)
    return str(found["metadata"]["uid"]) if found else ""


@pytest.mark.story
def test_a_subscription_added_since_the_plan_is_told_and_does_not_stop_it(stage: Stage) -> None:
    plan = stage.plan()
    models.create(stage, models.subscription("late"))

    run = stage.apply(plan["id"])

    assert run["state"] == "succeeded"
    identity = run["verification"]["identity"]
    assert (identity["legacy"], identity["short"], identity["unexpected"]) == (3, 1, [])


def _hold_the_clean_up(stage: Stage) -> None:
    """Let the players delete nothing: the move neither goes on nor is refused."""
    stage.api.fault(user=PLAYERS, verb="delete", code=500, times=None)


@pytest.mark.story
def test_a_foreign_change_during_the_wait_stops_the_run_and_is_not_written_over(stage: Stage) -> None:
    _hold_the_clean_up(stage)
    applying = stage.start("apply", stage.plan()["id"], *GO)
    stage.until_step(WAIT)
    patch = (
        f'{{"metadata":{{"annotations":{{"{cluster.TYPE}":"ipp"}}}},"spec":{{"apiKeys":{{"maxExpirationDays":7}}}}}}'
    )
    stage.kubectl("patch", *TENANT, "--type", "merge", "-p", patch)

    run = stage.finish(applying, 21).document

    assert (run["state"], "maxExpirationDays" in run["message"]) == ("needs-person", True)
    assert "kubectl-patch" in run["message"]
    assert stage.api.get(cluster.CONFIG)["spec"]["apiKeys"] == {"maxExpirationDays": 7}
    assert cluster.annotations(stage)[cluster.TYPE] == "ipp"


@pytest.mark.story
def test_ch_19_a_revert_by_gitops_is_mended_a_few_times_then_stops_with_its_name(stage: Stage) -> None:
    _hold_the_clean_up(stage)
    plan = stage.plan()

    with _reverting(stage):
        run = stage.cli("apply", plan["id"], *GO, wanted=21).document

    assert "reverted by argocd-controller" in run["message"]
    flips = [word for word in stage.api.writes_of_the_tool() if word.startswith("patch") and "maastenant" in word]
    assert 2 <= len(flips) <= 5
    assert cluster.annotations(stage)[cluster.TYPE] == "ipp"
    assert cluster.data_of(stage).keys() == cluster.IPP_KEYS


@contextmanager
def _reverting(stage: Stage) -> Iterator[None]:
    """Put ``ipp`` back whenever somebody writes ``praxis``, as a self-healing sync does."""
    over = threading.Event()

    def revert() -> None:
        while not over.wait(0.1):
            if cluster.annotations(stage).get(cluster.TYPE) == "praxis":
                body = {"metadata": {"annotations": {cluster.TYPE: "ipp"}}}
                stage.api.merge(cluster.CONFIG, body, "argocd-controller")

    thread = threading.Thread(target=revert)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.story
def test_an_object_of_somebody_else_that_changes_is_no_matter(stage: Stage) -> None:
    plan = stage.plan()
    stage.kubectl("label", "namespace", "llm", "team=a")
    stage.kubectl("annotate", "service", "-n", cluster.GATEWAY_NAMESPACE, "payload-processing", "team=a")

    assert step_of(stage.apply(plan["id"]), "final")["state"] == "succeeded"
