"""Keep of an object what was asked for; a page is trimmed as it comes, so that memory stays small."""

from collections.abc import Mapping, Sequence
from typing import Any

from migrate.records.objects import Json, get_in

_ALWAYS = ("apiVersion", "kind", "metadata")


def trimmed(raw: Mapping[str, Any], paths: Sequence[tuple[str, ...]]) -> Json:
    """
    Return apiVersion, kind, metadata and what stands at *paths*; everything when there are none.

    managedFields stay: they tell who changed what.
    """
    if not paths:
        return dict(raw)
    kept: Json = {key: raw[key] for key in _ALWAYS if key in raw}
    for path in paths:
        missing = object()
        value = get_in(raw, *path, default=missing)
        if value is not missing:
            kept = _with(kept, path, value)
    return kept


def _with(target: Mapping[str, Any], path: tuple[str, ...], value: Any) -> Json:
    head, *rest = path
    inner = target.get(head)
    below = inner if isinstance(inner, Mapping) else {}
    return {**target, head: _with(below, tuple(rest), value) if rest else value}


def united(old: Mapping[str, Any], new: Mapping[str, Any]) -> Json:
    """
    Return one object from two readings that kept different fields of it.

    Of two objects with one name, or of two states, the later reading counts alone where both tell something.
    """
    if get_in(old, "metadata", "uid") != get_in(new, "metadata", "uid"):
        return dict(new)
    return _union(old, new)


def _union(old: Mapping[str, Any], new: Mapping[str, Any]) -> Json:
    result: Json = dict(old)
    for key, value in new.items():
        below = result.get(key)
        both = key != "metadata" and isinstance(below, Mapping) and isinstance(value, Mapping)
        result[key] = _union(below, value) if both and isinstance(below, Mapping) else value
    return result
