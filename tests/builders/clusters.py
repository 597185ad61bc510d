"""Whole platforms, tenants and clusters, healthy and complete."""

from collections.abc import Iterable, Mapping
from typing import Any

from migrate.maas import annotations, naming, resources
from migrate.maas.resources import Kind
from migrate.records.merging import merge
from migrate.records.objects import Json
from tests.builders.models import an_auth_policy
from tests.builders.objects import (
    CLUSTER_ID,
    an_object,
    annotated,
    changed,
    conditions,
    config_owner,
    gateway_name_of,
    id_of,
    managed_by,
    namespace_of,
)
from tests.builders.plugins import PROCESSING_TEXT, a_plugins_config_map, a_praxis_config_map
from tests.builders.tenants import a_config, a_gateway, a_namespace, a_tenant_config, an_ai_tenant
from tests.builders.workloads import a_deployment


def a_crd(kind: Kind, *paths: str) -> Json:
    """Return a CustomResourceDefinition that knows the dotted *paths* (``spec.apiTranslation``)."""
    schema: Json = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"known": {}}}}}
    for path in paths:
        inner: Json = {"type": "object"}
        for part in reversed(path.split(".")):
            inner = {"type": "object", "properties": {part: inner}}
        schema = merge(schema, inner)
    return an_object(
        resources.CRD,
        "",
        kind.crd_name,
        spec={
            "group": kind.group,
            "names": {"kind": kind.kind, "plural": kind.plural},
            "versions": [
                {"name": kind.version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
            ],
        },
        status={"conditions": [{"type": "Established", "status": "True"}]},
    )


def crds(release: str = "3.5") -> list[Json]:
    """Return the CRDs of the MaaS group of a release."""
    news = {
        resources.CONFIG.kind: ("spec.usageMetricsDashboard",),
        resources.MAAS_SUBSCRIPTION.kind: ("spec.rateLimitIdentity", "status.rateLimitIdentity"),
        resources.MAAS_TENANT_CONFIG.kind: ("spec.apiTranslation.enabled",),
    }
    return [
        a_crd(kind, *(news.get(kind.kind, ()) if release == "3.6" else ()))
        for kind in (
            resources.MAAS_SUBSCRIPTION,
            resources.MAAS_AUTH_POLICY,
            resources.MAAS_MODEL_REF,
            resources.MAAS_TENANT_CONFIG,
            resources.AI_TENANT,
            resources.CONFIG,
        )
    ]


def a_platform(release: str = "3.5") -> list[Json]:
    """Return the objects that say which release runs and that its platform is healthy."""
    version = f"{release}.0"
    components = {"aigateway": {"managementState": "Managed", "modelsAsAService": {"managementState": "Managed"}}}
    kuadrant = "rh-connectivity-link"
    things = [
        an_object(
            resources.DATA_SCIENCE_CLUSTER,
            "",
            "default-dsc",
            spec={"components": components},
            status={"release": {"name": "OpenShift AI Self-Managed", "version": version}},
        ),
        an_object(
            resources.DSC_INITIALIZATION,
            "",
            "default-dsci",
            status={
                "release": {"name": "OpenShift AI Self-Managed", "version": version},
                "conditions": conditions("MonitoringReady", "MonitoringStackAvailable", "PersesAvailable"),
            },
        ),
        an_object(
            resources.CLUSTER_SERVICE_VERSION,
            resources.OPERATOR_NAMESPACE,
            f"rhods-operator.{version}",
            metadata={"labels": {annotations.CSV_LABEL: ""}},
            spec={"version": version},
            status={"phase": "Succeeded"},
        ),
        an_object(
            resources.CLUSTER_SERVICE_VERSION,
            kuadrant,
            "rhcl-operator.v1.4.1",
            metadata={"labels": {f"operators.coreos.com/rhcl-operator.{kuadrant}": ""}},
            spec={"version": "1.4.1"},
            status={"phase": "Succeeded"},
        ),
        an_object(
            resources.CLUSTER_VERSION,
            "",
            "version",
            status={"desired": {"version": "4.19.12"}, "history": [{"version": "4.19.12", "state": "Completed"}]},
        ),
        an_object(resources.KUADRANT, kuadrant, "kuadrant", status={"conditions": conditions("Ready")}),
        an_object(
            resources.AUTHORINO,
            kuadrant,
            "authorino",
            spec={"listener": {"tls": {"enabled": True, "certSecretRef": {"name": "authorino-tls"}}}},
            status={"conditions": conditions("Ready")},
        ),
        an_object(
            resources.LIMITADOR,
            kuadrant,
            "limitador",
            spec={"storage": {"redis": {}}},
            status={"conditions": conditions("Ready")},
        ),
        a_deployment(
            "maas-controller", resources.APPLICATIONS_NAMESPACE, image=f"r.example.com/maas-controller:v{release}"
        ),
        a_deployment("authorino", kuadrant),
        a_deployment("limitador-limitador", kuadrant),
        a_deployment("kuadrant-operator-controller-manager", kuadrant),
        *crds(release),
    ]
    if release == "3.6":
        things.append(a_deployment("ai-gateway-controller", resources.APPLICATIONS_NAMESPACE))
    return things


PROPERTIES = {
    "3.5": ("userid", "selected_subscription", "selected_subscription_key"),
    "3.6": ("userid", "selected_subscription", "selected_subscription_key", "selected_subscription_id"),
}
"""Identity properties of a gateway's AuthPolicy that matter, by release."""


def a_tenant(
    tenant: str = resources.DEFAULT_TENANT_NAME, *, processing: str = PROCESSING_TEXT, release: str = "3.5"
) -> list[Json]:
    """Return everything of a healthy tenant on IPP."""
    tenant_id = id_of(tenant)
    plugins = naming.suffixed(naming.PLUGINS_CONFIG_MAP, tenant_id)
    gateway = gateway_name_of(tenant)
    namespace = resources.GATEWAY_NAMESPACE
    marks = {
        "metadata": {
            "labels": {annotations.TENANT_NAME: tenant},
            "managedFields": managed_by(annotations.MAAS_CONTROLLER),
            "ownerReferences": [config_owner()],
        }
    }
    deployments = [
        changed(a_deployment(naming.suffixed(base, tenant_id), namespace, config_map=plugins), marks)
        for base in (naming.PAYLOAD_PROCESSING, naming.PAYLOAD_PRE_PROCESSING)
    ]
    others = [
        changed(an_object(kind, namespace, naming.suffixed(base, tenant_id)), marks)
        for kind, base in naming.GATEWAY_KINDS
        if kind not in {resources.DEPLOYMENT, resources.CONFIG_MAP, resources.HPA, resources.ENVOY_FILTER}
    ]
    envoy_filter = changed(
        an_object(
            resources.ENVOY_FILTER,
            namespace,
            naming.suffixed(naming.PAYLOAD_PROCESSING, tenant_id),
            spec={
                "priority": 10,
                "workloadSelector": {"labels": {"gateway.networking.k8s.io/gateway-name": gateway}},
            },
        ),
        marks,
    )
    return [
        a_tenant_config(tenant),
        an_ai_tenant(tenant),
        a_gateway(gateway),
        a_namespace(namespace_of(tenant)),
        a_plugins_config_map(tenant, processing),
        *deployments,
        *others,
        envoy_filter,
        a_deployment(naming.suffixed(naming.MAAS_API, tenant_id), resources.INFRA_NAMESPACE),
        an_auth_policy(gateway, properties=PROPERTIES[release]),
    ]


def a_cluster(release: str = "3.5", *tenants: str) -> list[Json]:
    """Return a healthy cluster with these tenants (the default one when none is named) and nothing to complain of."""
    things = [
        a_namespace(resources.KUBE_SYSTEM, CLUSTER_ID),
        a_namespace(resources.GATEWAY_NAMESPACE),
        a_config(),
        *a_platform(release),
    ]
    for tenant in tenants or (resources.DEFAULT_TENANT_NAME,):
        things += a_tenant(tenant, release=release)
    return things


def on_praxis(things: Iterable[Mapping[str, Any]], tenant: str = resources.DEFAULT_TENANT_NAME) -> list[Json]:
    """Return the objects of a cluster with *tenant* flipped: what IPP had belongs to Praxis."""
    names = {naming.suffixed(base, id_of(tenant)) for _, base in naming.GATEWAY_KINDS}
    praxis = {
        "metadata": {
            "labels": {annotations.MANAGED_BY: annotations.AI_GATEWAY_CONTROLLER},
            "managedFields": managed_by(annotations.AI_GATEWAY_CONTROLLER),
            "ownerReferences": None,
        }
    }
    flipped = []
    for thing in things:
        metadata = thing["metadata"]
        if thing["kind"] == resources.MAAS_TENANT_CONFIG.kind and metadata["namespace"] == namespace_of(tenant):
            flipped.append(
                annotated(
                    thing,
                    **{
                        annotations.PAYLOAD_PROCESSING_TYPE: annotations.TYPE_PRAXIS,
                        annotations.PAYLOAD_PROCESSING_STATUS: annotations.STATUS_STEADY,
                    },
                )
            )
        elif metadata.get("namespace") == resources.GATEWAY_NAMESPACE and metadata["name"] in names:
            is_plugins = thing["kind"] == resources.CONFIG_MAP.kind
            flipped.append(a_praxis_config_map(tenant) if is_plugins else changed(thing, praxis))
        else:
            flipped.append(dict(thing))
    return flipped
