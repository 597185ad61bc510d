"""The real tool on a cluster of a chosen build, in this process and on virtual time."""

import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

from migrate.commands.apply import apply
from migrate.commands.context import Context
from migrate.commands.plan import make_saved_plan
from migrate.commands.planning import PlanFlags, look, plan_from
from migrate.commands.resume import resume
from migrate.commands.verify import verify
from migrate.commands.windows import WindowFlags
from migrate.records.assessment import Assessment
from migrate.records.objects import Json
from migrate.records.plan import Plan
from migrate.records.verification import Verification
from migrate.sandbox.apiserver import ApiServer
from migrate.sandbox.controllers import registry
from migrate.sandbox.controllers.build_36 import Build, as_built, as_stamped
from migrate.sandbox.controllers.client import Client
from migrate.sandbox.controllers.player import PlayerContext
from migrate.sandbox.crds import crds_of
from migrate.sandbox.examples import example
from migrate.sandbox.inprocess import InProcessTransport
from migrate.sandbox.seeding import Loaded, prepared
from tests.torture.clock import START, Time
from tests.torture.scenario import approve
from tests.torture.world import Outcome, Story, World, settle

OPEN: Final = WindowFlags(window="now+300m")
SPEED: Final = 10.0
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Which cluster: an example, on a release, of a build."""

    example: str
    version: str
    build: str
    subscriptions: int | None = None


Ground = tuple[ApiServer, float]
"""A settled cluster to fork from, and the time it took to settle."""


@cache
def _settled(scene: Scene) -> Ground:
    build = Build.parse(scene.build)
    objects, definitions = example(scene.example, scene.version, scene.subscriptions), crds_of(scene.version)
    if scene.version == "3.6":
        objects, definitions = as_stamped(objects, build), as_built(definitions, build)
    stamp = START.strftime("%Y-%m-%dT%H:%M:%SZ")
    return settled(prepared(Loaded(objects, {}), definitions, stamp), scene)


def settled(seeds: list[Json], scene: Scene) -> Ground:
    """Return a cluster of *seeds* on which the controllers of *scene* have settled."""
    time = Time()
    server = ApiServer(clock=time, rng=random.Random(1))
    server.seed(seeds, manager="installer")
    context = _play(server, time, scene)
    assert settle(time, context), f"{scene} does not settle"
    context.view.close()
    server.compact()
    return server, time.passed_s


def _play(server: ApiServer, time: Time, scene: Scene) -> PlayerContext:
    context = PlayerContext(
        transport=InProcessTransport(server), speed=SPEED, clock=time, build=Build.parse(scene.build)
    )
    for part in ("platform", scene.version, *(("olm",) if scene.version == "3.5" else ())):
        context.troupe.add(*registry.cast(part, context))
    time.troupe = context.troupe
    return context


@dataclass(kw_only=True)
class Rig(World):
    """A forked cluster of one scene, and the tool beside it; ``tenants`` is what ``--tenant`` says."""

    scene: Scene
    ground: Ground | None = None
    tenants: tuple[str, ...] = ()
    flags: PlanFlags = field(default_factory=PlanFlags)

    def __post_init__(self) -> None:
        base, settled_at_s = self.ground or _settled(self.scene)
        self.rng = random.Random(self.seed)
        self.time.passed_s = settled_at_s
        self.server = base.fork(clock=self.time, rng=random.Random(f"fork-{self.seed}"))  # No UID of the ground again.
        self.players = _play(self.server, self.time, self.scene)
        self.person = Client(InProcessTransport(self.server), manager="kubectl")
        shm = Path("/dev/shm")  # Where fsync costs nothing: what is slept here is virtual.
        self.root = Path(tempfile.mkdtemp(prefix="rig-", dir=shm if shm.is_dir() else None))

    def context(self, host: str = "a") -> Context:
        return replace(super().context(host), tenants=self.tenants)

    def looked(self, act: Callable[[Context], T]) -> T:
        """Return what *act* gives in a process of its own."""
        try:
            return act(self.context())
        finally:
            self.running.pop()

    def checked(self) -> Assessment:
        return self.looked(lambda context: look(context, self.flags, context.live().collect())[0])

    def say(self, *tenants: str, accept: tuple[str, ...] = (), translation: tuple[str, ...] = ()) -> None:
        """Say what ``--tenant``, ``--accept`` and ``--api-translation`` are from now on."""
        self.tenants = tenants
        self.flags = PlanFlags(accept=accept, api_translation=translation)

    def planned(self) -> Plan:
        return self.looked(lambda context: plan_from(context, self.flags, context.live().collect()))

    def verified(self, run: str = "") -> Verification:
        return self.looked(lambda context: verify(context, run, "")[0])

    def go(self) -> Outcome:
        """Plan and apply; on 3.5 let the operator upgrade at the gate, and resume."""
        outcome = self.call("apply", lambda context: apply(context, "", self.flags, OPEN, dry_run=False))
        if outcome.code != 20:
            return outcome
        self.upgrade()
        return self.call("resume", lambda context: resume(context, "", "", OPEN, ()))

    def part_two(self, *accept: str) -> Plan:
        """Plan part two of the run that waits at its gate, with further acceptances."""
        run, flags = self.runs()[-1].id, PlanFlags(accept=accept)
        return self.looked(lambda context: make_saved_plan(context, flags, out="", run=run, detailed=False)[0])

    def go_on(self, plan: str) -> Outcome:
        """Resume with a part two that somebody looked at."""
        return self.call("resume", lambda context: resume(context, self.runs()[-1].id, plan, OPEN, ()))

    def upgrade(self) -> None:
        """Let the operator upgrade to 3.6."""
        approve(self)
        settle(self.time, self.players)

    def back(self) -> Outcome:
        outcome = self.rollback(self.runs()[-1].id)
        settle(self.time, self.players)
        return outcome

    def get(self, path: str) -> Json:
        return dict(self.server.get(path))


@contextmanager
def a_rig(
    name: str, build: str = "", version: str = "3.6", *, subscriptions: int | None = None, ground: Ground | None = None
) -> Iterator[Rig]:
    """Give a rig of an example, or on a cluster that is settled already, and take it down."""
    scene = Scene(example=name, version=version, build=build, subscriptions=subscriptions)
    rig = Rig(story=Story(example=name, version=version), scene=scene, ground=ground)
    try:
        yield rig
    finally:
        rig.close()
