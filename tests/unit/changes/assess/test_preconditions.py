"""What must hold before anything is planned, row by row of contract §7.1, §7.2 and §2.4, §2.5."""

from typing import Any

import pytest

from migrate.maas import annotations, naming, resources
from tests.builders import (
    a_cluster,
    a_maas_external_model,
    a_model_ref,
    a_tenant_config,
    an_external_model,
    an_object,
    changed,
    conditions,
    patched,
    without,
)
from tests.unit.changes.assess.judging import DEFAULT, judged, loud, said, tenant, the

DELETING = {"metadata": {"deletionTimestamp": "2026-10-01T00:00:00Z"}}
NOT_READY = {"status": {"conditions": conditions("Ready", status="False")}}
NONE_AVAILABLE = {"status": {"availableReplicas": 0}}
CLUSTER = a_cluster()


def _broken(kind: str, name: str, patch: dict[str, Any]) -> list[dict[str, Any]]:
    return patched(CLUSTER, kind, name, patch)


def _state(path: str, value: Any) -> dict[str, Any]:
    patch = value
    for part in reversed(path.split(".")):
        patch = {part: patch}
    return dict(patch)


BLOCKING = [
    ("config-missing", without(CLUSTER, "Config", "default"), "ConfigMissing"),
    (
        "gateway-namespace-deleting",
        _broken("Namespace", resources.GATEWAY_NAMESPACE, DELETING),
        "ObjectTerminating",
    ),
    ("config-deleting", _broken("Config", "default", DELETING), "ObjectTerminating"),
    (
        "not-managed",
        _broken(
            "DataScienceCluster",
            "default-dsc",
            _state("spec.components.aigateway.modelsAsAService.managementState", "Removed"),
        ),
        "MaaSNotManaged",
    ),
    ("tenant-not-ready", _broken("MaasTenantConfig", "default-tenant", NOT_READY), "TenantNotReady"),
    ("tenant-without-status", _broken("MaasTenantConfig", "default-tenant", {"status": None}), "TenantNotReady"),
    ("tenant-deleting", _broken("MaasTenantConfig", "default-tenant", DELETING), "ObjectTerminating"),
    (
        "tenant-unmanaged",
        _broken(
            "MaasTenantConfig",
            "default-tenant",
            {"metadata": {"annotations": {annotations.MANAGEMENT_STATE: "Removed"}}},
        ),
        "TenantNotManaged",
    ),
    ("aitenant-missing", without(CLUSTER, "AITenant", DEFAULT), "AITenantMissing"),
    ("aitenant-failed", _broken("AITenant", DEFAULT, _state("status.phase", "Failed")), "AITenantNotReady"),
    ("aitenant-deleting", _broken("AITenant", DEFAULT, DELETING), "ObjectTerminating"),
    ("no-gateway-ref", _broken("AITenant", DEFAULT, _state("status.gatewayRef", None)), "InvalidGateway"),
    ("half-a-gateway-ref", _broken("AITenant", DEFAULT, _state("status.gatewayRef.namespace", "")), "InvalidGateway"),
    ("gateway-missing", without(CLUSTER, "Gateway", "maas-default-gateway"), "GatewayMissing"),
    (
        "gateway-not-programmed",
        _broken("Gateway", "maas-default-gateway", {"status": {"conditions": conditions("Accepted")}}),
        "GatewayNotProgrammed",
    ),
    (
        "listener-not-programmed",
        _broken(
            "Gateway",
            "maas-default-gateway",
            {"status": {"listeners": [{"name": "https", "conditions": conditions("Programmed", status="False")}]}},
        ),
        "GatewayNotProgrammed",
    ),
    ("kuadrant-not-ready", _broken("Kuadrant", "kuadrant", NOT_READY), "ComponentNotReady"),
    ("authorino-not-ready", _broken("Authorino", "authorino", NOT_READY), "ComponentNotReady"),
    ("limitador-gone", without(CLUSTER, "Limitador", "limitador"), "ComponentNotReady"),
    *(
        (f"{name}-down", _broken("Deployment", name, NONE_AVAILABLE), "DeploymentNotAvailable")
        for name in (
            "maas-controller",
            "maas-api",
            "payload-processing",
            "payload-pre-processing",
            "authorino",
            "limitador-limitador",
            "kuadrant-operator-controller-manager",
        )
    ),
    *(
        (f"{name}-missing", without(CLUSTER, "Deployment", name), "DeploymentMissing")
        for name in ("maas-controller", "maas-api", "payload-processing", "authorino", "limitador-limitador")
    ),
]


@pytest.mark.parametrize(("things", "code"), [row[1:] for row in BLOCKING], ids=[row[0] for row in BLOCKING])
def test_what_does_not_hold_blocks_and_is_named_with_a_next_move(things: list[dict[str, Any]], code: str) -> None:
    assessment = judged(things)

    assert code in {one.code for one in assessment.findings if one.impact == "blocking"}
    assert all(one.resolution and one.source for one in assessment.findings)
    assert tenant(assessment).decision == "blocked"


ADVISORY = [
    (
        "degraded-tenant",
        _broken(
            "MaasTenantConfig",
            "default-tenant",
            {"status": {"conditions": [*conditions("Ready"), {"type": "Degraded", "status": "True", "reason": "R"}]}},
        ),
        "TenantDegraded",
    ),
    (
        "one-replica-of-two",
        _broken("Deployment", "payload-processing", {"spec": {"replicas": 2}}),
        "DeploymentDegraded",
    ),
    ("no-tls", _broken("Authorino", "authorino", _state("spec.listener.tls.enabled", False)), "AuthorinoWithoutTls"),
    (
        "monitoring",
        _broken(
            "DSCInitialization",
            "default-dsci",
            {"status": {"conditions": conditions("PersesAvailable", status="False")}},
        ),
        "MonitoringNotReady",
    ),
    ("in-memory", _broken("Limitador", "limitador", {"spec": {"storage": None}}), "LimitadorInMemory"),
    (
        "annotation-on-aitenant",
        _broken("AITenant", DEFAULT, {"metadata": {"annotations": {annotations.PAYLOAD_PROCESSING_TYPE: "praxis"}}}),
        "AnnotationOnAITenant",
    ),
]


@pytest.mark.parametrize(("things", "code"), [row[1:] for row in ADVISORY], ids=[row[0] for row in ADVISORY])
def test_what_is_only_worth_a_word_does_not_block(things: list[dict[str, Any]], code: str) -> None:
    assessment = judged(things)

    assert loud(assessment) == {code}
    assert tenant(assessment).decision == "proceed"


def test_the_old_field_of_the_data_science_cluster_counts_too() -> None:
    components = {"aigateway": None, "kserve": {"modelsAsService": {"managementState": "Managed"}}}

    assert loud(judged(_broken("DataScienceCluster", "default-dsc", {"spec": {"components": components}}))) == set()


def test_a_ready_tenant_whose_phase_is_degraded_is_not_blocked() -> None:
    things = _broken("MaasTenantConfig", "default-tenant", {"status": {"phase": "Degraded"}})

    assert tenant(judged(things)).decision == "proceed"


def test_a_legacy_tenant_that_stays_is_mentioned() -> None:
    legacy = an_object(resources.TENANT, DEFAULT, "default-tenant")

    assessment = judged([*CLUSTER, legacy])

    assert the(assessment, "LegacyTenant").impact == "info"
    assert tenant(assessment).decision == "proceed"


def test_two_configs_with_one_name_block_each_other() -> None:
    second = changed(
        a_tenant_config("redteam"),
        {
            "metadata": {
                "namespace": "elsewhere",
                "uid": "another",
                "labels": {annotations.TENANT_NAMESPACE: "elsewhere"},
            }
        },
    )

    assessment = judged([*a_cluster("3.5", "redteam"), second])

    assert len(said(assessment, "TenantNameTaken")) == 2
    assert all(one.decision == "blocked" for one in assessment.tenants)


@pytest.mark.parametrize(
    ("length", "with_models", "code"),
    [
        (21, True, None),
        (22, True, "TenantNameTooLong"),
        (21, False, None),
        (22, False, "TenantNameLong"),
        (32, False, "TenantNameLong"),
        (33, False, "TenantNameTooLong"),
        (41, False, "TenantNameTooLong"),
    ],
)
def test_a_name_that_praxis_cannot_carry_blocks_before_ipp_is_gone(
    length: int, with_models: bool, code: str | None
) -> None:
    name = "t" * length
    things = a_cluster("3.5", name)
    if with_models:
        things += [an_external_model("m", weight=1), a_model_ref("m", kind="ExternalModel", tenant=name)]

    found = {one.code for one in judged(things).findings if one.code.startswith("TenantName")}

    assert found == ({code} if code else set())


def test_a_name_of_22_is_no_trouble_with_a_model_that_is_switched_off() -> None:
    name = "t" * 22
    model = changed(a_maas_external_model("m"), DELETING)

    things = [*a_cluster("3.5", name), model, a_model_ref("m", kind="ExternalModel", tenant=name)]

    assert the(judged(things), "TenantNameLong").impact == "advisory"


def test_trouble_of_one_tenant_does_not_stop_another() -> None:
    things = patched(a_cluster("3.5", DEFAULT, "redteam"), "AITenant", "redteam", _state("status.phase", "Failed"))

    assessment = judged(things)

    assert (tenant(assessment).decision, tenant(assessment, "redteam").decision) == ("proceed", "blocked")


def test_the_controllers_flags_name_the_gateway_of_a_tenant_without_an_aitenant() -> None:
    labels = {"metadata": {"labels": {annotations.MANAGED_BY_AITENANT: None}}}

    found = tenant(judged(_broken("MaasTenantConfig", "default-tenant", labels)))

    assert found.gateway == resources.GATEWAY.ref("openshift-ingress", "maas-default-gateway")
    assert found.config_map is not None
    assert found.config_map.name == naming.PLUGINS_CONFIG_MAP
