"""The places where something may go wrong, counted in the order in which a run passes them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from tests.fakes import Crash

KILL: Final = "kill"
POWER: Final = "power"
LEFT: Final = ("dropped", "kept", "cut", "holed")
"""What a loss of power leaves of what was not synced: nothing, all, a beginning, all but a block; else by chance."""
POWERS: Final = tuple(f"{POWER}-{left}" for left in LEFT)
SIGNAL: Final = "signal"

FAULTS: Final[Mapping[str, tuple[str, ...]]] = {
    "disk.before": (KILL, POWER, "enospc", "eio"),
    "disk.amid": (KILL, "enospc"),
    "disk.unsynced": (POWER, "eio"),
    "api.before": (KILL, POWER, "dropped", "conflict", "throttled", "failed", "lease-lost"),
    "api.after": (KILL, POWER, "lost", "failed"),
    "read": ("failed", "throttled", "reset", "slow"),
    "dry-run": ("failed", "throttled", "conflict", "reset"),
    "sleep": (SIGNAL,),
}
"""
What can happen at each kind of place.

After one durable step and before the next, disk and cluster are the same: so "after" has a place of its own
only where an answer is on its way.
"""

DURABLE: Final = ("disk.before", "disk.amid", "disk.unsynced", "api.before", "api.after")
"""The places that a sweep visits one by one; at the others nothing is decided for good."""


@dataclass(frozen=True, slots=True)
class Point:
    """One place: its number, its kind and what was about to happen there."""

    number: int
    place: str
    what: str


@dataclass(kw_only=True)
class Points:
    """
    Counts places and lets happen what is planned.

    Attributes:
        planned: The fault at a place, by its number.

        draw: Asked where nothing is planned; ``""`` lets it pass.

        visit: Called at every place, before anything happens.

        power_failed: The loss of power that ended the process, ``""`` for none.

        quiet: While it is set nothing is counted and nothing happens.
    """

    planned: dict[int, str] = field(default_factory=dict)
    draw: Callable[[Point], str] = lambda _: ""
    visit: Callable[[Point], str] = lambda _: ""
    passed: list[Point] = field(default_factory=list)
    struck: list[tuple[Point, str]] = field(default_factory=list)
    power_failed: str = ""
    quiet: bool = False

    def reach(self, place: str, what: str) -> str:
        """Return what happens here, ``""`` for nothing. Raises Crash where the process ends."""
        if self.quiet:
            return ""
        point = Point(len(self.passed), place, what)
        self.passed.append(point)
        fault = self.visit(point) or self.planned.get(point.number, "") or self.draw(point)
        if not fault:
            return ""
        self.struck.append((point, fault))
        if fault in {KILL, POWER, *POWERS}:
            self.power_failed = fault if fault != KILL else ""
            raise Crash(f"{fault} at {place} of {what}")
        return fault
