"""Label and field selectors."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from migrate.sandbox.apiserver.protocol.statuses import bad_request
from migrate.sandbox.apiserver.protocol.values import Document, dig, metadata_of

Predicate = Callable[[Document], bool]

_SET: Final = re.compile(r"^(?P<key>[^\s!=,()]+)\s+(?P<op>in|notin)\s*\((?P<values>[^()]*)\)$")
_EQUAL: Final = re.compile(r"^(?P<key>[^\s!=<>,()]+)\s*(?P<op>==|!=|=|<|>)\s*(?P<values>[^\s!=<>,()]*)$")
_EXISTS: Final = re.compile(r"^(?P<op>!?)\s*(?P<key>[^\s!=<>,()]+)$")
_KEY: Final = re.compile(r"^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$")
_VALUE: Final = re.compile(r"^(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?$")


@dataclass(frozen=True, slots=True)
class _Requirement:
    key: str
    op: str
    values: frozenset[str]

    def holds(self, labels: Mapping[str, Any]) -> bool:
        value = labels.get(self.key)
        match self.op:
            case "in":
                return value in self.values
            case "notin":
                return value is None or value not in self.values
            case "exists":
                return value is not None
            case "absent":
                return value is None
            case _:
                return _compares(value, self.op, next(iter(self.values)))


def _compares(value: Any, op: str, bound: str) -> bool:
    try:
        return int(value) < int(bound) if op == "<" else int(value) > int(bound)
    except (TypeError, ValueError):
        return False


def parse_labels(selector: str) -> Predicate | None:
    """
    Return the question that a label *selector* asks, or None where it asks nothing.

    Raises:
        StatusError: It is no selector.
    """
    if not selector.strip():
        return None
    wanted = [_requirement(part.strip(), selector) for part in _split(selector)]
    return lambda document: all(each.holds(metadata_of(document).get("labels") or {}) for each in wanted)


def _requirement(part: str, selector: str) -> _Requirement:
    if found := _SET.match(part):
        values = frozenset(value.strip() for value in found["values"].split(","))
        return _checked(_Requirement(found["key"], found["op"], values), selector)
    if found := _EQUAL.match(part):
        op = {"=": "in", "==": "in", "!=": "notin"}.get(found["op"], found["op"])
        return _checked(_Requirement(found["key"], op, frozenset({found["values"]})), selector)
    if found := _EXISTS.match(part):
        return _checked(_Requirement(found["key"], "absent" if found["op"] else "exists", frozenset()), selector)
    raise bad_request(f"unable to parse requirement: found '{part}', in the selector '{selector}'")


def _checked(requirement: _Requirement, selector: str) -> _Requirement:
    if not _KEY.match(requirement.key):
        raise bad_request(f"unable to parse requirement: '{requirement.key}' in '{selector}' is no label key")
    for value in requirement.values:
        if not _VALUE.match(value):
            raise bad_request(f"unable to parse requirement: '{value}' in '{selector}' is no label value")
    return requirement


def _split(selector: str) -> Iterable[str]:
    return re.split(r",(?![^(]*\))", selector)


def parse_fields(selector: str, fields: Mapping[str, tuple[str, ...]]) -> Predicate | None:
    """
    Return the question that a field *selector* asks, or None where it asks nothing.

    Args:
        selector: Such as ``metadata.name=a,status.phase!=Running``.

        fields: The fields that the resource lets one select by, with their paths.

    Raises:
        StatusError: It is no selector, or the field may not be used.
    """
    if not selector.strip():
        return None
    wanted = []
    for part in selector.split(","):
        found = re.match(r"^([^!=]+)(==|!=|=)(.*)$", part)
        if not found:
            raise bad_request(f"invalid selector: '{selector}'; can't understand '{part}'")
        if found[1] not in fields:
            raise bad_request(f"field label not supported: {found[1]}")
        wanted.append((fields[found[1]], found[2] != "!=", found[3]))
    return lambda document: all((_text(dig(document, *path)) == value) is same for path, same, value in wanted)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def both(first: Predicate | None, second: Predicate | None) -> Predicate | None:
    """Return the question whether *first* and *second* hold."""
    if first is None or second is None:
        return first or second
    return lambda document: first(document) and second(document)
