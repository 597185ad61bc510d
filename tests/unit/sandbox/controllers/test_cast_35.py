"""maas-controller of 3.5, held to what was seen on a real cluster (contract 1.3 to 2.4, 6.2, 6.5)."""

from typing import Any

import pytest

from migrate.maas import annotations
from migrate.maas.resources import (
    AUTH_POLICY,
    CONFIG_MAP,
    DEPLOYMENT,
    ENVOY_FILTER,
    MAAS_MODEL_REF,
    MAAS_SUBSCRIPTION,
    TOKEN_RATE_LIMIT_POLICY,
    Kind,
)
from migrate.records.objects import Json, KubeObject
from migrate.sandbox.controllers.access import IDENTITY
from tests.unit.sandbox.controllers.builders import a_35_cluster
from tests.unit.sandbox.controllers36.stage import Stage

GATEWAYS = "openshift-ingress"
TENANT = "models-as-a-service"
PLUGINS = "payload-processing-plugins"


def a_subscription(name: str, *, namespace: str = TENANT, window: str = "1m", model: str = "granite") -> Json:
    rates = [{"limit": 7, "window": window}]
    spec = {
        "owner": {"groups": [], "users": ["alice"]},
        "modelRefs": [{"name": model, "namespace": "llm", "tokenRateLimits": rates}],
    }
    return {"metadata": {"name": name, "namespace": namespace}, "spec": spec}


def managers(obj: KubeObject) -> set[tuple[str, str, str]]:
    return {(str(e["manager"]), str(e["operation"]), str(e.get("subresource", ""))) for e in obj.managed_fields}


def words(stage: Stage, kind: Kind, namespace: str, name: str) -> dict[str, tuple[str, str]]:
    conditions: list[dict[str, Any]] = stage.must(kind, namespace, name).get("status", "conditions") or []
    return {entry["type"]: (entry["status"], entry["reason"]) for entry in conditions}


@pytest.mark.parametrize("name", ["default", "customised", "response-translation", "azure-model"])
def test_every_example_comes_up_healthy_and_then_nothing_is_written(name: str) -> None:
    stage = a_35_cluster(name)
    written = stage.context.client.counter.writes

    stage.play(400, until=lambda: False)

    assert stage.config.get("status", "phase") == "Active"
    assert {found.get("status", "phase") for found in stage.all(MAAS_SUBSCRIPTION)} == {"Active"}
    assert {found.get("status", "phase") for found in stage.all(MAAS_MODEL_REF)} == {"Ready"}
    assert stage.context.client.counter.writes == written


def test_what_is_rendered_is_applied_by_maas_controller_and_owned_by_the_config() -> None:
    stage = a_35_cluster()

    for kind, name in ((DEPLOYMENT, "payload-processing"), (ENVOY_FILTER, "payload-processing")):
        found = stage.must(kind, GATEWAYS, name)
        assert ("maas-controller", "Apply", "") in managers(found)
        assert [(owner["kind"], owner["name"], owner["controller"]) for owner in found.owners] == [
            ("Config", "default", True)
        ]
        assert annotations.MANAGED_BY not in found.labels
        assert found.labels[annotations.APP_NAME] == "maas-api"


def test_policies_are_written_by_the_binary_and_owned_by_their_route() -> None:
    stage = a_35_cluster()

    policy = stage.must(TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-granite")
    gateway = stage.must(AUTH_POLICY, GATEWAYS, "maas-gateway-auth")

    assert ("manager", "Update", "") in managers(policy)
    assert ("kuadrant-operator", "Update", "status") in managers(policy)
    assert [(owner["kind"], owner["name"]) for owner in policy.owners] == [("HTTPRoute", "granite-kserve-route")]
    assert gateway.owners == ()
    assert ("manager", "Update", "") in managers(gateway)


def test_the_limits_are_those_of_35() -> None:
    stage = a_35_cluster()

    policy = stage.must(TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-granite")

    limits = policy.get("spec", "limits")
    assert sorted(limits) == [f"{TENANT}-{name}-granite-tokens" for name in ("batch", "free", "premium")]
    assert limits[f"{TENANT}-free-granite-tokens"]["counters"] == [{"expression": "auth.identity.userid"}]
    assert policy.annotations[annotations.SUBSCRIPTIONS] == f"{TENANT}/batch,{TENANT}/free,{TENANT}/premium"


def test_the_gateways_policy_has_the_ten_identity_fields_and_the_caches_of_the_flags() -> None:
    stage = a_35_cluster()

    rules = stage.must(AUTH_POLICY, GATEWAYS, "maas-gateway-auth").get("spec", "defaults", "rules")

    fields = rules["response"]["success"]["filters"]["identity"]["json"]["properties"]
    assert set(fields) == set(IDENTITY)
    assert len(fields) == 10
    assert "deny-client-identity-headers" in rules["authorization"]
    assert rules["metadata"]["subscription-info"]["cache"]["ttl"] == 5


def test_a_subscription_gets_its_finalizer_and_loses_empty_lists() -> None:
    stage = a_35_cluster()

    free = stage.must(MAAS_SUBSCRIPTION, TENANT, "free")

    assert free.get("metadata", "finalizers") == [annotations.SUBSCRIPTION_CLEANUP_FINALIZER]
    assert free.generation == 2
    assert free.get("spec", "owner") == {"groups": [{"name": "system:authenticated"}]}
    assert words(stage, MAAS_SUBSCRIPTION, TENANT, "free") == {
        "Ready": ("True", "Reconciled"),
        "SpecPriorityDuplicate": ("False", "NoDuplicatePeers"),
    }


def test_a_window_beyond_366_days_is_active_and_not_in_the_policy() -> None:
    stage = a_35_cluster()

    stage.create(MAAS_SUBSCRIPTION, a_subscription("forever", window="8785h"))
    stage.play(60)

    policy = stage.must(TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-granite")
    assert stage.must(MAAS_SUBSCRIPTION, TENANT, "forever").get("status", "phase") == "Active"
    assert "forever" not in policy.annotations[annotations.SUBSCRIPTIONS]
    assert f"{TENANT}-forever-granite-tokens" not in policy.get("spec", "limits")


def test_subscriptions_outside_tenants_are_ignored() -> None:
    stage = a_35_cluster()

    stage.create(MAAS_SUBSCRIPTION, a_subscription("stray", namespace="llm"))
    stage.play(60)

    assert stage.must(MAAS_SUBSCRIPTION, "llm", "stray").get("status") is None


def test_a_subscription_of_a_model_that_is_not_there_fails() -> None:
    stage = a_35_cluster()

    stage.create(MAAS_SUBSCRIPTION, a_subscription("lost", model="nothing"))
    stage.play(60)

    assert stage.must(MAAS_SUBSCRIPTION, TENANT, "lost").get("status", "phase") == "Failed"


def test_an_edited_or_deleted_policy_comes_back() -> None:
    stage = a_35_cluster()
    right = stage.must(TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-granite").get("spec")

    stage.patch(TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-granite", {"spec": {"limits": {"mine": {"rates": []}}}})
    stage.play(3)
    edited = stage.must(TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-granite").get("spec")
    stage.delete(TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-granite")
    stage.play(3)

    assert edited == right
    assert stage.must(TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-granite").get("spec") == right


def test_an_opted_out_policy_is_left_alone_and_counts_as_accepted() -> None:
    stage = a_35_cluster()
    body = {"metadata": {"annotations": {annotations.MANAGED: "false"}}, "spec": {"limits": {"mine": {"rates": []}}}}

    stage.patch(TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-granite", body)
    stage.play(60)

    assert "mine" in stage.must(TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-granite").get("spec", "limits")
    assert stage.must(MAAS_SUBSCRIPTION, TENANT, "free").get("status", "phase") == "Active"


def test_the_last_subscription_takes_the_policy_along() -> None:
    stage = a_35_cluster()

    for name in ("batch", "free", "premium"):
        stage.delete(MAAS_SUBSCRIPTION, TENANT, name)
    stage.play(60)

    assert stage.all(MAAS_SUBSCRIPTION) == []
    assert [found.name for found in stage.all(TOKEN_RATE_LIMIT_POLICY)] == ["gateway-default-deny"]


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (annotations.PAYLOAD_PROCESSING_TYPE, "ipp"),
        (annotations.PAYLOAD_PROCESSING_TYPE, "praxis"),
        (annotations.FORCE_PAYLOAD_PROCESSING_MIGRATION, "true"),
        (annotations.PAYLOAD_PROCESSING_STATUS, "steady"),
        (annotations.PAYLOAD_PROCESSING_MIGRATION, "blocked"),
    ],
)
def test_migration_annotations_are_kept_and_mean_nothing(annotation: str, value: str) -> None:
    stage = a_35_cluster()
    before = stage.config

    stage.mark(annotation, value)
    stage.play(400)

    assert stage.config.annotations[annotation] == value
    assert stage.config.generation == before.generation
    assert stage.config.get("status") == before.get("status")
    assert stage.runs_on() == "ipp"


class TestPluginsConfigMap:
    """Contract 2.2: what ``opendatahub.io/managed`` means on the plugins ConfigMap."""

    def edit(self, stage: Stage, managed: str | None) -> None:
        body = {"metadata": {"annotations": {annotations.MANAGED: managed}}, "data": {"custom-ipp-config.yaml": "mine"}}
        stage.patch(CONFIG_MAP, GATEWAYS, PLUGINS, body)

    def text(self, stage: Stage) -> str:
        return str(stage.must(CONFIG_MAP, GATEWAYS, PLUGINS).get("data", "custom-ipp-config.yaml"))

    def test_opted_out_an_edit_survives(self) -> None:
        stage = a_35_cluster()

        self.edit(stage, "false")
        stage.play(400, until=lambda: False)

        assert self.text(stage) == "mine"

    def test_without_the_annotation_it_is_reset_once_at_the_next_pass_and_stamped(self) -> None:
        stage = a_35_cluster()

        self.edit(stage, None)
        stage.patch(CONFIG_MAP, GATEWAYS, PLUGINS, {"data": {"note": "theirs"}})
        stage.play(5, until=lambda: False)
        not_watched = self.text(stage)
        stage.play(400, until=lambda: False)

        found = stage.must(CONFIG_MAP, GATEWAYS, PLUGINS)
        assert not_watched == "mine"
        assert "maas-headers-guard" in self.text(stage)
        assert found.annotations[annotations.MANAGED] == "false"
        assert found.get("data", "note") == "theirs"

    def test_with_true_it_is_reset_at_every_pass(self) -> None:
        stage = a_35_cluster()

        self.edit(stage, "true")
        stage.play(400, until=lambda: False)
        first = self.text(stage)
        self.edit(stage, "true")
        stage.mark("example.com/touched", "yes")
        stage.play(5)

        assert "maas-headers-guard" in first
        assert "maas-headers-guard" in self.text(stage)

    def test_deleted_it_comes_back_as_the_default_with_another_uid(self) -> None:
        stage = a_35_cluster("customised")
        before = stage.must(CONFIG_MAP, GATEWAYS, PLUGINS)

        stage.delete(CONFIG_MAP, GATEWAYS, PLUGINS)
        stage.play(400, until=lambda: stage.plugins is not None)

        assert "metering" in before.get("data", "custom-ipp-config.yaml")
        assert "metering" not in self.text(stage)
        assert stage.must(CONFIG_MAP, GATEWAYS, PLUGINS).uid != before.uid


def test_a_payload_deployment_that_is_down_does_not_show_in_ready() -> None:
    stage = a_35_cluster()

    stage.patch(DEPLOYMENT, GATEWAYS, "payload-processing", {"spec": {"replicas": 0}})
    stage.play(30)

    assert stage.ready == ("True", "Reconciled")
