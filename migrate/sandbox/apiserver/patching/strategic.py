"""Strategic merge patches: lists of built-in kinds merge by the keys that their schemas name."""

from typing import Any

from migrate.sandbox.apiserver.protocol.values import Document, clone

_ORDER = "$setElementOrder/"
_DELETE_PRIMITIVES = "$deleteFromPrimitiveList/"
_RETAIN_KEYS = "$retainKeys"
_DIRECTIVE = "$patch"


class UnfitPatchError(Exception):
    """A list of the patch holds what cannot be merged by key."""


def strategic_merge(schema: Document, target: Any, patch: Any) -> Any:
    """
    Return *target* with *patch* merged into it by the rules of *schema*; neither is changed.

    Raises:
        UnfitPatchError: A list that merges by key holds something else than objects.
    """
    if not isinstance(patch, dict):
        return clone(patch)
    directive = patch.get(_DIRECTIVE)
    if directive == "replace":
        return _plain(patch)
    if directive == "delete":
        return {}
    made: Document = dict(target) if isinstance(target, dict) else {}
    retained = patch.get(_RETAIN_KEYS)
    if retained is not None:
        made = {name: value for name, value in made.items() if name in retained}
    for name, value in patch.items():
        if not name.startswith("$"):
            _merge_field(schema, made, name, value)
    _delete_primitives(made, patch)
    _set_orders(schema, made, patch)
    return made


def _merge_field(schema: Document, made: Document, name: str, value: Any) -> None:
    node = _child(schema, name)
    if value is None:
        made.pop(name, None)
    elif isinstance(value, dict):
        made[name] = strategic_merge(node, made.get(name), value)
    elif isinstance(value, list) and "merge" in str(node.get("x-kubernetes-patch-strategy", "")):
        made[name] = _merge_list(node, made.get(name) or [], value)
    else:
        made[name] = clone(value)


def _merge_list(node: Document, target: list[Any], patch: list[Any]) -> list[Any]:
    key = node.get("x-kubernetes-patch-merge-key")
    if key and not all(isinstance(item, dict) for item in patch):
        raise UnfitPatchError(f"expected objects with the key {key} in a list")
    if not key:
        return [*target, *(clone(item) for item in patch if item not in target)]
    if any(item.get(_DIRECTIVE) == "replace" for item in patch):
        return [_plain(item) for item in patch if item.get(_DIRECTIVE) != "replace"]
    items = node.get("items") or {}
    made = list(target)
    for change in patch:
        index = next((i for i, item in enumerate(made) if item.get(key) == change.get(key)), None)
        if change.get(_DIRECTIVE) == "delete":
            made = [item for item in made if item.get(key) != change.get(key)]
        elif index is None:
            made.append(strategic_merge(items, {}, change))
        else:
            made[index] = strategic_merge(items, made[index], change)
    return made


def _delete_primitives(made: Document, patch: Document) -> None:
    for directive, values in patch.items():
        name = directive.removeprefix(_DELETE_PRIMITIVES)
        if name != directive and isinstance(made.get(name), list):
            made[name] = [item for item in made[name] if item not in values]


def _set_orders(schema: Document, made: Document, patch: Document) -> None:
    for directive, order in patch.items():
        name = directive.removeprefix(_ORDER)
        if name == directive or not isinstance(made.get(name), list):
            continue
        key = _child(schema, name).get("x-kubernetes-patch-merge-key")
        wanted = [item.get(key) if key else item for item in order]
        ranks = {mark: rank for rank, mark in enumerate(wanted)}
        # Items that the patch does not order stay behind those that it does, as they stood.
        made[name] = sorted(made[name], key=lambda item: ranks.get(item.get(key) if key else item, len(ranks)))


def _child(schema: Document, name: str) -> Document:
    node = (schema.get("properties") or {}).get(name)
    if node is None:
        extra = schema.get("additionalProperties")
        node = extra if isinstance(extra, dict) else {}
    found: Document = node
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items() if not name.startswith("$")}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value
