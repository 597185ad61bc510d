"""
What the engine needs of the world, as Protocols: the cluster, the journal, the backups, the operator, the clock.

``kube`` and ``store`` fit them without importing them; so do the fakes of the tests.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from migrate.records.journal import BackupEntry, Event, EventName
from migrate.records.objects import KubeObject, ObjectRef, Record
from migrate.records.plan import AccessNeed, Ask, Plan
from migrate.records.predicates import View
from migrate.records.verification import Verification
from migrate.records.writes import (
    AccessAnswer,
    ObjectGoneError,
    OtherObjectError,
    Write,
    WriteConflictError,
    WriteError,
    WriteRefusedError,
    WriteUnknownError,
)

__all__ = [
    "AccessAnswer",
    "Answer",
    "Backups",
    "Clock",
    "Cluster",
    "Journal",
    "Lock",
    "ObjectGoneError",
    "Operator",
    "OtherObjectError",
    "Surveyor",
    "Write",
    "WriteConflictError",
    "WriteError",
    "WriteRefusedError",
    "WriteUnknownError",
]


class Cluster(Protocol):
    """
    The cluster.

    Every method may raise NotAuthorisedError (401, 403 on a read) and UnreachableError (no answer within
    *timeout_s*, retries included).
    """

    def read(self, ref: ObjectRef, *, timeout_s: float) -> KubeObject | None:
        """Return the object, None when the server says 404."""

    def write(self, write: Write, *, timeout_s: float) -> KubeObject | None:
        """
        Send one write once and return the object as answered (None for a delete).

        An answer of 429 was not executed and may be sent again in here. Raises a WriteError.
        """

    def observe(self, refs: Sequence[ObjectRef], *, timeout_s: float) -> Iterator[View]:
        """
        Yield the state of *refs* now, after each change, and at least every second; end after *timeout_s*.

        Watches; reads again after 410; rides out 429 and 5xx. A state that could not be read is not yielded.
        """

    def review(self, needs: Sequence[AccessNeed]) -> tuple[AccessAnswer, ...]:
        """Ask the server for each need whether it is permitted."""


class Journal(Protocol):
    """The append-only log of one run."""

    def append(self, event: EventName, *, step: str = "", data: Mapping[str, Any] | None = None) -> Event:
        """Write one event; it is on disk when this returns."""

    def events(self) -> tuple[Event, ...]:
        """Return all events so far."""


class Backups(Protocol):
    """The sealed backup sets of one run."""

    def save(self, label: str, objects: Sequence[KubeObject]) -> tuple[BackupEntry, ...]:
        """Write, fsync, read back and compare one set; it never changes afterwards."""

    def load(self, entry_file: str, sha256: str) -> KubeObject:
        """Return a saved object. Raises StoreError when a byte differs from what was sealed."""

    def verify(self) -> tuple[BackupEntry, ...]:
        """Check every byte of every set. Raises StoreError."""


class Lock(Protocol):
    """The right to write, held by one run at a time (a Lease)."""

    def acquire(self) -> None:
        """Take it. Raises RunLockedError when another run holds it."""

    def keep(self) -> None:
        """Renew it when a third of its duration is over; call it often. Losing it is remembered, not raised."""

    def must_hold(self, for_s: float) -> None:
        """Raise NeedsPersonError unless it is held and stays so for *for_s* seconds without a renewal."""

    def release(self) -> None:
        """Give it back; nothing happens when it is not held."""


class Answer(Record, kw_only=True):
    """What the operator said to an Ask, and how: ``terminal`` or ``--yes``."""

    yes: bool
    how: str


class Operator(Protocol):
    """The person."""

    def ask(self, step: Ask) -> Answer | None:
        """Return the answer; None when nobody can be asked."""

    def stop_requested(self) -> int:
        """Return the number of the signal that asks to stop, 0 when none does."""


class Clock(Protocol):
    """Time."""

    def now(self) -> datetime:
        """Return the wall clock, UTC, aware."""

    def monotonic(self) -> float:
        """Return seconds that never go back."""

    def sleep(self, seconds: float) -> None:
        """Wait; may return early when a stop is requested."""

    def sleep_through(self, seconds: float) -> None:
        """Wait to the end, whatever is requested: for work that is not to be split."""


class Surveyor(Protocol):
    """Reads the whole cluster again and judges it: the way from the engine to what it does not know itself."""

    def verify(self, plan: Plan, tenants: Sequence[str]) -> Verification:
        """Return the verdict on *tenants* of *plan* (all when empty)."""
