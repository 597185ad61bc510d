"""
JSON into a Go struct, the way encoding/json fills it.

Source: Go 1.26 encoding/json, ``decode.go``.
"""

from typing import Any, Final, NamedTuple

from migrate.goyaml.errors import GoYamlError
from migrate.goyaml.observations import Path, path_text
from migrate.goyaml.schema import AnyMap, GoType, Slice, Struct, Text

UNKNOWN_FIELD: Final = "unknown-field"
"""The struct has no such field; the value is dropped."""

FIELD_CASE: Final = "field-case"
"""The field is spelt in another case; it counts all the same."""

REPEATED_FIELD: Final = "repeated-field"
"""Two spellings go to one field; the later in byte order overwrites what it has of the other."""


class FieldNote(NamedTuple):
    """
    One key of the text that is not the name of a field as it stands.

    Attributes:
        code: One of the constants of this module.

        name: The key.

        path: The path of the struct that it stands in.
    """

    code: str
    name: str
    path: Path


class _GoList(list[Any]):
    """A slice with the elements behind its end, which a second array of the same field decodes over."""

    def __init__(self) -> None:
        super().__init__()
        self.backing: list[Any] = []


class Decoder:
    """
    Fills values by their Go types.

    Attributes:
        notes: The keys that were dropped, folded or repeated.
    """

    def __init__(self) -> None:
        self.notes: list[FieldNote] = []

    def decode(self, schema: GoType, value: Any, old: Any = None, path: Path = ()) -> Any:
        """
        Return what *old* becomes when the JSON *value* is decoded into it.

        A struct is a dict with all its fields; a nil slice or map is None.

        Raises:
            GoYamlError: The value does not fit its type.
        """
        match schema:
            case Text():
                return self._text(value, "" if old is None else old, path)
            case AnyMap():
                return self._map(value, old, path)
            case Slice():
                return self._slice(schema, value, old, path)
            case Struct():
                return self._struct(schema, value, old, path)

    def _text(self, value: Any, old: str, path: Path) -> str:
        if value is None:
            return old
        if not isinstance(value, str):
            raise _misfit(value, "a string", path)
        return value

    def _map(self, value: Any, old: Any, path: Path) -> dict[str, Any] | None:
        if value is None:
            return None
        if not isinstance(value, dict):
            raise _misfit(value, "a map", path)
        return (old or {}) | {key: as_float64(item) for key, item in value.items()}

    def _slice(self, schema: Slice, value: Any, old: Any, path: Path) -> list[Any] | None:
        if value is None:
            return None
        if not isinstance(value, list):
            raise _misfit(value, "a list", path)
        result = old if isinstance(old, _GoList) and value else _GoList()
        backing = result.backing
        for index, item in enumerate(value):
            before = backing[index] if index < len(backing) else None
            after = self.decode(schema.element, item, before, (*path, index))
            backing[index : index + 1] = [after]
        result[:] = backing[: len(value)]
        return result

    def _struct(self, schema: Struct, value: Any, old: Any, path: Path) -> dict[str, Any]:
        result = zero(schema) if old is None else old
        if value is None:
            return dict(result)
        if not isinstance(value, dict):
            raise _misfit(value, "a map", path)
        result = dict(result)
        seen: set[str] = set()
        # Go makes JSON of a map with its keys sorted, so this is the order in which fields arrive.
        for key in sorted(value):
            field = schema.find(key)
            if field is None:
                self.notes.append(FieldNote(UNKNOWN_FIELD, key, path))
                continue
            self._note_spelling(key, field, path, again=field in seen)
            seen.add(field)
            result[field] = self.decode(schema.fields[field], value[key], result[field], (*path, field))
        return result

    def _note_spelling(self, key: str, field: str, path: Path, *, again: bool) -> None:
        if key != field:
            self.notes.append(FieldNote(FIELD_CASE, key, path))
        if again:
            self.notes.append(FieldNote(REPEATED_FIELD, key, path))


def zero(schema: GoType) -> Any:
    """Return the zero value of a Go type."""
    match schema:
        case Text():
            return ""
        case Struct():
            return {name: zero(inner) for name, inner in schema.fields.items()}
        case AnyMap() | Slice():
            return None


def as_float64(value: Any) -> Any:
    """Return *value* with every integer rounded as a 64-bit float holds it; it stays an integer."""
    top = [value]
    waiting: list[tuple[Any, Any]] = [(top, 0)]
    while waiting:
        container, place = waiting.pop()
        item = container[place]
        if isinstance(item, dict):
            container[place] = copy = dict(item)
            waiting += [(copy, key) for key in copy]
        elif isinstance(item, list):
            container[place] = items = list(item)
            waiting += [(items, index) for index in range(len(items))]
        elif isinstance(item, int) and not isinstance(item, bool):
            container[place] = int(float(item))
    return top[0]


def _misfit(value: Any, wanted: str, path: Path) -> GoYamlError:
    kind = {dict: "a map", list: "a list", str: "a string", bool: "a boolean"}.get(type(value), "a number")
    return GoYamlError(f"{path_text(path) or 'the document'} holds {kind} where {wanted} is expected")
