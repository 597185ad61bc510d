"""The four stories of one tenant: models, subscriptions, and the plugins ConfigMap where somebody changed it."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from migrate.maas import annotations, naming, resources
from migrate.maas.resources import (
    AI_TENANT,
    CONFIG,
    CONFIG_MAP,
    EXTERNAL_MODEL,
    EXTERNAL_PROVIDER,
    LLM_INFERENCE_SERVICE,
    MAAS_AUTH_POLICY,
    MAAS_EXTERNAL_MODEL,
    MAAS_MODEL_REF,
    MAAS_SUBSCRIPTION,
    MAAS_TENANT_CONFIG,
)
from migrate.records.objects import Json
from migrate.sandbox.examples.platform import MODEL_NAMESPACE, made
from migrate.sandbox.examples.plugins import CUSTOMISED, DEFAULT, TRANSLATING
from migrate.sandbox.examples.tenant import DEFAULT_TENANT, Tenant

Rates = list[tuple[int, str]]

NOTES: Final = {
    "type": annotations.PAYLOAD_PROCESSING_TYPE,
    "status": annotations.PAYLOAD_PROCESSING_STATUS,
    "migration": annotations.PAYLOAD_PROCESSING_MIGRATION,
    "force": annotations.FORCE_PAYLOAD_PROCESSING_MIGRATION,
}
"""Annotations of the hand-over, by the words that the stories use."""


def default(version: str) -> list[Json]:
    """Two models in the cluster, one OpenAI model, three subscriptions, nothing customised."""
    return [*_tenant(version), plugins(DEFAULT), *served("granite", "llama"), *_openai(), *_people(version)]


def customised(version: str) -> list[Json]:
    """As ``default``, but somebody added a metering plugin to the plugins ConfigMap."""
    return [*_tenant(version), plugins(CUSTOMISED), *served("granite", "llama"), *_openai(), *_people(version)]


def response_translation(version: str) -> list[Json]:
    """As ``default``, with response translation switched on for an Anthropic model."""
    return [
        *_tenant(version),
        plugins(TRANSLATING),
        *served("granite", "llama"),
        *_openai(),
        *_anthropic(),
        _ref("claude-sonnet", EXTERNAL_MODEL.kind),
        *_people(version, extra={"claude-sonnet": [(10_000, "1h")]}),
    ]


def azure_model(version: str) -> list[Json]:
    """A model of each kind: in the cluster, OpenAI, Anthropic, and Azure in the old group."""
    telemetry = {
        "enabled": True,
        "metrics": {
            "captureOrganization": True,
            "captureUser": False,
            "captureGroup": False,
            "captureModelUsage": True,
        },
    }
    azure = made(
        MAAS_EXTERNAL_MODEL,
        MODEL_NAMESPACE,
        "gpt-azure",
        spec={
            "provider": "azure-openai",
            "endpoint": "team-a.openai.azure.com",
            "targetModel": "gpt-4o-deployment",
            "credentialRef": {"name": "azure-api-key"},
        },
    )
    return [
        *_tenant(version, spec={"telemetry": telemetry}),
        plugins(DEFAULT),
        *served("granite"),
        *_openai(with_ref=False),
        *_anthropic(),
        azure,
        *_people(version, premium={"granite": [(50_000, "1m")]}),
    ]


STORIES: Final[Mapping[str, Callable[[str], list[Json]]]] = {
    "default": default,
    "response-translation": response_translation,
    "customised": customised,
    "azure-model": azure_model,
}
"""The examples with one tenant, by name."""


def plugins(data: Json, tenant: Tenant = DEFAULT_TENANT) -> Json:
    """
    Return a tenant's plugins ConfigMap as it stands on a cluster in use.

    maas-controller made it; from then on it is the administrator's.
    """
    found = made(
        CONFIG_MAP,
        tenant.gateway_namespace,
        naming.suffixed(naming.PLUGINS_CONFIG_MAP, tenant.tenant_id),
        annotations={annotations.MANAGED: annotations.MANAGED_FALSE},
        labels={
            annotations.COMPONENT: "api",
            annotations.APP_NAME: "maas-api",
            annotations.PART_OF: "models-as-a-service",
            "app.opendatahub.io/modelsasservice": "true",
            annotations.TENANT_NAME: tenant.name,
            annotations.TENANT_NAMESPACE: tenant.namespace,
        },
        data=data,
    )
    owner = {"apiVersion": CONFIG.api_version, "kind": CONFIG.kind, "name": resources.CONFIG_NAME, "uid": "config"}
    found["metadata"]["ownerReferences"] = [{**owner, "controller": True, "blockOwnerDeletion": True}]
    found["metadata"]["managedFields"] = [
        {
            "manager": annotations.MAAS_CONTROLLER,
            "operation": "Apply",
            "apiVersion": "v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:data": {f"f:{key}": {} for key in data},
                "f:metadata": {
                    "f:annotations": {f"f:{annotations.MANAGED}": {}},
                    "f:labels": {f"f:{key}": {} for key in found["metadata"]["labels"]},
                },
            },
        }
    ]
    return found


def tenant_objects(version: str, tenant: Tenant, spec: Json | None = None, /, **notes: str) -> list[Json]:
    """
    Return a tenant's AITenant and, where it was there before the upgrade or says something, its MaasTenantConfig.

    *notes* are annotations of the config: ``type``, ``status``, ``migration``, ``force`` of the hand-over.
    """
    aitenant = made(
        AI_TENANT, resources.AITENANT_NAMESPACE, tenant.name, spec={"gateway": {"name": tenant.gateway_name}}
    )
    if tenant.gateway_namespace != resources.GATEWAY_NAMESPACE:
        reference = {"name": tenant.gateway_name, "namespace": tenant.gateway_namespace}
        aitenant["status"] = {"gatewayRef": reference, "tenantNamespace": tenant.namespace}
    if version == "3.5" and not spec and not notes:
        return [aitenant]
    # A tenant that was there before the upgrade: a new one would begin with nothing to clean up.
    return [aitenant, _tenant_config(tenant, spec or {}, {NOTES[key]: value for key, value in notes.items()})]


def _tenant(version: str, spec: Json | None = None) -> list[Json]:
    return tenant_objects(version, DEFAULT_TENANT, spec)


def _tenant_config(tenant: Tenant, spec: Json, notes: Json) -> Json:
    origin = {
        annotations.AITENANT_NAME: tenant.name,
        annotations.AITENANT_NAMESPACE: resources.AITENANT_NAMESPACE,
    }
    return made(
        MAAS_TENANT_CONFIG,
        tenant.namespace,
        resources.TENANT_CONFIG_NAME,
        labels={
            annotations.MANAGED_BY_AITENANT: "true",
            annotations.TENANT_NAME: tenant.name,
            annotations.TENANT_NAMESPACE: tenant.namespace,
        },
        annotations=origin | notes,
        spec=spec,
    )


def served(*names: str, tenant: Tenant = DEFAULT_TENANT) -> list[Json]:
    """Return models that are served in the cluster, behind the tenant's gateway."""
    gateway = {"name": tenant.gateway_name, "namespace": tenant.gateway_namespace}
    found = []
    for name in names:
        model = {"name": f"example/{name}", "uri": f"hf://example/{name}"}
        spec = {"model": model, "replicas": 1, "router": {"gateway": {"refs": [gateway]}, "route": {}}}
        found += [
            made(LLM_INFERENCE_SERVICE, tenant.model_namespace, name, spec=spec),
            _ref(name, LLM_INFERENCE_SERVICE.kind, tenant),
        ]
    return found


def _openai(*, with_ref: bool = True) -> list[Json]:
    found = _external("openai", "api.openai.com", "gpt-4o", ("gpt-4o", "openai-chat", "/v1/chat/completions"))
    return [*found, _ref("gpt-4o", EXTERNAL_MODEL.kind)] if with_ref else found


def _anthropic() -> list[Json]:
    target = ("claude-sonnet-4-20250514", "messages", "/v1/messages")
    return _external("anthropic", "api.anthropic.com", "claude-sonnet", target)


def _external(provider: str, endpoint: str, name: str, target: tuple[str, str, str]) -> list[Json]:
    auth = {"type": "apikey", "secretRef": {"name": f"{provider}-api-key"}}
    model, api_format, path = target
    reference = {
        "ref": {"name": provider},
        "targetModel": model,
        "apiFormat": api_format,
        "path": path,
        "weight": 1,
    }
    return [
        made(
            EXTERNAL_PROVIDER,
            MODEL_NAMESPACE,
            provider,
            spec={"provider": provider, "endpoint": endpoint, "auth": auth},
        ),
        made(EXTERNAL_MODEL, MODEL_NAMESPACE, name, spec={"modelName": name, "externalProviderRefs": [reference]}),
    ]


def _ref(name: str, kind: str, tenant: Tenant = DEFAULT_TENANT) -> Json:
    spec: Json = {"modelRef": {"kind": kind, "name": name}}
    if tenant.tenant_id:
        spec["tenantRef"] = tenant.name
    return made(MAAS_MODEL_REF, tenant.model_namespace, name, spec=spec)


def _people(
    version: str, *, premium: dict[str, Rates] | None = None, extra: dict[str, Rates] | None = None
) -> list[Json]:
    first: dict[str, Rates] = premium or {
        "granite": [(50_000, "1m")],
        "llama": [(99_999, "1s"), (1000, "1h")],
        "gpt-4o": [(20_000, "1h")],
    }
    first |= extra or {}
    everybody: dict[str, Any] = {"groups": [{"name": "system:authenticated"}], "users": []}
    payers: dict[str, Any] = {"groups": [{"name": "premium-users"}], "users": []}
    robot: dict[str, Any] = {"groups": [], "users": ["system:serviceaccount:ci:pipeline-bot"]}
    small: dict[str, Rates] = {"granite": [(100, "1m")]}
    return [
        subscription(version, "premium", payers, first, 20),
        subscription(version, "free", everybody, small, 10),
        subscription(version, "batch", robot, small, 0),
        access("granite-access", ["granite"], everybody),
        *([access("premium-access", [name for name in first if name != "granite"], payers)] if len(first) > 1 else []),
    ]


def subscription(
    version: str,
    name: str,
    owner: Json,
    models: dict[str, Rates],
    priority: int = 0,
    tenant: Tenant = DEFAULT_TENANT,
) -> Json:
    """Return a subscription; *models* are rates by model. On 3.6 it was there before the upgrade."""
    references = [
        {
            "name": model,
            "namespace": tenant.model_namespace,
            "tokenRateLimits": [{"limit": limit, "window": window} for limit, window in rates],
        }
        for model, rates in models.items()
    ]
    spec: Json = {"owner": owner, "modelRefs": references, "priority": priority}
    found = made(MAAS_SUBSCRIPTION, tenant.namespace, name, spec=spec)
    if version == "3.6":
        found["status"] = {"phase": "Active", "rateLimitIdentity": "legacy"}  # It was there before the upgrade.
    return found


def access(name: str, models: list[str], subjects: Json, tenant: Tenant = DEFAULT_TENANT) -> Json:
    """Return a MaaSAuthPolicy."""
    references = [{"name": model, "namespace": tenant.model_namespace} for model in models]
    spec = {"modelRefs": references, "subjects": subjects}
    return made(MAAS_AUTH_POLICY, tenant.namespace, name, spec=spec)
