"""What serves models besides MaaS: KServe for models in the cluster, IPP's own reconciler for external ones."""

from typing import ClassVar, Final

from migrate.maas import annotations, naming
from migrate.maas.resources import (
    DEFAULT_GATEWAY,
    DEPLOYMENT,
    EXTERNAL_MODEL,
    EXTERNAL_PROVIDER,
    GATEWAY,
    GATEWAY_NAMESPACE,
    HTTP_ROUTE,
    LLM_INFERENCE_SERVICE,
    Kind,
)
from migrate.records.objects import Json
from migrate.sandbox.controllers.player import Player
from migrate.sandbox.controllers.shapes import condition, merged_conditions
from migrate.sandbox.controllers.workloads import owner_reference

IPP_ROUTE_PREFIX: Final = "ipp-"
"""The HTTPRoute that IPP makes for an inference ExternalModel."""


class KServe(Player):
    """LLMInferenceServices become Ready and get their route."""

    name = "kserve"
    manager = "kserve-llmisvc-controller"
    kinds: ClassVar[tuple[Kind, ...]] = (LLM_INFERENCE_SERVICE, HTTP_ROUTE, GATEWAY)

    def reconcile(self) -> None:
        """Serve every model."""
        services = self.view.list(LLM_INFERENCE_SERVICE)
        self.each([found for found in services if not found["metadata"].get("deletionTimestamp")], self._serve)

    def _serve(self, service: Json) -> None:
        name, namespace = service["metadata"]["name"], service["metadata"]["namespace"]
        gateways = gateway_refs(service)
        kind = self.view.served(LLM_INFERENCE_SERVICE)
        route = {
            "apiVersion": HTTP_ROUTE.api_version,
            "kind": "HTTPRoute",
            "metadata": {
                "name": f"{name}-kserve-route",
                "namespace": namespace,
                "labels": {
                    annotations.APP_NAME: name,
                    annotations.COMPONENT: "llminferenceservice-router",
                    annotations.PART_OF: "llminferenceservice",
                },
                "ownerReferences": [owner_reference(kind, service)],
            },
            "spec": {"parentRefs": gateways, "rules": _model_rules(namespace, name)},
        }
        self.ensure(HTTP_ROUTE, route)
        host = hostname_of(self.view.get(GATEWAY, gateways[0]["namespace"], gateways[0]["name"]))
        status = service.get("status") or {}
        new = [condition("Ready", "True", "Ready")]
        self.ensure_status(
            kind,
            service,
            {
                "url": f"https://{host}/{namespace}/{name}",
                "addresses": [
                    {
                        "name": "gateway-external-model-routing",
                        "url": f"https://{host}",
                        "models": [{"name": published_name(namespace, name)}],
                    },
                    {"name": "gateway-external", "url": f"https://{host}/{namespace}/{name}"},
                ],
                "conditions": merged_conditions(status.get("conditions"), new, self.now()),
            },
        )


class ExternalModels(Player):
    """
    IPP's reconciler for inference ExternalModels: a route for each, and their status.

    It runs inside the IPP of the default tenant, so it is silent while that is not available.
    """

    name = "ipp-external-models"
    manager = annotations.IPP_EXTERNAL_MODEL_RECONCILER
    kinds: ClassVar[tuple[Kind, ...]] = (EXTERNAL_MODEL, EXTERNAL_PROVIDER, HTTP_ROUTE, DEPLOYMENT)

    def reconcile(self) -> None:
        """Do the work of IPP's reconciler, while IPP runs."""
        if not self._runs():
            return
        self.each(self.view.list(EXTERNAL_PROVIDER), self._approve)
        models = self.view.list(EXTERNAL_MODEL)
        self.each([found for found in models if not found["metadata"].get("deletionTimestamp")], self._route)

    def _runs(self) -> bool:
        ipp = self.view.get(DEPLOYMENT, GATEWAY_NAMESPACE, naming.PAYLOAD_PROCESSING)
        if ipp is None or ipp["metadata"].get("deletionTimestamp"):
            return False
        labels = ipp["metadata"].get("labels") or {}
        serves = bool((ipp.get("status") or {}).get("availableReplicas"))
        return labels.get(annotations.MANAGED_BY) != annotations.AI_GATEWAY_CONTROLLER and serves

    def _approve(self, provider: Json) -> None:
        self.ensure_status(EXTERNAL_PROVIDER, provider, {"phase": "Ready", "conditions": self._ready(provider)})

    def _route(self, model: Json) -> None:
        name, namespace = model["metadata"]["name"], model["metadata"]["namespace"]
        references = model["spec"].get("externalProviderRefs") or []
        names = [str((reference.get("ref") or {}).get("name", "")) for reference in references]
        if not all(self.view.get(EXTERNAL_PROVIDER, namespace, found) for found in names):
            failed = self._ready(model, status="False", reason="ProviderNotFound")
            self.ensure_status(EXTERNAL_MODEL, model, {"phase": "Failed", "conditions": failed})
            return
        route_name = f"{IPP_ROUTE_PREFIX}{name}"
        self.ensure(
            HTTP_ROUTE,
            {
                "apiVersion": HTTP_ROUTE.api_version,
                "kind": "HTTPRoute",
                "metadata": {
                    "name": route_name,
                    "namespace": namespace,
                    "labels": {
                        annotations.MANAGED_BY: annotations.IPP_EXTERNAL_MODEL_RECONCILER,
                        annotations.INFERENCE_EXTERNAL_MODEL: name,
                    },
                    "ownerReferences": [owner_reference(EXTERNAL_MODEL, model)],
                },
                "spec": {"parentRefs": [parent(DEFAULT_GATEWAY)], "rules": [_backend(namespace, name, route_name)]},
            },
        )
        status = {"phase": "Ready", "httpRouteName": route_name, "conditions": self._ready(model)}
        self.ensure_status(EXTERNAL_MODEL, model, status)

    def _ready(self, obj: Json, *, status: str = "True", reason: str = "Reconciled") -> list[Json]:
        new = [condition("Ready", status, reason, generation=obj["metadata"].get("generation", 1))]
        return merged_conditions((obj.get("status") or {}).get("conditions"), new, self.now())


def parent(gateway: str, namespace: str = GATEWAY_NAMESPACE) -> Json:
    """Return the parent reference to a Gateway."""
    return {"group": GATEWAY.group, "kind": "Gateway", "name": gateway, "namespace": namespace}


def gateway_refs(service: Json) -> list[Json]:
    """Return the Gateways that an LLMInferenceService names, else the default one."""
    router = (service.get("spec") or {}).get("router") or {}
    named = (router.get("gateway") or {}).get("refs") or []
    return [parent(str(ref["name"]), str(ref.get("namespace", GATEWAY_NAMESPACE))) for ref in named] or [
        parent(DEFAULT_GATEWAY)
    ]


def hostname_of(gateway: Json | None) -> str:
    """Return the hostname of the first listener that has one."""
    listeners = ((gateway or {}).get("spec") or {}).get("listeners") or []
    return next((str(found["hostname"]) for found in listeners if found.get("hostname")), "maas.apps.example.com")


def published_name(namespace: str, name: str) -> str:
    """Return the name under which KServe publishes a model on a gateway."""
    return f"publishers/{namespace}/models/{name}"


def _model_rules(namespace: str, name: str) -> list[Json]:
    backend = {"group": "", "kind": "Service", "name": f"{name}-kserve-workload-svc", "port": 8000, "weight": 1}
    root = f"/{namespace}/{name}"
    matches: list[Json] = [
        {"path": {"type": "PathPrefix", "value": f"{root}{path}"}}
        for path in ("/v1/completions", "/v1/chat/completions", "")
    ]
    header = {"name": "X-Gateway-Model-Name", "type": "Exact", "value": published_name(namespace, name)}
    matches.append({"path": {"type": "PathPrefix", "value": "/v1"}, "headers": [header]})
    return [{"matches": [match], "backendRefs": [backend]} for match in matches]


def _backend(namespace: str, name: str, service: str) -> Json:
    return {
        "matches": [{"path": {"type": "PathPrefix", "value": f"/{namespace}/{name}"}}],
        "backendRefs": [{"group": "", "kind": "Service", "name": service, "port": 443, "weight": 1}],
    }
