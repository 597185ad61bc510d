"""One simulated world: a cluster with its controllers, a disk, a clock, and processes of the real tool in it."""

import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from migrate.changes.survey import queries
from migrate.commands.apply import apply
from migrate.commands.context import Context
from migrate.commands.documents import LockHolder
from migrate.commands.planning import PlanFlags
from migrate.commands.resume import resume
from migrate.commands.rollback import rollback
from migrate.commands.runs import Ended, all_states
from migrate.commands.windows import WindowFlags
from migrate.engine.ports import Answer, Cluster, Journal, Lock
from migrate.errors import MigrateError
from migrate.kube.cluster import KubeCluster
from migrate.kube.collect import collect
from migrate.kube.connection import Connection
from migrate.kube.lease import KubeLock
from migrate.kube.lease_record import holder_identity
from migrate.records.journal import Event, EventName, RunState
from migrate.records.objects import Json, ObjectRef
from migrate.records.plan import Ask
from migrate.records.predicates import View
from migrate.records.snapshot import ClusterIdentity, Snapshot
from migrate.sandbox.apiserver import ApiServer
from migrate.sandbox.controllers.client import Client
from migrate.sandbox.controllers.player import PlayerContext
from migrate.sandbox.inprocess import InProcessTransport
from migrate.store.run_directory import StateDirectory
from tests.fakes import Crash
from tests.torture.bases import Base, Story, base_of, play, settle
from tests.torture.clock import Time, ToolClock
from tests.torture.disk import Platter, SimDisk
from tests.torture.points import POWER, Points
from tests.torture.wire import Sent, Wire

__all__ = ["Base", "Outcome", "Story", "World", "base_of", "play", "settle"]

OBSERVE_EVERY_S: Final = 1.0


class SimCluster(KubeCluster):
    """The real cluster port, but for watches: what they would tell is read on virtual time."""

    def __init__(self, connection: Connection, clock: ToolClock, stopped: Callable[[], bool]) -> None:
        super().__init__(connection, clock, stopped, at_once=1)
        self._tool_clock = clock
        self._is_stopped = stopped

    def observe(self, refs: Sequence[ObjectRef], *, timeout_s: float) -> Iterator[View]:
        end = self._tool_clock.monotonic() + timeout_s
        while self._tool_clock.monotonic() < end and not self._is_stopped():
            left_s = max(0.1, end - self._tool_clock.monotonic())
            yield {ref: self.read(ref, timeout_s=left_s) for ref in refs}
            self._tool_clock.sleep(min(OBSERVE_EVERY_S, left_s))


class SimPerson:
    """Says yes, until a signal comes."""

    def __init__(self) -> None:
        self.signal = 0
        self.says = True

    def ask(self, step: Ask) -> Answer | None:
        return Answer(yes=self.says, how="terminal")

    def stop_requested(self) -> int:
        return self.signal

    def confirm(self, question: str) -> bool | None:
        return self.says


class RememberingJournal:
    """A journal that remembers what was acknowledged to the engine as written."""

    def __init__(self, inner: Journal, told: list[Event], process: "Process") -> None:
        self._inner = inner
        self._told = told
        process.is_going_back = any(event.event == "rollback.started" for event in inner.events())
        self._process = process

    def append(self, event: EventName, *, step: str = "", data: Any = None) -> Event:
        self._process.is_going_back |= event == "rollback.started"
        written = self._inner.append(event, step=step, data=data)
        self._told.append(written)
        return written

    def events(self) -> tuple[Event, ...]:
        return self._inner.events()


class Busy:
    """The real lock, with a thread's worth of care beside it: it is kept whenever time passes."""

    def __init__(self, inner: KubeLock) -> None:
        self.inner = inner
        self._at_it = False

    def acquire(self) -> None:
        self._do(self.inner.acquire)

    def keep(self) -> None:
        if not self._at_it:
            self._do(self.inner.keep)

    def must_hold(self, for_s: float) -> None:
        self._do(lambda: self.inner.must_hold(for_s))

    def release(self) -> None:
        self._do(self.inner.release)

    def _do(self, act: Callable[[], None]) -> None:
        self._at_it = True
        try:
            act()
        finally:
            self._at_it = False


class SimLive:
    """One connection to the simulated cluster; fits ``commands.context.Live``."""

    def __init__(self, world: "World", process: "Process") -> None:
        self._world = world
        self._process = process
        self._connection = process.wire.connection()
        self._cluster = SimCluster(self._connection, process.clock, process.is_stopped)
        self._identity: ClusterIdentity | None = None

    @property
    def identity(self) -> ClusterIdentity:
        self._identity = self._identity or self._cluster.identity()
        return self._identity

    def collect(self) -> Snapshot:
        return collect(self._connection, queries, self._process.clock, at_once=1)

    def cluster(self) -> Cluster:
        return self._cluster

    def lock(self, run_id: str) -> Lock:
        identity = holder_identity("torture", f"host-{self._process.host}", self._process.number, run_id)
        self._process.run_id = run_id
        return Busy(
            KubeLock(self._connection, self._process.clock, identity=identity, stopped=self._process.is_stopped)
        )

    @contextmanager
    def _keeping(self, lock: Lock) -> Iterator[None]:
        ticks = self._world.time.each_tick
        ticks.append(lock.keep)
        try:
            yield
        finally:
            ticks.remove(lock.keep)

    def keeping(self, lock: Lock) -> AbstractContextManager[None]:
        return self._keeping(lock)

    def holder(self) -> LockHolder:
        return LockHolder(state="free")


@dataclass(kw_only=True)
class Process:
    """One process of the tool: what it holds in memory is gone when it ends."""

    number: int
    host: str
    wire: Wire
    clock: ToolClock
    person: SimPerson
    run_id: str = ""
    is_going_back: bool = False

    def is_stopped(self) -> bool:
        return bool(self.person.signal)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """
    How one call of a verb ended.

    Attributes:
        code: The exit code, -1 for a process that was killed.
    """

    verb: str
    code: int
    message: str = ""
    resolution: str = ""
    state: RunState | None = field(default=None, repr=False)
    from_s: float = 0.0
    to_s: float = 0.0


@dataclass(kw_only=True)
class World:
    """
    A forked cluster and everything around it.

    Attributes:
        sent: Every request of ours that could change something.

        told: By host, the journal lines that the engine was told are written.

        said: What the person was told.
    """

    story: Story
    seed: int = 0
    speed: float = 10.0
    points: Points = field(default_factory=Points)
    time: Time = field(default_factory=Time)
    sent: list[Sent] = field(default_factory=list)
    told: dict[str, list[Event]] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    processes: int = 0
    ahead_s: float = 0.0
    before_write: list[Callable[[str, str, Json], None]] = field(default_factory=list)
    hosts: dict[str, Platter] = field(default_factory=dict)
    root: Path = field(init=False)
    server: ApiServer = field(init=False)
    players: PlayerContext = field(init=False)
    person: Client = field(init=False)
    rng: random.Random = field(init=False)
    running: list[Process] = field(default_factory=list)

    def __post_init__(self) -> None:
        base = base_of(self.story)
        random.seed(self.seed)
        self.rng = random.Random(self.seed)
        self.time.passed_s = base.settled_at_s
        # No number that the base was made with: its UIDs would come again.
        self.server = base.server.fork(clock=self.time, rng=random.Random(f"fork-{self.seed}"))
        self.players = play(self.server, self.time, self.story.version, speed=self.speed)
        self.person = Client(InProcessTransport(self.server), manager="kubectl")
        shm = Path("/dev/shm")
        self.root = Path(tempfile.mkdtemp(prefix="torture-", dir=shm if shm.is_dir() else None))

    def platter(self, host: str = "a") -> Platter:
        """Return the disk of a machine."""
        if host not in self.hosts:
            path = self.root / host
            path.mkdir(mode=0o700)
            self.hosts[host] = Platter(path)
        return self.hosts[host]

    def context(self, host: str = "a") -> Context:
        """Return what a new process of the tool works with."""
        self.processes += 1
        person = SimPerson()
        clock = ToolClock(self.time, lambda: bool(person.signal))
        clock.ahead_s = self.ahead_s
        wire = Wire(
            server=self.server,
            time=self.time,
            points=self.points,
            process=self.processes,
            sent=self.sent,
            before_write=self.before_write,
            steal_lease=self.steal_lease,
            touch=self.touch,
        )
        process = Process(number=self.processes, host=host, wire=wire, clock=clock, person=person)
        self.running.append(process)
        platter = self.platter(host)
        state = StateDirectory(platter.root / "state", disk=SimDisk(platter, self.points))
        return Context(
            clock=clock,
            person=person,
            live=cache(lambda: SimLive(self, process)),
            state=lambda: state,
            say=self.said.append,
            watch=lambda journal: RememberingJournal(journal, self.told.setdefault(host, []), process),
            tell=lambda _: self._may_signal(person),
            user="torture@host",
            cwd=platter.root,
        )

    def _may_signal(self, person: SimPerson) -> None:
        if self.points.reach("sleep", "wait") == "signal":
            person.signal = 2

    def call(self, verb: str, act: Callable[[Context], Ended], host: str = "a") -> Outcome:
        """Run one verb in a new process, and write down how it ended."""
        ticks, began = list(self.time.each_tick), self.time.passed_s
        outcome: Outcome
        try:
            ended = act(self.context(host))
            message = ended.error.message if ended.error else ""
            outcome = Outcome(verb=verb, code=int(ended.code), message=message, state=ended.state)
        except MigrateError as error:
            outcome = Outcome(verb=verb, code=int(error.exit_code), message=error.message, resolution=error.resolution)
        except Crash as crash:
            outcome = Outcome(verb=verb, code=-1, message=str(crash))
        finally:
            self.running.pop()
            self.time.each_tick[:] = ticks
        if outcome.code == -1 and self.points.power_failed:
            left = self.points.power_failed.removeprefix(POWER).removeprefix("-")
            self.points.power_failed = ""
            self.platter(host).lose_power(self.rng, left)
        outcome = Outcome(
            verb=verb,
            code=outcome.code,
            message=outcome.message,
            resolution=outcome.resolution,
            state=outcome.state,
            from_s=began,
            to_s=self.time.passed_s,
        )
        self.outcomes.append(outcome)
        return outcome

    def apply(self, window: WindowFlags, host: str = "a") -> Outcome:
        flags = PlanFlags(accept=self.story.accept, api_translation=self.story.translation)
        return self.call("apply", lambda context: apply(context, "", flags, window, dry_run=False), host)

    def resume(self, window: WindowFlags, host: str = "a", run: str = "") -> Outcome:
        return self.call("resume", lambda context: resume(context, run, "", window, ()), host)

    def rollback(self, run: str, host: str = "a") -> Outcome:
        return self.call("rollback", lambda context: rollback(context, run, WindowFlags()), host)

    def runs(self, host: str = "a") -> tuple[RunState, ...]:
        """Return where the runs of a machine stand, read with nothing going wrong."""
        was, self.points.quiet = self.points.quiet, True
        try:
            context = self.context(host)
            self.running.pop()
            return all_states(context)
        finally:
            self.points.quiet = was

    def steal_lease(self) -> None:
        """Let somebody else take the lock, as after a long pause of ours."""
        path = "/apis/coordination.k8s.io/v1/namespaces/models-as-a-service/leases/maas-migrate"
        lease = self.server.get(path)
        if lease.get("kind") != "Lease":
            return
        spec = {"holderIdentity": "other@elsewhere/1/20261130t000000z-000000", "leaseTransitions": 100 + len(self.sent)}
        self.as_somebody("PATCH", path, {"spec": spec})

    def touch(self, path: str) -> None:
        """Let somebody write what is no part of an object's essence, so that its resourceVersion moves."""
        thing = self.server.get(path)
        if not thing.get("metadata", {}).get("name"):
            return
        store = self.server.core.store
        key = next(each for each in store.keys() if each.plural == path.split("/")[-2])  # noqa: SIM118 - no mapping
        marked = {**thing, "metadata": {**thing["metadata"], "managedFields": [*thing["metadata"]["managedFields"]]}}
        store.put(key, marked)

    def as_somebody(self, method: str, path: str, body: Json) -> Json:
        """Send a request as another client."""
        from migrate.sandbox.apiserver import Request  # noqa: PLC0415 - the name is another class's above

        content = "application/merge-patch+json" if method == "PATCH" else "application/json"
        request = Request.to(method, path, body or None, content_type=content, user="admin")
        return dict(self.server.handle(request).document or {})

    def close(self) -> None:
        """Leave nothing behind."""
        real = self.root.resolve()
        for folder, _, _ in os.walk(real):
            Path(folder).chmod(0o700)
        shutil.rmtree(real, ignore_errors=True)
        if self.root.is_symlink():
            self.root.unlink()
        self.players.view.close()
