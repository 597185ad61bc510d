"""The maintenance window: when a step may start."""

from datetime import datetime, timedelta

from migrate.records.objects import Record


class Window(Record, kw_only=True):
    """
    From when until when mutating steps may start.

    Attributes:
        start: UTC; None together with *end* None is ``--window none``.

        end: UTC.

        cutoff_s: Seconds before *end* by which a step and the way back from it must be over.

        zone: The zone it was written in, to show times in both.
    """

    start: datetime | None = None
    end: datetime | None = None
    cutoff_s: int = 900
    zone: str = "UTC"

    def is_open(self, now: datetime) -> bool:
        """Return whether *now* lies inside, the cutoff not counted."""
        return (self.start is None or self.start <= now) and (self.end is None or now < self.end)

    def fits(self, now: datetime, needed_s: float) -> bool:
        """Return whether *needed_s* seconds from *now* on end before the cutoff, inside the window."""
        if not self.is_open(now):
            return False
        return self.end is None or now + timedelta(seconds=needed_s) <= self.end - timedelta(seconds=self.cutoff_s)

    def left_s(self, now: datetime) -> float | None:
        """Return the seconds left until the cutoff, None when there is no end."""
        if self.end is None:
            return None
        return (self.end - timedelta(seconds=self.cutoff_s) - now).total_seconds()
