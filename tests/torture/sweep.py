"""
Every place of a run, every fault that can happen there, and then forward or back: none is left out.

The run goes once. At each place the process is forked for each fault and each way on: the child lives through the
fault and goes on to the end, the parent waits for its verdict and goes on to the next place. So a case costs what
comes after the fault, and nothing is simulated twice: where two faults leave the same cluster and the same disk behind,
only the first goes on from there.
"""

import gc
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NoReturn

from migrate.records.journal import Event
from migrate.records.objects import Json
from tests.torture.content import content_of
from tests.torture.fates import OPEN
from tests.torture.invariants import Checker
from tests.torture.link import Link
from tests.torture.points import DURABLE, POWERS, Point, Points
from tests.torture.scenario import approve, calm
from tests.torture.world import Outcome, Story, World, base_of, settle

SWEPT: Final[Mapping[str, tuple[str, ...]]] = {
    "disk.before": ("kill", "enospc"),
    "disk.amid": ("kill", "enospc"),
    "disk.unsynced": ("eio",),
    "api.before": ("kill", "dropped", "conflict", "throttled", "failed", "lease-lost"),
    "api.after": ("kill", "lost", "failed"),
}
"""
The faults of a sweep. A full disk and a failing one reach the tool as the same error of the same call, so each
call meets one of them: a write the full disk, an fsync the failing one. Loss of power has a sweep of its own.
"""

POWER_LOSS: Final[Mapping[str, tuple[str, ...]]] = {
    "disk.before": POWERS,
    "disk.unsynced": POWERS,
    "api.before": POWERS,
    "api.after": POWERS,
}

WAYS_ON: Final = ("resume", "rollback")
TRIES: Final = 5


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    One place, one fault, one way on, and what was found.

    Attributes:
        state: A digest of cluster and disk as the fault left them.

        is_known: An earlier case went on from that very state, so this one did not once more.
    """

    point: Point
    fault: str
    way_on: str
    violations: tuple[str, ...]
    codes: tuple[int, ...]
    state: str = ""
    is_known: bool = False

    def __str__(self) -> str:
        where = f"point {self.point.number} ({self.point.place} of {self.point.what})"
        return f"{where}, {self.fault}, then {self.way_on} {list(self.codes)}: {'; '.join(self.violations)}"


@dataclass(frozen=True, kw_only=True)
class Course:
    """
    What is swept.

    Attributes:
        prepare: Goes before, calmly.

        act: Is swept; returns how it ended.

        ends_at_gate: Whether going on means to wait for the upgrade.
    """

    name: str
    story: Story
    prepare: Callable[[World], None]
    act: Callable[[World], Outcome]
    ends_at_gate: bool = False


def _nothing(_world: World) -> None:
    """Prepare nothing."""


def _applied(world: World) -> None:
    assert world.apply(OPEN).code == 0


def _at_the_gate(world: World) -> None:
    assert world.apply(OPEN).code == 20
    approve(world)
    settle(world.time, world.players)


def _back(world: World) -> Outcome:
    return world.rollback(world.runs()[-1].id)


CUSTOMISED: Final = Story(example="customised", accept=("force-custom-plugins-configmap=re-applied later",))
TRANSLATED: Final = Story(example="customised", accept=CUSTOMISED.accept, translation=("true",))
BEFORE_UPGRADE: Final = Story(example="customised", accept=CUSTOMISED.accept, version="3.5")
COURSES: Final = (
    Course(name="forward", story=CUSTOMISED, prepare=_nothing, act=lambda world: world.apply(OPEN)),
    Course(name="back", story=TRANSLATED, prepare=_applied, act=_back),
    Course(name="part one", story=BEFORE_UPGRADE, prepare=_nothing, act=lambda w: w.apply(OPEN), ends_at_gate=True),
    Course(name="part two", story=BEFORE_UPGRADE, prepare=_at_the_gate, act=lambda world: world.resume(OPEN)),
)


@dataclass(kw_only=True)
class Sweep:
    """
    One sweep, or every *of*-th case of it.

    Attributes:
        points: The places of the swept run.

        steps: By the id of each step, how many of them lie in it.

        planned: The ids of the steps that were started.

        actions: The kinds of step that its plans hold.
    """

    course: Course
    share: int = 0
    of: int = 1
    faults: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: SWEPT)
    wanted: Callable[[Point, str, str], bool] = lambda *_: True
    points: list[Point] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    steps: dict[str, int] = field(default_factory=dict)
    actions: set[str] = field(default_factory=set)
    planned: set[str] = field(default_factory=set)

    def run(self) -> list[Case]:
        """Sweep, and return the cases in which something was violated."""
        base_of(self.course.story)
        calm(self.course.story, back=False)
        self._gate = content_at_gate(self.course.story) if self.course.ends_at_gate else {}
        self._world = World(story=self.course.story, points=Points())
        self._link = Link(self._world)
        self._checker = Checker(world=self._world)
        self._child: tuple[Point, str, str, int] | None = None
        self._number = 0
        self._known: set[tuple[str, str]] = set()
        try:
            self.course.prepare(self._world)
            self._world.points.visit = self._visit
            first, told = len(self._world.points.passed), len(self._world.told.get("a", []))
            gc.collect()
            gc.freeze()
            outcome = self.course.act(self._world)
            if self._child is not None:
                self._end_child(outcome)
            self.points = [point for point in self._world.points.passed[first:] if point.place in DURABLE]
            assert outcome.code in {0, 20}, outcome
            self._look_at_steps(self._world.told["a"][told:])
        finally:
            gc.unfreeze()
            self._world.close()
        return [case for case in self.cases if case.violations]

    def _look_at_steps(self, told: list[Event]) -> None:
        self.planned = {event.step for event in told if event.event == "step.started"}
        for run in self._world.platter().root.glob("state/2*/*plan*.json"):
            self.actions |= {step["action"] for step in json.loads(run.read_bytes())["steps"]}

    def _visit(self, point: Point) -> str:
        self._count(point)
        for fault in self.faults.get(point.place, ()):
            for way_on in WAYS_ON:
                self._number += 1
                if self._number % self.of != self.share or not self.wanted(point, fault, way_on):
                    continue
                if self._forked(point, fault, way_on):
                    return fault
        return ""

    def _count(self, point: Point) -> None:
        told: list[Event] = self._world.told.get("a", [])
        at_work = ""
        for event in told:
            if event.event == "step.started":
                at_work = event.step
            elif event.event in {"step.succeeded", "step.skipped", "step.failed", "run.resumed", "rollback.started"}:
                at_work = ""
        if point.place in DURABLE and at_work:
            self.steps[at_work] = self.steps.get(at_work, 0) + 1

    def _forked(self, point: Point, fault: str, way_on: str) -> bool:
        """Fork; in the parent, wait for the verdict and return False."""
        reading, writing = os.pipe()
        number = os.fork()
        if number == 0:
            os.close(reading)
            gc.disable()
            self._child = (point, fault, way_on, writing)
            self._world.points.visit = self._visit_after
            self._link.take_a_copy()
            return True
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            verdict = pipe.read()
        _, status = os.waitpid(number, 0)
        self._link.take_back()
        found: dict[str, Any] = (
            json.loads(verdict) if verdict else {"violations": [f"the child ended with {status}"], "codes": []}
        )
        case = Case(
            point=point,
            fault=fault,
            way_on=way_on,
            violations=tuple(found["violations"]),
            codes=tuple(found["codes"]),
            state=found.get("state", ""),
            is_known=found.get("known", False),
        )
        self._hear(found)
        self.cases.append(case)
        if not case.violations:
            self._known.add((case.state, way_on))
        return False

    def _hear(self, found: dict[str, Any]) -> None:
        """Take what a child said beyond its verdict."""

    def _more(self) -> dict[str, Any]:
        """Return what a child has to say beyond its verdict."""
        return {}

    def _visit_after(self, point: Point) -> str:
        """Visit a place in the child, once it has had its fault."""
        return ""

    def _end_child(self, outcome: Outcome) -> NoReturn:
        """Go on in the child to the end, tell the parent what was found, and vanish."""
        assert self._child is not None
        _, _, way_on, _ = self._child
        state, known = "", False
        try:
            self._checker.verb = outcome.verb if outcome.verb == "rollback" else ""
            self._checker.after(outcome)
            state = state_of(self._world)
            known = (state, way_on) in self._known
            if not known:
                WayOn(course=self.course, world=self._world, checker=self._checker, gate=self._gate).go_on(way_on)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the parent has to hear of it
            self._checker.fail("I11", f"{type(error).__name__}: {error}")
        codes = [each.code for each in self._world.outcomes]
        _, _, _, pipe = self._child  # The fault may have had a fault after it.
        found = [str(each) for each in self._checker.found]
        said = {"violations": found, "codes": codes, "state": state, "known": known, **self._more()}
        os.write(pipe, json.dumps(said).encode()[:60_000])
        os.close(pipe)
        os._exit(0)


@dataclass(kw_only=True)
class WayOn:
    """What a person does after a fault: the same again until it has ended."""

    course: Course
    world: World
    checker: Checker
    gate: Mapping[str, Json] = field(default_factory=dict)

    def go_on(self, way_on: str) -> None:
        """Go forward or back until it has ended, and compare with a calm run."""
        world, checker = self.world, self.checker
        for _ in range(TRIES):
            if self._is_over(way_on):
                break
            world.time.pass_by(61.0)  # A lease that a killed run still holds is its own again; a stolen one ends.
            checker.stolen_at_s = None
            checker.after(self._once_more(way_on))
        else:
            last = world.outcomes[-1]
            checker.fail("I11", f"no end after {TRIES} tries: {last.verb} {last.code} {last.message}")
            return
        world.time.pass_by(30.0)
        settle(world.time, world.players)
        self._compare()

    def _is_over(self, way_on: str) -> bool:
        runs = self.world.runs()
        if not runs:
            return way_on == "rollback"  # Nothing was begun, so there is nothing to take back.
        state = runs[-1].state
        if way_on == "resume" and self.course.ends_at_gate:
            return state == "waiting-for-upgrade"
        wanted = "rolled-back" if way_on == "rollback" or self.course.name == "back" else "succeeded"
        never_began = not runs[-1].plans and self.world.outcomes[-1].verb == "rollback"
        ended = way_on == "rollback" and not runs[-1].wrote and (bool(runs[-1].ended_at) or never_began)
        return state == wanted or ended

    def _once_more(self, way_on: str) -> Outcome:
        world = self.world
        runs = world.runs()
        never_went_back = self.course.name == "back" and bool(runs) and bool(runs[-1].ended_at)
        if way_on == "rollback" or never_went_back:
            self.checker.verb = "rollback"
            return world.rollback(runs[-1].id)
        self.checker.verb = ""
        if not runs or runs[-1].ended_at or not runs[-1].plans:
            outcome = world.apply(OPEN)
            if outcome.code != 14:
                return outcome
        return world.resume(OPEN)

    def _compare(self) -> None:
        world = self.world
        runs = world.runs()
        back = not runs or runs[-1].state == "rolled-back" or not runs[-1].wrote
        self.checker.marks_must_stand(went_back=back)
        if runs and runs[-1].state == "waiting-for-upgrade":
            self.checker.at_end(went_back=False, ends=[self.gate])
            return
        ends = [calm(self.course.story, back=back), *([self.checker.start] if back else [])]
        if back and self.course.name == "part two":
            ends = [calm(self.course.story, back=True)]
        self.checker.at_end(went_back=back, ends=ends)


def state_of(world: World) -> str:
    """
    Return a digest of all that a new process would meet: the cluster, the disk, the time.

    Names by chance do not count: a set or a file that was not finished is there, or is not.
    """
    digest = hashlib.sha256(f"{world.time.passed_s:.1f}".encode())
    store = world.server.core.store
    for key in sorted(store.keys()):
        for slot, document in store.items(key):
            digest.update(f"{key} {slot} {json.dumps(document, sort_keys=True)}".encode())
    root, unfinished = world.root.resolve(), set()
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if ".partial-" in name or path.name.endswith(".tmp"):
            unfinished.add("partial" if ".partial-" in name else "temporary")
        elif path.is_file() and path.name != "lock":
            digest.update(f"{name} ".encode() + path.read_bytes())
        else:
            digest.update(name.encode())
    digest.update(repr(sorted(unfinished)).encode())
    return digest.hexdigest()


@cache
def content_at_gate(story: Story) -> Mapping[str, Json]:
    """Return what a calm run leaves behind at its gate."""
    world = World(story=story)
    try:
        assert world.apply(OPEN).code == 20
        settle(world.time, world.players)
        return content_of(world.server)
    finally:
        world.close()
