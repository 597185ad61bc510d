"""
Seeding over the API: for a server that is not ours, which lets nobody past its rules.

Field managers come as near as an API client gets: what somebody applied is
applied under that name, the rest is created under the name of its first
manager, and the status is written under the name of whoever wrote it.
"""

import threading
from collections.abc import Iterable
from typing import Any, Final

from migrate.maas.resources import CRD, LEASE, NAMESPACE, Kind
from migrate.records.objects import Json
from migrate.sandbox.controllers.client import Client
from migrate.sandbox.controllers.collection import kind_of
from migrate.sandbox.controllers.refusals import AlreadyExistsError, NotFoundError
from migrate.sandbox.controllers.timing import Clock
from migrate.sandbox.seeding import identity

ESTABLISHED_S: Final = 30.0
"""How long a CRD may take until its kind is served."""

_Name = tuple[str, str, str, str]


def has_controller_manager(client: Client) -> bool:
    """Whether a kube-controller-manager has ever led on the cluster: then Deployments and owners are its business."""
    return client.find(LEASE, "kube-system", "kube-controller-manager") is not None


class Planter:
    """Creates objects, owners before what they own."""

    def __init__(self, client: Client, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._kinds: dict[tuple[str, str], Kind] = {}
        self._uids: dict[_Name, str] = {}

    def plant(self, objects: Iterable[Json]) -> None:
        """
        Create *objects* with their status.

        Raises:
            ApiError: The server refused one.
        """
        rest = list(objects)
        definitions = [obj for obj in rest if obj["kind"] == CRD.kind]
        for definition in definitions:
            self._put(CRD, definition)
        for definition in definitions:
            self._await(kind_of(definition))
        waiting = [obj for obj in rest if obj["kind"] != CRD.kind]
        for kind in (NAMESPACE.kind, ""):
            self._in_order([obj for obj in waiting if (obj["kind"] == NAMESPACE.kind) == bool(kind)])

    def _in_order(self, objects: list[Json]) -> None:
        left = objects
        while left:
            names = {_name(obj) for obj in left}
            later = [obj for obj in left if _owner_names(obj) & names]
            ready = [obj for obj in left if obj not in later] or left  # A circle of owners is cut where it stands.
            for obj in ready:
                self._put(self._kind(obj), self._linked(obj))
            left = [obj for obj in left if obj not in ready]

    def _put(self, kind: Kind, obj: Json) -> None:
        applier, creator, teller = _managers(obj)
        metadata = {key: value for key, value in obj["metadata"].items() if key not in {"managedFields", "uid"}}
        body = {**{key: value for key, value in obj.items() if key != "status"}, "metadata": metadata}
        try:
            made = (
                self._client.apply(kind, body, manager=applier)
                if applier
                else self._client.create(kind, body, manager=creator)
            )
        except AlreadyExistsError:
            if kind == CRD:
                return  # It is the cluster's own, and says more than ours.
            made = self._client.patch(kind, body, {**body, "metadata": {**metadata, "resourceVersion": None}})
        self._uids[_name(obj)] = made["metadata"]["uid"]
        if obj.get("status") and obj["kind"] not in {CRD.kind, NAMESPACE.kind}:
            self._tell(kind, made, obj["status"], teller)

    def _tell(self, kind: Kind, made: Json, status: Any, manager: str) -> None:
        try:
            self._client.patch(kind, made, {"status": status}, subresource="status", manager=manager)
        except NotFoundError:
            self._client.patch(kind, made, {"status": status}, manager=manager)  # The kind has no such subresource.

    def _linked(self, obj: Json) -> Json:
        owners = obj["metadata"].get("ownerReferences")
        if not owners:
            return obj
        linked = []
        for owner in owners:
            found = next((self._uids[name] for name in _names(owner, obj) if name in self._uids), None)
            if found:
                linked.append({**owner, "uid": found})
        return {**obj, "metadata": {**obj["metadata"], "ownerReferences": linked}}

    def _kind(self, obj: Json) -> Kind:
        group, version, name = identity(obj)
        if (group, name) not in self._kinds:
            self._kinds[group, name] = self._client.discover(group, version, name)
        return self._kinds[group, name]

    def _await(self, kind: Kind) -> None:
        deadline = self._clock.monotonic() + ESTABLISHED_S
        while True:
            try:
                self._client.list(kind)
            except NotFoundError:
                if self._clock.monotonic() > deadline:
                    raise
                threading.Event().wait(0.1)
            else:
                return


def _managers(obj: Json) -> tuple[str, str, str]:
    entries = [entry for entry in obj["metadata"].get("managedFields") or [] if isinstance(entry, dict)]
    plain = [entry for entry in entries if not entry.get("subresource")]
    applied = next((str(entry["manager"]) for entry in plain if entry.get("operation") == "Apply"), "")
    updated = next((str(entry["manager"]) for entry in plain if entry.get("operation") == "Update"), "")
    told = next((str(entry["manager"]) for entry in entries if entry.get("subresource") == "status"), "")
    return applied, updated, told


def _name(obj: Json) -> _Name:
    metadata = obj["metadata"]
    return identity(obj)[0], obj["kind"], str(metadata.get("namespace", "")), str(metadata["name"])


def _names(owner: Json, obj: Json) -> list[_Name]:
    group = str(owner.get("apiVersion", "")).rpartition("/")[0]
    where = str(obj["metadata"].get("namespace", ""))
    return [(group, str(owner.get("kind")), namespace, str(owner.get("name"))) for namespace in (where, "")]


def _owner_names(obj: Json) -> set[_Name]:
    owners = obj["metadata"].get("ownerReferences") or []
    return {name for owner in owners for name in _names(owner, obj)} - {_name(obj)}
