"""Validation of custom objects against their structural schema."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

from migrate.sandbox.apiserver.protocol.statuses import Cause, shown
from migrate.sandbox.apiserver.protocol.values import Document
from migrate.sandbox.apiserver.schemas.formats import FORMATS

_TYPES: Final[dict[str, Callable[[Any], bool]]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: (
        (isinstance(value, int) or (isinstance(value, float) and value.is_integer())) and not isinstance(value, bool)
    ),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}


def validate(schema: Document, value: Any, path: str = "") -> list[Cause]:
    """Return all that is wrong with *value*; CEL rules are not looked at."""
    return list(_value(schema, value, path))


def _value(schema: Document, value: Any, path: str) -> Iterator[Cause]:
    if value is None and schema.get("nullable"):
        return
    if not _has_type(schema, value):
        yield _wrong_type(schema, value, path)
        return
    if "enum" in schema and value not in schema["enum"]:
        yield Cause.unsupported(path, value, schema["enum"])
    if isinstance(value, str):
        yield from _string(schema, value, path)
    elif isinstance(value, dict):
        yield from _object(schema, value, path)
    elif isinstance(value, list):
        yield from _array(schema, value, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _number(schema, value, path)
    yield from _combined(schema, value, path)


def _has_type(schema: Document, value: Any) -> bool:
    if schema.get("x-kubernetes-int-or-string"):
        return isinstance(value, str) or _TYPES["integer"](value)
    wanted = schema.get("type")
    return not wanted or wanted not in _TYPES or _TYPES[wanted](value)


def _wrong_type(schema: Document, value: Any, path: str) -> Cause:
    actual = type_name(value)
    if schema.get("x-kubernetes-int-or-string"):
        return Cause.wrong_type(path, actual, f'{path} in body must be of type integer,string: "{actual}"')
    return Cause.wrong_type(path, actual, f'{path} in body must be of type {schema["type"]}: "{actual}"')


def type_name(value: Any) -> str:
    """Return the JSON type of *value* by its name in schemas."""
    if value is None:
        return "null"
    return next(name for name in ("boolean", "integer", "number", "string", "object", "array") if _TYPES[name](value))


def _string(schema: Document, value: str, path: str) -> Iterator[Cause]:
    if "maxLength" in schema and len(value) > schema["maxLength"]:
        yield Cause.too_long(path, schema["maxLength"])
    if "minLength" in schema and len(value) < schema["minLength"]:
        yield Cause.invalid(path, value, f"{path} in body should be at least {schema['minLength']} chars long")
    if "pattern" in schema and not _pattern(schema["pattern"]).search(value):
        yield Cause.invalid(path, value, f"{path} in body should match '{schema['pattern']}'")
    if (check := FORMATS.get(schema.get("format", ""))) and not check(value):
        yield Cause.invalid(path, value, f"{path} in body must be of type {schema['format']}: {shown(value)}")


def _number(schema: Document, value: float, path: str) -> Iterator[Cause]:
    if "maximum" in schema:
        strict = schema.get("exclusiveMaximum")
        if value >= schema["maximum"] if strict else value > schema["maximum"]:
            words = "less than" if strict else "less than or equal to"
            yield Cause.invalid(path, value, f"{path} in body should be {words} {schema['maximum']}")
    if "minimum" in schema:
        strict = schema.get("exclusiveMinimum")
        if value <= schema["minimum"] if strict else value < schema["minimum"]:
            words = "greater than" if strict else "greater than or equal to"
            yield Cause.invalid(path, value, f"{path} in body should be {words} {schema['minimum']}")
    if "multipleOf" in schema and value % schema["multipleOf"]:
        yield Cause.invalid(path, value, f"{path} in body should be a multiple of {schema['multipleOf']}")


def _object(schema: Document, value: Document, path: str) -> Iterator[Cause]:
    for name in schema.get("required") or ():
        if name not in value:
            yield Cause.required(_join(path, name))
    if "maxProperties" in schema and len(value) > schema["maxProperties"]:
        yield Cause.too_many(path, len(value), schema["maxProperties"])
    if "minProperties" in schema and len(value) < schema["minProperties"]:
        least = schema["minProperties"]
        yield Cause.invalid(path, len(value), f"{path} in body should have at least {least} properties")
    properties = schema.get("properties") or {}
    extra = schema.get("additionalProperties")
    for name, item in value.items():
        if not path and name == "metadata":
            continue  # The rules of metadata are not the CRD's.
        node = properties.get(name, extra)
        if isinstance(node, dict):
            yield from _value(node, item, _join(path, name))


def _array(schema: Document, value: list[Any], path: str) -> Iterator[Cause]:
    if "maxItems" in schema and len(value) > schema["maxItems"]:
        yield Cause.too_many(path, len(value), schema["maxItems"])
    if "minItems" in schema and len(value) < schema["minItems"]:
        yield Cause.invalid(path, len(value), f"{path} in body should have at least {schema['minItems']} items")
    items = schema.get("items")
    if isinstance(items, dict):
        for index, item in enumerate(value):
            yield from _value(items, item, f"{path}[{index}]")
    yield from _duplicates(schema, value, path)


def _duplicates(schema: Document, value: list[Any], path: str) -> Iterator[Cause]:
    kind = schema.get("x-kubernetes-list-type")
    keys = schema.get("x-kubernetes-list-map-keys") or []
    seen: list[Any] = []
    for index, item in enumerate(value):
        if kind == "map" and isinstance(item, dict):
            mark: Any = {key: item[key] for key in keys if key in item}
        elif kind == "set" or schema.get("uniqueItems"):
            mark = item
        else:
            return
        if mark in seen:
            yield Cause.duplicate(f"{path}[{index}]", mark)
        seen.append(mark)


def _combined(schema: Document, value: Any, path: str) -> Iterator[Cause]:
    for branch in schema.get("allOf") or ():
        yield from _value(branch, value, path)
    if "anyOf" in schema and not any(_fits(branch, value, path) for branch in schema["anyOf"]):
        yield Cause.invalid(path, _brief(value), f"{path} in body must validate at least one schema (anyOf)")
    if "oneOf" in schema and sum(_fits(branch, value, path) for branch in schema["oneOf"]) != 1:
        yield Cause.invalid(path, _brief(value), f"{path} in body must validate one and only one schema (oneOf)")
    if "not" in schema and _fits(schema["not"], value, path):
        yield Cause.invalid(path, _brief(value), f"{path} in body must not validate the schema (not)")


def _fits(schema: Document, value: Any, path: str) -> bool:
    return next(_value(schema, value, path), None) is None


def _brief(value: Any) -> Any:
    return type_name(value) if isinstance(value, dict | list) else value


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


@lru_cache(maxsize=1024)
def _pattern(pattern: str) -> re.Pattern[str]:
    # Go ends a text with \z; in Python a plain $ would also match before a last newline.
    return re.compile(re.sub(r"(?<!\\)\$$", r"\\Z", pattern).replace(r"\z", r"\Z"))
