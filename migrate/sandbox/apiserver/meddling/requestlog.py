"""The request log: what every client asked, so that a test can prove which verbs it used."""

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Final, NamedTuple

from migrate.sandbox.apiserver.protocol.target import Target
from migrate.sandbox.apiserver.protocol.values import Document, decode, dig
from migrate.sandbox.apiserver.protocol.wire import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRequest:
    """
    One request and its answer.

    Attributes:
        code: 0 where the connection was broken without an answer.
    """

    verb: str
    path: str
    group: str = ""
    version: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    dry_run: bool = False
    content_type: str = ""
    field_manager: str = ""
    user: str = ""
    user_agent: str = ""
    at: str = ""
    code: int = 0

    def to_document(self) -> Document:
        """Return the entry as ``/sandbox/requests`` shows it."""
        return asdict(self)


class _Noted(NamedTuple):
    """What an entry is made from."""

    target: Target
    path: str
    query: Mapping[str, str]
    content_type: str
    user_agent: str
    user: str
    at: str
    code: int


class RequestLog:
    """The last requests, oldest first; an entry is only made when somebody reads it."""

    def __init__(self, limit: int = 100_000) -> None:
        self._lock = threading.Lock()
        self._entries: Final[deque[_Noted]] = deque(maxlen=limit)

    def add(self, request: Request, target: Target, *, user: str, at: str, code: int) -> None:
        """Note *request*, what it was aimed at and its answer; its body is not kept."""
        head = request.header("content-type"), request.header("user-agent")
        noted = _Noted(named(request, target), request.path, whole_query(request), *head, user, at, code)
        with self._lock:
            self._entries.append(noted)

    def entries(self) -> list[LoggedRequest]:
        """Return all entries, oldest first."""
        with self._lock:
            noted = list(self._entries)
        return [_entry(each) for each in noted]

    def clear(self) -> None:
        """Forget all entries."""
        with self._lock:
            self._entries.clear()


def _entry(noted: _Noted) -> LoggedRequest:
    target, query = noted.target, noted.query
    return LoggedRequest(
        verb=target.verb,
        path=noted.path,
        group=target.group,
        version=target.version,
        resource=target.plural,
        namespace=target.namespace,
        name=target.name,
        subresource=target.subresource,
        query=dict(query),
        dry_run=query.get("dryRun") == "All",
        content_type=noted.content_type,
        field_manager=query.get("fieldManager", ""),
        user=noted.user,
        user_agent=noted.user_agent,
        at=noted.at,
        code=noted.code,
    )


def named(request: Request, target: Target) -> Target:
    """Return *target* with the name that a create carries in its body."""
    if target.verb != "create" or target.name or not request.body:
        return target
    try:
        name = dig(decode(request.body), "metadata", "name", default="")
    except ValueError:
        return target
    return replace(target, name=str(name))


def whole_query(request: Request) -> Mapping[str, str]:
    """Return the query with the dry run that a delete may carry in its body."""
    if request.method != "DELETE" or b'"dryRun"' not in request.body:
        return request.query
    try:
        options = decode(request.body)
    except ValueError:
        return request.query
    return {**request.query, "dryRun": "All"} if dig(options, "dryRun") == ["All"] else request.query
