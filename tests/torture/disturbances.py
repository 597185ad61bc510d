"""What goes wrong by itself while an operator works: other writers, stuck controllers, clocks, a second operator."""

import random
from collections.abc import Callable

from migrate.commands.windows import WindowFlags
from migrate.records.objects import Json
from migrate.sandbox.controllers.player import Player
from tests.torture.fates import OPEN, Fate
from tests.torture.invariants import CONFIG, FORCE, PLUGINS, TYPE, Checker
from tests.torture.world import World


class Meddling:
    """
    Everybody but the operator and the tool.

    Attributes:
        coming: What happens by itself, and when.

        beside: What is looked at whenever time passes.

        disturbances: The same in words.

        rest_s: How long all of it lasts at most.

        stuck: The controllers that do nothing now.

        is_calm: Whether nothing goes wrong any more.

        is_one_of_two: Whether a second operator is at work.
    """

    def __init__(self, fate: Fate, world: World, checker: Checker) -> None:
        self.fate = fate
        self.rng = fate.rng
        self.world = world
        self.checker = checker
        self.window = OPEN
        self.coming: list[tuple[float, Callable[[], None]]] = []
        self.beside: list[Callable[[], None]] = []
        self.disturbances: list[str] = []
        self.rest_s = 60.0
        self.stuck: list[Player] = []
        self.is_calm = False
        self.is_one_of_two = False
        self._differs = False

    @property
    def is_different(self) -> bool:
        """Whether anything has gone wrong, so that this is no longer the story of others."""
        return self._differs or self.begins_apart

    @property
    def begins_apart(self) -> bool:
        """Whether the story is another one from the beginning."""
        return bool(self.beside) or self.window != OPEN

    def meddle(self) -> None:
        """Decide what goes wrong by itself; it happens once the story goes its own way."""
        if self.fate.is_calm:
            return
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

    def differ(self) -> None:
        """Let all further chance be that of this seed: until now the story is that of others too."""
        if not self._differs:
            self._differs = True
            random.seed(self.fate.seed)
            self.world.rng = random.Random(self.fate.seed)

    def _soon(self, happens: Callable[[], object]) -> None:
        """Let *happens* be called some time during an apply."""

        def happen() -> None:
            self.differ()
            happens()

        at_s = self.world.time.passed_s + self.rng.uniform(0.0, 25.0) * 10.0 / self.fate.speed
        self.coming.append((at_s, happen))

    def _status_writer(self) -> str:
        for _ in range(self.rng.randint(1, 20)):
            self._soon(lambda: self.world.touch(CONFIG))
        return "somebody writes the tenant's status"

    def _annotates_the_tenant(self) -> str:
        value = f"seed-{self.fate.seed}"

        def write() -> None:
            self._mark(CONFIG, ("metadata", "annotations", "example.com/mark"), value)

        self._soon(write)
        return "somebody annotates the tenant"

    def _changes_the_plugins(self) -> str:
        def write() -> None:
            self._mark(PLUGINS, ("data", "foreign.yaml"), f"seed: {self.fate.seed}")

        self._soon(write)
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

        self.beside.append(look)
        return f"GitOps reverts the tenant {left[0]} times"

    def _stuck_controller(self) -> str:
        troupe = self.world.players.troupe
        victim = self.rng.choice([player for player in troupe.players if player.name != "olm"])
        length = self.rng.choice((5.0, 60.0, 1200.0))

        def stick() -> None:
            # It stays in the troupe: an upgrade of the operator takes it away like the others.
            self.rest_s, victim.hangs = length + 60.0, True
            self.stuck.append(victim)
            self.world.time.after(length, self.release)

        self._soon(stick)
        return f"{victim.name} is stuck for {length:.0f} s"

    def release(self) -> None:
        """Let everybody who is stuck go on."""
        self.world.players.troupe.let_go_on(*self.stuck)
        self.stuck.clear()

    def _clock_jump(self) -> str:
        jump = self.rng.choice((-7200.0, -3600.0, -61.0, 61.0, 3600.0))

        def leap() -> None:
            self.world.ahead_s += jump
            for process in self.world.running:
                process.clock.ahead_s += jump

        self._soon(leap)
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
        def start() -> None:
            if self.world.running:
                self.is_one_of_two = True
                points, self.is_calm = self.is_calm, True
                self.checker.note_window(OPEN, "b")
                try:
                    outcome = self.world.apply(OPEN, host="b")
                    self.checker.after(outcome, "b")
                finally:
                    self.is_calm = points

        self._soon(start)
        return "another operator applies meanwhile"
