"""Keys that stand twice in one JSON object: the last one counts, and a strict server tells."""

import json
from collections.abc import Iterator
from typing import Any


class _Repeating(dict[str, Any]):
    """An object and the keys that it was given more than once."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.twice = [key for number, (key, _) in enumerate(pairs) if key in {name for name, _ in pairs[:number]}]


def find_repeated(data: bytes) -> list[str]:
    """Return the paths of the keys that JSON *data* holds more than once, in the order of the text."""
    try:
        return list(dict.fromkeys(_walk(json.loads(data, object_pairs_hook=_object), "")))
    except (ValueError, RecursionError):
        return []


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    return made if len(made) == len(pairs) else _Repeating(pairs)


def _walk(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        within = f"{path}." if path else ""
        if isinstance(value, _Repeating):
            yield from (f"{within}{key}" for key in value.twice)
        for key, item in value.items():
            yield from _walk(item, f"{within}{key}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _walk(item, f"{path}[{number}]")
