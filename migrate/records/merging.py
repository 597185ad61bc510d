"""JSON merge patches (RFC 7396): apply one, ask whether it holds, take its inverse."""

from collections.abc import Mapping
from typing import Any

from migrate.records.objects import MISSING


def merge(target: Any, patch: Any) -> Any:
    """Return *target* with *patch* merged in; neither is changed."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


def holds(target: Any, patch: Any) -> bool:
    """
    Return whether merging *patch* would leave *target* as it is.

    An empty mapping counts as an absent one: no server keeps it.
    """
    if not isinstance(patch, Mapping):
        return same(target, patch)
    if target is MISSING:
        return all(value is None or (isinstance(value, Mapping) and holds(MISSING, value)) for value in patch.values())
    if not isinstance(target, Mapping):
        return False
    return all(
        key not in target if value is None else holds(target.get(key, MISSING), value) for key, value in patch.items()
    )


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal; true is not 1, as Python would have it."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def inverse(target: Any, patch: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the patch that brings *target* back after *patch*.

    Where a whole branch was absent, the highest absent member becomes null, so
    that no empty parent is left behind.
    """
    result: dict[str, Any] = {}
    for key, value in patch.items():
        old = target.get(key, MISSING) if isinstance(target, Mapping) else MISSING
        if old is MISSING:
            if value is not None:
                result[key] = None
        elif isinstance(value, Mapping) and isinstance(old, Mapping):
            inner = inverse(old, value)
            if inner:
                result[key] = inner
        elif not same(old, value):
            result[key] = old
    return result


def difference(target: Any, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the smallest patch that turns the mapping *target* into *wanted*."""
    source = target if isinstance(target, Mapping) else {}
    patch: dict[str, Any] = {key: None for key in source if key not in wanted}
    for key, value in wanted.items():
        old = source.get(key, MISSING)
        if isinstance(value, Mapping) and isinstance(old, Mapping):
            inner = difference(old, value)
            if inner:
                patch[key] = inner
        elif old is MISSING or not same(old, value):
            patch[key] = value
    return patch


def compose(first: Any, second: Any) -> Any:
    """
    Return one patch for *first* and then *second*.

    What *first* removes and *second* makes a mapping again keeps its old members: no merge patch can say both.
    """
    if not isinstance(first, Mapping) or not isinstance(second, Mapping):
        return second
    result = dict(first)
    for key, value in second.items():
        result[key] = compose(result[key], value) if key in result else value
    return result
