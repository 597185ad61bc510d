"""The server's time: asked of a clock, so that a simulation may bring its own."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol


class Clock(Protocol):
    """Whoever knows what time it is."""

    def now(self) -> datetime:
        """Return the present instant in UTC."""
        ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """Return the present instant in UTC."""
        return datetime.now(UTC)  # noqa: TID251 - this is the clock that others ask


@lru_cache(maxsize=256)
def timestamp(instant: datetime) -> str:
    """Return *instant* as Kubernetes writes a Time: whole seconds, ``Z``."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
