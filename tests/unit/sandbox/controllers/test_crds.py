"""Our small CRDs take and refuse what the product's do (contract 1.3 to 1.9)."""

from typing import Any

import pytest

from migrate.maas import resources
from migrate.maas.versions import schema_of
from migrate.records.objects import KubeObject
from migrate.sandbox.apiserver import ApiServer, Request
from migrate.sandbox.crds import RELEASES, crds_of

SUBSCRIPTIONS = "/apis/maas.opendatahub.io/v1alpha1/namespaces/default/maassubscriptions"
CONFIGS = "/apis/maas.opendatahub.io/v1alpha1/namespaces/default/maastenantconfigs"
RATES = [{"limit": 1, "window": "1m"}]


def post(release: str, path: str, kind: str, spec: Any, name: str = "default-tenant") -> tuple[int, Any]:
    server = ApiServer()
    server.seed(crds_of(release))
    version = path.split("/")[2] + "/" + path.split("/")[3]
    body = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}
    answer = server.handle(Request.to("POST", f"{path}?fieldValidation=Strict", body))
    return answer.status, answer.document


def a_spec(**reference: Any) -> dict[str, Any]:
    return {"owner": {}, "modelRefs": [{"name": "m", "namespace": "llm", **reference}]}


@pytest.mark.parametrize("release", RELEASES)
def test_every_custom_kind_that_the_product_needs_is_defined(release: str) -> None:
    names = {crd["metadata"]["name"] for crd in crds_of(release)}

    assert {kind.crd_name for kind in resources.REQUIRED} <= names


@pytest.mark.parametrize(
    ("release", "spec", "status"),
    [
        pytest.param("3.5", a_spec(tokenRateLimits=RATES), 201, id="plain"),
        pytest.param("3.5", a_spec(), 422, id="3.5 needs rates"),
        pytest.param("3.5", a_spec(unlimited=True), 400, id="3.5 does not know unlimited"),
        pytest.param("3.5", {**a_spec(tokenRateLimits=RATES), "rateLimitIdentity": "short"}, 400, id="3.5 no identity"),
        pytest.param("3.6", {**a_spec(tokenRateLimits=RATES), "rateLimitIdentity": "short"}, 201, id="3.6 identity"),
        pytest.param("3.6", {**a_spec(tokenRateLimits=RATES), "rateLimitIdentity": "tall"}, 422, id="3.6 enum"),
        pytest.param("3.6", a_spec(unlimited=True), 201, id="3.6 unlimited"),
        pytest.param("3.6", a_spec(), 422, id="3.6 needs one of both"),
        pytest.param("3.6", a_spec(unlimited=True, tokenRateLimits=RATES), 422, id="3.6 not both"),
        pytest.param("3.6", a_spec(tokenRateLimits=[{"limit": 0, "window": "1m"}]), 422, id="limit"),
        pytest.param("3.6", a_spec(tokenRateLimits=[{"limit": 1, "window": "0m"}]), 422, id="window"),
    ],
)
def test_a_subscription(release: str, spec: Any, status: int) -> None:
    assert post(release, SUBSCRIPTIONS, "MaaSSubscription", spec)[0] == status


@pytest.mark.parametrize(
    ("release", "name", "spec", "status"),
    [
        pytest.param("3.5", "default-tenant", {}, 201, id="empty"),
        pytest.param("3.5", "other", {}, 422, id="name"),
        pytest.param("3.5", "default-tenant", {"apiTranslation": {"enabled": True}}, 400, id="3.5 no translation"),
        pytest.param("3.6", "default-tenant", {"apiTranslation": {"enabled": False}}, 201, id="3.6 translation"),
    ],
)
def test_a_tenant_config(release: str, name: str, spec: Any, status: int) -> None:
    assert post(release, CONFIGS, "MaasTenantConfig", spec, name)[0] == status


def test_simple_authentication_is_gone_in_36() -> None:
    path = "/apis/inference.opendatahub.io/v1alpha1/namespaces/default/externalproviders"
    auth = {"type": "simple", "secretRef": {"name": "s"}}
    spec = {"provider": "openai", "endpoint": "api.openai.com", "auth": auth}

    assert post("3.5", path, "ExternalProvider", spec)[0] == 201
    assert post("3.6", path, "ExternalProvider", spec)[0] == 422


def test_defaults_are_filled_in() -> None:
    _, made = post("3.5", CONFIGS, "MaasTenantConfig", {"telemetry": {"metrics": {}}})

    assert made["spec"]["telemetry"] == {
        "enabled": True,
        "metrics": {
            "captureOrganization": True,
            "captureUser": False,
            "captureGroup": False,
            "captureModelUsage": True,
        },
    }


def test_the_signals_of_36_are_in_the_schemas_of_36_only() -> None:
    def has(release: str, name: str, field: str) -> bool:
        crd = next(found for found in crds_of(release) if found["metadata"]["name"] == name)
        return field in schema_of(KubeObject(crd))["properties"]["spec"]["properties"]

    for name, field in (
        ("configs.maas.opendatahub.io", "usageMetricsDashboard"),
        ("maassubscriptions.maas.opendatahub.io", "rateLimitIdentity"),
        ("maastenantconfigs.maas.opendatahub.io", "apiTranslation"),
    ):
        assert (has("3.5", name, field), has("3.6", name, field)) == (False, True)
