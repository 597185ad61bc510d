"""
The manifests of IPP that maas-controller renders for a tenant, as data. Used by 3.5 and 3.6 alike.

Each function returns whole objects in the order in which they are applied;
names and shapes follow contract 2.3, 2.4 and 3.2.
"""

from typing import Any, Final

from migrate.maas import annotations, naming
from migrate.maas.resources import (
    CLUSTER_ROLE_BINDING,
    CONFIG_MAP,
    DEPLOYMENT,
    DESTINATION_RULE,
    ENVOY_FILTER,
    HPA,
    NETWORK_POLICY,
    SERVICE,
    SERVICE_ACCOUNT,
    Kind,
)
from migrate.records.objects import Json, get_in
from migrate.sandbox.controllers.tenancy import Tenancy

Rendered = tuple[Kind, Json]

IPP_IMAGE: Final = "registry.redhat.io/rhoai/odh-ai-gateway-payload-processing-rhel9"
PRE_KEY: Final = "custom-pre-processing-ipp-config.yaml"
POST_KEY: Final = "custom-ipp-config.yaml"
REPLICAS_ANNOTATION: Final = "maas.opendatahub.io/{}-replicas"
GRPC_PORT: Final = 9004
_PRE_RESOURCES: Final = ("25m", "32Mi", "200m", "128Mi")
_POST_RESOURCES: Final = ("50m", "64Mi", "500m", "256Mi")

API_LABELS: Final = {annotations.COMPONENT: "api", annotations.APP_NAME: "maas-api"}
PART_OF_LABELS: Final = {annotations.PART_OF: "models-as-a-service"}
_COMPONENT: Final = {"app.opendatahub.io/modelsasservice": "true"}

PRE_CONFIG: Final = """\
apiVersion: llm-d.ai/v1alpha1
kind: PayloadProcessorConfig
plugins:
- type: body-field-to-header
  name: model-extractor
  parameters:
    fieldName: model
    headerName: X-Gateway-Model-Name
- type: model-provider-resolver
profiles:
- name: default
  plugins:
    request:
    - pluginRef: model-extractor
    - pluginRef: model-provider-resolver
"""

_POST_CONFIG: Final = """\
apiVersion: llm-d.ai/v1alpha1
kind: PayloadProcessorConfig
plugins:
- type: maas-headers-guard
  name: maas-headers-guard
- type: stream-usage-enforcer
- type: model-provider-resolver
- type: api-translation
- type: apikey-injection
profiles:
- name: default
  plugins:
    request:
    - pluginRef: maas-headers-guard
    - pluginRef: stream-usage-enforcer
    - pluginRef: model-provider-resolver
    - pluginRef: api-translation
    - pluginRef: apikey-injection
"""

POST_CONFIG: Final = _POST_CONFIG + "    response: []\n"
POST_CONFIG_TRANSLATING: Final = _POST_CONFIG + "    response:\n    - pluginRef: api-translation\n"


def plugins_config_map(tenant: Tenancy) -> Json:
    """Return the plugins ConfigMap with the product's default, stamped ``managed: "false"``."""
    made = rendered(CONFIG_MAP, tenant, naming.PLUGINS_CONFIG_MAP, tenant.gateway_namespace)
    made["metadata"]["annotations"] = {annotations.MANAGED: annotations.MANAGED_FALSE}
    return {**made, "data": {PRE_KEY: PRE_CONFIG, POST_KEY: POST_CONFIG}}


def ipp_objects(tenant: Tenancy) -> list[Rendered]:
    """Return IPP of one tenant, without its plugins ConfigMap."""
    objects: list[Rendered] = [
        (SERVICE_ACCOUNT, rendered(SERVICE_ACCOUNT, tenant, naming.PAYLOAD_PROCESSING, tenant.gateway_namespace)),
        (CLUSTER_ROLE_BINDING, _reader_binding(tenant)),
        (NETWORK_POLICY, _network_policy(tenant)),
    ]
    for base in (naming.PAYLOAD_PRE_PROCESSING, naming.PAYLOAD_PROCESSING):
        objects += [
            (SERVICE, _grpc_service(tenant, base)),
            (DESTINATION_RULE, _grpc_destination(tenant, base)),
            (DEPLOYMENT, _engine(tenant, base)),
        ]
    objects.append((ENVOY_FILTER, _envoy_filter(tenant)))
    if get_in(tenant.config, "spec", "payloadProcessing", "autoscaling"):
        objects.append((HPA, _autoscaler(tenant)))
    return objects


def rendered(kind: Kind, tenant: Tenancy, base: str, namespace: str, *, shared: bool = False) -> Json:
    """
    Return the head of a rendered object: kind, name, labels and owner.

    *namespace* is ``""`` for a cluster-scoped object; *shared* makes one object for all tenants, without a suffix.
    """
    metadata: Json = {
        "name": base if shared else tenant.named(base),
        "labels": {**API_LABELS, **PART_OF_LABELS, **_COMPONENT, **tenant.labels},
        "ownerReferences": [tenant.owner],
    }
    if shared:  # One object for all tenants: naming the last one reconciled would make the tenants fight.
        metadata["labels"] = {**API_LABELS, **PART_OF_LABELS, **_COMPONENT}
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}


def _reader_binding(tenant: Tenancy) -> Json:
    made = rendered(CLUSTER_ROLE_BINDING, tenant, naming.PAYLOAD_PROCESSING_READER, "")
    account = {
        "kind": "ServiceAccount",
        "name": tenant.named(naming.PAYLOAD_PROCESSING),
        "namespace": tenant.gateway_namespace,
    }
    role = {
        "apiGroup": CLUSTER_ROLE_BINDING.group,
        "kind": "ClusterRole",
        "name": naming.PAYLOAD_PROCESSING_READER,
    }
    return {**made, "roleRef": role, "subjects": [account]}


def _network_policy(tenant: Tenancy) -> Json:
    made = rendered(NETWORK_POLICY, tenant, naming.PAYLOAD_PROCESSING, tenant.gateway_namespace)
    instances = [tenant.named(naming.PAYLOAD_PROCESSING), tenant.named(naming.PAYLOAD_PRE_PROCESSING)]
    selector = {"matchExpressions": [{"key": annotations.TENANT_INSTANCE, "operator": "In", "values": instances}]}
    ingress = [{"ports": [{"port": GRPC_PORT, "protocol": "TCP"}]}]
    return {**made, "spec": {"podSelector": selector, "policyTypes": ["Ingress"], "ingress": ingress}}


def _grpc_service(tenant: Tenancy, base: str) -> Json:
    made = rendered(SERVICE, tenant, base, tenant.gateway_namespace)
    port = {"port": GRPC_PORT, "protocol": "TCP", "targetPort": GRPC_PORT, "appProtocol": "HTTP2"}
    selector = {annotations.APP: base, annotations.TENANT_INSTANCE: tenant.named(base)}
    return {**made, "spec": {"ports": [port], "selector": selector}}


def _grpc_destination(tenant: Tenancy, base: str) -> Json:
    made = rendered(DESTINATION_RULE, tenant, base, tenant.gateway_namespace)
    host = f"{tenant.named(base)}.{tenant.gateway_namespace}.svc.cluster.local"
    tls = {"mode": "SIMPLE", "insecureSkipVerify": True}
    return {**made, "spec": {"host": host, "trafficPolicy": {"tls": tls}}}


def _engine(tenant: Tenancy, base: str) -> Json:
    made = rendered(DEPLOYMENT, tenant, base, tenant.gateway_namespace)
    name = tenant.named(base)
    is_pre = base == naming.PAYLOAD_PRE_PROCESSING
    labels = {annotations.APP: base, **API_LABELS, **PART_OF_LABELS, annotations.TENANT_INSTANCE: name}
    container: Json = {
        "name": base,
        "image": f"{IPP_IMAGE}:v{tenant.release}",
        "args": ["--config-file", f"/config/{PRE_KEY if is_pre else POST_KEY}", "--v=3", "--tracing=false"],
        "ports": [{"containerPort": GRPC_PORT, "name": "grpc", "protocol": "TCP"}],
        "volumeMounts": [{"mountPath": "/config", "name": "plugins-config-volume"}],
        "resources": resources_of(*(_PRE_RESOURCES if is_pre else _POST_RESOURCES)),
        "securityContext": confined(),
        "livenessProbe": {"tcpSocket": {"port": "grpc"}, "initialDelaySeconds": 15, "periodSeconds": 20},
        "readinessProbe": {"tcpSocket": {"port": "grpc"}, "initialDelaySeconds": 5, "periodSeconds": 10},
    }
    if not is_pre:
        container["env"] = _engine_env(tenant)
        container["ports"].append({"containerPort": 9005, "name": "metrics", "protocol": "TCP"})
    spec = {
        "serviceAccountName": tenant.named(naming.PAYLOAD_PROCESSING),
        "securityContext": {"runAsNonRoot": True},
        "containers": [container],
        "volumes": [{"name": "plugins-config-volume", "configMap": {"name": tenant.named(naming.PLUGINS_CONFIG_MAP)}}],
    }
    template = {"metadata": {"labels": labels}, "spec": spec}
    selector = {"matchLabels": _selector(tenant, {annotations.APP: base}, name)}
    return {**made, "spec": {"replicas": replicas_of(tenant, base), "selector": selector, "template": template}}


def resources_of(cpu: str, memory: str, most_cpu: str, most_memory: str) -> Json:
    """Return what a container asks for, and the most it gets."""
    return {"requests": {"cpu": cpu, "memory": memory}, "limits": {"cpu": most_cpu, "memory": most_memory}}


def confined() -> Json:
    """Return the securityContext of the product's containers."""
    return {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def _selector(tenant: Tenancy, app: dict[str, str], instance: str) -> dict[str, str]:
    # A Deployment's selector cannot change, so the default tenant's still is the one from before there were tenants.
    return {**app, annotations.TENANT_INSTANCE: instance} if tenant.id else {**app, **API_LABELS, **PART_OF_LABELS}


def _engine_env(tenant: Tenancy) -> list[Json]:
    env = [
        {"name": "GATEWAY_NAMESPACE", "value": tenant.gateway_namespace},
        {"name": "GATEWAY_NAME", "value": tenant.gateway_name},
        {"name": "TENANT_NAMESPACE", "value": tenant.namespace},
    ]
    return [*env, {"name": "DISABLE_EXTERNAL_MODEL_CONTROLLER", "value": "true"}] if tenant.id else env


def replicas_of(tenant: Tenancy, base: str) -> int:
    """Return the replicas that the annotation of *base*, else the spec, asks for; one where neither does."""
    text = str(get_in(tenant.config, "metadata", "annotations", REPLICAS_ANNOTATION.format(base), default=""))
    if text.isdigit():
        return int(text)
    asked = get_in(tenant.config, "spec", "payloadProcessing", "replicas")
    return asked if base == naming.PAYLOAD_PROCESSING and isinstance(asked, int) else 1


def _autoscaler(tenant: Tenancy) -> Json:
    made = rendered(HPA, tenant, naming.PAYLOAD_PROCESSING, tenant.gateway_namespace)
    asked: Any = get_in(tenant.config, "spec", "payloadProcessing", "autoscaling")
    targets = (("cpu", "targetCPUUtilization", 70), ("memory", "targetMemoryUtilization", 80))
    target = {
        "apiVersion": DEPLOYMENT.api_version,
        "kind": DEPLOYMENT.kind,
        "name": tenant.named(naming.PAYLOAD_PROCESSING),
    }
    metrics = [
        {
            "type": "Resource",
            "resource": {
                "name": name,
                "target": {"type": "Utilization", "averageUtilization": asked.get(field, default)},
            },
        }
        for name, field, default in targets
    ]
    most = asked.get("maxReplicas", 10)
    return {**made, "spec": {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": most, "metrics": metrics}}


def _envoy_filter(tenant: Tenancy) -> Json:
    made = rendered(ENVOY_FILTER, tenant, naming.PAYLOAD_PROCESSING, tenant.gateway_namespace)
    gateway = {"gateway.networking.k8s.io/gateway-name": tenant.gateway_name}
    wasm = f"extensions.istio.io/wasmplugin/{tenant.gateway_namespace}.kuadrant-{tenant.gateway_name}"
    patches = []
    for anchor in (wasm, "envoy.filters.http.wasm"):
        patches += [_ext_proc(tenant, anchor, is_pre=True), _ext_proc(tenant, anchor, is_pre=False)]
    route = f"{tenant.infra_namespace}.{tenant.named(naming.MAAS_API_ROUTE)}"
    patches += [_bypass(f"{route}.{index}") for index in range(4)]
    return {
        **made,
        "spec": {"priority": 10, "workloadSelector": {"labels": gateway}, "configPatches": patches},
    }


def _ext_proc(tenant: Tenancy, anchor: str, *, is_pre: bool) -> Json:
    base = naming.PAYLOAD_PRE_PROCESSING if is_pre else naming.PAYLOAD_PROCESSING
    cluster = f"outbound|{GRPC_PORT}||{tenant.named(base)}.{tenant.gateway_namespace}.svc.cluster.local"
    mode = {
        "request_header_mode": "SEND",
        "request_body_mode": "FULL_DUPLEX_STREAMED",
        "request_trailer_mode": "SEND",
    }
    mode |= (
        {"response_header_mode": "SKIP", "response_body_mode": "NONE"}
        if is_pre
        else {
            "response_header_mode": "SEND",
            "response_body_mode": "FULL_DUPLEX_STREAMED",
            "response_trailer_mode": "SEND",
        }
    )
    filters = {"name": "envoy.filters.network.http_connection_manager", "subFilter": {"name": anchor}}
    return {
        "applyTo": "HTTP_FILTER",
        "match": {"context": "GATEWAY", "listener": {"filterChain": {"filter": filters}}},
        "patch": {
            "operation": "INSERT_BEFORE" if is_pre else "INSERT_AFTER",
            "value": {
                "name": f"envoy.filters.http.ext_proc.ipp{'-pre' if is_pre else ''}",
                "typed_config": {
                    "@type": "type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor",
                    "allow_mode_override": True,
                    "failure_mode_allow": is_pre,
                    "grpc_service": {"envoy_grpc": {"cluster_name": cluster}, "timeout": "300s"},
                    "message_timeout": "300s",
                    "processing_mode": mode,
                },
            },
        },
    }


def _bypass(route: str) -> Json:
    off = {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExtProcPerRoute",
        "disabled": True,
    }
    filters = {f"envoy.filters.http.ext_proc.{name}": off for name in ("ipp", "ipp-pre")}
    return {
        "applyTo": "HTTP_ROUTE",
        "match": {"context": "GATEWAY", "routeConfiguration": {"vhost": {"route": {"name": route}}}},
        "patch": {"operation": "MERGE", "value": {"typed_per_filter_config": filters}},
    }
