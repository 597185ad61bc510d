"""The clock of a rehearsal: what is slept is shortened, and counts in full."""

import threading
from datetime import datetime, timedelta

from migrate.cli.person import Stop, SystemClock

SHORTEST_S = 0.02


class HastyClock(SystemClock):
    """
    A clock whose sleeps take a part of their time, and which then goes as if they had taken all of it.

    What others need their time for (a watch, a request) is not shortened, so no wait runs out earlier than on a
    real cluster.
    """

    def __init__(self, stop: Stop, speed: float) -> None:
        super().__init__(stop)
        self._speed = max(speed, 1.0)
        self._ahead_s = 0.0
        self._guard = threading.Lock()

    def now(self) -> datetime:
        """Return the time, UTC."""
        return super().now() + timedelta(seconds=self._ahead_s)

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return super().monotonic() + self._ahead_s

    def sleep(self, seconds: float) -> None:
        """Wait a part of *seconds*, or until a stop is asked for."""
        super().sleep(self._shortened(seconds))

    def sleep_through(self, seconds: float) -> None:
        """Wait a part of *seconds*, whatever is asked for."""
        super().sleep_through(self._shortened(seconds))

    def _shortened(self, seconds: float) -> float:
        short = min(seconds, max(seconds / self._speed, SHORTEST_S))
        with self._guard:
            self._ahead_s += max(0.0, seconds - short)
        return short
