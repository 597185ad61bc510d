"""The only way to and from JSON documents: typed, versioned, bounded; unknown fields are refused."""

import json
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from migrate.errors import MigrateError
from migrate.records.essence import digest_of
from migrate.records.plan import Plan, Restart, SetFields
from migrate.store.atomic import load, problem

Document = TypeVar("Document", bound=msgspec.Struct)

NEWEST_VERSION = 1

_MADE_BY: Final = {
    "maas-migrate/plan": "Make a new one with maas-migrate plan --out FILE; a plan is not edited by hand.",
    "maas-migrate/snapshot": "Make a new one with maas-migrate snapshot --out FILE.",
}


class _Head(msgspec.Struct, frozen=True):
    """What every document begins with."""

    format: str = ""
    version: Any = None


def encode(document: msgspec.Struct) -> bytes:
    """Return the document's bytes: ``format`` and ``version`` first, maps sorted, UTF-8, one line feed at the end."""
    return msgspec.json.encode(document, order="deterministic") + b"\n"


def decode(data: bytes, kind: type[Document], *, source: str, by_user: bool = False) -> Document:
    """
    Return the document that *data* holds.

    Args:
        data: The bytes of a file.

        kind: The record expected.

        source: The file's name, for messages.

        by_user: Whether the user named the file (3), or it lies in the state dir (24).

    Raises:
        BadInputError, StoreError: Not JSON (with line and column), another format, a newer version, or a
            field that does not fit.
    """
    _check_head(data, kind, source=source, by_user=by_user)
    try:
        document = msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise problem(
            f"{source} is damaged: {error}", by_user=by_user, resolution=_again(kind, by_user=by_user)
        ) from error
    if isinstance(document, Plan):
        _must_be_a_plan(document, data, source=source, by_user=by_user)
    return document


def _must_be_a_plan(plan: Plan, data: bytes, *, source: str, by_user: bool) -> None:
    again = "Make a new plan with 'maas-migrate plan'; a plan is never edited by hand."
    if plan.id != _id_of(data):
        raise problem(
            f"{source} was changed after it was made: its id does not fit its content",
            by_user=by_user,
            resolution=again,
        )
    for step in (*plan.steps, *plan.forecast):
        if isinstance(step, SetFields | Restart) and step.object is None:
            raise problem(f"{source}: the step {step.id} names no object to write", by_user=by_user, resolution=again)


def _id_of(data: bytes) -> str:
    """Return the id of a plan by what stands in its file, which an older tool may have written with fewer fields."""
    written = msgspec.json.decode(data)
    written.pop("id", None)
    return digest_of(written)


def _check_head(data: bytes, kind: type[Document], *, source: str, by_user: bool) -> None:
    expected = getattr(_defaults(kind), "format", "")
    try:
        head = msgspec.json.decode(data, type=_Head)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise _not_json(data, error, source=source, again=_again(kind, by_user=by_user), by_user=by_user) from error
    if not expected:
        return
    if head.format != expected:
        seen = repr(head.format) if head.format else "no document of maas-migrate"
        again = _again(kind, by_user=by_user) or "Name another file."
        raise problem(f"{source} holds {seen}, expected {expected}", by_user=by_user, resolution=again)
    if not isinstance(head.version, int) or isinstance(head.version, bool) or head.version < 1:
        again = _again(kind, by_user=by_user)
        raise problem(f"{source} has no version that can be read: {head.version!r}", by_user=by_user, resolution=again)
    if head.version > NEWEST_VERSION:
        raise problem(
            f"{source} has version {head.version} of {expected}; this tool reads up to {NEWEST_VERSION}",
            by_user=by_user,
            resolution="Use the newer maas-migrate that wrote it.",
        )


def _defaults(kind: type[msgspec.Struct]) -> Any:
    return type("Defaults", (), {f.name: f.default for f in msgspec.structs.fields(kind) if f.name == "format"})


def _again(kind: type[Document], *, by_user: bool) -> str:
    """Return how the user makes anew what they named, ``""`` for what lies in the state dir."""
    return _MADE_BY.get(getattr(_defaults(kind), "format", ""), "") if by_user else ""


def _not_json(data: bytes, error: Exception, *, source: str, again: str, by_user: bool) -> MigrateError:
    where = ""
    try:
        json.loads(data)
    except json.JSONDecodeError as better:
        where = f", line {better.lineno} column {better.colno}"
    except (ValueError, RecursionError):
        where = ""
    return problem(f"{source} is not JSON that can be read{where}: {error}", by_user=by_user, resolution=again)


def load_document(path: Path, kind: type[Document], *, by_user: bool = False) -> Document:
    """Return the document in a file. Raises as ``load`` and ``decode`` do."""
    return decode(load(path, by_user=by_user), kind, source=str(path), by_user=by_user)
