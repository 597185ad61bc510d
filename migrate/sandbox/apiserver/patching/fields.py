"""
Sets of fields, as ``managedFields`` records them.

A path is a tuple of elements in the spelling of FieldsV1: ``f:spec``,
``k:{"type":"Ready"}`` for an item of a keyed list, ``v:"a"`` for one of a set.
"""

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, TypeAlias

from migrate.sandbox.apiserver.protocol.values import Document

Path: TypeAlias = tuple[str, ...]

_UNOWNED: Final = frozenset(
    {("f:apiVersion",), ("f:kind",), ("f:metadata",)}
    | {
        ("f:metadata", "f:" + name)
        for name in (
            "name",
            "namespace",
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "generation",
            "managedFields",
            "selfLink",
        )
    }
)


def child(schema: Document, name: str) -> Document:
    """Return the schema of the field *name*, an empty one where nothing is known."""
    node = (schema.get("properties") or {}).get(name)
    if node is None:
        extra = schema.get("additionalProperties")
        node = extra if isinstance(extra, dict) else {}
    found: Document = node
    return found


def is_granular(schema: Document, value: Any) -> bool:
    """Whether the parts of *value* have owners of their own."""
    if isinstance(value, dict):
        return schema.get("x-kubernetes-map-type") != "atomic"
    return isinstance(value, list) and schema.get("x-kubernetes-list-type") in {"map", "set"}


def element(schema: Document, item: Any) -> str:
    """Return how a path names *item* of a keyed list or a set."""
    if schema.get("x-kubernetes-list-type") == "set" or not isinstance(item, dict):
        return "v:" + _compact(item)
    properties = (schema.get("items") or {}).get("properties") or {}
    keys = {}
    for key in schema.get("x-kubernetes-list-map-keys") or ():
        value = item.get(key, (properties.get(key) or {}).get("default"))
        if value is None and key == "protocol":
            value = "TCP"  # The one list key of a built-in kind that has a default.
        if value is not None:
            keys[key] = value
    return "k:" + _compact(keys)


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def parts(schema: Document, value: Any) -> dict[str, tuple[Document, Any]]:
    """Return the parts of a granular *value* by path element, each with its schema."""
    if isinstance(value, dict):
        return {"f:" + name: (child(schema, name), item) for name, item in value.items()}
    items = schema.get("items") or {}
    return {element(schema, item): (items, item) for item in value}


def owned_paths(schema: Document, document: Any, *, containers: bool = False) -> set[Path]:
    """Return the fields of *document*; with *containers* also the objects that hold them."""
    return set(_walk(schema, document, (), containers=containers)) - _UNOWNED - _always_there(schema)


def _always_there(schema: Document) -> set[Path]:
    """Return the parts that a compiled-in kind has even when nobody set them: Go's structs, but not its maps."""
    if "x-kubernetes-group-version-kind" not in schema:
        return set()
    return {("f:" + name,) for name, node in schema["properties"].items() if "properties" in node}


def _walk(schema: Document, value: Any, path: Path, *, containers: bool) -> Iterator[Path]:
    if not is_granular(schema, value):
        if path:
            yield path
        return
    is_item = bool(path) and path[-1][0] == "k"
    if path and (not value or is_item or containers):
        yield path
    for name, (node, item) in parts(schema, value).items():
        yield from _walk(node, item, (*path, name), containers=containers)


def compare(schema: Document, old: Any, new: Any) -> tuple[set[Path], set[Path]]:
    """Return the paths that *new* sets or changes, and those of *old* that it lacks."""
    touched: set[Path] = set()
    removed: set[Path] = set()
    _compare(schema, old, new, (), touched, removed)
    left_out = _UNOWNED | _always_there(schema)
    return touched - left_out, removed - left_out


def _compare(schema: Document, old: Any, new: Any, path: Path, touched: set[Path], removed: set[Path]) -> None:
    if old is new or (old == new and type(old) is type(new)):
        return
    if not (is_granular(schema, old) and is_granular(schema, new) and type(old) is type(new)):
        touched.update(_walk(schema, new, path, containers=True))
        if is_granular(schema, old):
            removed.update(set(_walk(schema, old, path, containers=True)) - touched)
        return
    before, after = parts(schema, old), parts(schema, new)
    for name, (node, item) in after.items():
        if name in before:
            _compare(node, before[name][1], item, (*path, name), touched, removed)
        else:
            touched.update(_walk(node, item, (*path, name), containers=True))
    for name in before.keys() - after.keys():
        node, item = before[name]
        removed.update(_walk(node, item, (*path, name), containers=True))


@lru_cache(maxsize=512)
def to_fields_v1(paths: frozenset[Path]) -> Document:
    """Return *paths* as the trie of FieldsV1, which is shared: read it, never change it."""
    tree: Document = {}
    for path in sorted(paths):
        node = tree
        for name in path:
            node = node.setdefault(name, {})
        node["."] = {}
    return _tidied(tree)


def _tidied(node: Document) -> Document:
    # A leaf is written as an empty object; only an inner node says "." for itself.
    if len(node) == 1 and "." in node:
        return {}
    return {name: _tidied(item) if item else item for name, item in node.items()}


def from_fields_v1(tree: Document) -> set[Path]:
    """Return the paths that the trie *tree* stands for."""
    return set(_leaves(tree, ()))


def _leaves(node: Document, path: Path) -> Iterator[Path]:
    if path and (not node or "." in node):
        yield path
    for name, item in node.items():
        if name != ".":
            yield from _leaves(item, (*path, name))


def spelled(path: Path) -> str:
    """Return *path* as messages write it: ``.spec.conds[type="A"].v``."""
    text = ""
    for name in path:
        if name[0] == "f":
            text += "." + name[2:]
        elif name[0] == "k":
            keys = json.loads(name[2:])
            text += "[" + ",".join(f"{key}={json.dumps(value)}" for key, value in keys.items()) + "]"
        else:
            text += f"[={name[2:]}]"
    return text


def with_parents(paths: Iterable[Path]) -> set[Path]:
    """Return *paths* and every path above them."""
    return {path[:end] for path in paths for end in range(1, len(path) + 1)}
