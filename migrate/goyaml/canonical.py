"""One text for one JSON value: keys sorted, no spaces, numbers as 64-bit floats have them."""

import json
from typing import Any, Final

_LARGEST_PLAIN: Final = 1e21
"""From here on a whole number is written with an exponent, as Go and JavaScript do."""


def canonical(value: Any, *, ascii_only: bool = False) -> str:
    """Return *value* as JSON text; with *ascii_only* everything unusual is shown escaped."""
    pieces: list[str] = []
    waiting: list[tuple[bool, Any]] = [(False, value)]
    while waiting:
        is_text, item = waiting.pop()
        if is_text:
            pieces.append(item)
        elif isinstance(item, dict | list | tuple):
            waiting += reversed(_parts(item, ascii_only=ascii_only))
        else:
            pieces.append(_scalar(item, ascii_only=ascii_only))
    return "".join(pieces)


def _parts(item: Any, *, ascii_only: bool) -> list[tuple[bool, Any]]:
    opening, closing = "{}" if isinstance(item, dict) else "[]"
    parts: list[tuple[bool, Any]] = [(True, opening)]
    for index, key in enumerate(sorted(item) if isinstance(item, dict) else range(len(item))):
        if index:
            parts.append((True, ","))
        if isinstance(item, dict):
            parts.append((True, json.dumps(key, ensure_ascii=ascii_only) + ":"))
        parts.append((False, item[key]))
    return [*parts, (True, closing)]


def _scalar(value: Any, *, ascii_only: bool) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < _LARGEST_PLAIN else repr(number)
    return json.dumps(value, ensure_ascii=ascii_only)
