"""One step at work: its hands, its log, its deadline, and what may interrupt it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from migrate.engine.hands import Hands, Waiting
from migrate.errors import (
    InternalError,
    MigrateError,
    NeedsPersonError,
    OutsideWindowError,
    RunHaltedError,
    RunLockedError,
    StoppedBySignalError,
    StoreError,
    TerminatedError,
)
from migrate.records.essence import fingerprint
from migrate.records.journal import NEXT, SEE_THROUGH, Event, EventName, IllegalEventError, Phase
from migrate.records.objects import KubeObject, ObjectRef
from migrate.records.plan import Plan, Step
from migrate.records.predicates import Predicate, View, evaluate, refs_of
from migrate.records.progress import Progress, Stretch
from migrate.records.window import Window

REQUEST_TIMEOUT_S = 15.0
"""The longest a single request may take; no write's timeout may reach past the end of the lease."""

SIGTERM = 15


class WindowClosedError(RunHaltedError):
    """The window closed on a run that is part-way."""

    reason = "WindowClosed"


class Log:
    """The journal together with what it tells so far."""

    def __init__(self, hands: Hands) -> None:
        self._journal = hands.journal
        try:
            self.progress = Progress.of(hands.journal.events())
        except IllegalEventError as error:
            raise StoreError(
                f"the journal of the run cannot be what a run wrote: {error}; nothing was changed",
                resolution="Look at journal.jsonl; restore the run directory from a copy.",
            ) from error

    def append(self, event: EventName, *, step: str = "", data: Mapping[str, Any] | None = None) -> Event:
        """Write an event and take it. Raises InternalError, with nothing written, when it cannot follow."""
        if event not in SEE_THROUGH and event not in NEXT[self.progress.last]:
            raise InternalError(
                f"the journal was about to be told {event} after {self.progress.last or 'nothing'}",
                resolution="Report this; the journal and the cluster are as they were.",
            )
        written = self._journal.append(event, step=step, data=data)
        self.progress.take(written)
        return written

    def note(self, text: str, *, kind: str = "info", step: str = "", **data: Any) -> None:
        """Write down what a person must know at the end; ``progress`` is for the screen alone."""
        if kind == "progress" or text not in self.progress.notes:
            self.append("note", step=step, data={"kind": kind, "text": text, **data})


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """
    What a step needs while it is performed.

    Attributes:
        deadline: On the monotonic clock.

        obeys: Whether signals and the window may stop it; a withdrawal and a rollback's rescue are not stopped.

        locked: Whether the run holds the lock; it does not at the gate.
    """

    run_id: str
    plan: Plan
    hands: Hands
    log: Log
    window: Window
    phase: Phase
    step_id: str = ""
    windowed: bool = False
    started: float = 0.0
    deadline: float = 0.0
    obeys: bool = True
    locked: bool = True
    now_what: dict[str, str] = field(default_factory=dict)

    @property
    def here(self) -> Stretch:
        """The present stretch of the run."""
        return self.log.progress.now

    def for_step(self, step: Step) -> "Work":
        """Return the work on one attempt of *step*, with its time."""
        now = self.hands.clock.monotonic()
        windowed = step.window == "inside" and self.phase == "forward"
        return replace(
            self, step_id=step.id, windowed=windowed, started=now, deadline=now + step.timeout_seconds, now_what={}
        )

    def unstoppable(self, *, seconds: float, step_id: str = "") -> "Work":
        """Return work that has to be brought to its end: no signal and no window stops it."""
        now = self.hands.clock.monotonic()
        return replace(
            self, step_id=step_id or self.step_id, windowed=False, started=now, deadline=now + seconds, obeys=False
        )

    def left_s(self) -> float:
        """Return the seconds left for the step."""
        return self.deadline - self.hands.clock.monotonic()

    def request_s(self) -> float:
        """Return how long the next request may take."""
        return max(1.0, min(REQUEST_TIMEOUT_S, self.left_s()))

    def read(self, ref: ObjectRef) -> KubeObject | None:
        """Read an object, None when the server says 404."""
        return self.hands.cluster.read(ref, timeout_s=self.request_s())

    def view(self, refs: Iterable[ObjectRef]) -> View:
        """Read several objects."""
        return {ref: self.read(ref) for ref in sorted(refs)}

    def holds(self, predicate: Predicate) -> bool:
        """Read what *predicate* looks at, now, and return whether it holds."""
        return evaluate(predicate, self.view(refs_of(predicate))).holds

    def essence(self, thing: KubeObject) -> str:
        """Return the fingerprint of the object's essence, by the plan's rule."""
        return fingerprint(thing, self.plan.ignored_paths(thing.ref))

    def must_go_on(self) -> None:
        """Raise when a signal asks to stop, or the window closed on a step that it binds."""
        if not self.obeys:
            return
        raise_on_signal(self.hands, self.run_id)
        left = self.window.left_s(self.hands.clock.now()) if self.windowed else None
        if left is not None and left <= 0:
            raise window_closed(self, f"the window closed while the step {self.step_id} was at work")

    def must_hold_lock(self, for_s: float) -> None:
        """Raise when the lock is lost, or would end within *for_s* seconds without a renewal."""
        if not self.locked:
            return
        try:
            self.hands.lock.keep()
            self.hands.lock.must_hold(for_s)
        except NeedsPersonError as error:
            self.log.append("lock.lost", step=self.step_id, data={"message": error.message})
            if self.log.progress.has_written:
                raise
            raise RunLockedError(error.message, resolution=error.resolution, run=self.run_id) from error

    def rest(self, seconds: float) -> None:
        """Sleep, at most until the deadline, keeping the lock."""
        if self.locked:
            self.hands.lock.keep()
        seconds = max(0.0, min(seconds, self.left_s()))
        if self.obeys:
            self.hands.clock.sleep(seconds)
        else:
            self.hands.clock.sleep_through(seconds)

    def tell(self, *, says: str = "", missing: tuple[str, ...] = ()) -> None:
        """Tell the screen where a wait stands, and the journal when that has changed."""
        elapsed = self.hands.clock.monotonic() - self.started
        limit = self.deadline - self.started
        self.hands.tell(Waiting(step=self.step_id, elapsed_s=elapsed, limit_s=limit, says=says, missing=missing))
        text = says or "; ".join(missing[:3])
        if text and self.now_what.get("text") != text:
            self.now_what["text"] = text
            self.log.note(text, kind="progress", step=self.step_id, elapsed=round(elapsed), limit=round(limit))


def raise_on_signal(hands: Hands, run_id: str) -> None:
    """Raise when a signal asks to stop."""
    number = hands.operator.stop_requested()
    if number:
        kind: type[MigrateError] = TerminatedError if number == SIGTERM else StoppedBySignalError
        raise kind(
            f"stopped by signal {number} at a safe point",
            resolution=f"Run 'maas-migrate resume {run_id} --window START/END' to go on, "
            f"or 'maas-migrate rollback {run_id}'.",
        )


def window_closed(work: Work, what: str) -> MigrateError:
    """Return the error for a window that does not allow to go on: part-way once something was written."""
    kind = WindowClosedError if work.log.progress.has_written else OutsideWindowError
    resolution = f"Run 'maas-migrate resume {work.run_id} --window START/END' with the next window."
    return kind(what, resolution=resolution, run=work.run_id)
