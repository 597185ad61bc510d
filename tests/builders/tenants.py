"""A tenant and what it hangs on: MaasTenantConfig, AITenant, Config, Gateway, Namespace."""

from typing import Any

from migrate.maas import annotations, resources
from migrate.records.objects import Json
from tests.builders.objects import an_object, changed, conditions, gateway_name_of, managed_by, namespace_of


def a_tenant_config(tenant: str = resources.DEFAULT_TENANT_NAME, **sections: Any) -> Json:
    """Return a healthy MaasTenantConfig of an AITenant."""
    namespace = namespace_of(tenant)
    thing = an_object(
        resources.MAAS_TENANT_CONFIG,
        namespace,
        resources.TENANT_CONFIG_NAME,
        metadata={
            "generation": 1,
            "labels": {
                annotations.MANAGED_BY_AITENANT: "true",
                annotations.TENANT_NAME: tenant,
                annotations.TENANT_NAMESPACE: namespace,
            },
            "annotations": {
                annotations.AITENANT_NAME: tenant,
                annotations.AITENANT_NAMESPACE: resources.AITENANT_NAMESPACE,
            },
            "finalizers": [annotations.TENANT_CLEANUP_FINALIZER],
            "managedFields": managed_by(annotations.MAAS_MANAGER, "Update"),
        },
        spec={},
        status={
            "phase": "Active",
            "infraNamespace": resources.INFRA_NAMESPACE,
            "conditions": [
                *conditions("DependenciesAvailable", "MaaSPrerequisitesAvailable", "DeploymentsAvailable", "Ready"),
                {"type": "Degraded", "status": "False", "reason": "NoWarnings", "observedGeneration": 1},
            ],
        },
    )
    return changed(thing, sections)


def an_ai_tenant(tenant: str = resources.DEFAULT_TENANT_NAME, **sections: Any) -> Json:
    """Return a healthy AITenant."""
    thing = an_object(
        resources.AI_TENANT,
        resources.AITENANT_NAMESPACE,
        tenant,
        metadata={"generation": 1},
        spec={"gateway": {"name": gateway_name_of(tenant)}},
        status={
            "phase": "Active",
            "tenantNamespace": namespace_of(tenant),
            "gatewayRef": {"name": gateway_name_of(tenant), "namespace": resources.GATEWAY_NAMESPACE},
            "conditions": conditions("Ready"),
        },
    )
    return changed(thing, sections)


def a_config(**sections: Any) -> Json:
    """Return the Config called default."""
    thing = an_object(
        resources.CONFIG, "", resources.CONFIG_NAME, spec={"limitadorScrapeInterval": "30s", "usageLogging": False}
    )
    return changed(thing, sections)


def a_gateway(
    name: str = resources.DEFAULT_GATEWAY, namespace: str = resources.GATEWAY_NAMESPACE, **sections: Any
) -> Json:
    """Return a programmed Gateway with one listener."""
    thing = an_object(
        resources.GATEWAY,
        namespace,
        name,
        metadata={"generation": 1},
        spec={
            "gatewayClassName": resources.GATEWAY_CLASS,
            "listeners": [{"name": "https", "protocol": "HTTPS", "port": 443}],
        },
        status={
            "conditions": conditions("Accepted", "Programmed"),
            "listeners": [{"name": "https", "conditions": conditions("Accepted", "Programmed")}],
        },
    )
    return changed(thing, sections)


def a_namespace(name: str, uid: str = "") -> Json:
    """Return an active Namespace."""
    thing = an_object(resources.NAMESPACE, "", name, status={"phase": "Active"})
    return changed(thing, {"metadata": {"uid": uid}}) if uid else thing
