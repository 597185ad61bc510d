"""Any object, what can be done to one, and the snapshot that holds them."""

import copy
import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from migrate.maas import resources
from migrate.maas.resources import Kind
from migrate.records.merging import merge
from migrate.records.objects import Json, KubeObject, Query
from migrate.records.snapshot import ClusterIdentity, Gap, KindInfo, Snapshot

TAKEN_AT = "2026-10-03T22:00:00Z"
CREATED_AT = "2026-09-01T08:00:00Z"
CLUSTER_ID = "c1u50000-0000-4000-8000-000000000001"

ALL_KINDS: tuple[Kind, ...] = tuple(value for value in vars(resources).values() if isinstance(value, Kind))


def a_uid(kind: str, namespace: str, name: str) -> str:
    """Return a UID that is the same in every run."""
    digest = hashlib.sha256(f"{kind}/{namespace}/{name}".encode()).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"


def an_object(kind: Kind, namespace: str, name: str, **sections: Any) -> Json:
    """Return an object of *kind*; *sections* are its top-level members (``spec=``, ``metadata=`` is merged in)."""
    metadata: Json = {
        "name": name,
        "uid": a_uid(kind.kind, namespace, name),
        "resourceVersion": "1",
        "creationTimestamp": CREATED_AT,
    }
    if namespace:
        metadata["namespace"] = namespace
    metadata = merge(metadata, sections.pop("metadata", {}))
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, **copy.deepcopy(sections)}


def changed(thing: Mapping[str, Any], patch: Mapping[str, Any]) -> Json:
    """Return a copy of *thing* with a merge patch applied; None removes a field."""
    result: Json = merge(copy.deepcopy(dict(thing)), patch)
    return result


def annotated(thing: Mapping[str, Any], **by_name: str) -> Json:
    """Return a copy of *thing* with annotations added; ``annotated(x, **{key: value})``."""
    return changed(thing, {"metadata": {"annotations": dict(by_name)}})


def patched(things: Iterable[Mapping[str, Any]], kind: str, name: str, patch: Mapping[str, Any]) -> list[Json]:
    """Return *things* with a merge patch applied to each object of that kind and name; there must be one."""
    result = [changed(thing, patch) if _is(thing, kind, name) else dict(thing) for thing in things]
    if not any(_is(thing, kind, name) for thing in result):
        raise LookupError(f"no {kind} {name}")
    return result


def without(things: Iterable[Mapping[str, Any]], kind: str, name: str) -> list[Json]:
    """Return *things* less each object of that kind and name; there must be one."""
    copies = [dict(thing) for thing in things]
    if not any(_is(thing, kind, name) for thing in copies):
        raise LookupError(f"no {kind} {name}")
    return [thing for thing in copies if not _is(thing, kind, name)]


def _is(thing: Mapping[str, Any], kind: str, name: str) -> bool:
    return bool(thing["kind"] == kind and thing["metadata"]["name"] == name)


def conditions(*types: str, status: str = "True", observed: int = 1) -> list[Json]:
    """Return status conditions of these types."""
    return [
        {"type": kind, "status": status, "reason": kind, "message": "", "observedGeneration": observed}
        for kind in types
    ]


def managed_by(manager: str, operation: str = "Apply", time: str = CREATED_AT) -> list[Json]:
    """Return managedFields with one entry."""
    return [{"manager": manager, "operation": operation, "time": time}]


def namespace_of(tenant: str) -> str:
    """Return a tenant's namespace."""
    return resources.DEFAULT_TENANT_NAMESPACE if tenant == resources.DEFAULT_TENANT_NAME else f"ai-tenant-{tenant}"


def id_of(tenant: str) -> str:
    """Return a tenant's id."""
    return "" if tenant == resources.DEFAULT_TENANT_NAME else tenant


def gateway_name_of(tenant: str) -> str:
    """Return the name of a tenant's gateway."""
    return resources.DEFAULT_GATEWAY if tenant == resources.DEFAULT_TENANT_NAME else tenant


def config_owner() -> Json:
    """Return the owner reference to Config that rendered objects have."""
    return {
        "apiVersion": resources.CONFIG.api_version,
        "kind": resources.CONFIG.kind,
        "name": resources.CONFIG_NAME,
        "uid": a_uid(resources.CONFIG.kind, "", resources.CONFIG_NAME),
        "controller": True,
        "blockOwnerDeletion": True,
    }


def kind_infos(kinds: Iterable[Kind] = ALL_KINDS) -> tuple[KindInfo, ...]:
    """Return what the API server serves."""
    return tuple(
        KindInfo(group=kind.group, version=kind.version, kind=kind.kind, plural=kind.plural, namespaced=kind.namespaced)
        for kind in kinds
    )


def a_snapshot(
    *objects: Mapping[str, Any],
    gaps: Iterable[Gap] = (),
    kinds: Iterable[Kind] = ALL_KINDS,
    answered: Iterable[Query] | None = None,
) -> Snapshot:
    """
    Return a snapshot that holds *objects*; a later one replaces an earlier one of the same name.

    Every kind counts as listed in all namespaces, so what is not given is absent; a kind that
    a gap speaks of is asked for by that gap alone. *answered* says otherwise.
    """
    gaps = tuple(gaps)
    kinds = tuple(kinds)
    by_key = {(o["apiVersion"], o["kind"], KubeObject(o).namespace, KubeObject(o).name): dict(o) for o in objects}
    if answered is None:
        asked = {(gap.query.group, gap.query.kind) for gap in gaps if not gap.query.name}
        answered = [kind.query() for kind in kinds if kind.key not in asked]
        named = [gap.query for gap in gaps if gap.query.name]
        answered = [
            query for query in answered if (query.group, query.kind) not in {(gap.group, gap.kind) for gap in named}
        ]
    return Snapshot(
        taken_at=TAKEN_AT,
        source="test",
        cluster=ClusterIdentity(server="https://api.example.com:6443", id=CLUSTER_ID),
        kinds=kind_infos(kinds),
        answered=tuple(answered),
        gaps=gaps,
        objects=tuple(by_key[key] for key in sorted(by_key)),
    )


def a_gap(kind: Kind, namespace: str = "", name: str = "", *, status: int = 403) -> Gap:
    """Return a refused question."""
    return Gap(query=kind.query(namespace, name), reason="forbidden", message="forbidden", status=status)
