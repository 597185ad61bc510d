"""How to ask a snapshot: what is there, what is absent, and what was not read (which is never absent)."""

from typing import Any

from migrate.maas import resources
from migrate.maas.resources import Kind
from migrate.records.objects import KubeObject, ObjectRef, Query
from migrate.records.snapshot import Gap, Snapshot

OPTIONAL_SOURCES = frozenset({"not-in-source"})
"""Reasons for a gap that a saved source has of itself: nobody refused anything."""


def text(value: Any) -> str:
    """Return *value* when it is a string, else ``""``: a field may hold anything in a file."""
    return value if isinstance(value, str) else ""


def maps(value: Any) -> list[dict[str, Any]]:
    """Return the entries of a list that are maps; none when it is no list."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def served(snapshot: Snapshot, kind: Kind) -> bool:
    """Return whether the API server knows *kind*."""
    return snapshot.kind_info(kind.group, kind.kind) is not None


def found(snapshot: Snapshot, kind: Kind, namespace: str, name: str) -> KubeObject | None:
    """Return the object, or None; ``unread`` says whether None means absent."""
    return snapshot.find(kind.group, kind.kind, namespace, name)


def listed(snapshot: Snapshot, kind: Kind, namespace: str | None = None) -> tuple[KubeObject, ...]:
    """Return the objects of *kind*; ``unread`` says whether the list is whole."""
    return snapshot.of_kind(kind.group, kind.kind, namespace)


def unread(snapshot: Snapshot, kind: Kind, namespace: str = "", name: str = "") -> Gap | None:
    """
    Return why a question has no answer, None when it has one.

    A kind that the server does not know was answered by that: it has no objects. A saved source that has
    left the kind out says so by a gap.
    """
    if name and found(snapshot, kind, namespace, name) is not None:
        return None
    if served(snapshot, kind):
        return snapshot.gap_for(kind.group, kind.kind, namespace, name)
    return next((gap for gap in snapshot.gaps if (gap.query.group, gap.query.kind) == kind.key), None)


def absent(snapshot: Snapshot, kind: Kind, namespace: str, name: str) -> bool:
    """Return whether the object was asked for, answered, and is not there."""
    return found(snapshot, kind, namespace, name) is None and unread(snapshot, kind, namespace, name) is None


def unread_by_label(snapshot: Snapshot, query: Query) -> Gap | None:
    """Return why a list by label has no answer; a list of the whole namespace or cluster answers it too."""
    if snapshot.kind_info(query.group, query.kind) is None:
        return next((gap for gap in snapshot.gaps if _same(gap.query, query)), None)
    for answer in snapshot.answered:
        if (
            (answer.group, answer.kind) == (query.group, query.kind)
            and not answer.name
            and answer.namespace in {"", query.namespace}
            and answer.label_selector in {"", query.label_selector}
        ):
            return None
    return next((gap for gap in snapshot.gaps if _same(gap.query, query)), Gap(query=query, reason="not-asked"))


def _same(one: Query, other: Query) -> bool:
    return (one.group, one.kind, one.namespace, one.label_selector) == (
        other.group,
        other.kind,
        other.namespace,
        other.label_selector,
    )


def live_ref(snapshot: Snapshot, kind: Kind, namespace: str, name: str) -> ObjectRef:
    """Return a reference in the version that the server prefers, whether the object is there or not."""
    thing = found(snapshot, kind, namespace, name)
    if thing is not None:
        return thing.ref
    info = snapshot.kind_info(kind.group, kind.kind)
    version = info.api_version if info else kind.api_version
    return ObjectRef(api_version=version, kind=kind.kind, namespace=namespace, name=name)


def application_namespaces(snapshot: Snapshot) -> tuple[str, ...]:
    """Return where the controllers may run, the likeliest first. Source: contract §1.2."""
    stated = [thing.get("spec", "applicationsNamespace") for thing in listed(snapshot, resources.DSC_INITIALIZATION)]
    known = [name for name in stated if isinstance(name, str) and name]
    return tuple(dict.fromkeys([*known, *resources.APPLICATIONS_NAMESPACES]))


def monitoring_namespaces(snapshot: Snapshot) -> tuple[str, ...]:
    """Return where the usage dashboards may live. Source: contract §1.2, §7.6."""
    stated = [thing.get("spec", "monitoring", "namespace") for thing in listed(snapshot, resources.DSC_INITIALIZATION)]
    known = [name for name in stated if isinstance(name, str) and name]
    return tuple(dict.fromkeys([*known, *resources.MONITORING_NAMESPACES.values()]))


def controller_of(snapshot: Snapshot, name: str = resources.MAAS_CONTROLLER_DEPLOYMENT) -> KubeObject | None:
    """Return the Deployment of a controller, None when it was not found where controllers run."""
    for namespace in application_namespaces(snapshot):
        deployment = found(snapshot, resources.DEPLOYMENT, namespace, name)
        if deployment is not None:
            return deployment
    return None


def kuadrant_namespaces(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the namespaces of Kuadrant, Authorino and Limitador objects."""
    kinds = (resources.KUADRANT, resources.AUTHORINO, resources.LIMITADOR)
    return tuple(sorted({thing.namespace for kind in kinds for thing in listed(snapshot, kind)}))
