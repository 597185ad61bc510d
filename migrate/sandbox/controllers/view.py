"""
What the players see of the cluster: one list and one watch for each kind, shared by all of them.

Objects are shared: a player copies what it wants to change.
"""

import threading
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from migrate.maas.resources import Kind
from migrate.records.objects import Json
from migrate.sandbox.controllers.client import Client
from migrate.sandbox.controllers.refusals import ApiError, GoneError
from migrate.sandbox.controllers.timing import Clock
from migrate.sandbox.controllers.transport import Stream

RETRY_S: Final = 0.5
"""How long a kind that is not served, or a watch that cannot be opened, is left alone."""

T = TypeVar("T")

Key = tuple[str, str]

EARLY_S: Final = 0.001
"""A watch is looked at so much before something is due: two clocks may round differently."""

EVERYTHING: Final = ("*", "*")
"""Stands for every kind that anybody follows, among those that were read."""


class Pulse:
    """
    What all followers of a view share.

    Attributes:
        wake: Set when a watch has something to tell.

        moves: The moves of all followers together.
    """

    def __init__(self) -> None:
        self.wake = threading.Event()
        self.stirred = True
        self.moves = 0

    def stir(self) -> None:
        """Say that a watch has something to tell."""
        self.stirred = True
        self.wake.set()


class Follower:
    """
    The objects of one kind, kept fresh by a watch.

    Attributes:
        moves: Grows with whatever a reader could see change.

        look_at: The monotonic instant before which nothing comes but what the watch tells of.
    """

    def __init__(self, kind: Kind, client: Client, clock: Clock, pulse: Pulse) -> None:
        self.kind = kind
        self.is_served = False
        self.objects: dict[Key, Json] = {}
        self.moves = 0
        self._client = client
        self._clock = clock
        self._pulse = pulse
        self._stirred = True
        self.look_at = 0.0
        self._sorted: tuple[int, dict[str, list[Json]]] = (-1, {})
        self._derived: dict[Callable[[Sequence[Json]], Any], tuple[int, Any]] = {}
        self._stream: Stream | None = None
        self._version = ""
        self._not_before = 0.0

    def pump(self) -> bool:
        """Take what has come; return whether a reader could see a change."""
        if not self._stirred and self._clock.monotonic() < self.look_at:
            return False
        self._stirred = False
        changed = self._pump()
        if changed:
            self._move()
        stream = self._stream
        quiet_s = stream.quiet_s() - EARLY_S if stream else 0.0
        self.look_at = self._clock.monotonic() + quiet_s if stream else self._not_before
        return changed

    def list(self, namespace: str = "") -> "list[Json]":
        """Return the objects, of one namespace or of all, by namespace and name."""
        at, found = self._sorted
        if at != self.moves:
            found = {"": [self.objects[key] for key in sorted(self.objects)]}
            self._sorted = (self.moves, found)
        if namespace not in found:
            found[namespace] = [obj for obj in found[""] if key_of(obj)[0] == namespace]
        return found[namespace].copy()

    def derived(self, make: "Callable[[Sequence[Json]], T]") -> "T":
        """Return what *make*, a plain function, makes of the objects; it is called again when they have moved."""
        at, made = self._derived.get(make, (-1, None))
        if at != self.moves:
            made = make(self.list())
            self._derived[make] = (self.moves, made)
        found: T = made
        return found

    def _move(self) -> None:
        self.moves += 1
        self._pulse.moves += 1

    def _stir(self) -> None:
        self._stirred = True
        self._pulse.stir()

    def _pump(self) -> bool:
        if self._stream is None and self._clock.monotonic() < self._not_before:
            return False
        try:
            changed = self._open() if self._stream is None else False
            return self._take() or changed
        except GoneError:
            self._version = ""
            self._close()
        except ApiError:
            self._close()
            self._not_before = self._clock.monotonic() + RETRY_S
            return self._forget()
        return False

    def put(self, obj: Json) -> None:
        """Keep *obj*, the answer to a write of ours, unless something newer came already."""
        key = key_of(obj)
        known = self.objects.get(key)
        if known is None or _version(known) <= _version(obj):
            self.objects[key] = obj
            self._move()

    def close(self) -> None:
        """End the watch."""
        self._close()

    def _open(self) -> bool:
        changed = False
        if not self._version:
            self.kind = self._client.served(self.kind)
            found, self._version = self._client.list(self.kind)
            listed = {key_of(obj): obj for obj in found}
            changed = listed != self.objects or not self.is_served
            self.objects = listed
            self.is_served = True
        self._stream = self._client.watch(self.kind, self._version, self._stir)
        return changed

    def _take(self) -> bool:
        changed = False
        stream = self._stream
        for event in stream.poll() if stream else ():
            changed = self._note(str(event.get("type")), event.get("object", {})) or changed
        if stream and stream.closed:
            self._close()
        return changed

    def _note(self, event: str, obj: Json) -> bool:
        if event == "ERROR":
            raise GoneError(str(obj.get("message", "")), status=410)
        self._version = str(obj.get("metadata", {}).get("resourceVersion", "")) or self._version
        if event == "BOOKMARK":
            return False
        key = key_of(obj)
        known = self.objects.get(key)
        if known is not None and _version(known) > _version(obj):
            return False
        if event == "DELETED":
            return self.objects.pop(key, None) is not None
        self.objects[key] = obj
        return known is None or _version(known) != _version(obj)

    def _forget(self) -> bool:
        try:
            self._client.served(self.kind)
        except ApiError as error:
            if error.status == 404:
                was_served, self.is_served, self._version = self.is_served, False, ""
                self.objects = {}
                return was_served
        return False

    def _close(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None


class View:
    """The objects of every kind that anybody follows."""

    def __init__(self, client: Client, clock: Clock) -> None:
        self.pulse = Pulse()
        self.wake = self.pulse.wake
        self._client = client
        self._clock = clock
        self._look_at = 0.0
        self._all: Sequence[Kind] = ()
        self._followers: dict[tuple[str, str], Follower] = {}
        self._read: set[tuple[str, str]] = set()

    @contextmanager
    def reading(self) -> Iterator[set[tuple[str, str]]]:
        """Give the set that the kinds are noted in which are looked at meanwhile."""
        outer, self._read = self._read, set()
        try:
            yield self._read
        finally:
            self._read = outer

    def moves(self, kinds: Set[tuple[str, str]]) -> int:
        """Return how much a reader of *kinds* has seen change; it only grows."""
        read = self._followers if EVERYTHING in kinds else kinds
        # One follower more is a change too, for who asked whether there is one.
        return sum(self._followers[key].moves + 1 for key in read if key in self._followers)

    def follow(self, kind: Kind) -> Follower:
        """Return the follower of *kind*, from now on kept fresh."""
        key = (kind.group, kind.kind)
        self._read.add(key)
        if key not in self._followers:
            follower = Follower(kind, self._client, self._clock, self.pulse)
            self._followers[key] = follower
            self.pulse.moves += 1
            self.pulse.stirred = True
            follower.pump()
        return self._followers[key]

    def follow_all(self, kinds: Sequence[Kind]) -> None:
        """Follow *kinds* from now on; those that are followed already, and the very same as before, cost nothing."""
        self._read.add(EVERYTHING)
        if kinds is not self._all:
            for kind in kinds:
                self.follow(kind)
            self._all = kinds

    def pump(self) -> bool:
        """Take what has come for every kind; return whether anything changed."""
        if not self.pulse.stirred and self._clock.monotonic() < self._look_at:
            return False
        self.pulse.stirred = False
        changed = False
        for follower in list(self._followers.values()):
            changed = follower.pump() or changed
        self._look_at = min((follower.look_at for follower in self._followers.values()), default=0.0)
        return changed

    def is_served(self, kind: Kind) -> bool:
        """Whether the API server has *kind*."""
        return self.follow(kind).is_served

    def followed(self, group: str, kind: str) -> Kind | None:
        """Return the kind when somebody follows it, else None."""
        self._read.add((group, kind))
        follower = self._followers.get((group, kind))
        return follower.kind if follower else None

    def served(self, kind: Kind) -> Kind:
        """Return *kind* in the version that the server has."""
        return self.follow(kind).kind

    def list(self, kind: Kind, namespace: str = "") -> list[Json]:
        """Return the objects of *kind*, by namespace and name."""
        return self.follow(kind).list(namespace)

    def get(self, kind: Kind, namespace: str, name: str) -> Json | None:
        """Return the object, or None."""
        return self.follow(kind).objects.get((namespace, name))

    def everything(self, which: "Callable[[Sequence[Json]], Sequence[Json]]" = tuple) -> Iterator[tuple[Kind, Json]]:
        """Yield every object of every kind followed, with its kind; *which*, a plain function, chooses among them."""
        self._read.add(EVERYTHING)
        for follower in list(self._followers.values()):
            for obj in follower.derived(which):
                yield follower.kind, obj

    def put(self, kind: Kind, obj: Json) -> None:
        """Keep the answer to a write."""
        self.follow(kind).put(obj)

    def close(self) -> None:
        """End all watches."""
        for follower in self._followers.values():
            follower.close()


def key_of(obj: Json) -> Key:
    """Return namespace and name."""
    metadata = obj.get("metadata", {})
    return str(metadata.get("namespace", "")), str(metadata.get("name", ""))


def _version(obj: Json) -> int:
    text = str(obj.get("metadata", {}).get("resourceVersion", ""))
    return int(text) if text.isdigit() else 0
