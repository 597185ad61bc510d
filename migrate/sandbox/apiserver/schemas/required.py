"""Required fields of built-in kinds, found by their schema."""

from collections.abc import Iterator
from typing import Any

from migrate.sandbox.apiserver.protocol.statuses import Cause
from migrate.sandbox.apiserver.protocol.values import Document


def missing(schema: Document, value: Any, path: str) -> Iterator[Cause]:
    """Yield a cause for each field that *schema* requires and *value* lacks, at whatever depth."""
    schema = schema.get("x-if-object", schema)
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from missing(schema.get("items") or {}, item, f"{path}[{index}]")
    elif isinstance(value, dict):
        for name in schema.get("required") or ():
            if name not in value:
                yield Cause.required(f"{path}.{name}")
        properties, extra = schema.get("properties") or {}, schema.get("additionalProperties")
        for name, item in value.items():
            node = properties.get(name, extra)
            if isinstance(node, dict):
                yield from missing(node, item, f"{path}.{name}" if name in properties else f"{path}[{name}]")
