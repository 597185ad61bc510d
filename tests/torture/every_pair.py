"""
Every pair of kills: at each place of a run a kill, and at each place of what comes after it another one.

The child of a sweep that goes on after its kill is forked once more at each place that it passes on its way; so a
pair costs what comes after the second kill.
"""

import json
import os
from dataclasses import dataclass, field
from typing import Any, Final

from tests.torture.points import DURABLE, KILL, Point
from tests.torture.sweep import SWEPT, Sweep

KILLS: Final = {place: (KILL,) for place in DURABLE if KILL in SWEPT[place]}


@dataclass(kw_only=True)
class EveryPair(Sweep):
    """
    A sweep of kills, each followed by each other kill.

    Attributes:
        pairs: How many pairs were lived through.

        bad: What was violated by which.
    """

    pairs: int = 0
    bad: list[str] = field(default_factory=list)
    _is_second: bool = False

    def __post_init__(self) -> None:
        self.faults = KILLS

    def _visit_after(self, point: Point) -> str:
        if self._is_second or self._child is None or point.place not in KILLS:
            return ""
        first, fault, way_on, _ = self._child
        reading, writing = os.pipe()
        number = os.fork()
        if number == 0:
            os.close(reading)
            self._is_second, self._child = True, (first, fault, way_on, writing)
            self.pairs, self.bad = 0, []
            self._link.within().take_a_copy()
            return KILL
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            verdict = pipe.read()
        _, status = os.waitpid(number, 0)
        self._link.within().take_back()
        found: dict[str, Any] = json.loads(verdict) if verdict else {"violations": [f"it ended with {status}"]}
        self.pairs += 1
        where = f"kill at point {first.number}, then at {point.number} ({point.place} of {point.what}), {way_on}"
        self.bad += [f"{where}: {violation}" for violation in found["violations"]]
        return ""

    def _more(self) -> dict[str, Any]:
        return {"pairs": self.pairs, "bad": self.bad[:20]}

    def _hear(self, found: dict[str, Any]) -> None:
        self.pairs += int(found.get("pairs", 0))
        self.bad += found.get("bad", [])
