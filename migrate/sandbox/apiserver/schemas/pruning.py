"""Pruning: a custom object keeps only the fields that its schema knows."""

from typing import Any

from migrate.sandbox.apiserver.protocol.values import Document


def prune(schema: Document, value: Any, path: str = "") -> tuple[Any, list[str]]:
    """Return *value* without the fields that *schema* does not specify, and the paths of these."""
    unknown: list[str] = []
    return _prune(schema, value, path, unknown), unknown


def _prune(schema: Document, value: Any, path: str, unknown: list[str]) -> Any:
    if isinstance(value, dict):
        return _prune_object(schema, value, path, unknown)
    if isinstance(value, list):
        items = schema.get("items")
        if not isinstance(items, dict):
            return value
        return [_prune(items, item, f"{path}[{index}]", unknown) for index, item in enumerate(value)]
    return value


def _prune_object(schema: Document, value: Document, path: str, unknown: list[str]) -> Document:
    properties = schema.get("properties") or {}
    extra = schema.get("additionalProperties")
    keep_all = bool(schema.get("x-kubernetes-preserve-unknown-fields")) or extra is True
    whole = not path or bool(schema.get("x-kubernetes-embedded-resource"))
    made: Document = {}
    for name, item in value.items():
        if type(item) is str and name in properties:
            made[name] = item  # Most fields are texts: nothing of them can be unknown, and nobody asks for their path.
            continue
        inner = f"{path}.{name}" if path else name
        if whole and name in {"apiVersion", "kind", "metadata"}:
            made[name] = item  # Typed decoding has looked at these, or nobody needs to.
        elif name in properties:
            made[name] = _prune(properties[name], item, inner, unknown)
        elif isinstance(extra, dict):
            made[name] = _prune(extra, item, inner, unknown)
        elif keep_all:
            made[name] = item
        else:
            unknown.append(inner)
    return made
