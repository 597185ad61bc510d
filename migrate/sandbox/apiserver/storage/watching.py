"""Watches: what a client sees of the changes, as they come."""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from migrate.sandbox.apiserver.clock import Clock
from migrate.sandbox.apiserver.protocol.values import Document, metadata_of, namespace_of
from migrate.sandbox.apiserver.storage.selectors import Predicate
from migrate.sandbox.apiserver.storage.store import Change, StorageKey, Store

BOOKMARK_EVERY: Final = timedelta(seconds=60)
NEVER: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """
    What a watch shows, and how.

    Attributes:
        holds: The selector; None selects all.

        render: Lays a stored document out for the caller (its version, a table).

        bookmark: Makes the object of a bookmark from a resourceVersion.
    """

    key: StorageKey
    namespace: str
    holds: Predicate | None
    render: Callable[[Document], Document]
    bookmark: Callable[[str], Document]

    def admits(self, document: Document | None) -> bool:
        """Whether *document* is among those the client asked for."""
        if document is None or (self.namespace and namespace_of(document) != self.namespace):
            return False
        return self.holds is None or self.holds(document)


class Watch:
    """One open watch. It is fed by the store and read by one client."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        selection: Selection,
        *,
        ends_at: datetime | None = None,
        bookmarks: bool = False,
    ) -> None:
        self.selection: Final = selection
        self._store = store
        self._clock = clock
        self._ends_at = ends_at
        self._bookmarks = bookmarks
        self._bookmarked_at = clock.now()
        self._next_due = self._due()
        self._said_goodbye = False
        self._queue: deque[Document] = deque()
        self._arrived = threading.Condition()
        self._ended = False
        self._stop: Callable[[], None] = lambda: None
        self._on_event: Callable[[], None] = lambda: None

    def start(self, first: Iterable[Document], changes: Iterable[Change]) -> None:
        """Queue *first*, then *changes*, and follow the store. Call it under the lock of the store."""
        self._queue.extend(first)
        for change in changes:
            self._take(change)
        self._stop = self._store.listen(self.selection.key, self._take)

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self._ended

    @property
    def closed(self) -> bool:
        """Whether the watch has ended and all its events were taken."""
        return self._ended and not self._queue

    def poll(self) -> list[Document]:
        """
        Return the events that came since the last call; bookmarks and the end follow the clock.

        Their objects may be shared with the store: read them, never change them.
        """
        now = self._clock.now()
        if not self._queue and now < self._next_due:
            return []
        with self._arrived:
            self._add_bookmark(now)
            self._next_due = self._due()
            events = list(self._queue)
            self._queue.clear()
        if self._ends_at is not None and now >= self._ends_at:
            self.close()
        return events

    def tell(self, on_event: Callable[[], None]) -> None:
        """Call *on_event* from now on whenever events have been queued or the watch has ended."""
        self._on_event = on_event

    def quiet_s(self) -> float:
        """Return in how many seconds a bookmark or the end is due."""
        return (self._next_due - self._clock.now()).total_seconds()

    def wait(self, timeout_s: float) -> None:
        """Sleep until something may have come, at most *timeout_s* and not past the end of the watch."""
        if self._ends_at is not None:
            timeout_s = min(timeout_s, max((self._ends_at - self._clock.now()).total_seconds(), 0.0))
        with self._arrived:
            if not self._queue and not self._ended:
                self._arrived.wait(timeout_s)

    def close(self) -> None:
        """End the watch and stop following the store."""
        self._stop()
        with self._arrived:
            self._ended = True
            self._arrived.notify_all()
        self._on_event()

    def fail(self, status: Document) -> None:
        """End the watch with an ERROR event."""
        with self._arrived:
            self._queue.append({"type": "ERROR", "object": status})
        self.close()

    def _take(self, change: Change) -> None:
        event = self._event(change)
        if event is not None:
            with self._arrived:
                self._queue.append(event)
                self._arrived.notify_all()
            self._on_event()

    def _event(self, change: Change) -> Document | None:
        was = self.selection.admits(change.before)
        if change.type == "DELETED":
            return self._shown("DELETED", change.document) if was else None
        if self.selection.admits(change.document):
            return self._shown("MODIFIED" if was else "ADDED", change.document)
        if was and change.before is not None:
            # The client is told of the object as it knew it, at the revision at which it left.
            left = dict(change.before)
            left["metadata"] = {**metadata_of(left), "resourceVersion": str(change.revision)}
            return self._shown("DELETED", left)
        return None

    def _shown(self, kind: str, document: Document) -> Document:
        return {"type": kind, "object": self.selection.render(document)}

    def _due(self) -> datetime:
        """Return when something may come by itself: a bookmark, or the end."""
        bookmark = self._bookmarked_at + BOOKMARK_EVERY if self._bookmarks else NEVER
        return bookmark if self._ends_at is None else min(bookmark, self._ends_at)

    def _add_bookmark(self, now: datetime) -> None:
        if not self._bookmarks or self._ended:
            return
        ending = self._ends_at is not None and now >= self._ends_at and not self._said_goodbye
        if ending or now - self._bookmarked_at >= BOOKMARK_EVERY:
            self._said_goodbye = ending
            self._bookmarked_at = now
            self._queue.append(self.bookmark())

    def bookmark(self, annotations: dict[str, Any] | None = None) -> Document:
        """Return the event that says how far the client has come."""
        shown = self.selection.bookmark(str(self._store.revision))
        if annotations:
            metadata_of(shown)["annotations"] = annotations
        return {"type": "BOOKMARK", "object": shown}
