"""Who owns which field: the bookkeeping of ``metadata.managedFields``."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from migrate.sandbox.apiserver.patching.fields import Path, compare, from_fields_v1, to_fields_v1
from migrate.sandbox.apiserver.protocol.values import Document, metadata_of

Operation = Literal["Apply", "Update"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manager:
    """Who writes, how and through which door."""

    name: str
    operation: Operation
    api_version: str
    subresource: str = ""

    def owns_as(self, other: "Manager") -> bool:
        """Whether both keep one entry; an applier keeps its entry over versions."""
        same = (self.name, self.operation, self.subresource) == (other.name, other.operation, other.subresource)
        return same and (self.operation == "Apply" or self.api_version == other.api_version)


@dataclass(frozen=True, slots=True)
class Entry:
    """One manager and its fields; *time* is as Kubernetes writes it."""

    manager: Manager
    time: str
    paths: frozenset[Path]


def entries_of(document: Document | None) -> list[Entry]:
    """Return the entries of *document*."""
    found = metadata_of(document or {}).get("managedFields") or []
    return [_entry(_Same(each)) for each in found if each.get("manager") or each.get("fieldsV1")]


class _Same:
    """A document as a key: the very same one, since nothing that is stored is ever changed."""

    __slots__ = ("document",)

    def __init__(self, document: Document) -> None:
        self.document = document

    def __hash__(self) -> int:
        return id(self.document)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.document is other.document


@lru_cache(maxsize=1024)
def _entry(written: _Same) -> Entry:
    document = written.document
    manager = Manager(
        name=document.get("manager", ""),
        operation=document.get("operation", "Update"),
        api_version=document.get("apiVersion", ""),
        subresource=document.get("subresource", ""),
    )
    return Entry(manager, document.get("time", ""), frozenset(from_fields_v1(document.get("fieldsV1") or {})))


def store_entries(document: Document, entries: list[Entry]) -> None:
    """Write *entries* into *document*, in place; empty ones are left out."""
    written = [_to_document(entry) for entry in sorted(entries, key=_order) if entry.paths]
    if written:
        metadata_of(document)["managedFields"] = written
    else:
        metadata_of(document).pop("managedFields", None)


def _order(entry: Entry) -> tuple[bool, str, str]:
    return entry.manager.operation != "Apply", entry.time, entry.manager.name


def _to_document(entry: Entry) -> Document:
    manager = entry.manager
    made: Document = {
        "manager": manager.name,
        "operation": manager.operation,
        "apiVersion": manager.api_version,
        "time": entry.time,
        "fieldsType": "FieldsV1",
        "fieldsV1": to_fields_v1(entry.paths),
    }
    if manager.subresource:
        made["subresource"] = manager.subresource
    return made


def track_update(schema: Document, old: Document | None, new: Document, manager: Manager, now: str) -> None:
    """Record, in *new*, that *manager* made it out of *old*."""
    given = metadata_of(new).get("managedFields")
    # A list of one empty entry is how a client asks to forget all owners.
    entries = entries_of(old) if given is None or old is None else entries_of(new)
    if old is not None and not entries:
        store_entries(new, [])
        return  # Once forgotten, owners are not recorded again until somebody applies.
    touched, removed = compare(schema, old or {}, new)
    kept = [_without(entry, touched, removed, manager, now) for entry in entries]
    if touched:
        mine = next((entry for entry in kept if entry.manager.owns_as(manager)), None)
        kept = [entry for entry in kept if entry is not mine]
        kept.append(Entry(manager, now, frozenset((mine.paths if mine else frozenset()) | touched)))
    store_entries(new, kept)


def _without(entry: Entry, touched: set[Path], removed: set[Path], manager: Manager, now: str) -> Entry:
    lost = removed if entry.manager.owns_as(manager) else removed | touched
    if entry.paths.isdisjoint(lost):
        return entry
    return replace(entry, paths=entry.paths - lost, time=now)
