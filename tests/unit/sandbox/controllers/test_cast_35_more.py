"""The cast of 3.5 where something is missing, and IPP's routes."""

from typing import Any

from migrate.maas import annotations, resources
from migrate.maas.resources import (
    AI_TENANT,
    AUTH_POLICY,
    CONFIG_MAP,
    DEPLOYMENT,
    GATEWAY,
    HPA,
    HTTP_ROUTE,
    MAAS_EXTERNAL_MODEL,
    MAAS_SUBSCRIPTION,
    MAAS_TENANT_CONFIG,
    NAMESPACE,
    PERSES_DASHBOARD,
    SERVICE_ENTRY,
    TELEMETRY_POLICY,
    TOKEN_RATE_LIMIT_POLICY,
    Kind,
)
from migrate.records.objects import Json, KubeObject
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


def test_a_missing_gateway_makes_the_tenant_wait() -> None:
    stage = a_35_cluster()

    stage.delete(GATEWAY, GATEWAYS, "maas-default-gateway")
    stage.play(400, until=lambda: stage.ready[0] == "False")

    assert stage.ready == ("False", "GatewayNotReady")
    assert stage.config.get("status", "phase") == "Pending"


def test_a_config_without_kuadrant_is_a_missing_dependency() -> None:
    stage = a_35_cluster()

    stage.delete(resources.CRD, "", "authconfigs.authorino.kuadrant.io")
    stage.mark("example.com/touched", "yes")
    stage.play(5)

    assert words(stage, MAAS_TENANT_CONFIG, TENANT, "default-tenant")["DependenciesAvailable"] == (
        "False",
        "DependencyMissing",
    )
    assert stage.ready == ("False", "DependenciesNotAvailable")


def test_monitoring_that_is_not_ready_degrades_a_ready_tenant() -> None:
    stage = a_35_cluster()
    conditions = [{"type": "MonitoringReady", "status": "False", "reason": "Missing"}]

    stage.person.patch(
        resources.DSC_INITIALIZATION,
        {"metadata": {"name": "default-dsci"}},
        {"status": {"conditions": conditions}},
        subresource="status",
    )
    stage.mark("example.com/touched", "yes")
    stage.play(5)

    assert stage.ready == ("True", "Reconciled")
    assert stage.config.get("status", "phase") == "Degraded"


def test_a_second_tenant_has_its_own_names_and_can_be_taken_down() -> None:
    gateway = {
        "metadata": {"name": "redteam", "namespace": GATEWAYS},
        "spec": {"gatewayClassName": "openshift-default", "listeners": [{"name": "https", "port": 443}]},
    }
    stage = a_35_cluster()
    stage.create(GATEWAY, gateway)
    stage.create(AI_TENANT, {"metadata": {"name": "redteam", "namespace": "ai-tenants"}, "spec": {}})
    stage.play(400)

    config = stage.must(MAAS_TENANT_CONFIG, "ai-tenant-redteam", "default-tenant")
    assert config.labels[annotations.TENANT_NAME] == "redteam"
    assert config.get("status", "phase") == "Active"
    assert stage.must(CONFIG_MAP, GATEWAYS, f"{PLUGINS}-redteam").annotations[annotations.MANAGED] == "false"
    assert stage.must(AUTH_POLICY, GATEWAYS, "redteam-maas-auth").owners[0]["kind"] == "Gateway"
    assert stage.must(AI_TENANT, "ai-tenants", "redteam").get("status", "gatewayRef") == {
        "name": "redteam",
        "namespace": GATEWAYS,
    }
    assert stage.must(NAMESPACE, "", "ai-tenant-redteam").labels[annotations.MANAGED_BY_AITENANT] == "true"

    stage.delete(AI_TENANT, "ai-tenants", "redteam")
    stage.play(400)

    assert stage.find(AI_TENANT, "ai-tenants", "redteam") is None
    assert stage.find(DEPLOYMENT, GATEWAYS, "payload-processing-redteam") is None
    assert stage.find(DEPLOYMENT, GATEWAYS, "payload-processing") is not None


def test_an_old_external_model_has_its_four_objects_and_no_status() -> None:
    stage = a_35_cluster("azure-model")

    route = stage.must(HTTP_ROUTE, "llm", "maas-gpt-azure")

    assert route.labels == {
        annotations.MANAGED_BY: annotations.MAAS_EXTERNAL_MODEL_RECONCILER,
        annotations.MAAS_EXTERNAL_MODEL_LABEL: "gpt-azure",
    }
    assert stage.must(SERVICE_ENTRY, "llm", "maas-gpt-azure").get("spec", "hosts") == ["team-a.openai.azure.com"]
    assert stage.must(MAAS_EXTERNAL_MODEL, "llm", "gpt-azure").get("status") is None


def test_ipp_makes_the_routes_of_inference_models_while_it_runs() -> None:
    stage = a_35_cluster()
    route = stage.must(HTTP_ROUTE, "llm", "ipp-gpt-4o")

    stage.patch(DEPLOYMENT, GATEWAYS, "payload-processing", {"spec": {"replicas": 0}})
    stage.play(30)
    stage.delete(HTTP_ROUTE, "llm", "ipp-gpt-4o")
    stage.play(30)

    assert route.labels[annotations.INFERENCE_EXTERNAL_MODEL] == "gpt-4o"
    assert route.owners[0]["kind"] == "ExternalModel"
    assert stage.find(HTTP_ROUTE, "llm", "ipp-gpt-4o") is None
    assert stage.must(MAAS_SUBSCRIPTION, TENANT, "premium").get("status", "phase") == "Degraded"


def test_telemetry_and_autoscaling_are_rendered_only_when_asked_for() -> None:
    stage = a_35_cluster()
    before = (stage.all(TELEMETRY_POLICY), stage.all(HPA))

    spec = {"telemetry": {"enabled": True}, "payloadProcessing": {"autoscaling": {}}}
    stage.patch(MAAS_TENANT_CONFIG, TENANT, "default-tenant", {"spec": spec})
    stage.play(30)

    assert before == ([], [])
    assert [found.name for found in stage.all(TELEMETRY_POLICY)] == ["maas-telemetry"]
    assert [found.name for found in stage.all(HPA)] == ["payload-processing"]


def test_the_usage_dashboard_is_there_and_owned() -> None:
    stage = a_35_cluster()

    dashboard = stage.must(PERSES_DASHBOARD, "redhat-ods-monitoring", "dashboard-3-maas-usage-admin")

    assert dashboard.owners[0]["name"] == "default"


def test_of_two_policies_on_one_route_the_older_is_enforced() -> None:
    stage = a_35_cluster()
    stage.play(30)
    live = stage.must(TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-granite").raw
    second = {"metadata": {"name": "a-newer-one", "namespace": "llm"}, "spec": live["spec"]}

    stage.clock.seconds += 60
    stage.create(TOKEN_RATE_LIMIT_POLICY, second)
    stage.play(30)

    assert words(stage, TOKEN_RATE_LIMIT_POLICY, "llm", "a-newer-one")["Enforced"] == ("False", "Overridden")
    assert words(stage, TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-granite")["Enforced"] == ("True", "Enforced")
