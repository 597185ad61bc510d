"""
A run as its journal tells it: events, which of them may follow which, and the state they fold to.

The journal is an intent log: what is about to be written stands in it, on disk,
before it is sent; the outcome after. An intent without outcome "may have run"
and is settled by reading, never by assuming.
"""

from typing import Any, Literal

import msgspec

from migrate.records.objects import Record

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
