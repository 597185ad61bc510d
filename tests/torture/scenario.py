"""One seed, one story: what the operator does, what goes wrong meanwhile, and how it ends."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from migrate.records.journal import RunState
from migrate.records.objects import Json
from tests.torture.content import content_of
from tests.torture.disturbances import Meddling
from tests.torture.fates import OPEN, WIDE, Fate
from tests.torture.invariants import Checker, Violation
from tests.torture.points import FAULTS, Point
from tests.torture.world import Outcome, Story, World, settle

GOOD: Final = frozenset({"succeeded", "rolled-back"})
TRIES: Final = 12


@dataclass(kw_only=True)
class Result:
    """
    What became of a seed.

    Attributes:
        met: Whether anything went wrong in it.

        trace: Of an error that the tool let out.
    """

    seed: int
    story: Story
    violations: list[Violation]
    outcomes: list[Outcome]
    struck: list[str] = field(default_factory=list)
    disturbances: list[str] = field(default_factory=list)
    virtual_s: float = 0.0
    met: bool = False
    trace: str = ""

    @property
    def end(self) -> str:
        return self.outcomes[-1].state.state if self.outcomes and self.outcomes[-1].state else "nothing"


def calm(story: Story, *, back: bool) -> dict[str, Json]:
    """Return what a run in which nothing goes wrong leaves behind."""
    return _calm(story)[back]


@cache
def _calm(story: Story) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return what is left after an apply, and after its rollback."""
    world = World(story=story)
    try:
        outcome = world.apply(OPEN)
        if outcome.code == 20:
            approve(world)
            settle(world.time, world.players)
            outcome = world.resume(OPEN)
        assert outcome.code == 0, outcome
        settle(world.time, world.players)
        forward = content_of(world.server)
        outcome = world.rollback(world.runs()[-1].id)
        assert outcome.code == 0, outcome
        settle(world.time, world.players)
        return forward, content_of(world.server)
    finally:
        world.close()


def approve(world: World) -> None:
    """Approve the InstallPlan of the upgrade, as an administrator."""
    for plan in world.server.get("/apis/operators.coreos.com/v1alpha1/installplans").get("items", ()):
        metadata = plan["metadata"]
        path = f"/apis/operators.coreos.com/v1alpha1/namespaces/{metadata['namespace']}/installplans/{metadata['name']}"
        if plan["spec"].get("approved") is not True:
            world.as_somebody("PATCH", path, {"spec": {"approved": True}})


class Scenario(Meddling):
    """A seed at work, on a world of its own or on one that it shares with others until their ways part."""

    def __init__(self, fate: Fate, world: World | None = None, checker: Checker | None = None) -> None:
        world = world or World(story=fate.story, speed=fate.speed)
        super().__init__(fate, world, checker or Checker(world=world))
        self.agree: Callable[[Callable[[Scenario], float]], float] = lambda ask: ask(self)
        self.trace = ""
        self._seen: dict[str, int] = {}
        self.meddle()

    def go_own_way(self) -> None:
        """Let from now on happen to the world what the seed decides."""
        self.world.points.draw = self._struck
        self.world.time.each_tick[:0] = self.beside
        for at_s, happens in self.coming:
            self.world.time.at(at_s, happens)

    def draw(self, point: Point) -> str:
        """Return what goes wrong at *point*; ``""`` for nothing."""
        if self.is_calm or len(self.world.points.struck) >= self.fate.most:
            return ""
        rate = self.fate.rate * (8 if point.place.startswith("api") else 1)
        if self.rng.random() >= rate:
            return ""
        return self.rng.choice(FAULTS[point.place])

    def _struck(self, point: Point) -> str:
        fault = self.draw(point)
        if fault:
            self.differ()
        return fault

    def play(self) -> None:
        """Play the story to its end."""
        try:
            self._play()
        except Exception as error:  # noqa: BLE001 - whatever the tool lets out is a fault of it, and its seed is told
            self.checker.fail("I11", f"{type(error).__name__}: {error}")
            self.trace = traceback.format_exc()

    def result(self) -> Result:
        """Return what was found."""
        return Result(
            seed=self.fate.seed,
            story=self.fate.story,
            violations=self.checker.found,
            outcomes=self.world.outcomes,
            struck=[f"{point.number} {point.place} {point.what}: {fault}" for point, fault in self.world.points.struck],
            disturbances=self.disturbances,
            virtual_s=self.world.time.passed_s,
            met=self.is_different,
            trace=self.trace,
        )

    # What the operator does.

    def _play(self) -> None:
        outcome = self._forward("apply")
        for number in range(TRIES):
            self.is_calm = self.is_calm or number >= TRIES // 2
            if self.is_calm:
                self._heal()
            if self._is_over():
                break
            self._wait()
            outcome = self._next(outcome, number)
        else:
            self.checker.fail("I11", f"no end after {TRIES} tries: {outcome.code} {outcome.message[:300]}")
            return
        self._at_rest()

    def _forward(self, verb: str) -> Outcome:
        self.checker.verb = verb
        self.checker.note_window(self.window)
        outcome = self.world.apply(self.window) if verb == "apply" else self.world.resume(self.window)
        self.checker.after(outcome)
        return outcome

    def _next(self, last: Outcome, number: int) -> Outcome:
        runs = self._runs()
        if not runs or (not runs[-1].plan and last.verb == "apply" and last.code != 14):
            self.window = OPEN if self.is_calm else self.window
            return self._forward("apply")
        # Also a plan that is stale is for a person to decide about.
        needs_person = (runs[-1].state == "needs-person" or last.code == 13) and number > 2
        if runs[-1].phase == "rollback" or needs_person or (last.code != 20 and self.rng.random() < 0.25):
            return self._back(runs[-1].id)
        if runs[-1].ended_at:
            return self._forward("apply")
        if runs[-1].state == "waiting-for-upgrade":
            approve(self.world)
            settle(self.world.time, self.world.players)
        if self.is_calm:
            self.window = WIDE
        return self._forward("resume")

    def _back(self, run: str) -> Outcome:
        self.checker.verb = "rollback"
        outcome = self.world.rollback(run)
        self.checker.after(outcome)
        self.checker.verb = ""
        return outcome

    def _wait(self) -> None:
        self.checker.stolen_at_s = None
        seconds = self.rest_s if self.is_calm else self.agree(lambda one: one.rng.choice((0.0, 2.0, 90.0, 900.0)))
        self.world.time.pass_by(seconds)

    def _runs(self) -> tuple[RunState, ...]:
        """Return the runs, the one that was begun last at the end: where clocks jump, ids are not in that order."""
        return tuple(sorted(self.world.runs(), key=lambda run: (bool(run.plans), self._begun(run.id), run.id)))

    def _begun(self, run: str) -> int:
        """Return when a run was first seen, counted in calls."""
        return self._seen.setdefault(run, len(self._seen))

    def _is_over(self) -> bool:
        runs, last = self._runs(), self.world.outcomes[-1]
        if last.verb == "apply" and last.code == 0 and last.state is None:
            return True  # Somebody else's run has done it all.
        wrote = any(run.wrote for run in runs)
        if not wrote and self.is_calm and self.checker.marks and last.code in {11, 12}:
            return True  # What somebody changed is a reason not to begin.
        return bool(runs) and runs[-1].state in GOOD

    def _heal(self) -> None:
        """Let nothing more go wrong; who is stuck comes back."""
        self.is_calm = True
        self.world.time.each_tick.clear()
        self.world.time.forget()
        self.release()

    def _at_rest(self) -> None:
        """Let everything settle and compare with a calm run."""
        self._heal()
        self.world.time.pass_by(self.rest_s)
        settled = settle(self.world.time, self.world.players)
        if not settled:
            self.checker.fail("I11", "the controllers do not come to rest")
        runs = self._runs()
        back = bool(runs) and runs[-1].state == "rolled-back"
        self.checker.marks_must_stand(went_back=back)
        if not any(run.wrote for run in runs) and not back and not self.is_one_of_two:
            self.checker.at_end(went_back=True, ends=[self.checker.start])
        elif not self.is_one_of_two:
            ends = [calm(self.fate.story, back=back), *([self.checker.start] if back else [])]
            self.checker.at_end(went_back=back, ends=ends)


def run_seed(seed: int, story: Story | None = None) -> Result:
    """Play *seed* and return what was found."""
    scenario = Scenario(Fate(seed, story))
    try:
        scenario.go_own_way()
        scenario.play()
    finally:
        scenario.world.close()
    return scenario.result()
