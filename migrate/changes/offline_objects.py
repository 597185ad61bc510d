"""From the documents of a source to objects, each with what its file says about the others of its kind."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from migrate.changes.offline_layout import kind_by_name, spot_of
from migrate.errors import BadInputError
from migrate.maas import resources
from migrate.records.objects import Json, KubeObject, get_in
from migrate.records.source import Source, SourceFile

MOST_LISTS: Final = 5
"""Lists within Lists; ``kubectl`` writes one."""

_MOST_DIGITS: Final = 20
"""Of a resourceVersion: 64 bits."""
_NEXT: Final = "Leave the file out, or save it again with kubectl get -o yaml."
Key = tuple[str, str]


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """
    One List of one kind: what it answers for.

    Attributes:
        key: Group and kind.

        namespaces: Those of its items; of an ``oc adm inspect`` the one of its folder.

        whole: It answers for all namespaces: its items are of several, or of a cluster-scoped kind.

        inspected: Whether it lies in the layout of ``oc adm inspect``.
    """

    key: Key
    namespaces: frozenset[str]
    whole: bool
    inspected: bool


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """
    What the files hold.

    Attributes:
        objects: Each once: of two readings of one object the later one, told by resourceVersion.

        listings: Every List.

        singles: Kind and namespace of every object that an inspect wrote into a file of its own.

        spaces: Namespaces that an inspect has a folder of.
    """

    objects: tuple[KubeObject, ...]
    listings: tuple[Listing, ...]
    singles: frozenset[tuple[Key, str]]
    spaces: frozenset[str]


def content_of(source: Source) -> Content:
    """
    Return what *source* holds, Secrets left out.

    Raises:
        BadInputError: A document is no Kubernetes object, or two clusters lie in one folder.
    """
    objects: dict[tuple[str, str, str, str], KubeObject] = {}
    listings: list[Listing] = []
    singles: set[tuple[Key, str]] = set()
    spaces: set[str] = set()
    for file in source.files:
        spot = spot_of(file.place)
        if spot is not None and spot.namespace:
            spaces.add(spot.namespace)
        for document in file.documents:
            items, is_list = _items(document, file)
            for thing in items:
                _keep(objects, thing, file)
            if is_list:
                listings += _listings(document, items, file)
            elif spot is not None:
                singles |= {((thing.group, thing.kind), thing.namespace) for thing in items}
    held = tuple(thing for thing in objects.values() if (thing.group, thing.kind) != ("", "Secret"))
    if not held and not listings:
        raise BadInputError(f"{source.name} holds no Kubernetes object.", resolution=_NEXT)
    return Content(objects=held, listings=tuple(listings), singles=frozenset(singles), spaces=frozenset(spaces))


def _keep(objects: dict[tuple[str, str, str, str], KubeObject], thing: KubeObject, file: SourceFile) -> None:
    key = (thing.group, thing.kind, thing.namespace, thing.name)
    known = objects.get(key)
    if known is not None and known.uid != thing.uid and key == ("", "Namespace", "", resources.KUBE_SYSTEM):
        raise BadInputError(
            f"{file} is of another cluster than the files before it: kube-system has the UID {thing.uid or 'none'} "
            f"there and {known.uid or 'none'} here.",
            resolution="Name the folder of one cluster with --snapshot.",
        )
    if known is None or _age(known) < _age(thing):
        objects[key] = thing


def _age(thing: KubeObject) -> int:
    version = thing.resource_version
    return int(version) if version.isdecimal() and len(version) <= _MOST_DIGITS else 0


def _items(document: Any, file: SourceFile, depth: int = 0) -> tuple[list[KubeObject], bool]:
    """Return the objects of a document, and whether it is a List."""
    if document is None:
        return [], False
    kind = get_in(document, "kind")
    if not isinstance(document, dict) or not isinstance(kind, str) or depth > MOST_LISTS:
        raise _no_object(file, "something that is no Kubernetes object")
    if not kind.endswith("List") or "items" not in document:
        return [_object(document, file)], False
    items = document["items"] if document["items"] is not None else []
    if not isinstance(items, list):
        raise _no_object(file, f"a {kind} whose items are no list")
    inner = {"apiVersion": document.get("apiVersion"), "kind": kind.removesuffix("List")} if kind != "List" else {}
    found: list[KubeObject] = []
    for item in items:
        # A server leaves the kind out of the items of a typed list.
        found += _items({**inner, **item} if isinstance(item, dict) else item, file, depth + 1)[0]
    return found, True


def _object(document: Json, file: SourceFile) -> KubeObject:
    thing = KubeObject(document)
    if (thing.kind, thing.api_version) == ("Status", "v1"):
        told = document.get("message") or document.get("reason") or "no reason"
        raise _no_object(file, f"the API server's refusal and no object: {told}")
    if not thing.api_version or not thing.name:
        raise _no_object(file, f"a {thing.kind} without apiVersion or metadata.name")
    return thing


def _no_object(file: SourceFile, what: str) -> BadInputError:
    return BadInputError(f"{file} holds {what}.", resolution=_NEXT)


def _listings(document: Json, items: list[KubeObject], file: SourceFile) -> Iterator[Listing]:
    spot = spot_of(file.place)
    if spot is not None:
        if spot.kind is not None:
            whole = not spot.kind.namespaced
            yield Listing(key=spot.kind.key, namespaces=frozenset({spot.namespace}), whole=whole, inspected=True)
        return
    by_kind: dict[Key, set[str]] = {}
    for thing in items:
        by_kind.setdefault((thing.group, thing.kind), set()).add(thing.namespace)
    empty = None if by_kind else _kind_of_empty(document, file)
    if empty is not None:
        by_kind[empty] = set()
    for key, spaces in by_kind.items():
        whole = len(spaces) > 1 or "" in spaces
        yield Listing(key=key, namespaces=frozenset(spaces), whole=whole, inspected=False)


def _kind_of_empty(document: Json, file: SourceFile) -> Key | None:
    """Return of which kind an empty List is empty: a typed one says so, of another its file's name may."""
    kind, version = str(document.get("kind")), document.get("apiVersion")
    if kind != "List" and isinstance(version, str):
        return version.rpartition("/")[0], kind.removesuffix("List")
    named = kind_by_name(file.place)
    return named.key if named is not None else None
