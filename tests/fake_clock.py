"""A clock that ticks when somebody waits, and a switch that kills."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class Crash(BaseException):
    """The process is killed here; nothing catches it."""


class KillSwitch:
    """Counts the points where a kill makes a difference, and kills at one of them."""

    def __init__(self, at: int = -1) -> None:
        self.at = at
        self.passed = 0

    def point(self) -> None:
        self.passed += 1
        if self.passed - 1 == self.at:
            raise Crash(self.at)


class TickingClock:
    """Virtual time: sleeping is how it passes; what was scheduled happens on the way."""

    def __init__(self, start: datetime = START) -> None:
        self.start = start
        self.passed_s = 0.0
        self.stopped: Callable[[], bool] = lambda: False
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0

    def now(self) -> datetime:
        return self.start + timedelta(seconds=self.passed_s)

    def monotonic(self) -> float:
        return self.passed_s

    def sleep(self, seconds: float) -> None:
        if not self.stopped():
            self.sleep_through(seconds)

    def sleep_through(self, seconds: float) -> None:
        end = self.passed_s + max(0.0, seconds)
        while self._due and self._due[0][0] <= end:
            at, _, happens = self._due.pop(0)
            self.passed_s = max(self.passed_s, at)
            happens()
        self.passed_s = max(self.passed_s, end)

    def after(self, seconds: float, happens: Callable[[], None]) -> None:
        self._number += 1
        self._due.append((self.passed_s + seconds, self._number, happens))
        self._due.sort(key=lambda entry: entry[:2])
