"""One fake for each port of the engine, and the faults that can be played on them."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from migrate.engine.hands import Hands, Waiting
from migrate.engine.ports import (
    Answer,
)
from migrate.errors import NeedsPersonError, RunLockedError, StoreError
from migrate.records.essence import canonical_json
from migrate.records.journal import BackupEntry, Event, EventName
from migrate.records.objects import Json, KubeObject
from migrate.records.plan import Ask, Plan
from migrate.records.verification import CheckResult, Verification
from migrate.store.journal_file import with_hash
from tests.fake_clock import START, Crash, KillSwitch, TickingClock
from tests.fake_cluster import FAULTS, FakeCluster

__all__ = [
    "FAULTS",
    "START",
    "Absent",
    "Crash",
    "FakeCluster",
    "FakeHands",
    "FakeLock",
    "FakeSurveyor",
    "KillSwitch",
    "MemoryBackups",
    "MemoryJournal",
    "TickingClock",
    "Willing",
]


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
