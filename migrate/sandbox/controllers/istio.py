"""Istio as the implementation of Gateway API: Gateways become Programmed, routes Accepted."""

from typing import ClassVar, Final

from migrate.maas.resources import GATEWAY, HTTP_ROUTE, Kind
from migrate.records.objects import Json
from migrate.sandbox.controllers.player import Player
from migrate.sandbox.controllers.shapes import condition, merged_conditions

CONTROLLER: Final = "openshift.io/gateway-controller/v1"


class Istio(Player):
    """Tells the status of Gateways and HTTPRoutes."""

    name = "istio"
    manager = "pilot-discovery"
    kinds: ClassVar[tuple[Kind, ...]] = (GATEWAY, HTTP_ROUTE)

    def reconcile(self) -> None:
        """Look at every Gateway and route."""
        self.each(self.view.list(GATEWAY), self._program)
        self.each(self.view.list(HTTP_ROUTE), self._accept)

    def _program(self, gateway: Json) -> None:
        generation = gateway["metadata"].get("generation", 1)
        status = gateway.get("status") or {}
        now = self.now()
        told = {entry.get("name"): entry for entry in status.get("listeners") or []}
        new = [condition(kind, "True", kind, generation=generation) for kind in ("Accepted", "Programmed")]
        listeners = [
            self._listener(listener, told.get(listener["name"]) or {}, generation)
            for listener in gateway["spec"].get("listeners") or []
        ]
        wanted: Json = {
            "conditions": merged_conditions(status.get("conditions"), new, now, keep_others=False),
            "listeners": listeners,
        }
        if not status.get("addresses"):
            name = gateway["metadata"]["name"]
            wanted["addresses"] = [{"type": "Hostname", "value": f"{name}.lb.example.com"}]
        self.ensure_status(GATEWAY, gateway, wanted)

    def _listener(self, listener: Json, told: Json, generation: int) -> Json:
        new = [
            condition(kind, "True", kind, generation=generation) for kind in ("Accepted", "Programmed", "ResolvedRefs")
        ]
        return {
            "name": listener["name"],
            "attachedRoutes": told.get("attachedRoutes", 0),
            "supportedKinds": [{"group": GATEWAY.group, "kind": "HTTPRoute"}],
            "conditions": merged_conditions(told.get("conditions"), new, self.now(), keep_others=False),
        }

    def _accept(self, route: Json) -> None:
        told = {_reference(entry["parentRef"]): entry for entry in (route.get("status") or {}).get("parents") or []}
        parents = [self._parent(route, parent, told) for parent in route["spec"].get("parentRefs") or []]
        self.ensure_status(HTTP_ROUTE, route, {"parents": parents})

    def _parent(self, route: Json, parent: Json, told: dict[tuple[str, str], Json]) -> Json:
        own_namespace = str(route["metadata"]["namespace"])
        namespace, name = parent.get("namespace", own_namespace), parent["name"]
        generation = route["metadata"].get("generation", 1)
        there = self.view.get(GATEWAY, namespace, name) is not None
        accepted = ("True", "Accepted") if there else ("False", "NoMatchingParent")
        new = [
            condition("Accepted", *accepted, generation=generation),
            condition("ResolvedRefs", "True", "ResolvedRefs", generation=generation),
        ]
        old = told.get((namespace, name)) or {}
        return {
            "parentRef": {"group": GATEWAY.group, "kind": "Gateway", "namespace": namespace, "name": name},
            "controllerName": CONTROLLER,
            "conditions": merged_conditions(old.get("conditions"), new, self.now(), keep_others=False),
        }


def _reference(parent: Json) -> tuple[str, str]:
    return str(parent.get("namespace", "")), str(parent.get("name", ""))
