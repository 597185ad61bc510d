"""Values of the wrong type in an applied document, in the words of the real server's typed parser."""

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from migrate.sandbox.apiserver.protocol.statuses import Cause
from migrate.sandbox.apiserver.protocol.values import Document

_WANTED: Final = re.compile(r"must be of type (\w+)")
_STEPS: Final = re.compile(r"([^.\[\]]+)")
_WORDS: Final = {
    "string": "string",
    "boolean": "boolean",
    "integer": "numeric (int or float)",
    "number": "numeric (int or float)",
    "array": "list",
    "object": "map",
}


def misfits(causes: Iterable[Cause], document: Document) -> list[str]:
    """Return a line for each of *causes* that says of another type; to an apply, null is no value."""
    wrong = [cause for cause in causes if cause.reason == "FieldValueTypeInvalid"]
    return [_told(cause, document) for cause in wrong if not cause.message.endswith('"null"')]


def _told(cause: Cause, document: Document) -> str:
    found = _WANTED.search(cause.message)
    wanted, value = found.group(1) if found else "", _at(document, cause.field)
    if wanted not in _WORDS:
        return f".{cause}"
    return f".{cause.field}: expected {_WORDS[wanted]}, got {_got(wanted, value)}"


def _got(wanted: str, value: Any) -> str:
    # The parser prints each kind of misfit in another of Go's formats.
    if wanted == "string":
        return f"&value.valueUnstructured{{Value:{_literal(value)}}}"
    return _type(value) if wanted in {"integer", "number"} else f"&{{{_plain(value)}}}"


def _type(value: Any) -> str:
    names = {bool: "bool", str: "string", dict: "map[string]interface {}", list: "[]interface {}"}
    return names.get(type(value), "<nil>")


def _at(document: Any, path: str) -> Any:
    found = document
    for step in _STEPS.findall(path):
        if isinstance(found, list):
            found = found[int(step)] if step.isdigit() and int(step) < len(found) else None
        else:
            found = found.get(step) if isinstance(found, dict) else None
    return found


def _literal(value: Any) -> str:
    """Return *value* as Go writes it with ``%#v``."""
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(key)}:{_literal(item)}" for key, item in sorted(value.items()))
        return f"map[string]interface {{}}{{{inner}}}"
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(map(_literal, value))}}}"
    return json.dumps(value, ensure_ascii=False)


def _plain(value: Any) -> str:
    """Return *value* as Go writes it with ``%v``."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{_plain(item)}' for key, item in sorted(value.items()))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(_plain, value))}]"
    return value if isinstance(value, str) else json.dumps(value)
