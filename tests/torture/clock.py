"""Virtual time: it passes only while somebody sleeps, and the played controllers play meanwhile."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from migrate.sandbox.controllers.player import Troupe

START: Final = datetime(2026, 10, 25, 0, 20, tzinfo=UTC)
"""Forty minutes before clocks in Europe go back."""

SOON_S: Final = 0.05
LOOK_S: Final = 1.0


class Time:
    """
    The one time of a simulation; fits the server's and the players' clock.

    Attributes:
        before_step: Called with the instant to which time is about to move; true when more is to come before it now.
    """

    def __init__(self) -> None:
        self.passed_s = 0.0
        self.troupe: Troupe | None = None
        self.each_tick: list[Callable[[], None]] = []
        self.before_step: Callable[[float], bool] = lambda _: False
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0
        self._ticking = False
        self._now = (0.0, START)

    def now(self) -> datetime:
        if self._now[0] != self.passed_s:
            self._now = (self.passed_s, START + timedelta(seconds=self.passed_s))
        return self._now[1]

    def monotonic(self) -> float:
        return self.passed_s

    def after(self, seconds: float, happens: Callable[[], None]) -> None:
        """Let *happens* be called when *seconds* have passed."""
        self.at(self.passed_s + seconds, happens)

    def at(self, instant_s: float, happens: Callable[[], None]) -> None:
        """Let *happens* be called at *instant_s*."""
        self._number += 1
        self._due.append((instant_s, self._number, happens))
        self._due.sort(key=lambda entry: entry[:2])

    def forget(self) -> None:
        """Call nothing any more that was to come."""
        self._due.clear()

    def pass_by(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Let *seconds* pass, or fewer when *until* holds."""
        end = self.passed_s + seconds
        while self.passed_s < end and not until():
            busy = self.troupe.step() if self.troupe else False
            to_s = min(end, self._next(end, busy=busy))
            self.passed_s = min(end, self._next(end, busy=busy)) if self.before_step(to_s) else to_s
            while self._due and self._due[0][0] <= self.passed_s:
                self._due.pop(0)[2]()
            self._tick()

    def _next(self, end: float, *, busy: bool) -> float:
        soon = self.passed_s + SOON_S
        if busy:
            return soon
        coming = [end]
        if self.each_tick:
            coming.append(self.passed_s + LOOK_S)
        if self._due:
            coming.append(self._due[0][0])
        due = self.troupe.next_due() if self.troupe else None
        if due is not None:
            coming.append(due)
        if self.troupe and not self.troupe.settled:
            coming.append(self.passed_s + 0.25)
        return max(soon, min(coming))

    def _tick(self) -> None:
        """Call what goes on beside, once a step of time; not while it is at it."""
        if self._ticking:
            return
        self._ticking = True
        try:
            for happens in list(self.each_tick):
                happens()
        finally:
            self._ticking = False


class ToolClock:
    """The clock of the machine that the tool runs on: it may be set forward and back, and a stop cuts its sleeps."""

    def __init__(self, time: Time, stopped: Callable[[], bool]) -> None:
        self._time = time
        self._stopped = stopped
        self.ahead_s = 0.0

    def now(self) -> datetime:
        return self._time.now() + timedelta(seconds=self.ahead_s)

    def monotonic(self) -> float:
        return self._time.monotonic()

    def sleep(self, seconds: float) -> None:
        self._time.pass_by(max(0.0, seconds), self._stopped)

    def sleep_through(self, seconds: float) -> None:
        self._time.pass_by(max(0.0, seconds))
