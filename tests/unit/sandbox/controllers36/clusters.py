"""Small clusters for the played 3.6 controllers."""

from collections.abc import Iterable
from typing import Any

from migrate.maas import resources
from migrate.records.objects import Json
from migrate.sandbox.controllers.rendering import POST_CONFIG, POST_CONFIG_TRANSLATING, POST_KEY, PRE_CONFIG, PRE_KEY
from migrate.sandbox.crds import crds_of

CUSTOM = "apiVersion: llm-d.ai/v1alpha1\nkind: PayloadProcessorConfig\nplugins:\n- type: my-own\n"
TEXTS = {"default": POST_CONFIG, "response": POST_CONFIG_TRANSLATING, "custom": CUSTOM}


def a(kind: resources.Kind, namespace: str, name: str, **sections: Any) -> Json:
    metadata: Json = {"name": name} | ({"namespace": namespace} if namespace else {})
    metadata |= sections.pop("metadata", {})
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, **sections}


def plugins(text: str, **metadata: Any) -> Json:
    """The plugins ConfigMap of the default tenant, as 3.5 stamped it."""
    marks = {"annotations": {"opendatahub.io/managed": "false"}, "labels": {"app.kubernetes.io/name": "maas-api"}}
    return a(
        resources.CONFIG_MAP,
        resources.GATEWAY_NAMESPACE,
        "payload-processing-plugins",
        metadata=marks | metadata,
        data={PRE_KEY: PRE_CONFIG, POST_KEY: TEXTS[text]},
    )


def a_provider(name: str, provider: str) -> Json:
    auth = {"type": "apikey", "secretRef": {"name": f"{name}-api-key"}}
    spec = {"provider": provider, "endpoint": f"api.{provider}.com", "auth": auth}
    return a(resources.EXTERNAL_PROVIDER, "llm", name, spec=spec)


def an_external_model(name: str, provider: str, *, api_format: str = "openai-chat", weight: int = 1) -> Json:
    path = "/v1/messages" if api_format == "messages" else "/v1/chat/completions"
    reference = {"ref": {"name": provider}, "targetModel": name, "apiFormat": api_format, "path": path}
    spec = {"modelName": name, "externalProviderRefs": [reference | {"weight": weight}]}
    return a(resources.EXTERNAL_MODEL, "llm", name, spec=spec)


MODELS: dict[str, list[Json]] = {
    "none": [],
    "openai": [a_provider("openai", "openai"), an_external_model("gpt-4o", "openai")],
    "anthropic": [
        a_provider("openai", "openai"),
        an_external_model("gpt-4o", "openai"),
        a_provider("anthropic", "anthropic"),
        an_external_model("claude", "anthropic", api_format="messages"),
    ],
    "azure": [
        a_provider("openai", "openai"),
        an_external_model("gpt-4o", "openai"),
        a(
            resources.MAAS_EXTERNAL_MODEL,
            "llm",
            "gpt-azure",
            spec={
                "provider": "azure-openai",
                "endpoint": "team-a.openai.azure.com",
                "targetModel": "gpt-4o-deployment",
                "credentialRef": {"name": "azure-api-key"},
            },
        ),
    ],
    "inference azure": [a_provider("azure", "azure"), an_external_model("az", "azure")],
    "switched off": [a_provider("azure", "azure"), an_external_model("az", "azure", weight=0)],
}


def a_model_ref(name: str, kind: str = "ExternalModel") -> Json:
    return a(resources.MAAS_MODEL_REF, "llm", name, spec={"modelRef": {"kind": kind, "name": name}})


def a_subscription(name: str, model: str, *rates: tuple[int, str], **sections: Any) -> Json:
    limits = [{"limit": limit, "window": window} for limit, window in rates]
    spec = {
        "owner": {"groups": [{"name": name}]},
        "modelRefs": [{"name": model, "namespace": "llm", "tokenRateLimits": limits}],
        **sections.pop("spec", {}),
    }
    return a(resources.MAAS_SUBSCRIPTION, resources.DEFAULT_TENANT_NAMESPACE, name, spec=spec, **sections)


def an_access_policy(model: str) -> Json:
    spec = {"modelRefs": [{"name": model, "namespace": "llm"}], "subjects": {"groups": [{"name": "all"}]}}
    return a(resources.MAAS_AUTH_POLICY, resources.DEFAULT_TENANT_NAMESPACE, f"{model}-access", spec=spec)


def a_cluster(text: str = "default", models: str = "none", extra: Iterable[Json] = ()) -> list[Json]:
    """A cluster with the default tenant: its gateway, its Config and what *extra* brings."""
    listener = {"name": "https", "protocol": "HTTPS", "port": 443, "hostname": "maas.apps.example.com"}
    return [
        *crds_of("3.6"),
        a(resources.CONFIG, "", "default", spec={}),
        a(
            resources.GATEWAY,
            resources.GATEWAY_NAMESPACE,
            resources.DEFAULT_GATEWAY,
            spec={"gatewayClassName": "openshift-default", "listeners": [listener]},
        ),
        a(resources.AUTHORINO, "rh-connectivity-link", "authorino", spec={"listener": {"tls": {"enabled": True}}}),
        *[a(resources.NAMESPACE, "", name) for name in (resources.INFRA_NAMESPACE, resources.DEFAULT_TENANT_NAMESPACE)],
        a(resources.AI_TENANT, "ai-tenants", "models-as-a-service", spec={"gateway": {"name": "maas-default-gateway"}}),
        a(
            resources.MAAS_TENANT_CONFIG,
            resources.DEFAULT_TENANT_NAMESPACE,
            "default-tenant",
            metadata={
                "annotations": {
                    "maas.opendatahub.io/aitenant-name": "models-as-a-service",
                    "maas.opendatahub.io/aitenant-namespace": "ai-tenants",
                }
            },
            spec={},
        ),
        *([plugins(text)] if text else []),
        *MODELS[models],
        *extra,
    ]
