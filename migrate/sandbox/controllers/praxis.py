"""
The objects that ai-gateway-controller applies for a tenant on Praxis.

Pure. They have no owner (AITenants live in another namespace) and carry two
labels that tell whose they are. Source: contract 2.4, 3.7, 4.2 step 13, 4.8.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from migrate.maas import annotations, naming, resources
from migrate.maas.resources import Kind
from migrate.records.objects import Json, ObjectRef

PRE_EXTPROC: Final = "pre-extproc.yaml"
EXTPROC: Final = "extproc.yaml"
_IMAGE: Final = "registry.redhat.io/rhoai/odh-ai-gateway-praxis-rhel9:v3.6"
_GRPC_PORT: Final = 9004
_MODEL_HEADER: Final = "X-Gateway-Model-Name"

_LISTENER: Final = f"""server:
  grpc: 0.0.0.0:{_GRPC_PORT}
  health: 0.0.0.0:50052
  metrics: 0.0.0.0:9090
  tls: self-signed
"""
_PRE_EXTPROC_TEXT: Final = f"""{_LISTENER}chains:
- name: pre
  filters:
  - type: model_to_header
    header: {_MODEL_HEADER}
"""
_EXTPROC_TEXT: Final = f"""{_LISTENER}chains:
- name: main
  filters:
  - type: request_id
  - type: llmisvc_model_provider_resolver
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """
    What the names and labels of a tenant's objects are made of.

    Attributes:
        tenant_id: ``""`` for the default names, else the suffix.

        name: As the label says it: ``models-as-a-service`` for the default one.

        namespace: Where its MaasTenantConfig lives.

        gateway: The Gateway's name.

        gateway_namespace: Where the Gateway lives, and most of these objects.
    """

    tenant_id: str
    name: str
    namespace: str
    gateway: str
    gateway_namespace: str

    def named(self, base: str) -> str:
        """Return *base* with the tenant's suffix."""
        return naming.suffixed(base, self.tenant_id)

    @property
    def labels(self) -> dict[str, str]:
        """The labels that every Praxis object of the tenant carries."""
        return {
            annotations.MANAGED_BY: annotations.AI_GATEWAY_CONTROLLER,
            annotations.TENANT_NAME: self.name,
            annotations.TENANT_NAMESPACE: self.namespace,
        }


def serving_objects(tenant: Tenant, replicas: int = 1) -> tuple[Json, ...]:
    """Return what serves a tenant in its gateway's namespace, in the order of applying."""
    plugins, main, pre = (
        tenant.named(base)
        for base in (naming.PLUGINS_CONFIG_MAP, naming.PAYLOAD_PROCESSING, naming.PAYLOAD_PRE_PROCESSING)
    )
    where = tenant.gateway_namespace
    config_map = _made(resources.CONFIG_MAP, tenant, plugins, where)
    config_map["metadata"]["labels"][annotations.IPP_PROFILE] = annotations.IPP_PROFILE_PRAXIS
    config_map["data"] = {PRE_EXTPROC: _PRE_EXTPROC_TEXT, EXTPROC: _EXTPROC_TEXT}
    return (
        _made(resources.SERVICE_ACCOUNT, tenant, main, where),
        *(
            _binding(tenant, base, main)
            for base in (naming.PAYLOAD_PROCESSING_READER, naming.PAYLOAD_PROCESSING_READER_POST)
        ),
        config_map,
        *_stage(tenant, pre, where, (plugins, PRE_EXTPROC), replicas),
        *_stage(tenant, main, where, (plugins, EXTPROC), replicas),
        *(_destination_rule(tenant, stage) for stage in (pre, main)),
        _made(resources.NETWORK_POLICY, tenant, main, where, spec=_POLICY),
        _made(resources.ENVOY_FILTER, tenant, main, where, spec=_ext_proc(tenant, pre, main)),
    )


def external_model_objects(tenant: Tenant) -> tuple[Json, ...]:
    """Return what serves a tenant's external models: in its own namespace, and two EnvoyFilters at the gateway."""
    name = tenant.named(naming.EXTERNAL_MODEL_ENGINE)
    plugins = _made(resources.CONFIG_MAP, tenant, tenant.named(naming.EXTERNAL_MODEL_PLUGINS), tenant.namespace)
    plugins["data"] = {EXTPROC: _EXTPROC_TEXT}
    return (
        _made(resources.SERVICE_ACCOUNT, tenant, name, tenant.namespace),
        plugins,
        *_stage(tenant, name, tenant.namespace, (plugins["metadata"]["name"], EXTPROC), 1),
        *(
            _made(resources.ENVOY_FILTER, tenant, tenant.named(base), tenant.gateway_namespace, spec=_filter(tenant))
            for base in (naming.EXTERNAL_MODEL_FILTERS, naming.EXTERNAL_MODEL_ROUTES)
        ),
    )


def overlay(tenant: Tenant, document: str) -> Json:
    """Return the ConfigMap of the routing overlay that holds the JSON *document*."""
    made = _made(resources.CONFIG_MAP, tenant, naming.ROUTING_OVERLAY, tenant.namespace)
    made["data"] = {naming.ROUTING_OVERLAY_KEY: document}
    return made


def everything_of(tenant: Tenant) -> tuple[tuple[Kind, ObjectRef], ...]:
    """Return every object that ai-gateway-controller may have made for a tenant, in the order of deleting."""
    made = (overlay(tenant, ""), *serving_objects(tenant), *external_model_objects(tenant))
    return tuple((kind_of(thing), ref_of(thing)) for thing in reversed(made))


def too_long(things: "tuple[Json, ...]") -> Iterator[str]:
    """Yield each name among *things* that ai-gateway-controller refuses."""
    for thing in things:
        name = str(thing["metadata"]["name"])
        if len(name) > naming.MAX_LABEL:
            yield name


def ref_of(thing: Mapping[str, Any]) -> ObjectRef:
    """Return the reference of a rendered object."""
    metadata = thing["metadata"]
    return ObjectRef(
        api_version=thing["apiVersion"],
        kind=thing["kind"],
        namespace=metadata.get("namespace", ""),
        name=metadata["name"],
    )


def kind_of(thing: Mapping[str, Any]) -> Kind:
    """Return the kind of a rendered object."""
    return _KINDS[thing["kind"]]


_KINDS: Final[dict[str, Kind]] = {
    kind.kind: kind
    for kind in (
        resources.CLUSTER_ROLE_BINDING,
        resources.CONFIG_MAP,
        resources.DEPLOYMENT,
        resources.DESTINATION_RULE,
        resources.ENVOY_FILTER,
        resources.NETWORK_POLICY,
        resources.SERVICE,
        resources.SERVICE_ACCOUNT,
    )
}
_POLICY: Final[Json] = {
    "podSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["payload-processing"]}]},
    "policyTypes": ["Ingress"],
    "ingress": [{"ports": [{"port": _GRPC_PORT, "protocol": "TCP"}]}],
}


def _made(kind: Kind, tenant: Tenant, name: str, namespace: str, *, spec: Json | None = None) -> Json:
    metadata: Json = {"name": name, "labels": dict(tenant.labels)}
    if kind.namespaced:
        metadata["namespace"] = namespace
    made: Json = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}
    return made if spec is None else made | {"spec": spec}


def _stage(tenant: Tenant, name: str, namespace: str, config: tuple[str, str], replicas: int) -> tuple[Json, Json]:
    """Return the Deployment *name*, which reads the key of a ConfigMap, and its Service."""
    config_map, key = config
    labels = {annotations.APP: _stem(name, tenant), annotations.TENANT_INSTANCE: name}
    container = {
        "name": "praxis",
        "image": _IMAGE,
        "args": ["--config", f"/config/{key}"],
        "ports": [{"name": "grpc", "containerPort": _GRPC_PORT, "protocol": "TCP"}],
        "volumeMounts": [{"name": "config", "mountPath": "/config"}],
    }
    template = {
        "metadata": {"labels": labels | tenant.labels},
        "spec": {"containers": [container], "volumes": [{"name": "config", "configMap": {"name": config_map}}]},
    }
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    port = {"name": "grpc", "port": _GRPC_PORT, "protocol": "TCP", "targetPort": "grpc"}
    return (
        _made(resources.DEPLOYMENT, tenant, name, namespace, spec=spec),
        _made(resources.SERVICE, tenant, name, namespace, spec={"selector": labels, "ports": [port]}),
    )


def _stem(name: str, tenant: Tenant) -> str:
    return name.removesuffix(f"-{tenant.tenant_id}") if tenant.tenant_id else name


def _binding(tenant: Tenant, base: str, account: str) -> Json:
    made = _made(resources.CLUSTER_ROLE_BINDING, tenant, tenant.named(base), "")
    made["roleRef"] = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": base}
    made["subjects"] = [{"kind": "ServiceAccount", "name": account, "namespace": tenant.gateway_namespace}]
    return made


def _destination_rule(tenant: Tenant, stage: str) -> Json:
    host = f"{stage}.{tenant.gateway_namespace}.svc.cluster.local"
    spec = {"host": host, "trafficPolicy": {"tls": {"mode": "SIMPLE", "insecureSkipVerify": True}}}
    return _made(resources.DESTINATION_RULE, tenant, stage, tenant.gateway_namespace, spec=spec)


def _filter(tenant: Tenant, patches: "list[Json] | None" = None) -> Json:
    return {
        "priority": 10,
        "workloadSelector": {"labels": {"gateway.networking.k8s.io/gateway-name": tenant.gateway}},
        "configPatches": patches or [],
    }


def _ext_proc(tenant: Tenant, pre: str, main: str) -> Json:
    """Return the filter that sends requests through *pre* before authentication and *main* after it."""
    anchors = (
        f"extensions.istio.io/wasmplugin/{tenant.gateway_namespace}.kuadrant-{tenant.gateway}",
        "envoy.filters.http.wasm",
    )
    stages = (
        ("envoy.filters.http.ext_proc.ipp-pre", "INSERT_BEFORE", pre),
        ("envoy.filters.http.ext_proc.ipp", "INSERT_AFTER", main),
    )
    return _filter(
        tenant,
        [
            _patch(anchor, operation, name, f"outbound|{_GRPC_PORT}||{stage}.{tenant.gateway_namespace}")
            for anchor in anchors
            for name, operation, stage in stages
        ],
    )


def _patch(anchor: str, operation: str, name: str, cluster: str) -> Json:
    manager = {"name": "envoy.filters.network.http_connection_manager", "subFilter": {"name": anchor}}
    service = {"envoy_grpc": {"cluster_name": f"{cluster}.svc.cluster.local"}}
    return {
        "applyTo": "HTTP_FILTER",
        "match": {"context": "GATEWAY", "listener": {"filterChain": {"filter": manager}}},
        "patch": {
            "operation": operation,
            "value": {
                "name": name,
                "typed_config": {
                    "@type": "type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor",
                    "grpc_service": service,
                },
            },
        },
    }
