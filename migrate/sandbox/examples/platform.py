"""The platform under every example: OpenShift, Connectivity Link, the gateway, the operator and its Deployments."""

from typing import Any, Final

from migrate.maas import annotations, resources
from migrate.maas.resources import (
    AI_GATEWAY,
    AUTHORINO,
    CLUSTER_SERVICE_VERSION,
    CLUSTER_VERSION,
    CONFIG,
    DATA_SCIENCE_CLUSTER,
    DEPLOYMENT,
    DSC_INITIALIZATION,
    GATEWAY,
    KUADRANT,
    LIMITADOR,
    NAMESPACE,
    OLM_SUBSCRIPTION,
    Kind,
)
from migrate.records.objects import Json

KUADRANT_NAMESPACE: Final = "rh-connectivity-link"
CONNECTIVITY_LINK: Final = "1.4.1"
OPENSHIFT: Final = "4.20.3"
MODEL_NAMESPACE: Final = "llm"
HOST: Final = "maas.apps.example.com"
RELEASE_NAME: Final = "OpenShift AI Self-Managed"
CACHE_TTL_S: Final = 5
"""Of both caches in the examples; the product's default is 60."""


def platform(version: str) -> list[Json]:
    """Return the platform of a cluster with *version* of the product."""
    return [
        *(namespace_object(name) for name in _NAMESPACES),
        namespace_object(MODEL_NAMESPACE, labels={annotations.GATEWAY_ACCESS: "true"}),
        *_openshift(),
        *_operator(f"{version}.0"),
        *_connectivity_link(),
        gateway(),
        *_controllers(version),
        made(CONFIG, "", resources.CONFIG_NAME, spec={"limitadorScrapeInterval": "30s", "usageLogging": False}),
    ]


_NAMESPACES: Final = (
    resources.OPERATOR_NAMESPACE,
    resources.APPLICATIONS_NAMESPACE,
    resources.MONITORING_NAMESPACE,
    resources.INFRA_NAMESPACE,
    resources.GATEWAY_NAMESPACE,
    KUADRANT_NAMESPACE,
)


def made(kind: Kind, namespace: str, name: str, **parts: Any) -> Json:
    """Return an object with *parts* beside its metadata; ``labels`` and ``annotations`` go into the metadata."""
    metadata: Json = {"name": name} | ({"namespace": namespace} if namespace else {})
    for key in ("labels", "annotations"):
        if parts.get(key):
            metadata[key] = parts.pop(key)
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, **parts}


def true(*kinds: str) -> list[Json]:
    """Return conditions that are True, as somebody else's controller told them."""
    return [{"type": kind, "status": "True", "reason": "Ready"} for kind in kinds]


def namespace_object(name: str, labels: dict[str, str] | None = None) -> Json:
    """Return a Namespace."""
    return made(NAMESPACE, "", name, labels=labels or {"kubernetes.io/metadata.name": name})


def _openshift() -> list[Json]:
    history = [{"state": "Completed", "version": OPENSHIFT}]
    status = {"desired": {"version": OPENSHIFT}, "history": history}
    return [made(CLUSTER_VERSION, "", "version", spec={"channel": "stable-4.20"}, status=status)]


def _operator(version: str) -> list[Json]:
    release = {"name": RELEASE_NAME, "version": version}
    csv = f"rhods-operator.{version}"
    namespace = resources.OPERATOR_NAMESPACE
    components = {
        "aigateway": {"managementState": "Managed", "modelsAsAService": {"managementState": "Managed"}},
        "kserve": {"managementState": "Managed"},
    }
    monitoring = {"managementState": "Managed", "namespace": resources.MONITORING_NAMESPACE}
    initialised = true("Ready", "MonitoringReady", "MonitoringStackAvailable", "PersesAvailable")
    return [
        made(
            CLUSTER_SERVICE_VERSION,
            namespace,
            csv,
            labels={annotations.CSV_LABEL: ""},
            spec={"displayName": "Red Hat OpenShift AI", "version": version},
            status={"phase": "Succeeded"},
        ),
        made(
            OLM_SUBSCRIPTION,
            namespace,
            "rhods-operator",
            spec={
                "channel": f"stable-{version.rpartition('.')[0]}",
                "installPlanApproval": "Manual",
                "name": "rhods-operator",
                "source": "redhat-operators",
                "sourceNamespace": "openshift-marketplace",
            },
            status={"currentCSV": csv, "installedCSV": csv, "state": "AtLatestKnown"},
        ),
        made(
            DATA_SCIENCE_CLUSTER,
            "",
            "default-dsc",
            spec={"components": components},
            status={"phase": "Ready", "release": release, "conditions": true("Ready")},
        ),
        made(
            DSC_INITIALIZATION,
            "",
            "default-dsci",
            spec={"applicationsNamespace": resources.APPLICATIONS_NAMESPACE, "monitoring": monitoring},
            status={"phase": "Ready", "release": release, "conditions": initialised},
        ),
        made(AI_GATEWAY, "", resources.AI_GATEWAY_NAME, spec={}, status={"conditions": true("ModelsAsAServiceReady")}),
    ]


def _connectivity_link() -> list[Json]:
    csv = f"rhcl-operator.v{CONNECTIVITY_LINK}"
    ready = {"conditions": true("Ready")}
    tls = {"enabled": True, "certSecretRef": {"name": "authorino-server-cert"}}
    image = f"registry.redhat.io/rhcl-1/{{}}:{CONNECTIVITY_LINK}"
    deployments = (
        ("kuadrant-operator-controller-manager", "rhcl-rhel9-operator"),
        ("authorino", "authorino-rhel9"),
        ("limitador-limitador", "limitador-rhel9"),
    )
    return [
        made(
            CLUSTER_SERVICE_VERSION,
            KUADRANT_NAMESPACE,
            csv,
            labels={"operators.coreos.com/rhcl-operator.rh-connectivity-link": ""},
            spec={"displayName": "Red Hat Connectivity Link", "version": CONNECTIVITY_LINK},
            status={"phase": "Succeeded"},
        ),
        made(KUADRANT, KUADRANT_NAMESPACE, "kuadrant", spec={}),
        made(
            AUTHORINO,
            KUADRANT_NAMESPACE,
            "authorino",
            spec={"clusterWide": True, "listener": {"tls": tls}, "oidcServer": {"tls": {"enabled": False}}},
            status=ready,
        ),
        made(LIMITADOR, KUADRANT_NAMESPACE, "limitador", spec={}, status=ready),
        *(
            deployment(KUADRANT_NAMESPACE, name, {"app": name}, {"name": name, "image": image.format(short)})
            for name, short in deployments
        ),
    ]


def gateway(
    name: str = resources.DEFAULT_GATEWAY, namespace: str = resources.GATEWAY_NAMESPACE, host: str = HOST
) -> Json:
    """Return a Gateway with one HTTPS listener for *host*."""
    selector = {"matchLabels": {annotations.GATEWAY_ACCESS: "true"}}
    certificate = {"group": "", "kind": "Secret", "name": "default-gateway-tls"}
    listener = {
        "name": "https",
        "protocol": "HTTPS",
        "port": 443,
        "hostname": host,
        "allowedRoutes": {"namespaces": {"from": "Selector", "selector": selector}},
        "tls": {"mode": "Terminate", "certificateRefs": [certificate]},
    }
    return made(
        GATEWAY,
        namespace,
        name,
        annotations={
            annotations.MANAGED: annotations.MANAGED_FALSE,
            "security.opendatahub.io/authorino-tls-bootstrap": "true",
        },
        spec={"gatewayClassName": resources.GATEWAY_CLASS, "listeners": [listener]},
    )


def _controllers(version: str) -> list[Json]:
    registry = "registry.redhat.io/rhoai/odh-{}-rhel9:v" + version
    flags = {
        "gateway-name": resources.DEFAULT_GATEWAY,
        "gateway-namespace": resources.GATEWAY_NAMESPACE,
        "infra-namespace": "AUTO",
        "maas-subscription-namespace": resources.DEFAULT_TENANT_NAMESPACE,
        "aitenant-namespace": resources.AITENANT_NAMESPACE,
        "monitoring-namespace": resources.MONITORING_NAMESPACE,
        "metadata-cache-ttl": str(CACHE_TTL_S),
        "authz-cache-ttl": str(CACHE_TTL_S),
    }
    args = [*(f"--{name}={value}" for name, value in flags.items()), "--enable-tenant-namespace-discovery"]
    found = [_controller(resources.MAAS_CONTROLLER_DEPLOYMENT, registry.format("maas-controller"), args)]
    if version == "3.6":
        name = resources.AI_GATEWAY_CONTROLLER_DEPLOYMENT
        found.append(_controller(name, registry.format("ai-gateway-controller"), []))
    return found


def _controller(name: str, image: str, args: list[str]) -> Json:
    labels = {annotations.APP: name, annotations.CONTROL_PLANE: name}
    container = {"name": "manager", "image": image, "args": args}
    return deployment(resources.APPLICATIONS_NAMESPACE, name, labels, container)


def deployment(namespace: str, name: str, labels: dict[str, str], container: Json) -> Json:
    """Return a Deployment of one replica whose Pods carry *labels*."""
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    return made(DEPLOYMENT, namespace, name, labels=dict(labels), spec=spec)
