"""
The bug museum: faults that a tool like this has had elsewhere, planted one at a time into ours.

Each exhibit changes one function for as long as it is shown, and names the story in which the invariants, or a
named test, must find it. A harness that does not see them would not see a new one either.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from migrate.commands.windows import WindowFlags
from tests.torture import plantings as plant
from tests.torture.fates import OPEN
from tests.torture.invariants import CONFIG, PLUGINS, Checker
from tests.torture.plantings import Planting
from tests.torture.points import Point, Points
from tests.torture.sweep import COURSES, Course, WayOn, content_at_gate
from tests.torture.world import World

FORWARD, BACK, PART_ONE, PART_TWO = COURSES


@dataclass(frozen=True, kw_only=True)
class Strike:
    """The *nth* place of that kind, about that thing, and the fault that happens there."""

    place: str
    what: str
    fault: str
    nth: int = 0


@dataclass(frozen=True, kw_only=True)
class Lead:
    """
    A story in which something is to be found.

    Attributes:
        disturb: What somebody else does.

        must_end: The code that the act itself must end with; faults that pass are no reason to stop.

        speed: 1 is the product's own pace; 10 the usual one.
    """

    course: Course = FORWARD
    strikes: tuple[Strike, ...] = ()
    way_on: str = "resume"
    disturb: Callable[[World, Checker], None] = lambda _world, _checker: None
    window: WindowFlags = OPEN
    speed: float = 10.0
    must_end: int | None = None


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """One planted bug and where it shows."""

    name: str
    planting: Planting
    lead: Lead


def follow(lead: Lead) -> list[str]:
    """Live through *lead* and return what was violated."""
    left = [[strike, strike.nth] for strike in lead.strikes]

    def draw(point: Point) -> str:
        for entry in left:
            strike: Any = entry[0]
            if point.place == strike.place and strike.what in point.what:
                entry[1] -= 1  # type: ignore[operator]
                if entry[1] == -1:
                    return str(strike.fault)
        return ""

    world = World(story=lead.course.story, points=Points(), speed=lead.speed)
    checker = Checker(world=world)
    try:
        lead.course.prepare(world)
        world.points.draw = draw
        lead.disturb(world, checker)
        checker.note_window(lead.window)
        checker.verb = "rollback" if lead.course is BACK else ""
        outcome = world.apply(lead.window) if lead.course is FORWARD else lead.course.act(world)
        checker.after(outcome)
        if lead.must_end not in {None, outcome.code}:
            checker.fail("I11", f"ended {outcome.code}, not {lead.must_end}: {outcome.message}")
        world.points.draw = lambda _: ""
        world.time.each_tick.clear()
        checker.ends.clear()
        if checker.found:
            return [str(violation) for violation in checker.found]
        gate = content_at_gate(lead.course.story) if lead.course.ends_at_gate else {}
        WayOn(course=lead.course, world=world, checker=checker, gate=gate).go_on(lead.way_on)
    except Exception as error:  # noqa: BLE001 - a traceback is a finding like any other
        checker.fail("I11", f"{type(error).__name__}: {error}")
    finally:
        world.close()
    return [str(violation) for violation in checker.found]


@contextmanager
def shown(planting: Planting) -> Iterator[None]:
    """Plant the bug while the block lasts."""
    kept = [(where, name, getattr(where, name)) for where, name, _ in planting.changes]
    for where, name, replacement in planting.changes:
        setattr(where, name, replacement)
    try:
        yield
    finally:
        for where, name, original in reversed(kept):
            setattr(where, name, original)


# What others do.


def _changes_plugins_before_the_flip(world: World, checker: Checker) -> None:
    """Somebody changes the ConfigMap after it was saved, once the person has answered."""
    done: list[bool] = []

    def look(point: Point) -> str:
        told = [event.event for event in world.told.get("a", [])]
        if "ask.answered" in told and not done:
            done.append(True)
            _mark(world, checker, PLUGINS, ("data", "foreign.yaml"), "x: 1")
        del point
        return ""

    world.points.visit = look


def _annotates_before_the_write(world: World, checker: Checker) -> None:
    """Somebody annotates the tenant between our read and our write."""
    done: list[bool] = []

    def between(method: str, path: str, body: Any) -> None:
        del method, body
        if path == CONFIG and not done:
            done.append(True)
            _mark(
                world,
                checker,
                CONFIG,
                ("metadata", "annotations", "maas.opendatahub.io/payload-processing-type"),
                "ipp",
            )

    world.before_write.append(between)


def _mark(world: World, checker: Checker, path: str, where: tuple[str, ...], value: str) -> None:
    live = checker.get(path)
    body: Any = {where[-1]: value}
    for part in reversed(where[:-1]):
        body = {part: body}
    world.as_somebody("PATCH", path, body)
    if live and where[-1] == "foreign.yaml":
        checker.marks.append((path, live["metadata"]["uid"], where, value))


def _stops_after_the_flip(world: World, checker: Checker) -> None:
    """The clean-up is held up, and a person asks to stop meanwhile."""
    del checker
    for player in list(world.players.troupe.players):
        if "maas" in player.name:
            world.players.troupe.remove(player.name)
            world.time.after(100.0, lambda player=player: world.players.troupe.add(player))  # type: ignore[misc]

    def look() -> None:
        if checker_says_flipped(world):
            for process in world.running:
                process.person.signal = 2

    world.time.each_tick.insert(0, look)


def checker_says_flipped(world: World) -> bool:
    """Return whether the tenant says Praxis."""
    annotations = world.server.get(CONFIG).get("metadata", {}).get("annotations", {})
    return bool(annotations.get("maas.opendatahub.io/payload-processing-type") == "praxis")


def _holds_it_up(world: World, checker: Checker) -> None:
    """The controllers are slow, so that the window closes, or the lease grows old, meanwhile."""
    del checker
    for player in list(world.players.troupe.players):
        if "maas" in player.name:
            world.players.troupe.remove(player.name)
            world.time.after(400.0, lambda player=player: world.players.troupe.add(player))  # type: ignore[misc]


def _another_holds_the_lease(world: World, checker: Checker) -> None:
    """Another run, alive, holds the lock and renews it."""
    del checker
    stamp = world.time.now().isoformat(timespec="microseconds").replace("+00:00", "Z")
    spec = {
        "holderIdentity": "other@elsewhere/1/20261130t000000z-zzzzzz",
        "leaseDurationSeconds": 60,
        "renewTime": stamp,
    }
    path = "/apis/coordination.k8s.io/v1/namespaces/models-as-a-service/leases"
    name = {"name": "maas-migrate", "namespace": "models-as-a-service"}
    world.as_somebody(
        "POST", path, {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": name, "spec": spec}
    )
    until = world.time.passed_s + 30

    def renew() -> None:
        if world.time.passed_s < until:
            stamp = world.time.now().isoformat(timespec="microseconds").replace("+00:00", "Z")
            world.as_somebody("PATCH", f"{path}/maas-migrate", {"spec": {"renewTime": stamp}})

    world.time.each_tick.append(renew)


FLIP: Final = "PATCH maastenantconfigs"
CALM = Lead()
CALM_BACK = Lead(course=BACK, way_on="rollback")
THEN_BACK = Lead(way_on="rollback")
FAILED_FLIP = Lead(strikes=(Strike(place="api.after", what=FLIP, fault="failed"),), must_end=0)
DROPPED_UNFORCE = Lead(strikes=(Strike(place="api.before", what=FLIP, fault="dropped", nth=1),), must_end=0)
KILLED_AFTER_FLIP = Lead(strikes=(Strike(place="api.after", what=FLIP, fault="kill"),), way_on="rollback")
POWER_AFTER_FLIP = Lead(strikes=(Strike(place="api.after", what=FLIP, fault="power"),), way_on="rollback")
CONFLICT = Lead(strikes=(Strike(place="api.before", what=FLIP, fault="conflict"),), must_end=0)
TORN_LINE = Lead(strikes=(Strike(place="disk.amid", what="journal", fault="kill", nth=9),))
KILLED_IN_A_SET = Lead(strikes=(Strike(place="disk.amid", what="ConfigMap", fault="kill"),))
FULL_DISK = Lead(strikes=(Strike(place="disk.amid", what="journal", fault="enospc", nth=14),))
STOLEN = Lead(strikes=(Strike(place="api.before", what=FLIP, fault="lease-lost"),), speed=1.0)
HELD = Lead(disturb=_another_holds_the_lease)
SLOW = Lead(disturb=_holds_it_up)
NARROW = Lead(disturb=_holds_it_up, window=WindowFlags(window="now+35m", cutoff="33m"), way_on="rollback")
STOPPED = Lead(disturb=_stops_after_the_flip)
CHANGED = Lead(disturb=_changes_plugins_before_the_flip, way_on="rollback")
BETWEEN = Lead(disturb=_annotates_before_the_write, way_on="rollback")

EXHIBITS: Final = (
    Exhibit(name="journal lines are not synced", planting=plant.NO_SYNC_OF_THE_JOURNAL, lead=POWER_AFTER_FLIP),
    Exhibit(name="files of a backup are not synced", planting=plant.NO_SYNC_OF_FILES, lead=CALM),
    Exhibit(name="folders are not synced", planting=plant.NO_SYNC_OF_FOLDERS, lead=CALM),
    Exhibit(name="a set gets its name before it is written", planting=plant.NAME_BEFORE_CONTENT, lead=KILLED_IN_A_SET),
    Exhibit(name="a write is announced after it was sent", planting=plant.NO_INTENT, lead=KILLED_AFTER_FLIP),
    Exhibit(name="a write without answer is sent again", planting=plant.WRITES_ARE_RETRIED, lead=FAILED_FLIP),
    Exhibit(name="writes carry no preconditions", planting=plant.NO_PRECONDITIONS, lead=CALM),
    Exhibit(name="a conflict counts as success", planting=plant.CONFLICT_IS_SUCCESS, lead=CONFLICT),
    Exhibit(name="an unknown outcome counts as written", planting=plant.ASSUMED_WRITTEN, lead=DROPPED_UNFORCE),
    Exhibit(name="a conflict is an end", planting=plant.CONFLICT_IS_THE_END, lead=CONFLICT),
    Exhibit(name="waits take the first state for the last", planting=plant.WAIT_IS_OVER_AT_ONCE, lead=SLOW),
    Exhibit(name="a verification of nothing passes", planting=plant.NOTHING_CHECKED_PASSES, lead=SLOW),
    Exhibit(name="nothing is backed up before the flip", planting=plant.NO_BACKUP, lead=CALM),
    Exhibit(name="nobody looks whether the backup is of what is there", planting=plant.STALE_BACKUP, lead=CHANGED),
    Exhibit(name="restored before the controllers are back", planting=plant.RESTORE_FIRST, lead=CALM_BACK),
    Exhibit(name="a restore restores nothing", planting=plant.NO_RESTORE, lead=CALM_BACK),
    Exhibit(name="another set is restored than the plan names", planting=plant.WRONG_BACKUP, lead=CALM_BACK),
    Exhibit(name="the force annotation stays", planting=plant.FORCE_STAYS, lead=CALM),
    Exhibit(name="a stop leaves the flip pending", planting=plant.NO_WITHDRAWAL, lead=STOPPED),
    Exhibit(name="the window is not looked at", planting=plant.NO_WINDOW, lead=NARROW),
    Exhibit(name="the lease is never renewed", planting=plant.NO_RENEWAL, lead=SLOW),
    Exhibit(name="a live holder of the lease is pushed aside", planting=plant.LEASE_TAKEN_FROM_THE_LIVING, lead=HELD),
    Exhibit(name="nobody notices that the lease is gone", planting=plant.LEASE_IS_NEVER_LOST, lead=STOLEN),
    Exhibit(name="a torn last line makes the journal unreadable", planting=plant.TORN_LINE_IS_FATAL, lead=TORN_LINE),
    Exhibit(name="a torn last line is written on", planting=plant.TORN_LINE_STAYS, lead=TORN_LINE),
    Exhibit(name="a full disk is no error", planting=plant.FULL_DISK_IS_IGNORED, lead=FULL_DISK),
    Exhibit(name="a sealed set is written over", planting=plant.SETS_ARE_REUSED, lead=CALM_BACK),
    Exhibit(name="every stop ends with 0", planting=plant.ALWAYS_ZERO, lead=STOPPED),
    Exhibit(name="a mark of ours on the tenant", planting=plant.OWN_LABEL, lead=CALM),
    Exhibit(name="the rollback also writes subscriptions back", planting=plant.TOO_MUCH_RESTORED, lead=CALM_BACK),
    Exhibit(name="part two lives on part one's backups", planting=plant.OLD_BACKUPS, lead=Lead(course=PART_TWO)),
    Exhibit(name="done steps are done again on resume", planting=plant.DONE_AGAIN, lead=TORN_LINE),
    Exhibit(name="the rollback leaves the tenant on Praxis", planting=plant.TYPE_STAYS, lead=CALM_BACK),
)


@dataclass
class Control:
    """Leads already followed without a bug: what they find then is no find."""

    found: dict[int, list[str]] = field(default_factory=dict)

    def of(self, lead: Lead) -> list[str]:
        if id(lead) not in self.found:
            self.found[id(lead)] = follow(lead)
        return self.found[id(lead)]
