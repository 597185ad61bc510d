"""Where a decoded document is not a baseline, and whether the eye would miss it."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any, Final, NamedTuple

from migrate.goyaml import canonical
from migrate.maas.plugins_baselines import Config

Path = tuple[str | int, ...]
_LONGEST: Final = 300
_MOST: Final = 1000
"""Differences that are kept; a person reads no more."""

_SHORTEST_NEAR: Final = 3
_CREDENTIAL: Final = re.compile(
    r"passw|passphrase|secret|token|api[-_]?key|credential|authorization|private[-_]?key|bearer", re.IGNORECASE
)
"""Names of parameters whose texts may be credentials."""
_DEEPEST: Final = 50
_IN_URL: Final = re.compile(r"://[^/\s@]+@")


class Deviation(NamedTuple):
    """
    One difference.

    Attributes:
        path: Where in the document.

        expected: The baseline's value as JSON text; None where it has nothing.

        found: The value there as JSON text; None where there is nothing.

        near: Whether it is easy to overlook.
    """

    path: Path
    expected: str | None
    found: str | None
    near: bool


def normalised(config: Any) -> Config:
    """Return a decoded document with what counts as equal made equal."""
    return {
        "plugins": [
            {
                "type": plugin["type"],
                "name": plugin["name"] or plugin["type"],
                "parameters": plugin["parameters"] or {},
            }
            for plugin in config["plugins"] or ()
        ],
        "profiles": [
            {
                "name": profile["name"],
                "request": [ref["pluginRef"] for ref in profile["plugins"]["request"] or ()],
                "response": [ref["pluginRef"] for ref in profile["plugins"]["response"] or ()],
            }
            for profile in config["profiles"] or ()
        ],
    }


def deviations(found: Config, expected: Config) -> list[Deviation]:
    """Return every difference of a normalised document from a baseline, in the order of the document."""
    result = [*_plugins(found["plugins"], expected["plugins"]), *_profiles(found["profiles"], expected["profiles"])]
    return result[:_MOST]


def show(value: Any, name: str = "") -> str:
    """
    Return *value* as JSON text on one line, unusual characters escaped, cut when it is long.

    What looks like a credential, by its *name* or the names inside, is not shown: these texts go into plans,
    journals and reports. The backup has it.
    """
    text = canonical(_covered(value, name), ascii_only=True)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _covered(value: Any, name: str, depth: int = 0) -> Any:
    """Return *value* with texts that may be credentials covered; what lies deeper than is ever shown is left out."""
    if isinstance(value, dict | list) and depth > _DEEPEST:
        return "(nested too deep to show)"
    if isinstance(value, dict):
        return {key: _covered(inner, str(key), depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_covered(inner, name, depth + 1) for inner in value]
    if isinstance(value, str) and value and _CREDENTIAL.search(name):
        return f"(not shown: {len(value)} characters)"
    return _IN_URL.sub("://(not shown)@", value) if isinstance(value, str) else value


def is_near(first: str, second: str) -> bool:
    """Tell whether two different texts look alike: case, blanks at the ends, or one character."""
    if first.strip().casefold() == second.strip().casefold():
        return True
    if min(len(first), len(second)) < _SHORTEST_NEAR:
        return False
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    first, second = first[start:], second[start:]
    while first and second and first[-1] == second[-1]:
        first, second = first[:-1], second[:-1]
    swapped = len(first) == len("ab") and first == second[::-1]
    return swapped or max(len(first), len(second)) <= 1


def _plugins(found: Sequence[Any], expected: Sequence[Any]) -> list[Deviation]:
    result: list[Deviation] = []
    keys = ([_name(item) for item in expected], [_name(item) for item in found])
    reordered = sorted(keys[0]) == sorted(keys[1])
    for want, got in _pairs(*keys):
        path: Path = ("plugins", len(found) if got is None else got)
        if want is None and got is not None:
            result.append(Deviation(path, None, show(found[got]), reordered or keys[1][got] in keys[0]))
        elif got is None and want is not None:
            result.append(Deviation(("plugins", want), show(expected[want]), None, reordered))
        elif want is not None and got is not None:
            result += _plugin(path, found[got], expected[want], reordered=reordered)
    return result


def _name(plugin: Any) -> tuple[str, str]:
    return plugin["type"], plugin["name"]


def _plugin(path: Path, found: Any, expected: Any, *, reordered: bool) -> list[Deviation]:
    result = []
    own_name = found["name"] != found["type"] or expected["name"] != expected["type"]
    for field in ("type", "name") if own_name else ("type",):
        if found[field] != expected[field]:
            near = reordered or is_near(found[field], expected[field])
            result.append(Deviation((*path, field), show(expected[field]), show(found[field]), near))
    return result + _parameters((*path, "parameters"), found["parameters"], expected["parameters"])


def _parameters(path: Path, found: Any, expected: Any) -> list[Deviation]:
    result = []
    for name in sorted(found.keys() | expected.keys()):
        if name not in expected:
            result.append(Deviation((*path, name), None, show(found[name], name), found[name] is None))
        elif name not in found:
            near = any(is_near(name, other) for other in found if other not in expected)
            result.append(Deviation((*path, name), show(expected[name]), None, near))
        elif found[name] != expected[name]:
            near = isinstance(found[name], str) and is_near(found[name], expected[name])
            result.append(Deviation((*path, name), show(expected[name]), show(found[name], name), near))
    return result


def _profiles(found: Sequence[Any], expected: Sequence[Any]) -> list[Deviation]:
    result: list[Deviation] = []
    for index in range(min(max(len(found), len(expected)), _MOST)):
        path: Path = ("profiles", index)
        if index >= len(expected):
            result.append(Deviation(path, None, show(found[index]), found[index] == expected[-1]))
        elif index >= len(found):
            result.append(Deviation(path, show(expected[index]), None, near=False))
        else:
            result += _profile(path, found[index], expected[index])
    return result


def _profile(path: Path, found: Any, expected: Any) -> list[Deviation]:
    result = []
    if found["name"] != expected["name"]:
        near = is_near(found["name"], expected["name"])
        result.append(Deviation((*path, "name"), show(expected["name"]), show(found["name"]), near))
    for chain in ("request", "response"):
        result += _chain((*path, "plugins", chain), found[chain], expected[chain])
    return result


def _chain(path: Path, found: Sequence[str], expected: Sequence[str]) -> list[Deviation]:
    result = []
    reordered = sorted(found) == sorted(expected)
    for want, got in _pairs(expected, found):
        if want is None and got is not None:
            near = reordered or not found[got] or found[got] in expected
            result.append(Deviation((*path, got), None, show(found[got]), near))
        elif got is None and want is not None:
            result.append(Deviation((*path, want), show(expected[want]), None, reordered))
        elif want is not None and got is not None and found[got] != expected[want]:
            near = reordered or is_near(found[got], expected[want])
            result.append(Deviation((*path, got), show(expected[want]), show(found[got]), near))
    return result


def _pairs(expected: Sequence[Any], found: Sequence[Any]) -> list[tuple[int | None, int | None]]:
    """Pair the positions of two lists; a position without a partner stands with None."""
    if len(found) > _LONGEST:
        # Aligning very long lists is slow and nobody reads the result.
        return [(index if index < len(expected) else None, index) for index in range(_LONGEST)]
    result: list[tuple[int | None, int | None]] = []
    matcher = SequenceMatcher(None, expected, found, autojunk=False)
    for _, want, want_end, got, got_end in matcher.get_opcodes():
        for offset in range(max(want_end - want, got_end - got)):
            left = want + offset if want + offset < want_end else None
            right = got + offset if got + offset < got_end else None
            result.append((left, right))
    return result
