"""The layout that the caller asked for: whole objects, only metadata, or a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final, Protocol

from migrate.sandbox.apiserver.clock import Clock
from migrate.sandbox.apiserver.documents.tables import table
from migrate.sandbox.apiserver.protocol.statuses import not_acceptable
from migrate.sandbox.apiserver.protocol.values import Document, without
from migrate.sandbox.apiserver.protocol.wire import Request
from migrate.sandbox.apiserver.resources.resource import Resource

ACCEPTED: Final = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf")


_KIND: Final = frozenset({"kind", "apiVersion"})


class HasClock(Protocol):
    """Whoever carries a clock."""

    @property
    def clock(self) -> Clock:
        """The clock."""
        ...


@dataclass(frozen=True, slots=True)
class Layout:
    """How one object, many, and the object of an event are laid out."""

    one: Callable[[Document], Document]
    many: Callable[[Sequence[Document], Document], Document]
    event: Callable[[Document], Document]


def layout_of(core: HasClock, request: Request, resource: Resource) -> Layout:
    """
    Return the first layout of the Accept header that this server knows.

    Raises:
        StatusError: It knows none of them.
    """
    accept = request.header("accept") or "*/*"
    if accept in {"*/*", "application/json"}:
        return _whole(resource)
    for choice in accept.split(","):
        kind, *parameters = [part.strip() for part in choice.split(";")]
        wanted = dict(each.split("=", 1) for each in parameters if "=" in each)
        if kind not in {"application/json", "*/*", "application/*"}:
            continue
        match wanted.get("as", ""):
            case "Table":
                return _as_table(core.clock.now(), request, resource)
            case "PartialObjectMetadata" | "PartialObjectMetadataList":
                return _only_metadata()
            case "":
                return _whole(resource)
            case _:
                continue
    raise not_acceptable(ACCEPTED)


def _whole(resource: Resource) -> Layout:
    return Layout(one=_as_it_is, many=partial(_list, resource), event=_as_it_is)


def _as_it_is(document: Document) -> Document:
    return document


def _list(resource: Resource, items: Sequence[Document], metadata: Document) -> Document:
    head = {"kind": resource.list_kind, "apiVersion": resource.api_version}
    # What is compiled into the server tells its kind once, for the whole list.
    told = items if resource.custom else [without(item, _KIND) for item in items]
    return {**head, "metadata": metadata, "items": told}


def _only_metadata() -> Layout:
    version = "meta.k8s.io/v1"

    def one(document: Document) -> Document:
        return {"kind": "PartialObjectMetadata", "apiVersion": version, "metadata": document.get("metadata")}

    def many(items: Sequence[Document], metadata: Document) -> Document:
        head = {"kind": "PartialObjectMetadataList", "apiVersion": version}
        return {**head, "metadata": metadata, "items": [one(item) for item in items]}

    return Layout(one=one, many=many, event=one)


def _as_table(now: datetime, request: Request, resource: Resource) -> Layout:
    include = request.query.get("includeObject") or "Metadata"

    def many(items: Sequence[Document], metadata: Document) -> Document:
        return table(resource, items, metadata, now=now, include=include)

    def one(document: Document) -> Document:
        version = (document.get("metadata") or {}).get("resourceVersion")
        return many([document], {"resourceVersion": version})

    return Layout(one=one, many=many, event=one)
