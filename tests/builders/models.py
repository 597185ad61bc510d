"""Model references, subscriptions, their policies, external models and their providers."""

from collections.abc import Iterable, Mapping
from typing import Any

from migrate.maas import annotations, naming, resources
from migrate.records.objects import Json
from tests.builders.objects import an_object, changed, conditions


def a_model_ref(
    name: str, namespace: str = "llm", *, kind: str = "LLMInferenceService", tenant: str = "", **sections: Any
) -> Json:
    """Return a ready MaaSModelRef."""
    spec: Json = {"modelRef": {"kind": kind, "name": name}}
    if tenant:
        spec["tenantRef"] = tenant
    thing = an_object(
        resources.MAAS_MODEL_REF,
        namespace,
        name,
        metadata={"generation": 1},
        spec=spec,
        status={
            "phase": "Ready",
            "httpRouteName": f"{name}-kserve-route",
            "httpRouteNamespace": namespace,
            "conditions": conditions("Ready"),
        },
    )
    return changed(thing, sections)


def a_subscription(
    name: str,
    *models: str,
    namespace: str = resources.DEFAULT_TENANT_NAMESPACE,
    model_namespace: str = "llm",
    rates: Iterable[tuple[int, str]] = ((100, "1m"),),
    identity: str = "",
    **sections: Any,
) -> Json:
    """Return an active MaaSSubscription; *identity* is its stamp."""
    status: Json = {"phase": "Active", "conditions": conditions("Ready")}
    if identity:
        status["rateLimitIdentity"] = identity
    thing = an_object(
        resources.MAAS_SUBSCRIPTION,
        namespace,
        name,
        metadata={"generation": 1},
        spec={
            "owner": {"groups": [{"name": "system:authenticated"}]},
            "modelRefs": [
                {
                    "name": model,
                    "namespace": model_namespace,
                    "tokenRateLimits": [{"limit": limit, "window": window} for limit, window in rates],
                }
                for model in (models or ("granite",))
            ],
        },
        status=status,
    )
    return changed(thing, sections)


def a_policy(
    model: str,
    limits: Mapping[str, Any],
    *subscriptions: str,
    namespace: str = "llm",
    route: str = "",
    **sections: Any,
) -> Json:
    """Return the accepted TokenRateLimitPolicy of a model; *subscriptions* are ``namespace/name``."""
    thing = an_object(
        resources.TOKEN_RATE_LIMIT_POLICY,
        namespace,
        naming.trlp_name(model),
        metadata={
            "generation": 1,
            "labels": {
                annotations.MODEL: model,
                annotations.MODEL_NAMESPACE: namespace,
                annotations.PART_OF: annotations.PART_OF_SUBSCRIPTION,
            },
            "annotations": {annotations.SUBSCRIPTIONS: ",".join(sorted(subscriptions))},
        },
        spec={
            "targetRef": {
                "group": resources.GATEWAY_GROUP,
                "kind": "HTTPRoute",
                "name": route or f"{model}-kserve-route",
            },
            "limits": dict(limits),
        },
        status={"conditions": conditions("Accepted", "Enforced")},
    )
    return changed(thing, sections)


def an_auth_policy(
    gateway: str = resources.DEFAULT_GATEWAY,
    namespace: str = resources.GATEWAY_NAMESPACE,
    *,
    properties: Iterable[str] = ("userid", "selected_subscription", "selected_subscription_key"),
    **sections: Any,
) -> Json:
    """Return the AuthPolicy of a gateway with these identity properties."""
    identity = {name: {"expression": "x"} for name in properties}
    rules = {"response": {"success": {"filters": {"identity": {"json": {"properties": identity}}}}}}
    thing = an_object(
        resources.AUTH_POLICY,
        namespace,
        naming.auth_policy_name(gateway),
        metadata={"generation": 1},
        spec={
            "targetRef": {"group": resources.GATEWAY_GROUP, "kind": "Gateway", "name": gateway},
            "defaults": {"rules": rules},
        },
        status={"conditions": conditions("Accepted", "Enforced")},
    )
    return changed(thing, sections)


def a_provider(
    provider: str = "openai",
    *,
    name: str = "",
    namespace: str = "llm",
    auth: str = "apikey",
    host: str = "",
    **sections: Any,
) -> Json:
    """Return a ready ExternalProvider."""
    thing = an_object(
        resources.EXTERNAL_PROVIDER,
        namespace,
        name or provider,
        spec={
            "provider": provider,
            "endpoint": host or f"api.{provider}.com",
            "auth": {"type": auth, "secretRef": {"name": f"{provider}-key"}},
        },
        status={"phase": "Ready"},
    )
    return changed(thing, sections)


def an_external_model(
    name: str,
    provider: str = "openai",
    *,
    api_format: str = "openai-chat",
    path: str = "/v1/chat/completions",
    weight: int | None = None,
    namespace: str = "llm",
    **sections: Any,
) -> Json:
    """Return a ready ExternalModel of the inference group with one provider reference."""
    reference: Json = {"ref": {"name": provider}, "targetModel": name, "apiFormat": api_format, "path": path}
    if weight is not None:
        reference["weight"] = weight
    thing = an_object(
        resources.EXTERNAL_MODEL,
        namespace,
        name,
        spec={"modelName": name, "externalProviderRefs": [reference]},
        status={"phase": "Ready", "httpRouteName": f"maas-{name}"},
    )
    return changed(thing, sections)


def a_maas_external_model(
    name: str, provider: str = "azure-openai", *, namespace: str = "llm", host: str = "", **sections: Any
) -> Json:
    """Return an ExternalModel of the old maas group."""
    thing = an_object(
        resources.MAAS_EXTERNAL_MODEL,
        namespace,
        name,
        spec={
            "provider": provider,
            "endpoint": host or f"team-a.{provider}.example.com",
            "targetModel": f"{name}-target",
            "credentialRef": {"name": f"{provider}-key"},
        },
    )
    return changed(thing, sections)
