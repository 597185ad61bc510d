"""What a verb needs of the world: the cluster when it is asked for, the state dir, the person, the clock."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from signal import SIGTERM
from typing import Protocol

from migrate.commands.documents import LockHolder
from migrate.engine.hands import Waiting
from migrate.engine.ports import Answer, Clock, Cluster, Journal, Lock
from migrate.errors import NotConfirmedError, StoppedBySignalError, TerminatedError
from migrate.records.plan import Ask
from migrate.records.snapshot import ClusterIdentity, Snapshot
from migrate.store.run_directory import StateDirectory


@dataclass(frozen=True, kw_only=True, slots=True)
class Input:
    """A file that the user named: its name for messages, and its bytes."""

    name: str
    data: bytes


class Live(Protocol):
    """A connection to one cluster."""

    @property
    def identity(self) -> ClusterIdentity:
        """Which cluster; ``id`` is ``""`` when kube-system may not be read."""

    def collect(self) -> Snapshot:
        """Read all that the assessment needs."""

    def cluster(self) -> Cluster:
        """Return the port that the engine works through."""

    def lock(self, run_id: str) -> Lock:
        """Return the lock for a run; not yet taken."""

    def keeping(self, lock: Lock) -> AbstractContextManager[None]:
        """Keep *lock* alive through whatever takes long inside the context."""

    def holder(self) -> LockHolder:
        """Return who holds the lock."""


class Person(Protocol):
    """The operator, as verbs and the engine meet them."""

    def ask(self, step: Ask) -> Answer | None:
        """Answer an Ask step; None when nobody can be asked."""

    def stop_requested(self) -> int:
        """Return the signal that asks to stop, 0 when none does."""

    def confirm(self, question: str) -> bool | None:
        """Answer the ordinary question; None when nobody can be asked."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """
    One call of a verb.

    Attributes:
        live: Connects on first use. Raises UnreachableError, NotAuthorisedError or BadInputError.

        state: Opens the state dir on first use. Raises StoreError.

        say: Writes one line for the person, not part of the document.

        watch: Wraps a journal so that its events show on the screen.

        tell: Called while a step waits.

        user: Who runs this, ``user@host``.

        cwd: Where relative paths begin.

        warn: Says one line that even ``--quiet`` does not silence.

        log_into: Appends the log to a file meanwhile.

        keeps: Whether the state dir outlives the verb; that of a rehearsal does not.
    """

    clock: Clock
    person: Person
    live: Callable[[], Live]
    state: Callable[[], StateDirectory]
    say: Callable[[str], None]
    watch: Callable[[Journal], Journal]
    tell: Callable[[Waiting], None]
    user: str
    cwd: Path
    tenants: tuple[str, ...] = ()
    warn: Callable[[str], None] = lambda _: None
    log_into: Callable[[Path], AbstractContextManager[None]] = lambda _: nullcontext()
    keeps: bool = True


def must_confirm(context: Context, question: str) -> None:
    """Raise NotConfirmedError unless the person says yes, StoppedBySignalError when a signal ends the question."""
    answer = context.person.confirm(question)
    if number := context.person.stop_requested():
        kind = TerminatedError if number == SIGTERM else StoppedBySignalError
        raise kind("Stopped at the question; nothing was written by this call.", resolution="Run it again.")
    if answer is None:
        raise NotConfirmedError(
            "Nobody can be asked here, and nothing was written.", resolution="Add --yes, or run it on a terminal."
        )
    if not answer:
        raise NotConfirmedError("Not confirmed; nothing was written.", resolution="Run it again and answer yes.")
