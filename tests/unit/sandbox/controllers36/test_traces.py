"""What is written and in which order, what becomes of routes, and what the players get over. Contract 4.2, 4.3, 4.8."""

import pytest

from migrate.maas import resources
from migrate.records.objects import KubeObject
from migrate.sandbox.apiserver import Fault
from tests.unit.sandbox.controllers36.clusters import a_cluster, a_model_ref, a_subscription, an_access_policy
from tests.unit.sandbox.controllers36.stage import STATUS, Stage
from tests.unit.sandbox.controllers36.states import PATIENCE_S, is_steady, on_ipp, steady


def writes(stage: Stage) -> list[tuple[str, str, str]]:
    """The writes of the two controllers since the log was cleared, that went through: verb, resource, subresource."""
    return [
        (entry.verb, entry.resource, entry.subresource)
        for entry in stage.server.log.entries()
        if entry.verb in {"create", "update", "patch", "delete"}
        and entry.code < 400
        and entry.field_manager not in {"kubectl", "kubelet", "kube-controller-manager", "kuadrant-operator"}
    ]


def test_blocking_writes_the_annotation_first_and_the_status_then() -> None:
    stage = on_ipp("custom")
    stage.flip()
    stage.server.log.clear()

    stage.play(PATIENCE_S)

    tenant = [write for write in writes(stage) if write[1] == "maastenantconfigs"]
    assert tenant == [("patch", "maastenantconfigs", ""), ("patch", "maastenantconfigs", "status")]


def test_the_clean_up_deletes_in_order_in_one_pass_and_the_marker_is_one_write() -> None:
    stage = on_ipp()
    stage.flip()
    stage.server.log.clear()

    stage.context.troupe.remove("ai-gateway-controller-3.6")
    stage.play(PATIENCE_S)

    ours = writes(stage)
    deleted = [resource for verb, resource, _ in ours if verb == "delete" and resource != "replicasets"]
    assert [resource for resource in deleted if resource != "pods"] == [
        "deployments",
        "deployments",
        "services",
        "services",
        "envoyfilters",
        "networkpolicies",
        "destinationrules",
        "destinationrules",
        "serviceaccounts",
        "configmaps",
        "clusterrolebindings",
    ]
    assert ours.count(("patch", "maastenantconfigs", "")) == 1
    assert stage.config.annotations[STATUS] == "cleanup-complete"


# External models change hands.


def test_an_external_models_route_and_its_policy_are_made_anew() -> None:
    extra = [a_model_ref("gpt-4o"), a_subscription("premium", "gpt-4o", (100, "1m")), an_access_policy("gpt-4o")]
    stage = Stage(a_cluster("default", "openai", extra), "platform", "3.6")
    stage.play(PATIENCE_S)
    before = stage.must(resources.TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-gpt-4o")
    assert before.get("spec", "targetRef", "name") == "ipp-gpt-4o"
    seen: set[str] = set()

    def settled() -> bool:
        seen.update(_policy_reasons(stage.must(resources.MAAS_SUBSCRIPTION, "models-as-a-service", "premium")))
        return is_steady(stage)() and stage.context.troupe.settled

    stage.flip()
    assert stage.play(PATIENCE_S, settled)

    after = stage.must(resources.TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-gpt-4o")
    assert after.uid != before.uid
    assert after.get("spec", "targetRef", "name") == "maas-gpt-4o"
    assert (after.condition("Accepted") or {})["status"] == "True"
    assert "BackendNotReady" in seen
    route = stage.must(resources.HTTP_ROUTE, "llm", "maas-gpt-4o")
    assert route.labels["app.kubernetes.io/managed-by"] == "ai-gateway-controller"
    assert stage.find(resources.HTTP_ROUTE, "llm", "ipp-gpt-4o") is None


def _policy_reasons(subscription: KubeObject) -> set[str]:
    told = subscription.get("status", "tokenRateLimitStatuses", default=[])
    return {str(entry.get("reason")) for entry in told}


# Ordinary clients.


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Fault(verb="patch", code=409, times=5), id="conflicts"),
        pytest.param(Fault(verb="create,update,patch,delete", reset=True, when="after", times=8), id="resets"),
        pytest.param(Fault(verb="watch", drop_watches=True, expire=True, times=3), id="expired watches"),
    ],
)
def test_the_players_get_over_what_goes_wrong(fault: Fault) -> None:
    stage = on_ipp("default", "openai")
    stage.flip()
    stage.server.plant(fault)

    assert stage.play(PATIENCE_S * 2, is_steady(stage))


def test_a_tenant_at_rest_is_not_written_to() -> None:
    stage = steady()
    before = stage.context.client.counter.writes

    for _ in range(12):
        stage.clock.seconds += 100
        stage.context.troupe.step()

    assert stage.context.client.counter.writes == before
