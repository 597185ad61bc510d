"""One seed, one story: what the operator does, what goes wrong meanwhile, and how it ends."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from migrate.commands.windows import WindowFlags
from migrate.records.journal import RunState
from migrate.records.objects import Json
from migrate.sandbox.controllers.player import Player
from tests.torture.content import content_of
from tests.torture.invariants import CONFIG, FORCE, PLUGINS, TYPE, Checker, Violation
from tests.torture.points import FAULTS, Point, Points
from tests.torture.world import Outcome, Story, World, settle

FORCED: Final = ("force-custom-plugins-configmap=the metering plugin comes back in the Praxis shape",)
UNSUPPORTED: Final = ("unsupported-external-models=they are switched off", *FORCED)
STORIES: Final = (
    Story(example="default"),
    Story(example="customised", accept=FORCED),
    Story(example="response-translation"),
    Story(example="default", more=6),
    Story(example="customised", accept=FORCED, more=17),
)
JOURNEYS: Final = (Story(example="customised", accept=FORCED, version="3.5"), Story(example="default", version="3.5"))
LARGE: Final = Story(example="default", more=2000)

OPEN: Final = WindowFlags(window="now+300m")
WIDE: Final = WindowFlags(window="now+20h")
GOOD: Final = frozenset({"succeeded", "rolled-back"})
TRIES: Final = 12


@dataclass(kw_only=True)
class Result:
    """What became of a seed."""

    seed: int
    story: Story
    violations: list[Violation]
    outcomes: list[Outcome]
    struck: list[str] = field(default_factory=list)
    disturbances: list[str] = field(default_factory=list)
    virtual_s: float = 0.0

    @property
    def end(self) -> str:
        return self.outcomes[-1].state.state if self.outcomes and self.outcomes[-1].state else "nothing"


@cache
def calm(story: Story, *, back: bool) -> tuple[dict[str, Json], int]:
    """Return what a run in which nothing goes wrong leaves behind, and how many points it passes."""
    world = World(story=story)
    try:
        drive_calmly(world, back=back)
        settle(world.time, world.players)
        return content_of(world.server), len(world.points.passed)
    finally:
        world.close()


def drive_calmly(world: World, *, back: bool) -> None:
    """Apply, let the operator upgrade, resume; then roll back if *back*."""
    outcome = world.apply(OPEN)
    if outcome.code == 20:
        approve(world)
        settle(world.time, world.players)
        outcome = world.resume(OPEN)
    assert outcome.code == 0, outcome
    if back:
        outcome = world.rollback(world.runs()[-1].id)
        assert outcome.code == 0, outcome


def approve(world: World) -> None:
    """Approve the InstallPlan of the upgrade, as an administrator."""
    for plan in world.server.get("/apis/operators.coreos.com/v1alpha1/installplans").get("items", ()):
        metadata = plan["metadata"]
        path = f"/apis/operators.coreos.com/v1alpha1/namespaces/{metadata['namespace']}/installplans/{metadata['name']}"
        if plan["spec"].get("approved") is not True:
            world.as_somebody("PATCH", path, {"spec": {"approved": True}})


class Scenario:
    """A seed at work."""

    def __init__(self, seed: int, story: Story | None = None) -> None:
        self.seed = seed
        self.rng = random.Random(f"torture-{seed}")
        self.story = story or self._story()
        speed = self.rng.choice((1.0, 5.0, 10.0, 10.0, 10.0, 10.0, 50.0, 50.0))
        self.rate = self.rng.choice((0.0, 0.002, 0.005, 0.01, 0.03))
        self.world = World(story=self.story, seed=seed, speed=speed, points=Points(draw=self._draw))
        self.checker = Checker(world=self.world)
        self.most = self.rng.randint(0, 5)
        self.window = OPEN
        self.disturbances: list[str] = []
        self.is_calm = False
        self._two = False
        self._rest_s = 60.0
        self._stuck: list[Player] = []
        self._seen: dict[str, int] = {}

    def _story(self) -> Story:
        chance = self.rng.random()
        if chance < 0.002:
            return LARGE
        return self.rng.choice(JOURNEYS if chance < 0.12 else STORIES)

    def _draw(self, point: Point) -> str:
        if self.is_calm or len(self.world.points.struck) >= self.most:
            return ""
        rate = self.rate * (8 if point.place.startswith("api") else 1)
        if self.rng.random() >= rate:
            return ""
        return self.rng.choice(FAULTS[point.place])

    def run(self) -> Result:
        """Play the story to its end and return what was found."""
        try:
            self._disturb()
            self._play()
        except AssertionError as error:
            self.checker.fail("I11", str(error))
        finally:
            self.world.close()
        return Result(
            seed=self.seed,
            story=self.story,
            violations=self.checker.found,
            outcomes=self.world.outcomes,
            struck=[f"{point.number} {point.place} {point.what}: {fault}" for point, fault in self.world.points.struck],
            disturbances=self.disturbances,
            virtual_s=self.world.time.passed_s,
        )

    # What goes wrong by itself.

    def _disturb(self) -> None:
        chances: tuple[tuple[float, Callable[[], str]], ...] = (
            (0.10, self._status_writer),
            (0.05, self._annotates_the_tenant),
            (0.04, self._changes_the_plugins),
            (0.05, self._reverts_the_flip),
            (0.08, self._stuck_controller),
            (0.10, self._clock_jump),
            (0.08, self._narrow_window),
            (0.05, self._night_of_the_clocks),
            (0.06, self._another_run),
        )
        for chance, act in chances:
            if self.rng.random() < chance:
                self.disturbances.append(act())

    def _soon(self) -> float:
        return self.rng.uniform(0.0, 25.0) * 10.0 / self.world.speed

    def _status_writer(self) -> str:
        for _ in range(self.rng.randint(1, 20)):
            self.world.time.after(self._soon(), lambda: self.world.touch(CONFIG))
        return "somebody writes the tenant's status"

    def _annotates_the_tenant(self) -> str:
        value = f"seed-{self.seed}"

        def write() -> None:
            self._mark(CONFIG, ("metadata", "annotations", "example.com/mark"), value)

        self.world.time.after(self._soon(), write)
        return "somebody annotates the tenant"

    def _changes_the_plugins(self) -> str:
        def write() -> None:
            self._mark(PLUGINS, ("data", "foreign.yaml"), f"seed: {self.seed}")

        self.world.time.after(self._soon(), write)
        return "somebody changes the plugins ConfigMap"

    def _mark(self, path: str, where: tuple[str, ...], value: str) -> None:
        live = self.checker.get(path)
        if not live or live["metadata"].get("deletionTimestamp"):
            return
        body: Json = {where[-1]: value}
        for part in reversed(where[:-1]):
            body = {part: body}
        answer = self.world.as_somebody("PATCH", path, body)
        if answer.get("kind") != "Status":
            self.checker.marks.append((path, live["metadata"]["uid"], where, value))

    def _reverts_the_flip(self) -> str:
        left = [self.rng.randint(1, 5)]

        def look() -> None:
            if left[0] <= 0:
                return
            annotations = self.checker.get(CONFIG).get("metadata", {}).get("annotations", {})
            if annotations.get(TYPE) == "praxis" and self.rng.random() < 0.3:
                left[0] -= 1
                self.world.as_somebody("PATCH", CONFIG, {"metadata": {"annotations": {TYPE: None, FORCE: None}}})

        self.world.time.each_tick.insert(0, look)
        return f"GitOps reverts the tenant {left[0]} times"

    def _stuck_controller(self) -> str:
        troupe = self.world.players.troupe
        victim = self.rng.choice([player for player in troupe.players if player.name != "olm"])
        start, length = self._soon(), self.rng.choice((5.0, 60.0, 1200.0))
        self._rest_s = length + 60.0

        def stick() -> None:
            if victim in troupe.players:
                self._stuck.append(victim)
                troupe.remove(victim.name)
                self.world.time.after(length, release)

        def release() -> None:
            if victim in self._stuck:
                self._stuck.remove(victim)
                troupe.add(victim)

        self.world.time.after(start, stick)
        return f"{victim.name} is stuck for {length:.0f} s"

    def _clock_jump(self) -> str:
        jump = self.rng.choice((-7200.0, -3600.0, -61.0, 61.0, 3600.0))

        def leap() -> None:
            self.world.ahead_s += jump
            for process in self.world.running:
                process.clock.ahead_s += jump

        self.world.time.after(self._soon(), leap)
        return f"the tool's clock jumps {jump:.0f} s"

    def _narrow_window(self) -> str:
        minutes = self.rng.choice((20, 24, 30, 34))
        self.window = WindowFlags(window=f"now+{minutes}m", cutoff=self.rng.choice(("15m", "10m", "0")))
        return f"a window of {minutes} minutes"

    def _night_of_the_clocks(self) -> str:
        # At 01:00 UTC that night it is 03:00, and then 02:00 again.
        self.window = WindowFlags(window="2026-10-25T01:30/2026-10-25T05:30", timezone="Europe/Prague")
        return "the window spans the night in which clocks go back"

    def _another_run(self) -> str:
        self._two = True

        def start() -> None:
            if self.world.running:
                points, self.is_calm = self.is_calm, True
                try:
                    outcome = self.world.apply(OPEN, host="b")
                    self.checker.after(outcome, "b")
                finally:
                    self.is_calm = points

        self.world.time.after(self._soon(), start)
        return "another operator applies meanwhile"

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
        needs_person = runs[-1].state == "needs-person" and number > 2
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
        seconds = self.rng.choice((0.0, 2.0, 90.0, 900.0)) if not self.is_calm else self._rest_s
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
        for victim in self._stuck:
            if victim not in self.world.players.troupe.players:
                self.world.players.troupe.add(victim)
        self._stuck.clear()

    def _at_rest(self) -> None:
        """Let everything settle and compare with a calm run."""
        self._heal()
        self.world.time.pass_by(self._rest_s)
        settled = settle(self.world.time, self.world.players)
        if not settled:
            self.checker.fail("I11", "the controllers do not come to rest")
        runs = self._runs()
        back = bool(runs) and runs[-1].state == "rolled-back"
        if not any(run.wrote for run in runs) and not back and not self._two:
            self.checker.at_end(went_back=True, ends=[self.checker.start])
        elif not self._two:
            ends = [calm(self.story, back=back)[0], *([self.checker.start] if back else [])]
            self.checker.at_end(went_back=back, ends=ends)


def run_seed(seed: int, story: Story | None = None) -> Result:
    """Play *seed* and return what was found."""
    return Scenario(seed, story).run()
