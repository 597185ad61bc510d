"""
A run as its journal tells it: events, which of them may follow which, and the state they give.

The journal is an intent log: what is about to be written stands in it, on disk,
before it is sent; the outcome after. An intent without outcome "may have run"
and is settled by reading, never by assuming.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from migrate.records.objects import ObjectRef, Record

EventName = Literal[
    "run.started",
    "run.resumed",
    "run.planned",
    "lock.acquired",
    "lock.released",
    "lock.lost",
    "step.started",
    "step.succeeded",
    "step.skipped",
    "step.failed",
    "step.withdrawn",
    "write.intended",
    "write.applied",
    "write.refused",
    "write.settled",
    "backup.sealed",
    "ask.answered",
    "base.taken",
    "note",
    "gate.reached",
    "gate.passed",
    "rollback.started",
    "run.stopped",
    "run.ended",
    "journal.repaired",
]

Phase = Literal["forward", "rollback"]

RunStateName = Literal[
    "running",
    "waiting-for-upgrade",
    "succeeded",
    "verification-failed",
    "halted",
    "needs-person",
    "rolling-back",
    "rolled-back",
]


class Event(Record, kw_only=True):
    """
    One line of the journal.

    Attributes:
        seq: From 1, without holes.

        at: UTC.

        step: The step's id, ``""`` for the run.

        data: What else is to be known, by event.

        prev: The hash of the line before, ``""`` in the first.

        hash: SHA-256 over the line without ``hash``.
    """

    seq: int
    at: str
    event: EventName
    step: str = ""
    data: dict[str, Any] = msgspec.field(default_factory=dict)
    prev: str = ""
    hash: str = ""


class StepState(Record, kw_only=True):
    """
    Where one step stands.

    Attributes:
        state: ``pending``, ``running``, ``succeeded``, ``skipped``, ``failed``, ``withdrawn``.
    """

    id: str
    state: Literal["pending", "running", "succeeded", "skipped", "failed", "withdrawn"] = "pending"
    started_at: str = ""
    ended_at: str = ""
    attempts: int = 0
    message: str = ""


class BackupEntry(Record, kw_only=True):
    """
    One saved object of a run.

    Attributes:
        object: ``Kind namespace/name``.

        file: The raw object, relative to the run directory.

        uid: Its UID when it was saved.

        manifest: SHA-256 of the set's MANIFEST.json.
    """

    object: str
    file: str
    sha256: str
    bytes: int = 0
    verified: bool = False
    run: str = ""
    uid: str = ""
    manifest: str = ""


class RunState(Record, kw_only=True):
    """
    The state of a run, folded from its journal; the document of ``status`` and ``apply -o json``.

    Attributes:
        plan: The id of the plan that is being run, part two's after the gate.

        plans: The ids of all plans of the run in order.

        wrote: Whether the run has changed the cluster, or may have.

        ended_at: Set when the run is over; a run without it can be resumed or rolled back.

        notes: What a person must know at the end: losses, work left, what goes on by itself.
    """

    format: Literal["maas-migrate/run"] = "maas-migrate/run"
    version: Literal[1] = 1
    id: str
    plan: str = ""
    plans: tuple[str, ...] = ()
    cluster: str = ""
    server: str = ""
    state: RunStateName = "running"
    phase: Phase = "forward"
    wrote: bool = False
    started_at: str = ""
    ended_at: str = ""
    steps: tuple[StepState, ...] = ()
    backups: tuple[BackupEntry, ...] = ()
    notes: tuple[str, ...] = ()
    reason: str = ""
    message: str = ""
    resolution: str = ""
    verification: Any = None
    exit_code: int | None = None


class IllegalEventError(ValueError):
    """An event that cannot follow what the journal says so far."""


_BREAK: frozenset[EventName] = frozenset(
    {"run.resumed", "rollback.started", "run.stopped", "lock.lost", "lock.released"}
)
_STEP: frozenset[EventName] = frozenset({"step.started", "step.withdrawn", "run.ended"})
_OUTCOME: frozenset[EventName] = frozenset({"step.succeeded", "step.skipped", "step.failed", "step.withdrawn"})
_WITHIN: frozenset[EventName] = frozenset({"write.intended", "write.settled", "backup.sealed"})

NEXT: Final[Mapping[str, frozenset[EventName]]] = {
    "": frozenset({"run.started"}),
    "run.started": _BREAK | {"run.planned"},
    "run.planned": _BREAK | _STEP | {"lock.acquired"},
    "run.resumed": _BREAK | _STEP | {"run.planned", "lock.acquired", "write.settled", "gate.passed"},
    "rollback.started": _BREAK | _STEP | {"lock.acquired"},
    "lock.acquired": _BREAK | _STEP | _WITHIN | {"gate.passed"},
    "lock.lost": _BREAK | _OUTCOME | {"run.ended"},
    "lock.released": _BREAK | {"run.planned", "run.ended"},
    "step.started": _BREAK | _OUTCOME | _WITHIN | {"ask.answered", "gate.reached", "run.ended"},
    "step.succeeded": _BREAK | _STEP | _WITHIN,
    "step.skipped": _BREAK | _STEP | _WITHIN,
    "step.failed": _BREAK | _STEP | _WITHIN | {"step.withdrawn"},
    "step.withdrawn": _BREAK | _STEP,
    "write.intended": _BREAK | {"write.applied", "write.refused", "write.settled", "step.failed"},
    "write.applied": _BREAK | _STEP | _OUTCOME | _WITHIN,
    "write.refused": _BREAK | _STEP | _OUTCOME | _WITHIN,
    "write.settled": _BREAK | _STEP | _OUTCOME | _WITHIN,
    "backup.sealed": _BREAK | _OUTCOME | _WITHIN | {"run.ended"},
    "ask.answered": _BREAK | _OUTCOME | {"run.ended"},
    "gate.reached": _BREAK,
    "gate.passed": _BREAK | {"run.planned"},
    "run.stopped": _BREAK,
    "run.ended": frozenset({"lock.released", "lock.lost", "rollback.started"}),
}
"""
Which event may follow which. Those of ``SEE_THROUGH`` may stand anywhere.

A crash may lie after any event, so ``run.resumed`` and ``rollback.started`` follow all but the end.
"""

SEE_THROUGH: frozenset[str] = frozenset({"note", "base.taken", "journal.repaired"})


class Base(Record, kw_only=True):
    """What an object is expected to be: its UID, the fingerprint of its essence, and the leaves of it."""

    uid: str
    essence: str
    outline: dict[str, Any] = msgspec.field(default_factory=dict)


class Intent(Record, kw_only=True):
    """A write that was announced; *then* is the fingerprint the object is expected to have after it."""

    step: str
    object: ObjectRef
    verb: str
    patch: Any = None
    uid: str = ""
    resource_version: str = ""
    then: str = ""


class Sealed(Record, kw_only=True):
    """One object of a sealed backup set, with what it was when it was read."""

    entry: BackupEntry
    object: ObjectRef
    uid: str
    essence: str
    step: str
