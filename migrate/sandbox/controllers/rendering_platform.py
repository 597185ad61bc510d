"""
The rest that maas-controller renders for a tenant: maas-api, the default denial, telemetry. Used by 3.5 and 3.6 alike.

Source of names and shapes: contract 1.11, 2.3, 2.4.
"""

from typing import Any, Final

from migrate.maas import annotations, naming, resources
from migrate.maas.resources import (
    DEPLOYMENT,
    DESTINATION_RULE,
    HTTP_ROUTE,
    SERVICE,
    SERVICE_ACCOUNT,
    TELEMETRY,
    TELEMETRY_POLICY,
    TOKEN_RATE_LIMIT_POLICY,
)
from migrate.records.objects import Json, get_in
from migrate.sandbox.controllers.rendering import (
    API_LABELS,
    PART_OF_LABELS,
    Rendered,
    confined,
    rendered,
    replicas_of,
    resources_of,
)
from migrate.sandbox.controllers.tenancy import Tenancy

MAAS_API_IMAGE: Final = "registry.redhat.io/rhoai/odh-maas-api-rhel9"


def platform_objects(tenant: Tenancy) -> list[Rendered]:
    """Return all else that is rendered for one tenant: maas-api, its route, the default denial, telemetry."""
    objects: list[Rendered] = [
        (SERVICE_ACCOUNT, rendered(SERVICE_ACCOUNT, tenant, naming.MAAS_API, tenant.infra_namespace, shared=True)),
        (SERVICE, _api_service(tenant)),
        (DEPLOYMENT, _api_deployment(tenant)),
        (HTTP_ROUTE, _api_route(tenant)),
        (DESTINATION_RULE, _api_destination(tenant)),
        (TOKEN_RATE_LIMIT_POLICY, _default_denial(tenant)),
    ]
    if get_in(tenant.config, "spec", "telemetry") is not None:
        objects += [(TELEMETRY_POLICY, _telemetry_policy(tenant)), (TELEMETRY, _latency(tenant))]
    return objects


def _api_service(tenant: Tenancy) -> Json:
    made = rendered(SERVICE, tenant, naming.MAAS_API, tenant.infra_namespace)
    secret = f"{tenant.named(naming.MAAS_API)}-serving-cert"
    made["metadata"]["annotations"] = {"service.beta.openshift.io/serving-cert-secret-name": secret}
    selector = {**API_LABELS, **PART_OF_LABELS, annotations.TENANT_INSTANCE: tenant.named(naming.MAAS_API)}
    port = {"name": "https", "port": 8443, "protocol": "TCP", "targetPort": "https"}
    return {**made, "spec": {"ports": [port], "selector": selector}}


def _api_deployment(tenant: Tenancy) -> Json:
    made = rendered(DEPLOYMENT, tenant, naming.MAAS_API, tenant.infra_namespace)
    name = tenant.named(naming.MAAS_API)
    labels = {**API_LABELS, **PART_OF_LABELS, annotations.TENANT_INSTANCE: name}
    container = {
        "name": naming.MAAS_API,
        "image": f"{MAAS_API_IMAGE}:v{tenant.release}",
        "imagePullPolicy": "Always",
        "resources": resources_of("50m", "64Mi", "200m", "128Mi"),
        "securityContext": confined() | {"runAsNonRoot": True},
        "livenessProbe": _health(wait_s=30, every_s=10, timeout_s=5),
        "readinessProbe": _health(wait_s=5, every_s=5, timeout_s=3),
        "env": _api_env(tenant),
        "ports": [{"containerPort": 8443, "name": "https", "protocol": "TCP"}],
        "volumeMounts": [
            {"mountPath": "/etc/maas-api/tls", "name": "maas-api-tls", "readOnly": True},
            {"mountPath": "/etc/ssl/certs/openshift-service-ca", "name": "openshift-service-ca", "readOnly": True},
        ],
    }
    volumes = [
        {"name": "maas-api-tls", "secret": {"secretName": f"{name}-serving-cert"}},
        {"name": "openshift-service-ca", "configMap": {"name": "openshift-service-ca.crt"}},
    ]
    template = {
        "metadata": {"labels": labels},
        "spec": {
            "serviceAccountName": naming.MAAS_API,
            "securityContext": {"runAsNonRoot": True},
            "containers": [container],
            "volumes": volumes,
        },
    }
    selector = {"matchLabels": {**API_LABELS, **PART_OF_LABELS}}
    replicas = replicas_of(tenant, naming.MAAS_API)
    return {**made, "spec": {"replicas": replicas, "selector": selector, "template": template}}


def _health(*, wait_s: int, every_s: int, timeout_s: int) -> Json:
    question = {"path": "/health", "port": "https", "scheme": "HTTPS"}
    return {
        "httpGet": question,
        "initialDelaySeconds": wait_s,
        "periodSeconds": every_s,
        "timeoutSeconds": timeout_s,
    }


def _api_env(tenant: Tenancy) -> list[Json]:
    days = get_in(tenant.config, "spec", "apiKeys", "maxExpirationDays", default=90)
    own_namespace = {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
    before = {
        "SECURE": "true",
        "TLS_CERT": "/etc/maas-api/tls/tls.crt",
        "TLS_KEY": "/etc/maas-api/tls/tls.key",
        "SSL_CERT_DIR": "/etc/ssl/certs:/etc/ssl/certs/openshift-service-ca",
    }
    after = {
        "MAAS_SUBSCRIPTION_NAMESPACE": tenant.namespace,
        "METRICS_PORT": "9090",
        "GATEWAY_NAMESPACE": tenant.gateway_namespace,
        "GATEWAY_NAME": tenant.gateway_name,
        "API_KEY_MAX_EXPIRATION_DAYS": str(days),
        "TENANT_NAME": tenant.name,
    }
    middle: list[Json] = [{"name": "NAMESPACE", "valueFrom": own_namespace}]
    return [_variable(item) for item in before.items()] + middle + [_variable(item) for item in after.items()]


def _variable(item: tuple[str, str]) -> Json:
    return {"name": item[0], "value": item[1]}


def _api_route(tenant: Tenancy) -> Json:
    made = rendered(HTTP_ROUTE, tenant, naming.MAAS_API_ROUTE, tenant.infra_namespace)
    backend = {
        "group": "",
        "kind": "Service",
        "name": tenant.named(naming.MAAS_API),
        "port": 8443,
        "weight": 100,
    }
    rules: list[Json] = [
        {"matches": [{"path": {"type": "PathPrefix", "value": path}}], "backendRefs": [backend]}
        for path in ("/v1/models", "/v1/subscriptions", "/v1/api-keys", "/maas-api")
    ]
    rewrite = {"path": {"type": "ReplacePrefixMatch", "replacePrefixMatch": "/"}}
    rules[-1]["filters"] = [{"type": "URLRewrite", "urlRewrite": rewrite}]
    gateway = {
        "group": resources.GATEWAY_GROUP,
        "kind": "Gateway",
        "name": tenant.gateway_name,
        "namespace": tenant.gateway_namespace,
    }
    return {**made, "spec": {"parentRefs": [gateway], "rules": rules}}


def _api_destination(tenant: Tenancy) -> Json:
    made = rendered(DESTINATION_RULE, tenant, naming.MAAS_API_BACKEND_TLS, tenant.gateway_namespace)
    host = f"{tenant.named(naming.MAAS_API)}.{tenant.infra_namespace}.svc.cluster.local"
    settings = [{"port": {"number": 8443}, "tls": {"mode": "SIMPLE", "insecureSkipVerify": True}}]
    return {**made, "spec": {"host": host, "trafficPolicy": {"portLevelSettings": settings}}}


def _default_denial(tenant: Tenancy) -> Json:
    made = rendered(TOKEN_RATE_LIMIT_POLICY, tenant, naming.GATEWAY_DEFAULT_DENY, tenant.gateway_namespace)
    labels = made["metadata"]["labels"]
    labels[annotations.MANAGED_BY] = annotations.MAAS_CONTROLLER
    free = ("/maas-api", "/v1/models", "/v1/subscriptions", "/v1/api-keys")
    predicate = " && ".join(f'!request.path.startsWith("{path}")' for path in free)
    limit = {
        "rates": [{"limit": 0, "window": "1m"}],
        "when": [{"predicate": predicate}],
        "counters": [{"expression": "auth.identity.userid"}],
    }
    target = {"group": resources.GATEWAY_GROUP, "kind": "Gateway", "name": tenant.gateway_name}
    defaults = {"strategy": "atomic", "limits": {"deny-all-by-default": limit}}
    return {**made, "spec": {"targetRef": target, "defaults": defaults}}


def _telemetry_policy(tenant: Tenancy) -> Json:
    made = rendered(TELEMETRY_POLICY, tenant, naming.MAAS_TELEMETRY, tenant.gateway_namespace)
    capture: Any = get_in(tenant.config, "spec", "telemetry", "metrics", default={})
    labels = {"subscription": "auth.identity.selected_subscription"}
    if capture.get("captureModelUsage", True):
        labels["model"] = 'responseBodyJSON("/model")'
    if capture.get("captureOrganization", True):
        labels["organization_id"] = "auth.identity.subscription_info.organizationId"
        labels["cost_center"] = "auth.identity.subscription_info.costCenter"
    if capture.get("captureUser", False):
        labels["user"] = "auth.identity.userid"
    target = {"group": resources.GATEWAY_GROUP, "kind": "Gateway", "name": tenant.gateway_name}
    return {**made, "spec": {"targetRef": target, "metrics": {"default": {"labels": labels}}}}


def _latency(tenant: Tenancy) -> Json:
    made = rendered(TELEMETRY, tenant, naming.LATENCY_PER_SUBSCRIPTION, tenant.gateway_namespace)
    override = {"tagOverrides": {"subscription": {"value": 'request.headers["x-maas-subscription"]'}}}
    metrics = [{"providers": [{"name": "prometheus"}], "overrides": [override]}]
    gateway = {"gateway.networking.k8s.io/gateway-name": tenant.gateway_name}
    return {**made, "spec": {"selector": {"matchLabels": gateway}, "metrics": metrics}}
