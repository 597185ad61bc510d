"""Seeding: whole objects into the store, status and all, past every rule."""

import uuid
from collections.abc import Iterable
from typing import Final

from migrate.sandbox.apiserver.kinds.rules import rules_of
from migrate.sandbox.apiserver.patching.ownership import Manager, track_update
from migrate.sandbox.apiserver.protocol.values import Document, clone, metadata_of, name_of, namespace_of
from migrate.sandbox.apiserver.resources.crds import CRD_KEY
from migrate.sandbox.apiserver.resources.resource import Resource
from migrate.sandbox.apiserver.storage.store import Slot, StorageKey
from migrate.sandbox.apiserver.verbs.call import Core
from migrate.sandbox.apiserver.verbs.establishing import read_custom, settle_crd

_NAMESPACES: Final = StorageKey("", "namespaces")
_RANK: Final = {"CustomResourceDefinition": 0, "Namespace": 1}
_Owner = tuple[str, str, str, str]


class UnknownKindError(ValueError):
    """No resource is served for the kind of an object."""


def seed(core: Core, objects: Iterable[Document], manager: str) -> list[Document]:
    """
    Store *objects* as they are; uid, resourceVersion and creationTimestamp are made anew.

    Owners among them are linked by kind and name, and namespaces that are missing are made.

    Raises:
        UnknownKindError: The CRD of an object is neither served nor among *objects*.
    """
    ordered = sorted(objects, key=lambda each: _RANK.get(str(each.get("kind")), 2))
    uids: dict[str, str] = {}
    named: dict[_Owner, str] = {}
    with core.store.lock:
        made = [_place(core, document, uids, named, manager) for document in ordered]
        return [_link(core, document, uids, named) for document in made]


def _place(core: Core, document: Document, uids: dict[str, str], named: dict[_Owner, str], manager: str) -> Document:
    resource = _resource(core, document)
    new: Document = clone(document)
    metadata = new.setdefault("metadata", {})
    fresh = str(uuid.UUID(int=core.rng.getrandbits(128), version=4))
    if metadata.get("uid"):
        uids[metadata["uid"]] = fresh
    if resource.namespaced:
        metadata.setdefault("namespace", "default")
        ensure_namespace(core, metadata["namespace"])
    else:
        metadata.pop("namespace", None)
    metadata["uid"] = fresh
    metadata["creationTimestamp"] = core.now()
    if resource.generation != "none":
        metadata.setdefault("generation", 1)
    new = _as_read(resource, new)
    if not metadata.get("managedFields"):
        track_update(resource.schema or {}, None, new, _manager(manager, resource), core.now())
    named[resource.group, resource.kind, namespace_of(new), name_of(new)] = fresh
    stored = core.store.put(resource.key, new)
    if resource.key == CRD_KEY:
        settle_crd(core, name_of(new))
    return stored


def _as_read(resource: Resource, document: Document) -> Document:
    if resource.key == _NAMESPACES:
        _complete_namespace(document)
    if resource.custom and resource.schema is not None:
        return read_custom(resource.schema, document)
    rules_of(resource.group, resource.kind).fill(document)
    return document


def _manager(name: str, resource: Resource) -> Manager:
    return Manager(name=name, operation="Update", api_version=resource.api_version)


def _resource(core: Core, document: Document) -> Resource:
    version, kind = str(document.get("apiVersion", "")), str(document.get("kind", ""))
    group, _, short = version.rpartition("/")
    found = core.catalogue.find_kind(group, short, kind)
    if found is None:
        raise UnknownKindError(f"no resource is served for {version} {kind}")
    return found


def _link(core: Core, document: Document, uids: dict[str, str], named: dict[_Owner, str]) -> Document:
    owners = metadata_of(document).get("ownerReferences")
    if not owners:
        return document
    linked = [{**owner, "uid": _uid(owner, document, uids, named)} for owner in owners]
    if linked == owners:
        return document
    new = {**document, "metadata": {**metadata_of(document), "ownerReferences": linked}}
    return core.store.put(_resource(core, document).key, new)


def _uid(owner: Document, document: Document, uids: dict[str, str], named: dict[_Owner, str]) -> str:
    group = str(owner.get("apiVersion", "")).rpartition("/")[0]
    kind, name = str(owner.get("kind", "")), str(owner.get("name", ""))
    for namespace in (namespace_of(document), ""):
        if (group, kind, namespace, name) in named:
            return named[group, kind, namespace, name]
    given = str(owner.get("uid", ""))
    return uids.get(given, given)


def ensure_namespace(core: Core, name: str) -> None:
    """Make the namespace of that *name* if there is none."""
    if core.store.get(_NAMESPACES, Slot("", name)) is not None:
        return
    document: Document = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": name,
            "uid": str(uuid.UUID(int=core.rng.getrandbits(128), version=4)),
            "creationTimestamp": core.now(),
        },
    }
    _complete_namespace(document)
    core.store.put(_NAMESPACES, document)


def _complete_namespace(document: Document) -> None:
    labels = metadata_of(document).get("labels") or {}
    metadata_of(document)["labels"] = {**labels, "kubernetes.io/metadata.name": name_of(document)}
    document.setdefault("spec", {}).setdefault("finalizers", ["kubernetes"])
    document.setdefault("status", {}).setdefault("phase", "Active")
