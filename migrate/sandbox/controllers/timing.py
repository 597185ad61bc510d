"""The players' time: a clock, and delays that a speed divides."""

import time
from bisect import bisect_right
from collections.abc import Hashable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, Protocol

STALE_S: Final = 2.0
"""How long after its end a delay nobody asked for again still counts as work to come."""


class Clock(Protocol):
    """Whoever knows what time it is."""

    def now(self) -> datetime:
        """Return the present instant in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that only grow."""
        ...


class MachineClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """Return the present instant in UTC."""
        return datetime.now(UTC)  # noqa: TID251 - this is the clock that others ask

    def monotonic(self) -> float:
        """Return seconds that only grow."""
        return time.monotonic()


@lru_cache(maxsize=256)
def timestamp(instant: datetime) -> str:
    """Return *instant* as Kubernetes writes it, whole seconds."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Timers:
    """
    Delays by key, in the product's seconds; the speed divides them.

    A *pending* delay is work to come, so its player has not settled. A *hold*
    only says when to look again.
    """

    def __init__(self, clock: Clock, speed: float) -> None:
        self._clock = clock
        self._speed = speed
        self._due: dict[Hashable, float] = {}
        self._pending: set[Hashable] = set()
        self._in_order: list[float] | None = None

    def elapsed(self, key: Hashable, seconds: float) -> bool:
        """Whether *seconds* have passed since this was first asked of *key*; until then it is pending."""
        if key not in self._due:
            self._set(key, seconds)
        if self._clock.monotonic() < self._due[key]:
            self._pending.add(key)
            return False
        self._pending.discard(key)
        return True

    def hold(self, key: Hashable, seconds: float, *, pending: bool = False) -> None:
        """Leave *key* alone for *seconds*; *pending* says that something is going to happen then."""
        self._set(key, seconds)
        if pending:
            self._pending.add(key)

    def held(self, key: Hashable) -> bool:
        """Whether *key* is still to be left alone."""
        if key in self._due and self._clock.monotonic() < self._due[key]:
            return True
        self.forget(key)
        return False

    def forget(self, key: Hashable) -> None:
        """Drop the delay of *key*; the next question starts anew."""
        if self._due.pop(key, None) is not None:
            self._in_order = None
        self._pending.discard(key)

    @property
    def pending(self) -> bool:
        """Whether something is still going to happen."""
        # A delay that ended a moment ago is work for the next pass; one long over belonged to something gone.
        lately = self._clock.monotonic() - STALE_S
        return any(self._due.get(key, lately) > lately for key in self._pending)

    def next_due(self, after: float) -> float | None:
        """Return the first monotonic instant *after* that one at which a delay ends, or None."""
        if not self._due:
            return None
        if self._in_order is None:
            self._in_order = sorted(self._due.values())
        index = bisect_right(self._in_order, after)
        return self._in_order[index] if index < len(self._in_order) else None

    def _set(self, key: Hashable, seconds: float) -> None:
        self._due[key] = self._clock.monotonic() + seconds / self._speed
        self._in_order = None
