"""The request log: what every client asked, so that a test can prove which verbs it used."""

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Final

from migrate.sandbox.apiserver.protocol.values import Document


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


class RequestLog:
    """The last requests, oldest first."""

    def __init__(self, limit: int = 100_000) -> None:
        self._lock = threading.Lock()
        self._entries: Final[deque[LoggedRequest]] = deque(maxlen=limit)

    def add(self, entry: LoggedRequest) -> None:
        """Append *entry*."""
        with self._lock:
            self._entries.append(entry)

    def entries(self) -> list[LoggedRequest]:
        """Return all entries, oldest first."""
        with self._lock:
            return list(self._entries)

    def clear(self) -> None:
        """Forget all entries."""
        with self._lock:
            self._entries.clear()
