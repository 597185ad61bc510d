"""
What a tenant's objects are called.

Source: contract §2.4.
"""

import hashlib
from typing import Final

from migrate.maas import annotations, resources
from migrate.records.objects import KubeObject, Record

PLUGINS_CONFIG_MAP: Final = "payload-processing-plugins"
"""ConfigMap, gateway namespace."""
PAYLOAD_PROCESSING: Final = "payload-processing"
"""Deployment, Service, ServiceAccount, NetworkPolicy, DestinationRule, HPA, EnvoyFilter; gateway namespace."""
PAYLOAD_PRE_PROCESSING: Final = "payload-pre-processing"
"""Deployment, Service, DestinationRule; gateway namespace."""
PAYLOAD_PROCESSING_READER: Final = "payload-processing-reader"
"""ClusterRoleBinding."""
PAYLOAD_PROCESSING_READER_POST: Final = "payload-processing-reader-post"
"""ClusterRoleBinding, 3.6 only."""
MAAS_API: Final = "maas-api"
"""Deployment, Service; infra namespace."""
MAAS_API_ROUTE: Final = "maas-api-route"
"""HTTPRoute, infra namespace."""
GATEWAY_DEFAULT_DENY: Final = "gateway-default-deny"
"""TRLP that denies by default; gateway namespace."""
MAAS_TELEMETRY: Final = "maas-telemetry"
"""TelemetryPolicy, gateway namespace; only once ``spec.telemetry`` was set."""
LATENCY_PER_SUBSCRIPTION: Final = "latency-per-subscription"
"""Telemetry, gateway namespace."""
MAAS_API_BACKEND_TLS: Final = "maas-api-backend-tls"
"""DestinationRule, gateway namespace. Source: contract §1.1."""
EXTERNAL_MODEL_ENGINE: Final = "payload-processing-external-model"
"""Praxis Deployment, Service, ServiceAccount for external models; tenant namespace."""
EXTERNAL_MODEL_PLUGINS: Final = "payload-processing-external-model-plugins"
"""Its ConfigMap; tenant namespace."""
EXTERNAL_MODEL_FILTERS: Final = "payload-processing-external-model-filters"
"""EnvoyFilter; gateway namespace."""
EXTERNAL_MODEL_ROUTES: Final = "payload-processing-external-model-routes"
"""EnvoyFilter; gateway namespace."""
ROUTING_OVERLAY: Final = "routing-overlay"
"""ConfigMap, tenant namespace."""
ROUTING_OVERLAY_KEY: Final = "routing-overlay.json"
"""Its only data key."""
TRLP_PREFIX: Final = "maas-trlp-"
"""A model's TRLP is ``maas-trlp-<model>``. Source: contract §1.1."""
MODEL_ROUTE_PREFIX: Final = "maas-"
"""The HTTPRoute of an external model. Source: contract §1.5, §4.8."""
KUADRANT_CONFIG_PREFIX: Final = "kuadrant-"
"""``kuadrant-<gateway>``, the EnvoyFilter or WasmPlugin that holds all limits. Source: contract §7.5."""
DEFAULT_AUTH_POLICY: Final = "maas-gateway-auth"
"""AuthPolicy of the default gateway."""
AUTH_POLICY_SUFFIX: Final = "-maas-auth"
"""AuthPolicy of any other gateway: its name and this."""

MAX_LABEL: Final = 63
"""Services, label values, and all names of ai-gateway-controller, which refuses longer ones and does not retry."""
MAX_NAME: Final = 253
"""Other objects."""
MAX_AITENANT_NAME: Final = 41
"""By the CRD."""
MAX_ID_WITH_EXTERNAL_MODELS: Final = 21
"""41 characters of ``payload-processing-external-model-filters``, a dash, 21."""
MAX_ID_ON_PRAXIS: Final = 32
"""30 characters of ``payload-processing-reader-post``, a dash, 32."""

GATEWAY_KINDS: Final = (
    (resources.DEPLOYMENT, PAYLOAD_PROCESSING),
    (resources.DEPLOYMENT, PAYLOAD_PRE_PROCESSING),
    (resources.SERVICE, PAYLOAD_PROCESSING),
    (resources.SERVICE, PAYLOAD_PRE_PROCESSING),
    (resources.ENVOY_FILTER, PAYLOAD_PROCESSING),
    (resources.NETWORK_POLICY, PAYLOAD_PROCESSING),
    (resources.DESTINATION_RULE, PAYLOAD_PROCESSING),
    (resources.DESTINATION_RULE, PAYLOAD_PRE_PROCESSING),
    (resources.SERVICE_ACCOUNT, PAYLOAD_PROCESSING),
    (resources.HPA, PAYLOAD_PROCESSING),
    (resources.CONFIG_MAP, PLUGINS_CONFIG_MAP),
)
"""What the cleanup deletes by name in the gateway namespace, besides ``PAYLOAD_PROCESSING_READER``. Contract §4.3."""


class TenantIdentityError(ValueError):
    """The labels of a MaasTenantConfig do not say which tenant it is; no name of its objects may be guessed."""


class Identity(Record, kw_only=True):
    """Which tenant: *id* is ``""`` for the default names; *name* is what people call it."""

    id: str
    name: str


def tenant_id_of(config: KubeObject) -> str:
    """
    Return the suffix of the names of a tenant's objects, ``""`` for the default names.

    Raises:
        TenantIdentityError: The labels contradict themselves, or the name is missing.
    """
    if config.labels.get(annotations.MANAGED_BY_AITENANT) != "true":
        return ""
    name = config.labels.get(annotations.TENANT_NAME, "")
    if not name:
        raise TenantIdentityError(f"{config.ref} is managed by an AITenant and has no label {annotations.TENANT_NAME}")
    if name != resources.DEFAULT_TENANT_NAME:
        return name
    if config.name != resources.TENANT_CONFIG_NAME:
        raise TenantIdentityError(
            f"{config.ref} says it is the default tenant and is not called {resources.TENANT_CONFIG_NAME}"
        )
    namespace = config.labels.get(annotations.TENANT_NAMESPACE, "")
    if namespace != config.namespace:
        raise TenantIdentityError(
            f"{config.ref} says it is the default tenant of namespace {namespace!r} and lives in {config.namespace!r}"
        )
    return ""


def tenant_name_of(config: KubeObject) -> str:
    """
    Return what people call the tenant: ``models-as-a-service`` for the empty id, else its AITenant's name.

    A tenant without usable labels is called by the annotation that names its AITenant, else by its namespace; that is
    a name for the screen only, never part of an object's name. Source: contract §2.4.
    """
    try:
        return tenant_id_of(config) or _default_name(config)
    except TenantIdentityError:
        return config.annotations.get(annotations.AITENANT_NAME, "") or config.namespace


def _default_name(config: KubeObject) -> str:
    # Two configs without labels both have the default names; only one of them is the default tenant.
    is_default = config.namespace == resources.DEFAULT_TENANT_NAMESPACE or config.labels.get(
        annotations.MANAGED_BY_AITENANT
    )
    return resources.DEFAULT_TENANT_NAME if is_default else config.namespace


def suffixed(base: str, tenant_id: str) -> str:
    """Return *base* for the empty id, else ``<base>-<id>``."""
    return f"{base}-{tenant_id}" if tenant_id else base


def auth_policy_name(gateway_name: str) -> str:
    """Return the name of the AuthPolicy on a gateway."""
    if gateway_name == resources.DEFAULT_GATEWAY:
        return DEFAULT_AUTH_POLICY
    return f"{gateway_name}{AUTH_POLICY_SUFFIX}"


def trlp_name(model: str) -> str:
    """Return the name of a model's TokenRateLimitPolicy. Source: contract §1.1, §6.2."""
    return f"{TRLP_PREFIX}{model}"


def external_model_route_name(name: str) -> str:
    """
    Return the name of the HTTPRoute of an external model; longer than 63 it is shortened with a hash.

    How exactly the product shortens is in no source we know: trust ``status.httpRouteName`` of the object, or the
    route's label, where there is one. Source: contract §1.5.
    """
    full = f"{MODEL_ROUTE_PREFIX}{name}"
    if len(full) <= MAX_LABEL:
        return full
    digest = hashlib.sha256(full.encode()).hexdigest()[:8]
    return f"{full[: MAX_LABEL - len(digest) - 1]}-{digest}"
