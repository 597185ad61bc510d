"""
The base of every played controller, and the troupe that plays them together.

A player looks at everything it cares about in each pass and writes only what
differs; what fails is tried again in the next pass. Without threads a pass is
``Troupe.step()``; with them, ``start()`` and ``stop()``.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, field
from typing import ClassVar, Final

from migrate.maas.resources import Kind
from migrate.records.objects import Json
from migrate.sandbox.controllers.build_36 import Build
from migrate.sandbox.controllers.client import Client
from migrate.sandbox.controllers.refusals import ApiError, NotFoundError
from migrate.sandbox.controllers.shapes import contains, only_differences
from migrate.sandbox.controllers.timing import Clock, MachineClock, Timers, timestamp
from migrate.sandbox.controllers.transport import Transport
from migrate.sandbox.controllers.view import View

log = logging.getLogger(__name__)

QUIET_S: Final = 0.4
"""A troupe has settled when nothing was written or seen for this long."""

STUCK_S: Final = 330.0
"""A troupe that waits for something has settled all the same when nothing was written or seen for so many of the
product's seconds: longer than the five minutes after which it looks at everything again by itself, so what it waits
for does not come by itself."""

STUCK_LEAST_S: Final = 5.0
"""The same on the clock, however much the product's delays are divided."""

LOOK_S: Final = 5.0
"""In a thread a pass comes at the latest after this long, whatever the watches say."""

GLANCE_S: Final = 0.05
"""How often the watches are glanced at that cannot wake the troupe by themselves."""

GATHER_S: Final = 0.02
"""Events that come together are taken in one pass."""


@dataclass(kw_only=True)
class PlayerContext:
    """
    What the players share.

    Attributes:
        view: The cluster as the watches tell it.

        speed: Divides the product's delays.

        build: Which of the known generations of 3.6 are played.

        real_cluster: A real kube-controller-manager runs; only the kubelet is played.
    """

    transport: Transport
    speed: float = 10.0
    clock: Clock = field(default_factory=MachineClock)
    build: Build = field(default_factory=Build)
    real_cluster: bool = False
    client: Client = field(init=False)
    view: View = field(init=False)
    troupe: "Troupe" = field(init=False)

    def __post_init__(self) -> None:
        self.client = Client(self.transport, manager="sandbox")
        self.view = View(self.client, self.clock)
        self.troupe = Troupe(self)


class Player:
    """
    One played controller: subclass it, name it, and write ``reconcile``.

    Attributes:
        name: Unique within a troupe.

        manager: The field manager of its writes.

        kinds: What it follows.

        hangs: Whether it does nothing for now, as a controller that is there and stuck.
    """

    name: ClassVar[str] = ""
    manager: ClassVar[str] = ""
    kinds: ClassVar[tuple[Kind, ...]] = ()

    def __init__(self, context: PlayerContext) -> None:
        self.context = context
        self.view = context.view
        self.client = Client(context.transport, manager=self.manager, counter=context.client.counter)
        self.timers = Timers(context.clock, context.speed)
        self.is_quiet = False
        self.hangs = False
        self._failed = False
        self._read: Set[tuple[str, str]] = frozenset()
        self._moves = 0
        self._pulse = -1
        self._played_at = 0.0
        self._applied: dict[tuple[str, str, str, str], Json] = {}

    def reconcile(self) -> None:
        """Look at everything and write what differs. Called once a pass."""
        raise NotImplementedError

    def step(self) -> bool:
        """Play one pass; return whether anything was written or failed."""
        if self.hangs:
            return False
        before = self.client.counter.writes
        self._failed = False
        self._played_at = self.context.clock.monotonic()
        with self.view.reading() as read:
            for kind in self.kinds:
                self.view.follow(kind)
            self.attempt(self.reconcile)
        self._read, self._moves, self._pulse = read, self.view.moves(read), self.view.pulse.moves
        busy = self._failed or self.client.counter.writes != before
        self.is_quiet = not busy
        return busy

    @property
    def is_idle(self) -> bool:
        """Whether one more pass would do nothing: the last was quiet, and nothing it looked at has moved since."""
        if self.hangs:
            return True
        if not self.is_quiet or self._has_moved():
            return False
        due = self.timers.next_due(self._played_at)
        return due is None or due > self.context.clock.monotonic()

    def _has_moved(self) -> bool:
        now = self.view.pulse.moves
        if self._pulse != now:
            if self.view.moves(self._read) != self._moves:
                return True
            self._pulse = now  # Something moved that it did not look at.
        return False

    @property
    def settled(self) -> bool:
        """Whether its last pass was quiet and nothing is to come by itself."""
        return self.hangs or (self.is_quiet and not self.timers.pending)

    def now(self) -> str:
        """Return the present instant as Kubernetes writes it."""
        return timestamp(self.context.clock.now())

    def attempt(self, work: Callable[[], object]) -> bool:
        """Do *work*; a refusal or a lost connection leaves it to the next pass. Return whether it went through."""
        try:
            work()
        except ApiError as error:
            log.debug("%s: %s", self.name, error)
            self._failed = True
            return False
        return True

    def each(self, objects: Iterable[Json], work: Callable[[Json], object]) -> None:
        """Do *work* for every object; one that fails does not stop the others."""
        for obj in objects:
            self.attempt(lambda obj=obj: work(obj))  # type: ignore[misc]

    def ensure(self, kind: Kind, desired: Json, *, manager: str = "") -> Json:
        """Create the object, or merge into it what differs from *desired* (as Update); return it as it is then."""
        live = self._live(kind, desired)
        if live is None:
            return self._keep(kind, self.client.create(kind, desired, manager=manager))
        body = only_differences(live, desired)
        if not body:
            return live
        body.setdefault("metadata", {})["resourceVersion"] = live["metadata"]["resourceVersion"]
        return self._keep(kind, self.client.patch(kind, live, body, manager=manager))

    def ensure_applied(self, kind: Kind, desired: Json, *, manager: str = "") -> Json:
        """Server-side apply *desired* unless it holds already; return the object as it is then."""
        live = self._live(kind, desired)
        namespace = str(desired["metadata"].get("namespace", ""))
        key = (kind.group, kind.kind, namespace, str(desired["metadata"]["name"]))
        same_as_last = self._applied.get(key, desired) == desired
        if live is not None and same_as_last and contains(live, desired):
            self._applied[key] = desired
            return live
        applied = self.client.apply(kind, desired, manager=manager)
        self._applied[key] = desired
        return self._keep(kind, applied)

    def ensure_patched(self, kind: Kind, live: Json, body: Json, *, manager: str = "") -> Json:
        """Merge *body* into *live* where it differs (null removes), on its resourceVersion; return it as it is then."""
        different = only_differences(live, body)
        if not different:
            return live
        different.setdefault("metadata", {})["resourceVersion"] = live["metadata"]["resourceVersion"]
        return self._keep(kind, self.client.patch(kind, live, different, manager=manager))

    def replace_spec(self, kind: Kind, live: Json, desired: Json, *, manager: str = "") -> Json:
        """
        Make the spec of *live* that of *desired*, and merge its labels, annotations and owners (as Update).

        Defaults of the server are no difference; a limit that *desired* does not have is.
        """
        spec, wanted = live.get("spec") or {}, desired["spec"]
        same_limits = set(spec.get("limits") or {}) == set(wanted.get("limits") or {})
        marks = {
            key: desired["metadata"][key]
            for key in ("labels", "annotations", "ownerReferences")
            if desired["metadata"].get(key)
        }
        if contains(spec, wanted) and same_limits and contains(live["metadata"], marks):
            return live
        metadata = dict(live["metadata"])
        for key, value in marks.items():
            metadata[key] = {**(metadata.get(key) or {}), **value} if isinstance(value, dict) else value
        made = {**live, "metadata": metadata, "spec": wanted}
        return self._keep(kind, self.client.update(kind, made, manager=manager))

    def ensure_status(self, kind: Kind, live: Json, status: Json, *, manager: str = "") -> Json:
        """Merge *status* into the status of *live* where it differs; return the object as it is then."""
        different = only_differences(live.get("status") or {}, status)
        if not different:
            return live
        body = {"metadata": {"resourceVersion": live["metadata"]["resourceVersion"]}, "status": different}
        return self._keep(kind, self.client.patch(kind, live, body, subresource="status", manager=manager))

    def remove(self, kind: Kind, live: Json, *, foreground: bool = False) -> None:
        """Delete exactly *live*; nothing when it is gone or on its way."""
        if live["metadata"].get("deletionTimestamp"):
            return
        try:
            self.client.delete(self.view.served(kind), live, propagation="Foreground" if foreground else "Background")
        except NotFoundError:
            return

    def _live(self, kind: Kind, desired: Json) -> Json | None:
        metadata = desired["metadata"]
        return self.view.get(kind, str(metadata.get("namespace", "")), str(metadata["name"]))

    def _keep(self, kind: Kind, obj: Json) -> Json:
        self.view.put(kind, obj)
        return obj


class Troupe:
    """All players of one context, stepped in order or driven by one thread."""

    def __init__(self, context: PlayerContext) -> None:
        self._context = context
        self._players: list[Player] = []
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._quiet_passes = 0
        self._quiet_since = 0.0
        self._last_pass = -LOOK_S

    @property
    def players(self) -> tuple[Player, ...]:
        """Who plays, in order."""
        return tuple(self._players)

    def add(self, *players: Player) -> None:
        """Let *players* join; they play from the next pass on."""
        self._players.extend(players)
        self._quiet_passes = 0
        self._context.view.wake.set()

    def remove(self, *names: str) -> None:
        """Let the players of these names leave; they write nothing more."""
        self._players = [player for player in self._players if player.name not in names]

    def let_go_on(self, *players: Player) -> None:
        """Let *players* hang no more."""
        for player in players:
            player.hangs = False
        self._quiet_passes = 0
        self._context.view.wake.set()

    def step(self) -> bool:
        """
        Play one pass of everybody; return whether anything was written, failed or seen to change.

        Players look at the view and at their delays only: where neither moved since a quiet pass, nobody plays.
        """
        seen = self._context.view.pump()
        if not seen and self._quiet_passes and not self._is_due():
            self._quiet_passes += 1
            return False
        return self._perform(seen=seen)

    def _perform(self, *, seen: bool, everybody: bool = False) -> bool:
        busy = seen
        self._last_pass = self._context.clock.monotonic()
        for player in self.players:
            if player in self._players:  # An earlier one may have sent it away in this very pass.
                busy = ((everybody or not player.is_idle) and player.step()) or busy
        self._count(busy=busy)
        return busy

    def _is_due(self) -> bool:
        due = self.next_due(self._last_pass)
        return due is not None and due <= self._context.clock.monotonic()

    def next_due(self, after: float | None = None) -> float | None:
        """Return the monotonic instant at which the next delay of anybody ends, *after* that instant or from now on."""
        since = self._context.clock.monotonic() if after is None else after
        found = [due for player in self.players if (due := player.timers.next_due(since)) is not None]
        return min(found, default=None)

    @property
    def settled(self) -> bool:
        """Whether two passes in a row were quiet, for a while, and nothing is to come by itself."""
        if self._quiet_passes < 2:
            return False
        quiet_s = self._context.clock.monotonic() - self._quiet_since
        if quiet_s >= max(STUCK_LEAST_S, STUCK_S / self._context.speed):
            return True
        return quiet_s >= QUIET_S and all(player.settled for player in self.players)

    def start(self) -> None:
        """Play in a thread of its own."""
        self._thread = threading.Thread(target=self._play, name="players", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread and the watches; returns when no more is written."""
        self._stop.set()
        self._context.view.wake.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._context.view.close()

    def wait_settled(self, timeout_s: float, stop: threading.Event | None = None) -> bool:
        """Wait until the players have settled; return whether they have, before *timeout_s* and *stop*."""
        waited = stop or self._stop
        deadline = self._context.clock.monotonic() + timeout_s
        while not self.settled and self._context.clock.monotonic() < deadline:
            if waited.wait(0.05):
                break
        return self.settled

    def _count(self, *, busy: bool) -> None:
        if busy:
            self._quiet_passes = 0
            return
        if self._quiet_passes == 0:
            self._quiet_since = self._context.clock.monotonic()
        self._quiet_passes += 1

    def _play(self) -> None:
        view = self._context.view
        while not self._stop.is_set():
            view.wake.clear()
            try:
                if self._context.clock.monotonic() - self._last_pass >= LOOK_S:
                    self._perform(seen=view.pump(), everybody=True)
                else:
                    self.step()
            except Exception:  # The stage must not go dark because of one scene.
                log.exception("a played controller failed")
                self._count(busy=True)
            view.wake.wait(GLANCE_S)
            self._stop.wait(GATHER_S)
