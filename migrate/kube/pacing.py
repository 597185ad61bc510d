"""No more requests a second than a cluster gives away without notice."""

import threading
from typing import Final

from migrate.kube.timing import Clock

REQUESTS_PER_S: Final = 20.0
BURST: Final = 20


class Pace:
    """A bucket of *burst* requests that fills at *per_s*, 0 for one that is never empty; shared by threads."""

    def __init__(self, clock: Clock, per_s: float = REQUESTS_PER_S, burst: int = BURST) -> None:
        self._clock = clock
        self._gap_s = 1.0 / per_s if per_s else 0.0
        self._burst = burst
        self._lock = threading.Lock()
        self._next = clock.monotonic() - burst * self._gap_s

    def wait(self) -> None:
        """Return when the next request may go out."""
        with self._lock:
            now = self._clock.monotonic()
            self._next = max(self._next, now - self._burst * self._gap_s) + self._gap_s
            ahead_s = self._next - now
        if ahead_s > 0:
            self._clock.sleep(ahead_s)
