"""
What to ask of a cluster, given what is known of it so far.

The collector asks what is named here and was not asked yet, until nothing new is wanted. Kinds of MaaS, inference,
Kuadrant and Gateway API: one list of the whole cluster each, where the server knows the kind. Everything else by
name, or by label, in the namespace where it is known to live. Secrets are never asked for.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from migrate.changes.platform.reading import (
    application_namespaces,
    found,
    kuadrant_namespaces,
    listed,
    maps,
    monitoring_namespaces,
    served,
)
from migrate.changes.platform.tenants import TenantView, tenants_of
from migrate.maas import annotations, naming, resources
from migrate.maas.resources import Kind
from migrate.records.objects import KubeObject, Query, get_in
from migrate.records.snapshot import Snapshot

LISTED: Final[tuple[tuple[Kind, tuple[tuple[str, ...], ...]], ...]] = (
    (resources.MAAS_TENANT_CONFIG, ()),
    (resources.TENANT, ()),
    (resources.AI_TENANT, ()),
    (resources.CONFIG, ()),
    (resources.MAAS_SUBSCRIPTION, ()),
    (resources.MAAS_AUTH_POLICY, (("spec", "modelRefs"), ("status", "phase"), ("status", "conditions"))),
    (resources.MAAS_MODEL_REF, ()),
    (resources.MAAS_EXTERNAL_MODEL, ()),
    (resources.EXTERNAL_MODEL, ()),
    (resources.EXTERNAL_PROVIDER, ()),
    (resources.AUTH_POLICY, ()),
    (resources.TOKEN_RATE_LIMIT_POLICY, ()),
    (resources.KUADRANT, (("status", "conditions"),)),
    (resources.AUTHORINO, (("spec", "listener"), ("status", "conditions"))),
    (resources.LIMITADOR, (("spec", "storage"), ("status", "conditions"))),
    (resources.GATEWAY, ()),
    (resources.HTTP_ROUTE, (("spec",),)),
    (resources.DATA_SCIENCE_CLUSTER, (("spec", "components"), ("status", "release"), ("status", "conditions"))),
    (
        resources.DSC_INITIALIZATION,
        (
            ("spec", "applicationsNamespace"),
            ("spec", "monitoring", "namespace"),
            ("status", "release"),
            ("status", "conditions"),
        ),
    ),
    (resources.CLUSTER_VERSION, (("status", "desired"), ("status", "history"))),
    (resources.AI_GATEWAY, (("status",),)),
)
"""Kinds that are listed once for the whole cluster, and what is kept of them; none keeps everything."""

CRDS: Final = (
    resources.MAAS_SUBSCRIPTION,
    resources.MAAS_AUTH_POLICY,
    resources.MAAS_MODEL_REF,
    resources.MAAS_TENANT_CONFIG,
    resources.AI_TENANT,
    resources.CONFIG,
)
"""Kinds of MaaS whose CustomResourceDefinition is read: its fields tell the release. Source: contract §7.4."""

PAYLOAD_APPS: Final = (naming.PAYLOAD_PROCESSING, naming.PAYLOAD_PRE_PROCESSING)
"""Values of the label ``app`` on the Pods of both stages. Source: contract §2.3."""

_CSV_FIELDS: Final = (("spec", "version"), ("spec", "displayName"), ("status", "phase"))
_CRD_FIELDS: Final = (("spec", "group"), ("spec", "names"), ("spec", "versions"), ("status", "conditions"))
_FILTER_FIELDS: Final = (("spec", "priority"), ("spec", "workloadSelector"))
_BINDING_FIELDS: Final = (("roleRef",),)
_PLATFORM_CONFIG_MAPS: Final = frozenset({"kube-root-ca.crt", "openshift-service-ca.crt"})


def queries(snapshot: Snapshot) -> tuple[Query, ...]:
    """Return everything that is to be asked, given what *snapshot* holds already; in a fixed order, each once."""
    wanted: list[Query] = [resources.NAMESPACE.query(name=resources.KUBE_SYSTEM)]
    wanted += [kind.query(fields=fields) for kind, fields in LISTED if served(snapshot, kind)]
    wanted += [resources.CRD.query(name=kind.crd_name, fields=_CRD_FIELDS) for kind in CRDS]
    wanted += _operators(snapshot)
    for tenant in tenants_of(snapshot):
        wanted += tenant_queries(snapshot, tenant)
    return tuple(dict.fromkeys(query for query in wanted if _is_known(snapshot, query)))


def _is_known(snapshot: Snapshot, query: Query) -> bool:
    return snapshot.kind_info(query.group, query.kind) is not None


def _operators(snapshot: Snapshot) -> Iterator[Query]:
    controllers = (resources.MAAS_CONTROLLER_DEPLOYMENT, resources.AI_GATEWAY_CONTROLLER_DEPLOYMENT)
    for namespace in application_namespaces(snapshot):
        yield from _deployments(namespace, controllers)
        yield resources.PERSES_DASHBOARD.query(namespace, resources.USAGE_DASHBOARD)
    for namespace in monitoring_namespaces(snapshot):
        for name in (resources.USAGE_DASHBOARD, *resources.USAGE_LOG_DASHBOARDS):
            yield resources.PERSES_DASHBOARD.query(namespace, name)
    for namespace in resources.OPERATOR_NAMESPACES:
        yield resources.CLUSTER_SERVICE_VERSION.query(
            namespace, label_selector=annotations.CSV_LABEL, fields=_CSV_FIELDS
        )
    yield resources.INSTALL_PLAN.query(resources.OPERATOR_NAMESPACE, fields=(("spec",), ("status", "phase")))
    for namespace in kuadrant_namespaces(snapshot):
        yield connectivity_link_query(namespace)
        yield from _deployments(
            namespace,
            (
                resources.AUTHORINO_DEPLOYMENT,
                *resources.LIMITADOR_DEPLOYMENTS,
                *resources.KUADRANT_OPERATOR_DEPLOYMENTS,
            ),
        )


def connectivity_link_query(namespace: str) -> Query:
    """Return the question for the ClusterServiceVersion of Connectivity Link in a Kuadrant namespace."""
    label = f"operators.coreos.com/rhcl-operator.{namespace}"
    return resources.CLUSTER_SERVICE_VERSION.query(namespace, label_selector=label, fields=_CSV_FIELDS)


def pods_query(namespace: str, app: str) -> Query:
    """Return the question for the Pods of one stage of all tenants of a gateway namespace."""
    return resources.POD.query(namespace, label_selector=f"{annotations.APP}={app}", fields=(("status",),))


def _deployments(namespace: str, names: Iterable[str]) -> Iterator[Query]:
    for name in names:
        yield resources.DEPLOYMENT.query(namespace, name)


def tenant_queries(snapshot: Snapshot, tenant: TenantView) -> Iterator[Query]:
    """Yield the questions that concern one tenant alone; none when it is not known which objects are its own."""
    if tenant.gateway is None or tenant.tenant_id is None:
        return
    namespace = tenant.gateway.namespace
    yield resources.NAMESPACE.query(name=namespace)
    for kind, base in naming.GATEWAY_KINDS:
        fields = _FILTER_FIELDS if kind is resources.ENVOY_FILTER else ()
        yield kind.query(namespace, naming.suffixed(base, tenant.tenant_id), fields=fields)
    reader = naming.suffixed(naming.PAYLOAD_PROCESSING_READER, tenant.tenant_id)
    yield resources.CLUSTER_ROLE_BINDING.query(name=reader, fields=_BINDING_FIELDS)
    for app in PAYLOAD_APPS:
        yield pods_query(namespace, app)
    if tenant.infra_namespace:
        yield resources.DEPLOYMENT.query(tenant.infra_namespace, naming.suffixed(naming.MAAS_API, tenant.tenant_id))
    for name in other_config_maps(snapshot, tenant):
        yield resources.CONFIG_MAP.query(namespace, name)
    if listed(snapshot, resources.EXTERNAL_MODEL) or listed(snapshot, resources.MAAS_EXTERNAL_MODEL):
        yield from external_model_queries(tenant)


def external_model_queries(tenant: TenantView) -> tuple[Query, ...]:
    """Return the questions for what Praxis makes for external models. Source: contract §2.4."""
    if tenant.gateway is None or tenant.tenant_id is None:
        return ()
    filters = (naming.EXTERNAL_MODEL_FILTERS, naming.EXTERNAL_MODEL_ROUTES)
    engine = naming.suffixed(naming.EXTERNAL_MODEL_ENGINE, tenant.tenant_id)
    return (
        resources.DEPLOYMENT.query(tenant.namespace, engine),
        resources.SERVICE.query(tenant.namespace, engine),
        resources.SERVICE_ACCOUNT.query(tenant.namespace, engine),
        resources.CONFIG_MAP.query(tenant.namespace, naming.suffixed(naming.EXTERNAL_MODEL_PLUGINS, tenant.tenant_id)),
        *(
            resources.ENVOY_FILTER.query(
                tenant.gateway.namespace, naming.suffixed(base, tenant.tenant_id), fields=_FILTER_FIELDS
            )
            for base in filters
        ),
    )


def payload_deployments(snapshot: Snapshot, tenant: TenantView) -> tuple[KubeObject, ...]:
    """Return the Deployments of both stages of a tenant that are there."""
    refs = (tenant.at_gateway(resources.DEPLOYMENT, base) for base in PAYLOAD_APPS)
    things = (found(snapshot, resources.DEPLOYMENT, ref.namespace, ref.name) for ref in refs if ref is not None)
    return tuple(thing for thing in things if thing is not None)


def other_config_maps(snapshot: Snapshot, tenant: TenantView) -> tuple[str, ...]:
    """Return the names of ConfigMaps that the tenant's payload Deployments read and that are not its plugins one."""
    own = tenant.at_gateway(resources.CONFIG_MAP, naming.PLUGINS_CONFIG_MAP)
    known = _PLATFORM_CONFIG_MAPS | ({own.name} if own else set())
    names = {name for deployment in payload_deployments(snapshot, tenant) for name in config_maps_of(deployment)}
    return tuple(sorted(names - known))


def config_maps_of(deployment: KubeObject) -> frozenset[str]:
    """Return the names of all ConfigMaps that the Pods of *deployment* read."""
    pod = deployment.get("spec", "template", "spec", default={})
    names: list[Any] = []
    for volume in maps(get_in(pod, "volumes")):
        names.append(get_in(volume, "configMap", "name"))
        names += [get_in(source, "configMap", "name") for source in maps(get_in(volume, "projected", "sources"))]
    for container in (*maps(get_in(pod, "initContainers")), *maps(get_in(pod, "containers"))):
        names += [get_in(entry, "configMapRef", "name") for entry in maps(container.get("envFrom"))]
        names += [get_in(entry, "valueFrom", "configMapKeyRef", "name") for entry in maps(container.get("env"))]
    return frozenset(name for name in names if isinstance(name, str) and name)
