"""Garbage collection by owner, foreground deletion, and the end of namespaces."""

from collections.abc import Sequence
from typing import ClassVar, Final

from migrate.maas import resources
from migrate.maas.resources import CRD, NAMESPACE, Kind
from migrate.records.objects import Json
from migrate.sandbox.controllers.player import Player
from migrate.sandbox.controllers.shapes import is_true

FOREGROUND: Final = "foregroundDeletion"
ORPHAN: Final = "orphan"

BUILT_IN: Final = (
    resources.CONFIG_MAP,
    resources.SERVICE,
    resources.SERVICE_ACCOUNT,
    resources.POD,
    resources.DEPLOYMENT,
    resources.REPLICA_SET,
    resources.HPA,
    resources.NETWORK_POLICY,
    resources.CLUSTER_ROLE_BINDING,
    resources.CRON_JOB,
)
"""Kinds of Kubernetes that owners and namespaces take along. Secrets are never read."""

SOLID, WAITING, DANGLING, UNKNOWN = "solid", "waiting", "dangling", "unknown"


class GarbageCollector(Player):
    """Deletes what no owner is left for, and lets owners go that waited for their dependents."""

    name = "garbage-collector"
    manager = "kube-controller-manager"
    kinds: ClassVar[tuple[Kind, ...]] = (CRD, NAMESPACE, *BUILT_IN)

    def reconcile(self) -> None:
        """Look at everything that has an owner or waits to go."""
        follow_custom_kinds(self)
        everything = [(kind, obj) for kind, obj in self.view.everything(_bound) if kind != CRD]
        blocked = {
            str(reference.get("uid"))
            for _, obj in everything
            for reference in obj["metadata"].get("ownerReferences") or []
            if reference.get("blockOwnerDeletion")
        }
        for kind, obj in everything:
            if obj["metadata"].get("ownerReferences"):
                self.attempt(lambda kind=kind, obj=obj: self._judge(kind, obj))  # type: ignore[misc]
            finalizers = obj["metadata"].get("finalizers") or []
            if FOREGROUND in finalizers and obj["metadata"]["uid"] not in blocked:
                self.attempt(lambda kind=kind, obj=obj: self._release(kind, obj, FOREGROUND))  # type: ignore[misc]
            if ORPHAN in finalizers:
                self.attempt(lambda kind=kind, obj=obj: self._orphan(kind, obj))  # type: ignore[misc]

    def _judge(self, kind: Kind, obj: Json) -> None:
        references = obj["metadata"]["ownerReferences"]
        states = [self._state(obj, reference) for reference in references]
        if UNKNOWN in states:
            return
        if SOLID in states:
            kept = [ref for ref, state in zip(references, states, strict=True) if state == SOLID]
            if len(kept) != len(references):
                self.ensure_patched(kind, obj, {"metadata": {"ownerReferences": kept}})
        else:
            self.remove(kind, obj, foreground=WAITING in states)

    def _state(self, obj: Json, reference: Json) -> str:
        group = str(reference.get("apiVersion", "")).rpartition("/")[0]
        kind = self.view.followed(group, str(reference.get("kind")))
        if kind is None or not self.view.is_served(kind):
            return UNKNOWN  # Nothing is deleted out of ignorance.
        namespace = str(obj["metadata"].get("namespace", "")) if kind.namespaced else ""
        owner = self.view.get(kind, namespace, str(reference.get("name")))
        if owner is None or owner["metadata"]["uid"] != reference.get("uid"):
            owner = self.client.find(kind, namespace, str(reference.get("name")))
        if owner is None or owner["metadata"]["uid"] != reference.get("uid"):
            return DANGLING
        waits = FOREGROUND in (owner["metadata"].get("finalizers") or [])
        return WAITING if waits and owner["metadata"].get("deletionTimestamp") else SOLID

    def _release(self, kind: Kind, obj: Json, finalizer: str) -> None:
        if obj["metadata"].get("deletionTimestamp"):
            left = [held for held in obj["metadata"]["finalizers"] if held != finalizer]
            self.ensure_patched(kind, obj, {"metadata": {"finalizers": left or None}})

    def _orphan(self, kind: Kind, obj: Json) -> None:
        uid = obj["metadata"]["uid"]
        for other, dependent in self.view.everything():
            references = dependent["metadata"].get("ownerReferences") or []
            kept = [reference for reference in references if reference.get("uid") != uid]
            if len(kept) != len(references):
                self.ensure_patched(other, dependent, {"metadata": {"ownerReferences": kept or None}})
        self._release(kind, obj, ORPHAN)


def _bound(objects: Sequence[Json]) -> list[Json]:
    """Return those that an owner or a finalizer holds."""
    return [obj for obj in objects if obj["metadata"].get("ownerReferences") or obj["metadata"].get("finalizers")]


class Namespaces(Player):
    """Empties namespaces that are being deleted, then lets them go."""

    name = "namespaces"
    manager = "kube-controller-manager"
    kinds: ClassVar[tuple[Kind, ...]] = (CRD, NAMESPACE, *BUILT_IN)

    def reconcile(self) -> None:
        """Look at every namespace that is on its way."""
        leaving = [found for found in self.view.list(NAMESPACE) if found["metadata"].get("deletionTimestamp")]
        if leaving:
            follow_custom_kinds(self)
        self.each(leaving, self._empty)

    def _empty(self, namespace: Json) -> None:
        name = namespace["metadata"]["name"]
        content = [(kind, obj) for kind, obj in self.view.everything() if obj["metadata"].get("namespace") == name]
        for kind, obj in content:
            self.attempt(lambda kind=kind, obj=obj: self.remove(kind, obj))  # type: ignore[misc]
        if not content and (namespace.get("spec") or {}).get("finalizers"):
            bare = {**namespace, "spec": {**namespace["spec"], "finalizers": []}}
            self.client.finalize_namespace(bare)


def follow_custom_kinds(player: Player) -> None:
    """Follow every kind that an established CRD defines."""
    player.view.follow_all(player.view.follow(CRD).derived(_established))


def _established(definitions: Sequence[Json]) -> list[Kind]:
    return [kind_of(definition) for definition in definitions if is_true(definition, "Established")]


def kind_of(definition: Json) -> Kind:
    """Return the kind that a CustomResourceDefinition defines, in its storage version."""
    spec = definition["spec"]
    version = next(entry["name"] for entry in spec["versions"] if entry.get("storage"))
    return Kind(
        group=spec["group"],
        version=version,
        kind=spec["names"]["kind"],
        plural=spec["names"]["plural"],
        namespaced=spec["scope"] == "Namespaced",
    )
