"""
Two faults in one run: all pairs of places, or a sample that covers every pair of kinds of fault.

A pair is a fault at one place of the forward run and a second one after it; places that the first fault did away
with are passed over. The second is counted among the places that the run passes after the first.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tests.torture.invariants import Checker
from tests.torture.points import DURABLE, Point, Points
from tests.torture.sweep import COURSES, SWEPT, WayOn, _nothing
from tests.torture.world import World

KINDS = [(place, fault) for place, faults in SWEPT.items() for fault in faults]


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The kinds of both faults, the seed that chooses the places, and how one goes on."""

    first: tuple[str, str]
    second: tuple[str, str]
    seed: int
    way_on: str


def covering(seed: int = 0) -> list[Pair]:
    """Return one pair of places for every pair of kinds of fault; which of them comes first is left to chance."""
    rng = random.Random(seed)
    ways = ("resume", "rollback")
    chosen = []
    for number, one in enumerate(KINDS):
        for other in KINDS[number:]:
            first, second = rng.sample((one, other), 2)
            chosen.append(Pair(first=first, second=second, seed=rng.randrange(10**6), way_on=rng.choice(ways)))
    return chosen


def many(count: int, seed: int = 0) -> Iterator[Pair]:
    """Yield *count* pairs of places by chance."""
    rng = random.Random(seed)
    for _ in range(count):
        ways = ("resume", "rollback")
        yield Pair(
            first=rng.choice(KINDS), second=rng.choice(KINDS), seed=rng.randrange(10**6), way_on=rng.choice(ways)
        )


def live_through(pair: Pair) -> list[str]:
    """Return what was violated by a run that meets both faults."""
    course, rng = COURSES[0], random.Random(pair.seed)
    left = [pair.first, pair.second]
    skip = [rng.randrange(90) if left[0][0].startswith("disk") else rng.randrange(3)]

    def draw(point: Point) -> str:
        if not left or point.place not in DURABLE or point.place != left[0][0]:
            return ""
        skip[0] -= 1
        if skip[0] >= 0:
            return ""
        fault = left.pop(0)[1]
        skip[0] = rng.randrange(30) if left and left[0][0].startswith("disk") else rng.randrange(2)
        return fault

    world = World(story=course.story, seed=pair.seed, points=Points(draw=draw))
    checker = Checker(world=world)
    try:
        _nothing(world)
        checker.after(course.act(world))
        WayOn(course=course, world=world, checker=checker).go_on(pair.way_on)
    finally:
        world.close()
    return [str(violation) for violation in checker.found]
