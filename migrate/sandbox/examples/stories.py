"""The four stories: tenants, models, subscriptions, and the plugins ConfigMap where somebody changed it."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from migrate.maas import annotations, naming, resources
from migrate.maas.resources import (
    AI_TENANT,
    CONFIG,
    CONFIG_MAP,
    DEFAULT_TENANT_NAMESPACE,
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

Rates = list[tuple[int, str]]


def default(version: str) -> list[Json]:
    """Two models in the cluster, one OpenAI model, three subscriptions, nothing customised."""
    return [*_tenant(version), plugins(DEFAULT), *_served("granite", "llama"), *_openai(), *_people(version)]


def customised(version: str) -> list[Json]:
    """As ``default``, but somebody added a metering plugin to the plugins ConfigMap."""
    return [*_tenant(version), plugins(CUSTOMISED), *_served("granite", "llama"), *_openai(), *_people(version)]


def response_translation(version: str) -> list[Json]:
    """As ``default``, with response translation switched on for an Anthropic model."""
    return [
        *_tenant(version),
        plugins(TRANSLATING),
        *_served("granite", "llama"),
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
        *_served("granite"),
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
"""Every example by name."""


def plugins(data: Json) -> Json:
    """
    Return the default tenant's plugins ConfigMap as it stands on a cluster in use.

    maas-controller made it; from then on it is the administrator's.
    """
    found = made(
        CONFIG_MAP,
        resources.GATEWAY_NAMESPACE,
        naming.PLUGINS_CONFIG_MAP,
        annotations={annotations.MANAGED: annotations.MANAGED_FALSE},
        labels={
            annotations.COMPONENT: "api",
            annotations.APP_NAME: "maas-api",
            annotations.PART_OF: "models-as-a-service",
            "app.opendatahub.io/modelsasservice": "true",
            annotations.TENANT_NAME: resources.DEFAULT_TENANT_NAME,
            annotations.TENANT_NAMESPACE: DEFAULT_TENANT_NAMESPACE,
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


def _tenant(version: str, spec: Json | None = None) -> list[Json]:
    tenant = made(
        AI_TENANT,
        resources.AITENANT_NAMESPACE,
        resources.DEFAULT_TENANT_NAME,
        spec={"gateway": {"name": resources.DEFAULT_GATEWAY}},
    )
    found = [tenant]
    if version == "3.6" or spec:
        # A tenant that was there before the upgrade: a new one would begin with nothing to clean up.
        found.append(_tenant_config(spec or {}))
    return found


def _tenant_config(spec: Json) -> Json:
    name = resources.DEFAULT_TENANT_NAME
    return made(
        MAAS_TENANT_CONFIG,
        DEFAULT_TENANT_NAMESPACE,
        resources.TENANT_CONFIG_NAME,
        labels={
            annotations.MANAGED_BY_AITENANT: "true",
            annotations.TENANT_NAME: name,
            annotations.TENANT_NAMESPACE: DEFAULT_TENANT_NAMESPACE,
        },
        annotations={annotations.AITENANT_NAME: name, annotations.AITENANT_NAMESPACE: resources.AITENANT_NAMESPACE},
        spec=spec,
    )


def _served(*names: str) -> list[Json]:
    gateway = {"name": resources.DEFAULT_GATEWAY, "namespace": resources.GATEWAY_NAMESPACE}
    found = []
    for name in names:
        model = {"name": f"example/{name}", "uri": f"hf://example/{name}"}
        spec = {"model": model, "replicas": 1, "router": {"gateway": {"refs": [gateway]}, "route": {}}}
        found += [
            made(LLM_INFERENCE_SERVICE, MODEL_NAMESPACE, name, spec=spec),
            _ref(name, LLM_INFERENCE_SERVICE.kind),
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


def _ref(name: str, kind: str) -> Json:
    return made(MAAS_MODEL_REF, MODEL_NAMESPACE, name, spec={"modelRef": {"kind": kind, "name": name}})


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
        _subscription(version, "premium", payers, first, 20),
        _subscription(version, "free", everybody, small, 10),
        _subscription(version, "batch", robot, small, 0),
        _access("granite-access", ["granite"], everybody),
        *([_access("premium-access", [name for name in first if name != "granite"], payers)] if len(first) > 1 else []),
    ]


def _subscription(version: str, name: str, owner: Json, models: dict[str, Rates], priority: int) -> Json:
    references = [
        {
            "name": model,
            "namespace": MODEL_NAMESPACE,
            "tokenRateLimits": [{"limit": limit, "window": window} for limit, window in rates],
        }
        for model, rates in models.items()
    ]
    spec: Json = {"owner": owner, "modelRefs": references, "priority": priority}
    found = made(MAAS_SUBSCRIPTION, DEFAULT_TENANT_NAMESPACE, name, spec=spec)
    if version == "3.6":
        found["status"] = {"phase": "Active", "rateLimitIdentity": "legacy"}  # It was there before the upgrade.
    return found


def _access(name: str, models: list[str], subjects: Json) -> Json:
    references = [{"name": model, "namespace": MODEL_NAMESPACE} for model in models]
    spec = {"modelRefs": references, "subjects": subjects}
    return made(MAAS_AUTH_POLICY, DEFAULT_TENANT_NAMESPACE, name, spec=spec)
