"""What a cluster holds, without what servers, clocks and chance write into it: to compare two of them."""

import json
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any, Final

from migrate.maas.annotations import PAYLOAD_PROCESSING_TYPE, TYPE_PRAXIS
from migrate.records.objects import Json, get_in
from migrate.sandbox.apiserver import ApiServer
from migrate.store.journal_file import read_journal

_PASSING: Final = {"events", "leases", "pods", "replicasets", "namespaces", "customresourcedefinitions"}
_OF_THE_SERVER: Final = {"uid", "resourceVersion", "managedFields", "creationTimestamp", "generation", "selfLink"}
_OF_THE_WAY: Final = {
    "kubectl.kubernetes.io/restartedAt",
    "deployment.kubernetes.io/revision",
    "maas.opendatahub.io/payload-processing-migration",
    "kubectl.kubernetes.io/last-applied-configuration",
}
"""Annotations that tell which way was taken, not where it led."""


def content_of(server: ApiServer) -> dict[str, Json]:
    """Return every lasting object by kind and name, its status left out."""
    found: dict[str, Json] = {}
    store = server.core.store
    for key in store.keys():  # noqa: SIM118 - a method of the store, no mapping
        if key.plural in _PASSING:
            continue
        for slot, document in store.items(key):
            found[f"{key.plural}.{key.group} {slot.order}"] = _plain(document)
    return found


def _plain(document: Mapping[str, Any]) -> Json:
    kept = {name: value for name, value in document.items() if name not in {"status", "metadata"}}
    metadata = {name: value for name, value in document["metadata"].items() if name not in _OF_THE_SERVER}
    owners = metadata.pop("ownerReferences", None)
    if owners:
        metadata["owners"] = sorted(f"{owner['kind']} {owner['name']}" for owner in owners)
    annotations = {key: value for key, value in metadata.pop("annotations", {}).items() if key not in _OF_THE_WAY}
    if annotations:
        metadata["annotations"] = annotations
    cleaned = _without_restart(kept)
    return {**cleaned, "metadata": metadata}


def _without_restart(thing: Json) -> Json:
    spec = thing.get("spec")
    template = spec.get("template") if isinstance(spec, Mapping) else None
    if not isinstance(spec, Mapping) or not isinstance(template, Mapping):
        return thing
    metadata = dict(template.get("metadata") or {})
    marks = {key: value for key, value in (metadata.pop("annotations", None) or {}).items() if key not in _OF_THE_WAY}
    metadata |= {"annotations": marks} if marks else {}
    return {**thing, "spec": {**spec, "template": {**template, "metadata": metadata}}}


def differences(one: Mapping[str, Json], other: Mapping[str, Json]) -> list[str]:
    """Return where two contents differ, in words."""
    found = []
    for name in sorted({*one, *other}):
        if name not in one or name not in other:
            found.append(f"{name} is only in the {'first' if name in one else 'second'}")
        else:
            found += [f"{name}{where}" for where in _leaves(one[name], other[name], "")]
    return found


def _leaves(one: Any, other: Any, path: str) -> list[str]:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return [
            leaf for key in sorted({*one, *other}) for leaf in _leaves(one.get(key), other.get(key), f"{path}.{key}")
        ]
    return [] if one == other else [f"{path}: {str(one)[:80]!r} is not {str(other)[:80]!r}"]


def is_sealed(root: Path, text: str) -> bool:
    """Return whether a backup below *root* holds *text*: a restore seals what is live before it writes over it."""
    return any(text in path.read_text() for path in root.glob("state/*/objects/[!.]*/*.json"))


def has_flipped(journal: Path) -> bool:
    """Return whether the run of *journal* announced to write that a tenant goes to Praxis."""
    where = ("intent", "patch", "metadata", "annotations", PAYLOAD_PROCESSING_TYPE)
    return any(get_in(event.data, *where) == TYPE_PRAXIS for event in read_journal(journal)[0])


def sealed_things(run: Path, names: str) -> list[Json]:
    """Return what the forward sets of a run hold, of the files whose names begin like *names*."""
    found = sorted(run.glob(f"objects/[!.]*/{names}.json"))
    return [json.loads(path.read_text()) for path in found if not path.parent.name.endswith("-back")]


def same_texts(one: Json, other: Json, but: Set[str]) -> bool:
    """Return whether two ConfigMaps hold the same under every key *but* those."""

    def texts(thing: Json) -> Json:
        held = (thing.get(name) or {} for name in ("data", "binaryData"))
        return {key: text for each in held for key, text in each.items() if key not in but}

    return texts(one) == texts(other)


def at(thing: Any, path: tuple[str, ...]) -> Any:
    """Return what lies at *path*, None where nothing does."""
    for part in path:
        thing = thing.get(part) if isinstance(thing, Mapping) else None
    return thing
