"""
Many seeds at once: what their stories have in common is played once.

Stories of one kind are the same until something goes wrong for the first time. So one of them is played with nothing
going wrong, the trunk, and where the next thing would happen to one of the others, the process is forked: the child
goes on as that story, the trunk waits for its verdict and goes on. Each comes to what ``run_seed`` comes to.
"""

import gc
import json
import os
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Final

from tests.torture.bases import Story
from tests.torture.fates import Fate
from tests.torture.link import Link
from tests.torture.points import Point
from tests.torture.scenario import Result, Scenario, calm

MOST: Final = 40
"""So many stories share a trunk; more would leave the other processor idle at the end."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """
    What became of a seed, in short.

    Attributes:
        met: Whether anything went wrong in it.
    """

    seed: int
    end: str
    codes: tuple[int, ...]
    violations: tuple[str, ...]
    met: bool
    virtual_s: float


def told_of(result: Result, seed: int) -> Told:
    """Return *result* in short, as that of *seed*."""
    return Told(
        seed=seed,
        end=result.end,
        codes=tuple(outcome.code for outcome in result.outcomes),
        violations=tuple(str(violation) for violation in result.violations),
        met=result.met,
        virtual_s=round(result.virtual_s, 3),
    )


def bundles(seeds: Iterable[int]) -> list[list[int]]:
    """Return the seeds in bundles of one kind, those first that take long."""
    kinds: dict[tuple[Story, float], list[int]] = {}
    for seed in seeds:
        fate = Fate(seed)
        kinds.setdefault((fate.story, fate.speed), []).append(seed)
    largest_first = sorted(kinds.items(), key=lambda kind: -kind[0][0].more)
    return [found[at : at + MOST] for _, found in largest_first for at in range(0, len(found), MOST)]


def play_all(seeds: list[int]) -> list[Told]:
    """Return what becomes of *seeds*, which are of one kind."""
    return Trunk([Fate(seed) for seed in seeds]).run()


class Deserted(BaseException):
    """All stories have left the trunk."""


class Trunk:
    """What stories of one kind have in common, and where they part from it."""

    def __init__(self, fates: list[Fate]) -> None:
        assert {(fate.story, fate.speed) for fate in fates} == {(fates[0].story, fates[0].speed)}
        calm(fates[0].story, back=False)
        self._told: list[Told] = []
        self._pipe: int | None = None
        self._runner = Scenario(Fate.undisturbed(fates[0]))
        self._runner.agree = self._agree
        self._world = self._runner.world
        self._waiting = [Scenario(fate, self._world, self._runner.checker) for fate in fates]
        self._link = Link(self._world)
        self._world.points.draw = self._draw
        self._world.time.before_step = self._before_step

    def run(self) -> list[Told]:
        """Play all stories to their ends and return what became of them."""
        gc.collect()
        gc.freeze()
        try:
            self._play()
        finally:
            gc.unfreeze()
            self._world.close()
        return self._told

    def _play(self) -> None:
        try:
            self._to_the_end()
        except BaseException:
            if self._pipe is None:
                raise
            traceback.print_exc()
            os._exit(1)  # A child never returns to those who called its parent.
        if self._pipe is not None:
            os._exit(0)

    def _to_the_end(self) -> None:
        try:
            for one in [each for each in self._waiting if each.begins_apart]:
                if self._part(one):
                    break
            self._runner.play()
        except Deserted:
            pass
        result = self._runner.result()
        self._told += [told_of(result, each.fate.seed) for each in self._waiting]
        if self._pipe is not None:
            with os.fdopen(self._pipe, "w") as pipe:
                pipe.write(json.dumps([asdict(each) for each in self._told]))

    # Where ways part.

    def _draw(self, point: Point) -> str:
        if self._runner.is_calm:
            return ""
        for one in list(self._waiting):
            fault = one.draw(point)
            if fault and self._part(one):
                one.differ()
                return fault
        return ""

    def _before_step(self, to_s: float) -> bool:
        if self._runner.is_calm:
            return False
        due = [one for one in self._waiting if one.coming and min(at_s for at_s, _ in one.coming) <= to_s]
        return any(self._part(one) for one in due)

    def _agree(self, ask: Callable[[Scenario], float]) -> float:
        """Return what those want who stay together; each other wish is followed by a process of its own."""
        wishes: dict[float, list[Scenario]] = {}
        for one in self._waiting:
            wishes.setdefault(ask(one), []).append(one)
        first, *others = wishes
        for wish in others:
            if self._fork(wishes[wish]):
                self._waiting = wishes[wish]
                return wish
        return first

    def _part(self, one: Scenario) -> bool:
        """Fork; in the child, become that story and return True."""
        if not self._fork([one]):
            return False
        self._waiting = [one]
        # Whoever is at work now, in the middle of its call, is that story from now on.
        self._runner.__dict__ = one.__dict__
        self._world.time.before_step = lambda _: False
        one.go_own_way()
        return True

    def _fork(self, leaving: list[Scenario]) -> bool:
        """Fork, and return whether this is the child; the parent hears what became of those who leave."""
        reading, writing = os.pipe()
        number = os.fork()
        if number == 0:
            os.close(reading)
            self._pipe, self._told = writing, []
            self._link.take_a_copy()
            self._link = self._link.within()
            if self._runner.fate.story.more < 100:
                gc.disable()
            return True
        os.close(writing)
        with os.fdopen(reading) as pipe:
            said = pipe.read()
        _, status = os.waitpid(number, 0)
        self._link.take_back()
        self._told += list(_heard(said)) if not status else [_vanished(one.fate.seed, status) for one in leaving]
        self._waiting = [one for one in self._waiting if one not in leaving]
        if not self._waiting:
            raise Deserted
        return False


def _heard(said: str) -> Iterator[Told]:
    for each in json.loads(said):
        lists = {name: tuple(each[name]) for name in ("codes", "violations")}
        yield Told(**{**each, **lists})


def _vanished(seed: int, status: int) -> Told:
    words = (f"I11: its process ended with {status}",)
    return Told(seed=seed, end="nothing", codes=(), violations=words, met=True, virtual_s=0.0)
