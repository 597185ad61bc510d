"""The Gateway of a tenant, point by point of contract §2.5."""

from typing import Any

import pytest

from migrate.maas import annotations, resources
from migrate.maas.gateways import GatewayError, flag_of, gateway_of
from migrate.records.objects import KubeObject
from tests.builders import a_deployment, a_tenant_config, an_ai_tenant, an_object, changed

UNMANAGED = KubeObject(changed(a_tenant_config(), {"metadata": {"labels": {annotations.MANAGED_BY_AITENANT: None}}}))


def _legacy(reference: dict[str, str]) -> KubeObject:
    return KubeObject(
        an_object(resources.TENANT, "models-as-a-service", "default-tenant", spec={"gatewayRef": reference})
    )


def _controller(**container: Any) -> KubeObject:
    thing = a_deployment("maas-controller", "redhat-ods-applications")
    return KubeObject(changed(thing, {"spec": {"template": {"spec": {"containers": [container]}}}}))


def test_an_aitenant_names_the_gateway_and_its_namespace() -> None:
    choice = gateway_of(KubeObject(a_tenant_config("redteam")), KubeObject(an_ai_tenant("redteam")), None, None)

    assert (choice.how, choice.gateway) == ("aitenant", resources.GATEWAY.ref("openshift-ingress", "redteam"))


@pytest.mark.parametrize(
    "reference",
    [
        pytest.param(None, id="none"),
        pytest.param({"name": "redteam", "namespace": None}, id="name-only"),
        pytest.param({"name": "", "namespace": "openshift-ingress"}, id="name-empty"),
    ],
)
def test_half_a_gateway_reference_is_an_error_and_never_a_default(reference: Any) -> None:
    aitenant = KubeObject(changed(an_ai_tenant("redteam"), {"status": {"gatewayRef": reference}}))

    with pytest.raises(GatewayError):
        gateway_of(KubeObject(a_tenant_config("redteam")), aitenant, None, None)


def test_a_missing_aitenant_is_an_error() -> None:
    with pytest.raises(GatewayError):
        gateway_of(KubeObject(a_tenant_config("redteam")), None, None, None)


def test_a_legacy_tenant_names_the_gateway_when_no_aitenant_manages_the_config() -> None:
    choice = gateway_of(UNMANAGED, None, _legacy({"name": "gw", "namespace": "team-ingress"}), None)

    assert (choice.how, choice.gateway) == ("legacy-tenant", resources.GATEWAY.ref("team-ingress", "gw"))


def test_a_legacy_tenant_with_half_a_reference_is_an_error() -> None:
    with pytest.raises(GatewayError):
        gateway_of(UNMANAGED, None, _legacy({"name": "gw"}), None)


def test_without_any_reference_the_controllers_flags_decide() -> None:
    controller = _controller(
        args=["--gateway-name=$(GW)", "--gateway-namespace", "edge"], env=[{"name": "GW", "value": "g"}]
    )

    assert gateway_of(UNMANAGED, None, None, controller).gateway == resources.GATEWAY.ref("edge", "g")


def test_without_flags_the_defaults_stand() -> None:
    choice = gateway_of(UNMANAGED, None, None, None)

    assert (choice.how, choice.gateway) == (
        "controller-flags",
        resources.GATEWAY.ref("openshift-ingress", "maas-default-gateway"),
    )


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        pytest.param({"args": ["--metadata-cache-ttl=5"]}, "5", id="argument"),
        pytest.param({"args": ["--metadata-cache-ttl", "7"]}, "7", id="two-words"),
        pytest.param(
            {"args": ["--metadata-cache-ttl=$(T)"], "env": [{"name": "T", "value": "9"}]}, "9", id="through-env"
        ),
        pytest.param({"env": [{"name": "METADATA_CACHE_TTL", "value": "11"}]}, "11", id="env-alone"),
        pytest.param({"args": ["--metadata-cache-ttl=$(T)"]}, "", id="env-missing"),
        pytest.param({}, "", id="nowhere"),
    ],
)
def test_a_flag_is_read_from_args_then_from_the_environment(container: dict[str, Any], expected: str) -> None:
    assert flag_of(_controller(**container), "--metadata-cache-ttl", "METADATA_CACHE_TTL") == expected
