"""External models as a person would create them with ``kubectl apply``."""

import json

from tests.e2e.api import Json
from tests.e2e.stage import Stage

NAMESPACE = "llm"
_INFERENCE = "inference.opendatahub.io/v1alpha1"
_MAAS = "maas.opendatahub.io/v1alpha1"


def _made(version: str, kind: str, name: str, spec: Json) -> Json:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec}


def anthropic(name: str = "claude") -> list[Json]:
    """Return an Anthropic model: qualified only with translation on."""
    provider = {
        "provider": "anthropic",
        "endpoint": "api.anthropic.com",
        "auth": {"type": "apikey", "secretRef": {"name": "anthropic-api-key"}},
    }
    reference = {
        "ref": {"name": "anthropic"},
        "targetModel": "claude-sonnet",
        "apiFormat": "messages",
        "path": "/v1/messages",
    }
    return [
        _made(_INFERENCE, "ExternalProvider", "anthropic", provider),
        _made(_INFERENCE, "ExternalModel", name, {"modelName": name, "externalProviderRefs": [reference]}),
    ]


def azure(name: str = "azure") -> list[Json]:
    """Return an Azure model in the old group: Praxis is not qualified for it."""
    spec = {
        "provider": "azure-openai",
        "endpoint": "team-a.openai.azure.com",
        "targetModel": "gpt-4o-deployment",
        "credentialRef": {"name": "azure-api-key"},
    }
    return [_made(_MAAS, "ExternalModel", name, spec)]


def subscription(name: str) -> list[Json]:
    """Return one more subscription to a model of the examples."""
    spec = {
        "owner": {"groups": [{"name": "late"}], "users": []},
        "modelRefs": [{"name": "granite", "namespace": NAMESPACE, "tokenRateLimits": [{"limit": 100, "window": "1m"}]}],
        "priority": 7,
    }
    made = _made(_MAAS, "MaaSSubscription", name, spec)
    made["metadata"]["namespace"] = "models-as-a-service"
    return [made]


def create(stage: Stage, things: list[Json]) -> None:
    """Create the objects."""
    stage.kubectl("apply", "-f", "-", said=_listed(things))


def delete(stage: Stage, things: list[Json]) -> None:
    """Delete the objects and wait until they are gone."""
    if things:
        stage.kubectl("delete", "--wait=true", "--timeout=30s", "-f", "-", said=_listed(things))


def _listed(things: list[Json]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": things})
