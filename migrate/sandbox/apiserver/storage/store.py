"""
The store: every object in its latest version, and the changes that led there.

One lock guards it. Stored documents are never changed in place, so they may be
read, encoded and handed out without it.
"""

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, Literal, NamedTuple, TypeAlias

from migrate.sandbox.apiserver.protocol.values import Document, metadata_of, name_of, namespace_of

FIRST_REVISION: Final = 200
"""History never reaches back to revision 1, as on a server that has been restarted."""


class StorageKey(NamedTuple):
    """Where the objects of a resource lie; its versions share them."""

    group: str
    plural: str


class Slot(NamedTuple):
    """The place of one object among its kind, in the order of lists."""

    namespace: str
    name: str

    @property
    def order(self) -> str:
        """The key that lists are sorted by."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


@dataclass(frozen=True, slots=True)
class Change:
    """One committed write: *before* is None for a new object, *document* the last state of a deleted one."""

    revision: int
    type: Literal["ADDED", "MODIFIED", "DELETED"]
    key: StorageKey
    document: Document
    before: Document | None


Entry: TypeAlias = tuple[Slot, Document]
"""One object and where it lies."""

_LISTS_KEPT: Final = 16


class CompactedError(Exception):
    """History no longer reaches back that far."""


class Store:
    """Objects by resource, namespace and name, under one growing revision."""

    def __init__(self, *, history_limit: int = 20_000) -> None:
        self.lock: Final = threading.RLock()
        self.revision = FIRST_REVISION
        self.compacted = FIRST_REVISION
        self._history: deque[Change] = deque()
        self._history_limit = history_limit
        self._objects: dict[StorageKey, dict[Slot, Document]] = {}
        self._changed: dict[StorageKey, int] = {}
        self._raw: dict[tuple[StorageKey, Slot], tuple[str, Document]] = {}
        self._listeners: dict[StorageKey, list[Callable[[Change], None]]] = {}
        self._lists: OrderedDict[tuple[StorageKey, str, int], list[Entry]] = OrderedDict()

    def fork(self) -> "Store":
        """Return a store of the same content and history that goes its own way; documents are shared."""
        made = Store(history_limit=self._history_limit)
        with self.lock:
            made.revision, made.compacted = self.revision, self.compacted
            made._history = self._history.copy()
            made._objects = {key: dict(shelf) for key, shelf in self._objects.items()}
            made._raw = dict(self._raw)
            made._changed = dict(self._changed)
        return made

    def get(self, key: StorageKey, slot: Slot) -> Document | None:
        """Return the object in *slot*, or None."""
        return self._objects.get(key, {}).get(slot)

    def items(self, key: StorageKey, namespace: str = "") -> list[Entry]:
        """Return all objects, of one namespace or of all, in the order of lists. The list is not the caller's own."""
        with self.lock:
            shelf = self._objects.get(key, {})
            return self._list(key, namespace, self._changed.get(key, 0), lambda: shelf)

    def count(self, key: StorageKey) -> int:
        """Return how many objects of *key* there are."""
        return len(self._objects.get(key, {}))

    def keys(self) -> list[StorageKey]:
        """Return every resource that has had an object."""
        with self.lock:
            return list(self._objects)

    def put(self, key: StorageKey, document: Document) -> Document:
        """Commit *document*, which now belongs to the store, under the next revision."""
        with self.lock:
            slot = Slot(namespace_of(document), name_of(document))
            shelf = self._objects.setdefault(key, {})
            before = shelf.get(slot)
            self.revision += 1
            metadata_of(document)["resourceVersion"] = str(self.revision)
            shelf[slot] = document
            self._record(Change(self.revision, "ADDED" if before is None else "MODIFIED", key, document, before))
            return document

    def remove(self, key: StorageKey, slot: Slot, last: Document | None = None) -> Document:
        """Take the object out of *slot*; its last state, *last* if given, carries the revision of the removal."""
        with self.lock:
            before = self._objects[key].pop(slot)
            self.revision += 1
            final = dict(last or before)
            final["metadata"] = {**metadata_of(final), "resourceVersion": str(self.revision)}
            self._record(Change(self.revision, "DELETED", key, final, before))
            return final

    def raw(self, key: StorageKey, slot: Slot, document: Document) -> Document:
        """Return what *document* was when it was written, if it is shown otherwise since."""
        version, written = self._raw.get((key, slot), ("", document))
        return written if version == metadata_of(document)["resourceVersion"] else document

    def show_as(self, key: StorageKey, slot: Slot, shown: Document) -> None:
        """Show the object in *slot* as *shown* from now on, without a change: nobody wrote anything."""
        with self.lock:
            present = self._objects[key][slot]
            if shown != present:
                written = self.raw(key, slot, present)
                self._raw[key, slot] = (metadata_of(present)["resourceVersion"], written)
                self._objects[key][slot] = shown
                self._lists.clear()

    def changes_after(self, key: StorageKey, revision: int) -> list[Change]:
        """
        Return the changes of *key* later than *revision*.

        Raises:
            CompactedError: Some of them are no longer known.
        """
        with self.lock:
            if revision < self.compacted:
                raise CompactedError
            newer = list(takewhile(lambda change: change.revision > revision, reversed(self._history)))
            return [change for change in reversed(newer) if change.key == key]

    def items_at(self, key: StorageKey, revision: int, namespace: str = "") -> list[Entry]:
        """
        Return the objects as they were at *revision*, by undoing what came later.

        Raises:
            CompactedError: History does not reach back that far.
        """
        with self.lock:
            later = self.changes_after(key, revision)
            if not later:
                return self.items(key, namespace)
            return self._list(key, namespace, revision, lambda: self._undone(key, later))

    def _undone(self, key: StorageKey, later: list[Change]) -> dict[Slot, Document]:
        shelf = dict(self._objects.get(key, {}))
        for change in reversed(later):
            slot = Slot(namespace_of(change.document), name_of(change.document))
            if change.before is None:
                shelf.pop(slot, None)
            else:
                shelf[slot] = change.before
        return shelf

    def _list(
        self, key: StorageKey, namespace: str, revision: int, shelf: Callable[[], dict[Slot, Document]]
    ) -> list[Entry]:
        # Pages of one list ask for the same moment again and again.
        mark = (key, namespace, revision)
        found = self._lists.get(mark)
        if found is None:
            found = self._lists[mark] = _ordered(shelf(), namespace)
            if len(self._lists) > _LISTS_KEPT:
                self._lists.popitem(last=False)
        return found

    def listen(self, key: StorageKey, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call *listener* for each later change of *key*; the returned function ends it."""
        with self.lock:
            listeners = self._listeners.setdefault(key, [])
            listeners.append(listener)

        def stop() -> None:
            with self.lock:
                if listener in listeners:
                    listeners.remove(listener)

        return stop

    def compact(self, revision: int | None = None) -> None:
        """Forget all changes up to *revision*, by default up to the present."""
        with self.lock:
            self.compacted = max(self.compacted, min(revision or self.revision, self.revision))
            while self._history and self._history[0].revision <= self.compacted:
                self._history.popleft()

    def forget(self) -> None:
        """Forget the present too: whatever version a client knows is too old now."""
        with self.lock:
            self.revision += 1
            self.compact()

    def _record(self, change: Change) -> None:
        self._changed[change.key] = change.revision
        self._history.append(change)
        while len(self._history) > self._history_limit:
            self.compacted = self._history.popleft().revision
        for listener in tuple(self._listeners.get(change.key, ())):
            listener(change)


def _ordered(shelf: dict[Slot, Document], namespace: str) -> list[Entry]:
    found: Iterable[Entry] = shelf.items()
    if namespace:
        found = [(slot, document) for slot, document in found if slot.namespace == namespace]
    return sorted(found, key=_order)


def _order(entry: Entry) -> str:
    return entry[0].order
