"""Time as this room sees it: a clock that is handed in, and deadlines on it."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Time; fits the engine's port of the same name."""

    def now(self) -> datetime:
        """Return the wall clock, UTC, aware."""

    def monotonic(self) -> float:
        """Return seconds that never go back."""

    def sleep(self, seconds: float) -> None:
        """Wait; may return early when a stop is requested."""


class Deadline:
    """A moment on the monotonic clock; all that is done for one question shares one."""

    def __init__(self, clock: Clock, timeout_s: float) -> None:
        self._clock = clock
        self._ends = clock.monotonic() + timeout_s

    def left_s(self) -> float:
        """Return the seconds that are left, never less than 0."""
        return max(0.0, self._ends - self._clock.monotonic())
