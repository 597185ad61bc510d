"""
The decision table of recognised ConfigMaps: baseline, ``apiTranslation`` and bindings.

Each row twice: what ``plan`` says, and what the controllers do when somebody flips with kubectl.
"""

import json

import pytest

from migrate.sandbox.examples.plugins import DEFAULT, TRANSLATING
from tests.e2e import cluster, models
from tests.e2e.api import Json
from tests.e2e.stage import Stage, codes, tenant

pytestmark = pytest.mark.slow

GO, STOP, RISK = "proceed", "blocked", "needs-acceptance"
EXIT = {GO: 0, STOP: 11, RISK: 12}
TEXTS = {"default": DEFAULT, "default+response-api-translation": TRANSLATING}
BINDINGS = {"openai": [], "anthropic": models.anthropic(), "unqualified": models.azure()}
LOSS = ("--accept", "unsupported-external-models=CHG-1043")
TABLE = {
    ("default", None): (GO, STOP, STOP),
    ("default", True): (GO, GO, STOP),
    ("default", False): (GO, RISK, RISK),
    ("default+response-api-translation", None): (GO, GO, STOP),
    ("default+response-api-translation", True): (GO, GO, STOP),
    ("default+response-api-translation", False): (GO, RISK, RISK),
}


@pytest.mark.story
@pytest.mark.parametrize(("baseline", "enabled"), list(TABLE), ids=[f"{one}-{two}" for one, two in TABLE])
def test_plan_and_controllers_agree_on_every_row(stage: Stage, baseline: str, enabled: bool | None) -> None:
    for (name, things), expected in zip(BINDINGS.items(), TABLE[baseline, enabled], strict=True):
        _set(stage, baseline, enabled, things)

        _must_plan(stage, baseline, enabled, expected)
        moved = _moves(stage)

        assert moved is (expected != STOP), f"{baseline}, {enabled}, {name}"
        _must_tell_the_risk(stage, expected)
        cluster.annotate(stage, f"{cluster.TYPE}=ipp")
        stage.until("IPP has the tenant", lambda: cluster.on_ipp(stage))
        models.delete(stage, things)


def _set(stage: Stage, baseline: str, enabled: bool | None, things: list[Json]) -> None:
    patch = json.dumps({"data": TEXTS[baseline], "metadata": {"annotations": {cluster.MANAGED: "false"}}})
    where = ("configmap", "payload-processing-plugins", "-n", cluster.GATEWAY_NAMESPACE)
    stage.kubectl("patch", *where, "--type", "merge", "-p", patch)
    spec = {"apiTranslation": None if enabled is None else {"enabled": enabled}}
    stage.api.merge(cluster.CONFIG, {"spec": spec}, "kubectl-edit")
    if things:
        models.create(stage, things)
    stage.until("the tenant is ready", lambda: cluster.on_ipp(stage) and _observed(stage))


def _observed(stage: Stage) -> bool:
    generation = stage.api.get(cluster.CONFIG)["metadata"]["generation"]
    return bool(cluster.ready(stage).get("observedGeneration") == generation)


def _must_plan(stage: Stage, baseline: str, enabled: bool | None, expected: str) -> None:
    plan = stage.plan(wanted=EXIT[expected])
    found = tenant(plan)
    assert (found["configMap"]["verdict"], found["decision"]) == (baseline, expected)
    assert found["apiTranslation"]["before"] == enabled
    assert bool(plan["steps"]) is (expected == GO)
    if expected == RISK:
        assert tenant(stage.plan(*LOSS))["decision"] == GO
    if expected == STOP:
        assert "UnsupportedExternalModel" in codes(plan, "blocking")
        assert not found["force"]


def _moves(stage: Stage) -> bool:
    """Flip with kubectl and return whether the controllers go the whole way; False when they refuse."""
    cluster.annotate(stage, f"{cluster.TYPE}=praxis")
    stage.until("moved or blocked", lambda: cluster.on_praxis(stage) or cluster.blocked(stage))
    return cluster.on_praxis(stage)


def _must_tell_the_risk(stage: Stage, expected: str) -> None:
    conditions = stage.api.get(cluster.CONFIG)["status"]["conditions"]
    degraded = {entry["status"] for entry in conditions if entry["type"] == "Degraded"}
    assert ("True" in degraded) is (expected == RISK)
