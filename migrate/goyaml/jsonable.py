"""
Typed values as JSON, the way sigs.k8s.io/yaml converts them for a Go type.

Source: sigs.k8s.io/yaml 1.6.0, ``yaml.go``.
"""

import math
from typing import Any, Final

from migrate.goyaml.errors import GoYamlError, TooLargeError
from migrate.goyaml.floats import format_float32
from migrate.goyaml.resolve import INT64_MAX
from migrate.goyaml.scanner import DEPTH_LIMIT
from migrate.goyaml.schema import GoType, Slice, Struct, Text
from migrate.goyaml.values import TypedKey

JSON_SIZE_LIMIT: Final = 16 * 1024 * 1024
"""Characters of the strings that come out at most; aliases can repeat a long one many times."""

_SPECIAL_KEYS: Final = {"+Inf": ".inf", "-Inf": "-.inf", "NaN": ".nan"}


def to_json(value: Any, schema: GoType | None) -> Any:
    """
    Return *value* with text keys, and with text where *schema* wants text.

    Raises:
        GoYamlError: A key or a value has no form in JSON.
    """
    top: list[Any] = [None]
    waiting: list[tuple[Any, GoType | None, Any, Any, int]] = [(value, schema, top, 0, 1)]
    size = 0
    while waiting:
        item, wanted, container, place, depth = waiting.pop()
        if isinstance(item, dict | list):
            if depth > DEPTH_LIMIT:
                raise GoYamlError(f"exceeded max depth of {DEPTH_LIMIT}")
            container[place], inner = _open(item, wanted)
            waiting += [(child, child_schema, container[place], key, depth + 1) for key, child, child_schema in inner]
            continue
        container[place] = item = _scalar(item, wanted)
        size += len(item) if isinstance(item, str) else 1
        if size > JSON_SIZE_LIMIT:
            raise TooLargeError(f"aliases make more than {JSON_SIZE_LIMIT} characters of this text")
    return top[0]


def _open(item: Any, wanted: GoType | None) -> tuple[Any, list[tuple[Any, Any, GoType | None]]]:
    """Return an empty container and what to put into it, last first: it is taken from the end."""
    if isinstance(item, list):
        element = wanted.element if isinstance(wanted, Slice) else None
        return [None] * len(item), [(index, item[index], element) for index in range(len(item) - 1, -1, -1)]
    named = [(_key(key), child) for key, child in item.items()]
    inner = [(name, child, _field_type(wanted, name)) for name, child in reversed(named)]
    return dict.fromkeys(name for name, _ in named), inner


def _field_type(wanted: GoType | None, name: str) -> GoType | None:
    if not isinstance(wanted, Struct):
        return None
    field = wanted.find(name)
    return None if field is None else wanted.fields[field]


def _key(key: TypedKey) -> str:
    value = key[1]
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value <= INT64_MAX:
        return str(value)
    if isinstance(value, float):
        text = format_float32(value)
        return _SPECIAL_KEYS.get(text, text)
    raise GoYamlError(f"unsupported map key: {value!r}")


def _scalar(value: Any, wanted: GoType | None) -> Any:
    if isinstance(wanted, Text) and isinstance(value, int | float):
        if isinstance(value, bool):
            return "true" if value else "false"
        return format_float32(value) if isinstance(value, float) else str(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise GoYamlError(f"unsupported value: {value}")
    return value
