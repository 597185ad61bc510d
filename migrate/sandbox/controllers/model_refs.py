"""
MaaSModelRefs, and the objects that stand for the old group's ExternalModels. Used by 3.5 and 3.6 alike.

Source: contract 1.5, 1.9.
"""

from typing import ClassVar

from migrate.maas import annotations, naming, resources
from migrate.maas.resources import (
    AI_TENANT,
    DESTINATION_RULE,
    EXTERNAL_MODEL,
    GATEWAY,
    HTTP_ROUTE,
    LLM_INFERENCE_SERVICE,
    MAAS_AUTH_POLICY,
    MAAS_EXTERNAL_MODEL,
    MAAS_MODEL_REF,
    MAAS_SUBSCRIPTION,
    SERVICE,
    SERVICE_ENTRY,
    Kind,
)
from migrate.records.objects import Json, get_in
from migrate.sandbox.controllers.models import hostname_of, parent, published_name
from migrate.sandbox.controllers.player import Player
from migrate.sandbox.controllers.shapes import condition, is_true, merged_conditions
from migrate.sandbox.controllers.workloads import owner_reference


class ModelRefs(Player):
    """Finds the route of each model, and says whether it is governed and runs."""

    name = "maas-model-refs"
    manager = annotations.MAAS_MANAGER
    kinds: ClassVar[tuple[Kind, ...]] = (
        MAAS_MODEL_REF,
        MAAS_SUBSCRIPTION,
        MAAS_AUTH_POLICY,
        AI_TENANT,
        LLM_INFERENCE_SERVICE,
        EXTERNAL_MODEL,
        MAAS_EXTERNAL_MODEL,
        HTTP_ROUTE,
        GATEWAY,
    )

    def reconcile(self) -> None:
        """Look at every MaaSModelRef."""
        self.each(self.view.list(MAAS_MODEL_REF), self._drive)

    def _drive(self, ref: Json) -> None:
        held = ref["metadata"].get("finalizers") or []
        if ref["metadata"].get("deletionTimestamp"):
            left = [name for name in held if name != annotations.MODEL_CLEANUP_FINALIZER]
            self.ensure_patched(MAAS_MODEL_REF, ref, {"metadata": {"finalizers": left or None}})
            return
        if annotations.MODEL_CLEANUP_FINALIZER not in held:
            body = {"metadata": {"finalizers": [*held, annotations.MODEL_CLEANUP_FINALIZER]}}
            ref = self.ensure_patched(MAAS_MODEL_REF, ref, body)
        self.ensure_status(MAAS_MODEL_REF, ref, self._status(ref))

    def _status(self, ref: Json) -> Json:
        namespace = ref["metadata"]["namespace"]
        kind, name = ref["spec"]["modelRef"]["kind"], ref["spec"]["modelRef"]["name"]
        is_served = kind == LLM_INFERENCE_SERVICE.kind
        route = self._served_route(namespace, name) if is_served else self._external_route(namespace, name)
        runs = route is not None and (not is_served or is_true(self._service(namespace, name), "Ready"))
        governed = self._governed(namespace, ref["metadata"]["name"])
        conditions = self._conditions(ref, governed=governed, runs=runs)
        status: Json = {"conditions": conditions, "phase": "Ready" if governed and runs else "Pending"}
        alias = published_name(namespace, name) if is_served else self._alias(namespace, name)
        status["resolvedModelAlias"] = alias
        if ref["spec"].get("tenantRef"):
            status["resolvedTenantRef"] = ref["spec"]["tenantRef"]
        return {**status, **self._route_status(ref, route)}

    def _route_status(self, ref: Json, route: Json | None) -> Json:
        names = ("httpRouteName", "httpRouteNamespace", "httpRouteGatewayName", "httpRouteGatewayNamespace")
        if route is None:
            return {**dict.fromkeys(names), "endpoint": None}
        first = (route["spec"].get("parentRefs") or [parent(resources.DEFAULT_GATEWAY)])[0]
        namespace = str(route["metadata"]["namespace"])
        gateway = (str(first["name"]), str(first.get("namespace", namespace)))
        values = (route["metadata"]["name"], namespace, *gateway)
        host = hostname_of(self.view.get(GATEWAY, gateway[1], gateway[0]))
        endpoint = ref["spec"].get("endpointOverride") or f"https://{host}"
        return {**dict(zip(names, values, strict=True)), "endpoint": endpoint}

    def _served_route(self, namespace: str, name: str) -> Json | None:
        wanted = {
            annotations.APP_NAME: name,
            annotations.COMPONENT: "llminferenceservice-router",
            annotations.PART_OF: "llminferenceservice",
        }
        routes = self.view.list(HTTP_ROUTE, namespace)
        return next((r for r in routes if wanted.items() <= (r["metadata"].get("labels") or {}).items()), None)

    def _external_route(self, namespace: str, name: str) -> Json | None:
        model = self.view.get(EXTERNAL_MODEL, namespace, name)
        if model is not None:
            named = str(get_in(model, "status", "httpRouteName", default=""))
        else:
            named = naming.external_model_route_name(name)
        return self.view.get(HTTP_ROUTE, namespace, named)

    def _service(self, namespace: str, name: str) -> Json | None:
        return self.view.get(LLM_INFERENCE_SERVICE, namespace, name)

    def _alias(self, namespace: str, name: str) -> str:
        model = self.view.get(EXTERNAL_MODEL, namespace, name)
        return str(get_in(model, "spec", "modelName", default=name))

    def _governed(self, namespace: str, name: str) -> bool:
        def names(obj: Json) -> bool:
            references = get_in(obj, "spec", "modelRefs", default=[])
            return any((ref.get("namespace"), ref.get("name")) == (namespace, name) for ref in references)

        return all(any(map(names, self.view.list(kind))) for kind in (MAAS_SUBSCRIPTION, MAAS_AUTH_POLICY))

    def _conditions(self, ref: Json, *, governed: bool, runs: bool) -> list[Json]:
        generation = ref["metadata"].get("generation", 1)

        def told(kind: str, good: bool, yes: tuple[str, str], no: tuple[str, str]) -> Json:  # noqa: FBT001 - a table
            return condition(kind, "True" if good else "False", *(yes if good else no), generation=generation)

        new = [
            told(
                "GovernanceAttached",
                governed,
                ("GovernancePaired", "Active governance pairing found"),
                ("NoPairingFound", "no subscription and policy name this model together"),
            ),
            told(
                "RuntimeReady",
                runs,
                ("RuntimeHealthy", "Backend is healthy"),
                ("BackendNotReady", "the model has no route that is ready"),
            ),
            condition(
                "ModelIdentityUnique", "True", "UniqueIdentity", "no other model has this name", generation=generation
            ),
            told(
                "Ready",
                governed and runs,
                ("Reconciled", "Governed and runtime-healthy"),
                ("NoPairingFound" if runs else "BackendNotReady", "not governed or not running"),
            ),
        ]
        old = get_in(ref, "status", "conditions", default=[])
        before = {entry.get("type"): entry for entry in old}
        for entry in new:
            known = before.get(entry["type"], {})
            if (known.get("status"), known.get("reason")) == (entry["status"], entry["reason"]):
                entry["message"] = known.get("message", "")
        return merged_conditions(old, new, self.now())


class OldExternalModels(Player):
    """Service, ServiceEntry, DestinationRule and HTTPRoute ``maas-<name>`` of each ExternalModel of the old group."""

    name = "maas-external-models"
    manager = annotations.MAAS_MANAGER
    kinds: ClassVar[tuple[Kind, ...]] = (MAAS_EXTERNAL_MODEL, SERVICE, SERVICE_ENTRY, DESTINATION_RULE, HTTP_ROUTE)

    def reconcile(self) -> None:
        """Make what is missing or differs; the status is never written."""
        models = self.view.list(MAAS_EXTERNAL_MODEL)
        self.each([found for found in models if not found["metadata"].get("deletionTimestamp")], self._route)

    def _route(self, model: Json) -> None:
        host, name = str(model["spec"]["endpoint"]), naming.external_model_route_name(model["metadata"]["name"])
        marks = model["metadata"].get("annotations") or {}
        port = int(marks.get(annotations.MAAS_PORT, "443"))
        over_tls = marks.get(annotations.MAAS_TLS, "true") != "false"
        self._make(
            model,
            SERVICE,
            {
                "type": "ExternalName",
                "externalName": host,
                "ports": [{"port": port, "protocol": "TCP", "targetPort": port}],
            },
        )
        protocol = "HTTPS" if over_tls else "HTTP"
        self._make(
            model,
            SERVICE_ENTRY,
            {
                "hosts": [host],
                "location": "MESH_EXTERNAL",
                "resolution": "DNS",
                "ports": [{"name": protocol.lower(), "number": port, "protocol": protocol}],
            },
        )
        if over_tls:
            self._make(model, DESTINATION_RULE, {"host": host, "trafficPolicy": {"tls": {"mode": "SIMPLE"}}})
        rules = _rules(model, host, name, port)
        self._make(model, HTTP_ROUTE, {"parentRefs": [parent(resources.DEFAULT_GATEWAY)], "rules": rules})

    def _make(self, model: Json, kind: Kind, spec: Json) -> None:
        name = model["metadata"]["name"]
        desired = {
            "apiVersion": kind.api_version,
            "kind": kind.kind,
            "metadata": {
                "name": naming.external_model_route_name(name),
                "namespace": model["metadata"]["namespace"],
                "labels": {
                    annotations.MANAGED_BY: annotations.MAAS_EXTERNAL_MODEL_RECONCILER,
                    annotations.MAAS_EXTERNAL_MODEL_LABEL: name,
                },
                "ownerReferences": [owner_reference(MAAS_EXTERNAL_MODEL, model)],
            },
            "spec": spec,
        }
        self.ensure(kind, desired)


def _rules(model: Json, host: str, service: str, port: int) -> list[Json]:
    namespace, name = model["metadata"]["namespace"], model["metadata"]["name"]
    header = {"name": "X-Gateway-Model-Name", "type": "Exact", "value": model["spec"]["targetModel"]}
    matches: list[Json] = [
        {"path": {"type": "PathPrefix", "value": f"/{namespace}/{name}"}},
        {"path": {"type": "PathPrefix", "value": "/"}, "headers": [header]},
    ]
    modifier = {"type": "RequestHeaderModifier", "requestHeaderModifier": {"set": [{"name": "Host", "value": host}]}}
    return [
        {
            "matches": [match],
            "filters": [modifier],
            "backendRefs": [{"group": "", "kind": "Service", "name": service, "port": port, "weight": 1}],
            "timeouts": {"request": "300s"},
        }
        for match in matches
    ]
