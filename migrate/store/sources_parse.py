"""
Bytes of a manifest into JSON values: JSON first, else YAML; bounded, and wrong where it is wrong, by line and column.

What ``kubectl`` and ``oc`` write is plain: no anchors, no tags, no dates, no numbers in base 60. A file that has such
things was written by something else, and is refused rather than guessed at.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import yaml

from migrate.errors import BadInputError

MOST_YAML_BYTES: Final = 64 * 1024 * 1024
"""YAML is read at about 2 MB a second; what is larger comes as JSON (``-o json``)."""
DEEPEST: Final = 100
"""Levels in one document; a CRD, the deepest thing there is, has about 40."""
MOST_DOCUMENTS: Final = 100_000

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    """Plain scalars as a server's JSON has them: null, true, false, numbers; everything else is a string."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^-?(?:0|[1-9][0-9]*)$", list("-0123456789")),
    ("float", r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$", list("-0123456789")),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first)


def parse(data: bytes, source: str) -> tuple[Any, ...]:
    """
    Return the documents in *data*; *source* names the file in messages.

    Raises:
        BadInputError: Neither JSON nor YAML, too deep, too large, or with parts that no JSON has.
    """
    text = _text(data, source)
    if text.lstrip()[:1] in {"{", "["}:
        documents = _json(data, text, source)
    elif len(data) > MOST_YAML_BYTES:
        raise _bad(f"{source} is YAML of more than {MOST_YAML_BYTES >> 20} MiB", "Save it with -o json instead.")
    else:
        documents = tuple(_yaml(text, source))
    for document in documents:
        _must_be_json(document, source)
    return documents


def _text(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise _at(source, line, column, "no UTF-8") from error


def _json(data: bytes, text: str, source: str) -> tuple[Any, ...]:
    try:
        return (msgspec.json.decode(data),)
    except RecursionError as error:
        raise _bad(f"{source} is nested too deeply", "Name a file that kubectl or oc wrote.") from error
    except msgspec.DecodeError as error:
        return _json_again(text, source, error)


def _json_again(text: str, source: str, first: Exception) -> tuple[Any, ...]:
    """Return what the YAML reader makes of it (YAML may begin with a brace too), or say where the JSON breaks."""
    try:
        json.loads(text)
    except RecursionError as error:
        raise _bad(f"{source} is nested too deeply", "Name a file that kubectl or oc wrote.") from error
    except json.JSONDecodeError as error:
        where = _at(source, error.lineno, error.colno, error.msg)
        if len(text) > MOST_YAML_BYTES or source.endswith(".json"):
            raise where from error
        try:
            return tuple(_yaml(text, source))
        except BadInputError:
            raise where from error
    raise _bad(f"{source} is no JSON: {first}", "Name a file that kubectl or oc wrote.")


def _yaml(text: str, source: str) -> Iterator[Any]:
    try:
        for number, document in enumerate(yaml.load_all(text, Loader=_Loader)):
            if number >= MOST_DOCUMENTS:
                raise _bad(f"{source} has more than {MOST_DOCUMENTS} documents", "Save it as one List.")
            yield document
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise _at(source, line, column, str(error.problem or error.context)) from error
    except yaml.reader.ReaderError as error:
        before = text[: error.position] if isinstance(error.position, int) else ""
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise _at(source, line, column, str(error.reason)) from error
    except (RecursionError, ValueError, yaml.YAMLError) as error:
        raise _bad(f"{source} cannot be read as YAML: {error}", "Name a file that kubectl or oc wrote.") from error


def _must_be_json(document: Any, source: str) -> None:
    """Refuse what no API server sends: depth, anchors (one thing in two places), keys and values that are no JSON."""
    seen: set[int] = set()
    stack: list[tuple[Any, int]] = [(document, 0)]
    while stack:
        value, depth = stack.pop()
        if not isinstance(value, dict | list):
            if value is not None and not isinstance(value, str | bool | int | float):
                raise _bad(f"{source} holds a {type(value).__name__}, which no JSON has", "Write it without YAML tags.")
            continue
        if id(value) in seen:
            raise _bad(f"{source} uses a YAML anchor in two places", "Write it out; kubectl and oc never use anchors.")
        if depth > DEEPEST:
            raise _bad(f"{source} is nested deeper than {DEEPEST} levels", "Name a file that kubectl or oc wrote.")
        seen.add(id(value))
        if isinstance(value, dict) and not all(isinstance(key, str) for key in value):
            raise _bad(f"{source} holds a map with a key that is no text", "Put quotes around it.")
        stack += [(inner, depth + 1) for inner in (value.values() if isinstance(value, dict) else value)]


def _at(source: str, line: int, column: int, problem: str) -> BadInputError:
    return _bad(f"{source}, line {line}, column {column}: {problem}", "Mend the file at that place.")


def _bad(message: str, resolution: str) -> BadInputError:
    return BadInputError(message, resolution=resolution)
