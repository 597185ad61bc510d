"""Predicates as functions of a shell, one for each, built on the library's."""

import re
import shlex
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from migrate.records.objects import Json, ObjectRef, walk
from migrate.records.predicates import (
    All,
    AnyOf,
    ConditionIs,
    Exists,
    FieldAbsent,
    FieldAtLeast,
    FieldIs,
    FieldMatches,
    FieldPresent,
    Gone,
    HasKeys,
    HasKeyWithin,
    KeysMatch,
    ManagedBy,
    Not,
    Predicate,
    RolledOut,
    SameUid,
    describe,
)
from migrate.render.escape import escaped

_LOOK_BEHIND = re.compile(r"(?s)(.*)\(\?<!([^()]*)\)")
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CANNOT = re.compile(r"\(\?|\\[bBwWsSAZ]|[*+?}]\?")


class CannotBeAskedError(ValueError):
    """A predicate that ``kubectl`` and a shell cannot decide; a person has to look."""


def quoted(*words: str) -> str:
    """Return *words* as a shell reads them, whatever stands in them."""
    return " ".join(shlex.quote(word) if escaped(word) == word else _spelt(word) for word in words)


def _spelt(word: str) -> str:
    """Return *word* with what could move a terminal written as bytes."""
    return "$'" + "".join(map(_shell_character, word)) + "'"


def _shell_character(character: str) -> str:
    if character in "\\'":
        return "\\" + character
    if escaped(character) == character:
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "replace"))


def object_words(ref: ObjectRef) -> tuple[str, str, str]:
    """Return kind, namespace and name as the library's functions take them."""
    return kind_word(ref), ref.namespace, ref.name


def kind_word(ref: ObjectRef) -> str:
    """Return the kind with version and group, so that no other kind of that name can be meant."""
    group, _, version = ref.api_version.rpartition("/")
    return f"{ref.kind}.{version}.{group}"


def go_string(text: str) -> str:
    """Return *text* as a string of a Go template."""
    return '"' + "".join(_go_character(character) for character in text) + '"'


def _go_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    code = ord(character)
    if 0x20 <= code < 0x7F:
        return character
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def within(path: Sequence[str], inner: str) -> str:
    """Return the template that does *inner* with the value at *path*, and nothing where a part is missing."""
    for part in reversed(path):
        inner = f"{{{{with index . {go_string(part)}}}}}{inner}{{{{end}}}}"
    return inner


def value_template(path: Sequence[str]) -> str:
    """Return the output that prints ``here:TYPE:VALUE`` of a field, ``here:`` where a parent of it is missing."""
    leaf = f'{{{{$v := index . {go_string(path[-1])}}}}}{{{{printf "%T:%v" $v $v}}}}'
    return "go-template=here:" + within(path[:-1], leaf)


def text_template(path: Sequence[str]) -> str:
    """Return the output that prints a text and nothing else."""
    return "go-template=" + within(path, "{{.}}")


def _keys_template(path: Sequence[str]) -> str:
    return "go-template=here:" + within(path, '{{range $k, $v := .}}{{printf "%s\\n" $k}}{{end}}')


def typed(value: Any) -> tuple[str, ...]:
    """
    Return a value as ``value_template`` prints it: releases of kubectl differ in how they read a number.

    Raises:
        CannotBeAskedError: It is a list or a mapping.
    """
    if isinstance(value, bool):
        return (f"bool:{str(value).lower()}",)
    if isinstance(value, int):
        return f"int64:{value}", f"float64:{value}"
    if isinstance(value, str):
        return (f"string:{value}",)
    raise CannotBeAskedError(f"a value such as {value!r}")


def patterns(pattern: str) -> tuple[str, str]:
    """
    Return *pattern* as an extended regular expression, and one of what must not match (``""`` for nothing).

    Raises:
        CannotBeAskedError: It says something that such expressions cannot.
    """
    pattern = pattern.replace("(?:", "(")
    behind = _LOOK_BEHIND.fullmatch(pattern)
    wanted, unwanted = (behind[1], behind[2]) if behind else (pattern, "")
    for part in (wanted, unwanted):
        if _CANNOT.search(part):
            raise CannotBeAskedError(f"the pattern {pattern}")
    plain = [part.replace(r"\d", "[0-9]") for part in (wanted, unwanted)]
    return f"^({plain[0]})$", f"({plain[1]})$" if plain[1] else ""


class Checks:
    """The functions that a script needs, each once."""

    def __init__(self) -> None:
        self._known: dict[bytes, str] = {}
        self._lines: list[str] = []

    def name_of(self, predicate: Predicate) -> str:
        """Return the name of the function that decides *predicate*. Raises CannotBeAskedError."""
        key = msgspec.json.encode(predicate)
        if key not in self._known:
            body = self._body(predicate)
            self._known[key] = f"check_{len(self._known) + 1}"
            said = "" if isinstance(predicate, All | AnyOf) else f"WHAT={quoted(escaped(describe(predicate)))}; "
            self._lines.append(f"{self._known[key]}() {{ {said}{body}; }}")
        return self._known[key]

    def text(self) -> str:
        """Return the definitions."""
        return "".join(line + "\n" for line in self._lines)

    def _body(self, predicate: Predicate) -> str:
        match predicate:
            case All(of=parts):
                return self._joined("all", parts)
            case AnyOf(of=parts):
                return self._joined("any", parts)
            case Not(of=inner):
                return f"negated {self.name_of(inner)}"
            case _:
                function, *more = _leaf(predicate)
                return f"{function} {quoted(*object_words(predicate.object), *more)}"

    def _joined(self, function: str, parts: Iterable[Predicate]) -> str:
        return " ".join([function, *(self.name_of(part) for part in parts)])


def _leaf(predicate: Predicate) -> tuple[str, ...]:  # noqa: C901, PLR0911, PLR0912 - one case a line
    match predicate:
        case Exists():
            return ("exists",)
        case Gone(uid=uid):
            return ("gone", uid)
        case SameUid(uid=uid):
            return ("same_uid", uid)
        case FieldIs(path=path, values=values):
            return ("field_is", value_template(path), *(word for value in values for word in typed(value)))
        case FieldPresent(path=path):
            return ("field_present", value_template(path))
        case FieldAbsent(path=path):
            return ("field_absent", value_template(path))
        case FieldMatches(path=path, pattern=pattern):
            return ("field_matches", value_template(path), *patterns(pattern))
        case FieldAtLeast(path=path, least=least):
            return ("field_at_least", value_template(path), str(least))
        case KeysMatch(path=path, pattern=pattern):
            return ("keys_match", _keys_template(path), *patterns(pattern))
        case HasKeys(path=path, all_of=wanted, none_of=unwanted):
            words = [f"+{key}" for key in wanted] + [f"-{key}" for key in unwanted]
            return ("has_keys", _keys_template(path), *words)
        case HasKeyWithin(path=path, key=key):
            return ("has_key_within", _within_template(path, key))
        case ConditionIs(type=kind, status=status, reasons=reasons):
            return ("condition_is", _word(kind), status, *map(_word, reasons))
        case RolledOut():
            return ("rolled_out",)
        case ManagedBy(manager=manager):
            return ("managed_by", manager)
        case _:
            raise CannotBeAskedError(describe(predicate))


def _within_template(path: Sequence[str], key: str) -> str:
    if not all(_PLAIN_KEY.fullmatch(part) for part in (*path, key)):
        raise CannotBeAskedError(f"the key {key}")
    return f"jsonpath={{.{'.'.join(path)}..{key}}}"


def _word(text: str) -> str:
    if not _PLAIN_KEY.fullmatch(text):
        raise CannotBeAskedError(f"the condition {text}")
    return text


def holds_fields(ref: ObjectRef, fields: Json) -> All:
    """Return that *ref* has the leaves of the merge patch *fields*; null is absent."""
    return All(
        of=tuple(
            FieldAbsent(object=ref, path=path) if value is None else FieldIs(object=ref, path=path, values=(value,))
            for path, value in walk(fields)
            if path
        )
    )
