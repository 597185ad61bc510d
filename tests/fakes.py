"""One fake for each port of the engine, and the faults that can be played on them."""

import copy
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from migrate.engine.hands import Hands, Waiting
from migrate.engine.ports import (
    AccessAnswer,
    Answer,
    ObjectGoneError,
    OtherObjectError,
    Write,
    WriteConflictError,
    WriteRefusedError,
    WriteUnknownError,
)
from migrate.errors import NeedsPersonError, RunLockedError, StoreError, UnreachableError
from migrate.records.essence import canonical_json
from migrate.records.journal import BackupEntry, Event, EventName
from migrate.records.merging import merge
from migrate.records.objects import Json, KubeObject, ObjectRef
from migrate.records.plan import AccessNeed, Ask, Plan
from migrate.records.predicates import View
from migrate.records.verification import CheckResult, Verification
from migrate.store.journal_file import with_hash

START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class Crash(BaseException):
    """The process is killed here; nothing catches it."""


class KillSwitch:
    """Counts the points where a kill makes a difference, and kills at one of them."""

    def __init__(self, at: int = -1) -> None:
        self.at = at
        self.passed = 0

    def point(self) -> None:
        self.passed += 1
        if self.passed - 1 == self.at:
            raise Crash(self.at)


class TickingClock:
    """Virtual time: sleeping is how it passes; what was scheduled happens on the way."""

    def __init__(self, start: datetime = START) -> None:
        self.start = start
        self.passed_s = 0.0
        self.stopped: Callable[[], bool] = lambda: False
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0

    def now(self) -> datetime:
        return self.start + timedelta(seconds=self.passed_s)

    def monotonic(self) -> float:
        return self.passed_s

    def sleep(self, seconds: float) -> None:
        if not self.stopped():
            self.sleep_through(seconds)

    def sleep_through(self, seconds: float) -> None:
        end = self.passed_s + max(0.0, seconds)
        while self._due and self._due[0][0] <= end:
            at, _, happens = self._due.pop(0)
            self.passed_s = max(self.passed_s, at)
            happens()
        self.passed_s = max(self.passed_s, end)

    def after(self, seconds: float, happens: Callable[[], None]) -> None:
        self._number += 1
        self._due.append((self.passed_s + seconds, self._number, happens))
        self._due.sort(key=lambda entry: entry[:2])


Reaction = Callable[["FakeCluster", Write], None]

FAULTS = ("lost", "dropped", "conflict", "webhook-down")


class FakeCluster:
    """
    Objects in memory, with UIDs, resourceVersions and preconditions as on a server.

    Attributes:
        reactions: Called after each write of ours; they play the controllers.

        faults: What happens to our n-th write, from 0: ``lost`` and ``dropped`` replies, ``conflict``,
            ``webhook-down`` (500, not written), ``refused``, ``gone``, ``other``.

        before_write: Called before our n-th write arrives: a foreign writer in the gap.

        writes: Every write that changed something, dry runs not among them.
    """

    def __init__(self, clock: TickingClock, *objects: Json, kill: KillSwitch | None = None) -> None:
        self.clock = clock
        self.kill = kill or KillSwitch()
        self.objects: dict[ObjectRef, Json] = {}
        self.version = 100
        self.uids = 0
        self.reactions: list[Reaction] = []
        self.faults: dict[int, str] = {}
        self.before_write: dict[int, Callable[[], None]] = {}
        self.writes: list[Write] = []
        self.dry_runs: list[Write] = []
        self.sent = 0
        self.unreachable = 0
        self.refuses: Callable[[Write], str] = lambda _: ""
        self.denied: set[str] = set()
        for thing in objects:
            self.put(thing)

    def put(self, thing: Json, manager: str = "somebody") -> KubeObject:
        """Put an object there, whatever was there before."""
        thing = copy.deepcopy(thing)
        metadata = thing.setdefault("metadata", {})
        ref = KubeObject(thing).ref
        if "uid" not in metadata:
            self.uids += 1
            metadata["uid"] = f"uid-{self.uids}"
        return self._store(ref, thing, manager)

    def _store(self, ref: ObjectRef, thing: Json, manager: str) -> KubeObject:
        self.version += 1
        thing["metadata"]["resourceVersion"] = str(self.version)
        entry = {"manager": manager, "operation": "Update", "time": self.clock.now().isoformat()}
        others = [old for old in thing["metadata"].get("managedFields", []) if old["manager"] != manager]
        thing["metadata"]["managedFields"] = [*others, entry]
        self.objects[ref] = thing
        return KubeObject(copy.deepcopy(thing))

    def foreign(self, ref: ObjectRef, patch: Json, manager: str = "somebody") -> None:
        """Change an object as somebody else."""
        if ref in self.objects:
            self._store(ref, merge(self.objects[ref], patch), manager)

    def delete(self, ref: ObjectRef) -> None:
        """Delete an object as somebody else."""
        self.objects.pop(ref, None)

    def get(self, ref: ObjectRef) -> KubeObject | None:
        """Look without asking."""
        return KubeObject(copy.deepcopy(self.objects[ref])) if ref in self.objects else None

    def read(self, ref: ObjectRef, *, timeout_s: float) -> KubeObject | None:
        if self.unreachable > 0:
            self.unreachable -= 1
            self.clock.sleep_through(timeout_s)
            raise UnreachableError("no answer", resolution="Try again.")
        return self.get(ref)

    def write(self, write: Write, *, timeout_s: float) -> KubeObject | None:
        if write.dry_run:
            self.dry_runs.append(write)
            refusal = self.refuses(write)
            if refusal:
                raise WriteRefusedError(refusal, status=422)
            return self.get(write.object)
        number, self.sent = self.sent, self.sent + 1
        self.kill.point()
        self.before_write.pop(number, lambda: None)()
        fault = self.faults.get(number, "")
        self._fail(fault, write)
        answer = self._commit(write)
        self.kill.point()
        if fault == "lost":
            raise WriteUnknownError("connection reset", status=0)
        return answer

    def _fail(self, fault: str, write: Write) -> None:
        refusal = self.refuses(write)
        if refusal:
            raise WriteRefusedError(refusal, status=422)
        match fault:
            case "dropped":
                raise WriteUnknownError("connection reset", status=0)
            case "webhook-down":
                raise WriteUnknownError('failed calling webhook "v": no endpoints available', status=500)
            case "conflict":
                if write.object in self.objects:
                    self._store(write.object, self.objects[write.object], "status-writer")
                raise WriteConflictError("the object has been modified", status=409)
            case "refused":
                raise WriteRefusedError('admission webhook "v" denied the request: no', status=400)
            case "gone":
                self.delete(write.object)
                raise ObjectGoneError("not found", status=404)
            case _:
                return

    def _commit(self, write: Write) -> KubeObject | None:
        live = self.objects.get(write.object)
        if write.verb == "create":
            if live is not None:
                raise OtherObjectError("already exists", status=409)
            answer: KubeObject | None = self.put(dict(write.body or {}), "maas-migrate")
        else:
            if live is None:
                raise ObjectGoneError("not found", status=404)
            if live["metadata"]["uid"] != write.uid:
                raise OtherObjectError("metadata.uid", status=422)
            if live["metadata"]["resourceVersion"] != write.resource_version:
                raise WriteConflictError("the object has been modified", status=409)
            answer = self._change(write, live)
        self.writes.append(write)
        for reaction in self.reactions:
            reaction(self, write)
        return answer

    def _change(self, write: Write, live: Json) -> KubeObject | None:
        if write.verb == "delete":
            del self.objects[write.object]
            return None
        body = write.body or {}
        if live.get("immutable") is True and any(
            body.get(name, live.get(name)) != live.get(name) for name in ("data", "immutable")
        ):
            raise WriteRefusedError("field is immutable when `immutable` is set", status=422)
        return self._store(write.object, merge(live, body), "maas-migrate")

    def observe(self, refs: Sequence[ObjectRef], *, timeout_s: float) -> Iterator[View]:
        end = self.clock.monotonic() + timeout_s
        while self.clock.monotonic() < end:
            if self.unreachable > 0:
                self.unreachable -= 1
                self.clock.sleep_through(timeout_s)
                raise UnreachableError("no answer", resolution="Try again.")
            yield {ref: self.get(ref) for ref in refs}
            self.clock.sleep_through(1.0)

    def review(self, needs: Sequence[AccessNeed]) -> tuple[AccessAnswer, ...]:
        return tuple(
            AccessAnswer(need=need, allowed=f"{need.verb} {need.resource}" not in self.denied) for need in needs
        )

    def content(self) -> Json:
        """Return what is declared in all objects, to compare two clusters."""
        return {
            str(ref): {key: value for key, value in thing.items() if key not in {"metadata", "status"}}
            | {name: thing["metadata"].get(name) or {} for name in ("labels", "annotations")}
            for ref, thing in sorted(self.objects.items())
        }


class MemoryJournal:
    """A journal that survives the process, as a disk does."""

    def __init__(self, clock: TickingClock, kill: KillSwitch | None = None) -> None:
        self.clock = clock
        self.kill = kill or KillSwitch()
        self.lines: list[Event] = []

    def append(self, event: EventName, *, step: str = "", data: Mapping[str, Any] | None = None) -> Event:
        self.kill.point()
        plain = msgspec.json.decode(canonical_json(msgspec.to_builtins(dict(data or {}), str_keys=True)))
        written = with_hash(
            Event(
                seq=len(self.lines) + 1,
                at=self.clock.now().isoformat(),
                event=event,
                step=step,
                data=plain,
                prev=self.lines[-1].hash if self.lines else "",
            )
        )
        self.lines.append(written)
        self.kill.point()
        return written

    def events(self) -> tuple[Event, ...]:
        return tuple(self.lines)

    def names(self) -> list[str]:
        """Return the events' names, for a test to look at."""
        return [event.event for event in self.lines]


class MemoryBackups:
    """Sealed sets in memory; *damaged* makes every check fail."""

    def __init__(self, kill: KillSwitch | None = None) -> None:
        self.kill = kill or KillSwitch()
        self.sets: dict[str, bytes] = {}
        self.entries: list[BackupEntry] = []
        self.damaged = False

    def save(self, label: str, objects: Sequence[KubeObject]) -> tuple[BackupEntry, ...]:
        self.kill.point()
        made = []
        for thing in objects:
            data = canonical_json(thing.raw)
            file = f"objects/{len(self.sets)}-{label}/{thing.name}.json"
            self.sets[file] = data
            digest = hashlib.sha256(data).hexdigest()
            made.append(
                BackupEntry(
                    object=str(thing.ref), file=file, sha256=digest, bytes=len(data), verified=True, uid=thing.uid
                )
            )
        self.entries += made
        self.kill.point()
        return tuple(made)

    def load(self, entry_file: str, sha256: str) -> KubeObject:
        data = self.sets.get(entry_file)
        if data is None or self.damaged or hashlib.sha256(data).hexdigest() != sha256:
            raise StoreError(f"{entry_file} is missing or damaged", resolution="Restore it.")
        return KubeObject(msgspec.json.decode(data))

    def verify(self) -> tuple[BackupEntry, ...]:
        if self.damaged:
            raise StoreError("a backup is damaged", resolution="Restore it.")
        return tuple(self.entries)


class FakeLock:
    """A lock that can be somebody else's, and that can be lost."""

    def __init__(self) -> None:
        self.held = False
        self.others = False
        self.lost = False
        self.kept = 0

    def acquire(self) -> None:
        if self.others:
            raise RunLockedError("another run holds the lock", resolution="Wait.")
        self.held = True

    def keep(self) -> None:
        self.kept += 1

    def must_hold(self, for_s: float) -> None:
        if self.lost or not self.held:
            raise NeedsPersonError("the lock was lost", resolution="See who holds it.")

    def release(self) -> None:
        self.held = False


class Willing:
    """Says yes; *signal* asks to stop."""

    def __init__(self, answer: Answer | None = None) -> None:
        self.answer = answer or Answer(yes=True, how="terminal")
        self.signal = 0
        self.asked: list[Ask] = []

    def ask(self, step: Ask) -> Answer | None:
        self.asked.append(step)
        return self.answer

    def stop_requested(self) -> int:
        return self.signal


class Absent(Willing):
    """Nobody can be asked."""

    def ask(self, step: Ask) -> Answer | None:
        self.asked.append(step)
        return None


class FakeSurveyor:
    """Gives the verdicts that it was told, the last one for ever."""

    def __init__(self, *verdicts: bool) -> None:
        self.verdicts = list(verdicts) or [True]
        self.asked: list[tuple[str, ...]] = []

    def verify(self, plan: Plan, tenants: Sequence[str]) -> Verification:
        self.asked.append(tuple(tenants))
        passed = self.verdicts.pop(0) if len(self.verdicts) > 1 else self.verdicts[0]
        check = CheckResult(
            code="EnginePraxis",
            expected="Praxis",
            observed="Praxis" if passed else "IPP",
            result="passed" if passed else "failed",
        )
        return Verification(at="2026-11-30T12:00:00Z", checks=(check,), passed=passed)


class FakeHands:
    """All fakes of one run, kept apart so that a test can turn each of them."""

    def __init__(self, *objects: Json, kill: KillSwitch | None = None) -> None:
        self.kill = kill or KillSwitch()
        self.clock = TickingClock()
        self.cluster = FakeCluster(self.clock, *objects, kill=self.kill)
        self.journal = MemoryJournal(self.clock, self.kill)
        self.backups = MemoryBackups(self.kill)
        self.lock = FakeLock()
        self.operator = Willing()
        self.surveyor = FakeSurveyor()
        self.told: list[Waiting] = []
        self.clock.stopped = lambda: bool(self.operator.stop_requested())

    def hands(self) -> Hands:
        return Hands(
            cluster=self.cluster,
            journal=self.journal,
            backups=self.backups,
            lock=self.lock,
            operator=self.operator,
            clock=self.clock,
            surveyor=self.surveyor,
            tell=self.told.append,
        )

    def new_process(self) -> None:
        """What a process holds in memory is gone; disk and cluster stay."""
        self.lock.held = False
        self.kill.at = -1
