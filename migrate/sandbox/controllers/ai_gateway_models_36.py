"""
A tenant's external models as ai-gateway-controller serves them: routing overlay and HTTPRoutes.

Pure. Source: contract 4.2 step 10, 4.8, 5.4.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from migrate.maas import annotations, naming, resources
from migrate.maas.providers import bindings_of, qualify, tenant_of_model
from migrate.records.objects import Json, KubeObject
from migrate.sandbox.controllers.praxis import Tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """
    The routing overlay of a tenant.

    Attributes:
        document: Canonical JSON: what is routed, and what is skipped for which reason.

        skipped: How many references Praxis does not serve.
    """

    document: str
    skipped: int


def served_models(
    tenant: str, models: Sequence[KubeObject], model_refs: Sequence[KubeObject]
) -> tuple[KubeObject, ...]:
    """Return the inference ExternalModels that count for *tenant* (its name) and are not being deleted."""
    refs = tuple(model_refs)
    return tuple(model for model in models if not model.is_deleting and tenant in tenant_of_model(model, refs))


def routing_overlay(models: Sequence[KubeObject], providers: Sequence[KubeObject]) -> Overlay:
    """Return the overlay of *models*: qualified and active references are routed, the others skipped with a reason."""
    by_name = {(provider.namespace, provider.name): provider for provider in providers}
    routes: list[Json] = []
    skipped: list[Json] = []
    for binding in (binding for model in models for binding in bindings_of(model, by_name)):
        qualification = qualify(binding)
        named = {"model": f"{binding.model.namespace}/{binding.model.name}", "provider": binding.provider}
        if not binding.active:
            skipped.append(named | {"reason": "weight 0"})
        elif qualification.verdict == "unqualified":
            skipped.append(named | {"reason": qualification.reason})
        else:
            routes.append(named | {"host": binding.host, "format": binding.api_format, "weight": binding.weight})
    document = json.dumps({"routes": routes, "skipped": skipped}, sort_keys=True, separators=(",", ":"))
    return Overlay(document=document, skipped=sum(entry["reason"] != "weight 0" for entry in skipped))


def model_route(tenant: Tenant, model: KubeObject) -> Json:
    """Return the HTTPRoute of *model*; the model is its owner, so both go together."""
    owner = {
        "apiVersion": model.api_version,
        "kind": model.kind,
        "name": model.name,
        "uid": model.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    kind = resources.HTTP_ROUTE
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {
            "name": naming.external_model_route_name(model.name),
            "namespace": model.namespace,
            "labels": tenant.labels | {annotations.INFERENCE_EXTERNAL_MODEL: model.name},
            "ownerReferences": [owner],
        },
        "spec": {
            "parentRefs": [
                {
                    "group": resources.GATEWAY.group,
                    "kind": resources.GATEWAY.kind,
                    "name": tenant.gateway,
                    "namespace": tenant.gateway_namespace,
                }
            ],
            "rules": [
                {
                    "matches": [{"path": {"type": "PathPrefix", "value": f"/{model.namespace}/{model.name}"}}],
                    "backendRefs": [
                        {
                            "group": "",
                            "kind": "Service",
                            "name": tenant.named(naming.EXTERNAL_MODEL_ENGINE),
                            "namespace": tenant.namespace,
                            "port": 9004,
                            "weight": 1,
                        }
                    ],
                }
            ],
        },
    }
