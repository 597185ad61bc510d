"""Defaulting: what a schema fills in where a custom object is silent."""

from typing import Any

from migrate.sandbox.apiserver.protocol.values import Document, clone


def fill_defaults(schema: Document, value: Any) -> None:
    """
    Fill the defaults of *schema* into *value*, in place.

    A null where the schema allows none counts as absent.
    """
    if isinstance(value, dict):
        _drop_nulls(schema, value)
        for name, node in (schema.get("properties") or {}).items():
            if "default" in node and name not in value:
                value[name] = clone(node["default"])
            if name in value:
                fill_defaults(node, value[name])
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict):
            for name in value.keys() - (schema.get("properties") or {}).keys():
                fill_defaults(extra, value[name])
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        for item in value:
            fill_defaults(schema["items"], item)


def _drop_nulls(schema: Document, value: Document) -> None:
    properties, extra = schema.get("properties") or {}, schema.get("additionalProperties")
    for name in [name for name, item in value.items() if item is None]:
        node = properties.get(name, extra)
        if isinstance(node, dict) and not node.get("nullable"):
            del value[name]
