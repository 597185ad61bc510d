"""Typed decoding: how a Go server reads the JSON of a kind that it has a struct for."""

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import Any, Final

from migrate.sandbox.apiserver.protocol.values import Document

_TIME: Final = re.compile(r"^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$")
_MICRO_TIME: Final = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)$")
_KEY: Final = "\0"
# Stands around the key of a map inside a path, since Go's errors name the map only.
MICRO_TIMES: Final = frozenset({"acquireTime", "renewTime", "eventTime", "lastObservedTime"})


class TypedDecodeError(Exception):
    """A value does not fit the field of the struct."""


@dataclass(slots=True)
class _Reading:
    kind: str
    unknown: list[str] = field(default_factory=list)


def read_typed(schema: Document, document: Document, kind: str) -> tuple[Document, list[str]]:
    """
    Return *document* as a struct of *kind* would hold it, and the paths of unknown fields.

    Nulls, unknown fields, and empty lists and maps are left out.

    Raises:
        TypedDecodeError: A value has another type than its field.
    """
    reading = _Reading(kind)
    return _object(schema, document, "", reading), reading.unknown


def _object(schema: Document, value: Document, path: str, reading: _Reading) -> Document:
    properties = schema.get("properties")
    extra = schema.get("additionalProperties")
    if properties is None and not isinstance(extra, dict):
        return value
    made: Document = {}
    for name, item in value.items():
        node = (properties or {}).get(name)
        inner = f"{path}.{name}" if path else name
        if node is None and isinstance(extra, dict):
            node, inner = extra, f"{path}{_KEY}{name}{_KEY}"
        if node is None:
            reading.unknown.append(inner.replace(_KEY, "."))
            continue
        if item is None and isinstance(extra, dict) and node is extra and extra.get("type") == "string":
            made[name] = ""  # A null in a map of texts is the empty text, as Go reads it.
            continue
        read = _value(node, item, inner, reading)
        if read is not None and not (_is_left_out(node, read) and name not in schema.get("required", ())):
            made[name] = read
    return made


def _is_left_out(schema: Document, value: Any) -> bool:
    # An empty list or map is what Go's "omitempty" never writes.
    return value == [] or (value == {} and isinstance(schema.get("additionalProperties"), dict))


def _value(schema: Document, value: Any, path: str, reading: _Reading) -> Any:
    if value is None:
        return None
    wanted = schema.get("type")
    if wanted == "object":
        return _object(schema, _must_be(dict, value, path, reading), path, reading)
    if wanted == "array":
        items = schema.get("items") or {}
        given = _must_be(list, value, path, reading)
        return [
            _zero(items) if item is None else _value(items, item, f"{path}[{index}]", reading)
            for index, item in enumerate(given)
        ]
    if wanted is None or schema.get("x-any-scalar"):
        return _loose(schema, value, path, reading)
    _check_scalar(schema, value, path, reading)
    return value


def _zero(schema: Document) -> Any:
    # What Go puts where a list has a null.
    wanted = schema.get("type")
    return {"object": {}, "string": "", "integer": 0, "boolean": False}.get(str(wanted))


def _loose(schema: Document, value: Any, path: str, reading: _Reading) -> Any:
    if "x-if-object" in schema and isinstance(value, dict):
        return _object(schema["x-if-object"], value, path, reading)
    if "x-if-object" in schema and not isinstance(value, bool | list):
        raise TypedDecodeError("boolean or JSON schema expected")
    return _quantity(value) if schema.get("x-any-scalar") else value


def _quantity(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _check_scalar(schema: Document, value: Any, path: str, reading: _Reading) -> None:
    wanted = schema["type"]
    if schema.get("x-kubernetes-int-or-string"):
        fits = isinstance(value, str | int) and not isinstance(value, bool)
    elif wanted == "integer":
        fits = (isinstance(value, int) or (isinstance(value, float) and value.is_integer())) and not isinstance(
            value, bool
        )
    elif wanted == "number":
        fits = isinstance(value, int | float) and not isinstance(value, bool)
    else:
        fits = isinstance(value, bool if wanted == "boolean" else str)
    if not fits:
        raise _mismatch(value, _go_type(schema), path, reading)
    if wanted == "string":
        _check_format(schema.get("format"), value, path)


def _check_format(form: str | None, value: str, path: str) -> None:
    if form == "date-time":
        micro = path.rsplit(".", 1)[-1] in MICRO_TIMES
        if not (_MICRO_TIME if micro else _TIME).match(value):
            raise TypedDecodeError(_time_message(value, micro=micro))
    if form == "byte":
        try:
            base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            raise TypedDecodeError(f"illegal base64 data at input byte {_first_bad(value)}") from None


def _first_bad(value: str) -> int:
    found = re.search(r"[^A-Za-z0-9+/]", value)
    return found.start() if found else max(len(value) - 4, 0)


def _time_message(value: str, *, micro: bool) -> str:
    layout = "2006-01-02T15:04:05.000000Z07:00" if micro else "2006-01-02T15:04:05Z07:00"
    head = re.match(r"^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d", value)
    rest = value[head.end() :] if head else value
    missing = (".000000" if micro else "Z07:00") if head else "2006"
    return f'parsing time "{value}" as "{layout}": cannot parse "{rest}" as "{missing}"'


def _must_be(kind: type, value: Any, path: str, reading: _Reading) -> Any:
    if isinstance(value, kind):
        return value
    raise _mismatch(value, "map[string]interface {}" if kind is dict else "[]interface {}", path, reading)


def _mismatch(value: Any, go_type: str, path: str, reading: _Reading) -> TypedDecodeError:
    where = re.sub(r"\[\d+\]|\0[^\0]*\0", "", path)
    return TypedDecodeError(
        f"json: cannot unmarshal {_json_type(value)} into Go struct field {reading.kind}.{where} of type {go_type}"
    )


def _go_type(schema: Document) -> str:
    wanted = str(schema["type"])
    if wanted == "integer":
        return str(schema.get("format") or "int64")
    return {"boolean": "bool", "number": "float64"}.get(wanted, wanted)


def _json_type(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, dict) else "array"
