"""What a journal tells, event by event, and the state that it folds to."""

from collections.abc import Iterable
from typing import Any

import msgspec

from migrate.records.essence import has_veiled
from migrate.records.journal import (
    NEXT,
    SEE_THROUGH,
    Base,
    Event,
    IllegalEventError,
    Intent,
    Phase,
    RunState,
    RunStateName,
    Sealed,
    StepState,
)
from migrate.records.merging import compose
from migrate.records.objects import ObjectRef

_DONE = frozenset({"succeeded", "skipped"})


class Stretch:
    """
    One plan's stretch of a run: part one, part two, or a rollback. Bases and own writes count within it.

    Attributes:
        own_version: The resourceVersion that our last write to an object returned.

        own_patch: All our patches to an object since the stretch began, composed.

        patched_again: How often a reverted write was repeated, by object.

        waiting_since: When a step was first started after the last write.

        written_by: Ids of the steps that wrote and were not withdrawn.

        sealed: The backups taken in this stretch, oldest first.

        confirmed: Ids of the Ask steps that were answered with yes.
    """

    def __init__(self, plan: str, phase: Phase, part: int, steps: Iterable[str]) -> None:
        self.plan = plan
        self.phase = phase
        self.part = part
        self.steps = {step: StepState(id=step) for step in steps}
        self.wrote = False
        self.bases: dict[ObjectRef, Base] = {}
        self.own_version: dict[ObjectRef, str] = {}
        self.own_patch: dict[ObjectRef, Any] = {}
        self.patched_again: dict[ObjectRef, int] = {}
        self.waiting_since: dict[str, str] = {}
        self.written_by: set[str] = set()
        self.confirmed: set[str] = set()
        self.sealed: list[Sealed] = []

    def forget(self, ref: ObjectRef) -> None:
        """Drop what is known of an object that we deleted."""
        self.bases.pop(ref, None)
        self.own_version.pop(ref, None)
        self.own_patch.pop(ref, None)

    @property
    def is_done(self) -> bool:
        """Whether every step succeeded or was skipped."""
        return all(step.state in _DONE for step in self.steps.values())


class Progress:
    """
    All that a journal tells, event by event; ``take`` refuses an event that cannot be.

    Attributes:
        last_change: The seq of the last own write of a step, over the whole run.

        last_success: The seq of the last success of a step, over the whole run.
    """

    def __init__(self) -> None:
        self.last = ""
        self.seq = 0
        self.started: Event | None = None
        self.stretches: list[Stretch] = []
        self.intent: Intent | None = None
        self.wrote = False
        self.sealed: list[Sealed] = []
        self.notes: dict[str, tuple[str, Phase]] = {}
        self.last_change: dict[str, int] = {}
        self.last_success: dict[str, int] = {}
        self.gate = ""
        self.gate_passed = False
        self.stop: Event | None = None
        self.before_rollback: RunState | None = None
        self.aside: tuple[str, bool] = ("", False)

    @classmethod
    def of(cls, events: Iterable[Event]) -> "Progress":
        """Return what *events* tell. Raises IllegalEventError."""
        progress = cls()
        for event in events:
            progress.take(event)
        return progress

    @property
    def now(self) -> Stretch:
        """The present stretch."""
        if not self.stretches:
            raise IllegalEventError("the journal names no plan")
        return self.stretches[-1]

    @property
    def forward(self) -> Stretch | None:
        """The stretch that may go forward: the present one, or the one before rollbacks that wrote nothing."""
        for stretch in reversed(self.stretches):
            if stretch.phase == "forward":
                return stretch
            if stretch.wrote or self.intent is not None:
                return None
        return None

    @property
    def has_written(self) -> bool:
        """Whether the run has changed the cluster, or may have."""
        return self.wrote or self.intent is not None

    def state_of(self, step: str) -> StepState:
        """Return where a step of the present stretch stands."""
        return self.now.steps[step]

    def is_done(self, step: str) -> bool:
        """Return whether a step of the present stretch needs nothing more."""
        return self.now.steps[step].state in _DONE

    def take(self, event: Event) -> None:
        """Take the next event. Raises IllegalEventError when it cannot follow, or holds what no event does."""
        try:
            self._take(event)
        except (TypeError, KeyError, AttributeError, msgspec.ValidationError) as error:
            raise IllegalEventError(f"event {event.seq}: {event.event} does not hold what it should") from error

    def _take(self, event: Event) -> None:
        if event.seq != self.seq + 1:
            raise IllegalEventError(f"event {event.seq} follows event {self.seq}")
        self.seq = event.seq
        if event.event not in SEE_THROUGH:
            if event.event not in NEXT[self.last]:
                raise IllegalEventError(f"event {event.seq}: {event.event} cannot follow {self.last or 'nothing'}")
            self.last = event.event
        kind, _, what = event.event.partition(".")
        match kind:
            case "run" | "rollback" | "gate":
                self._take_run(event)
            case "step":
                self._take_step(event, what)
            case "write":
                self._take_write(event, what)
            case _:
                self._take_other(event)

    def _take_run(self, event: Event) -> None:
        match event.event:
            case "run.started":
                self.started = event
            case "run.planned" | "rollback.started":
                self._begin(event)
            case "run.stopped" | "run.ended":
                self._take_stop(event)
            case "gate.reached":
                self._must_run(event)
                self.gate = event.step
            case "gate.passed":
                if not self.gate:
                    raise IllegalEventError(f"event {event.seq}: a gate that was not reached was passed")
                self._end_step(self.gate, event, "succeeded")
                self.gate, self.gate_passed = "", True
            case _:
                self._resume(event)

    def _resume(self, event: Event) -> None:
        if self.stop is not None and self.stop.event == "run.ended":
            raise IllegalEventError(f"event {event.seq}: {event.event} after the end")
        forward = self.forward
        if forward is not None and forward is not self.stretches[-1] and event.data.get("plan") == forward.plan:
            # A rollback that wrote nothing is given up, and the run goes forward again.
            del self.stretches[self.stretches.index(forward) + 1 :]
            (self.gate, self.gate_passed), self.before_rollback = self.aside, None
        self.stop = None

    def _begin(self, event: Event) -> None:
        phase: Phase = "rollback" if event.event == "rollback.started" else "forward"
        if phase == "forward" and self.stretches and (not self.gate_passed or self.now.phase == "rollback"):
            raise IllegalEventError(f"event {event.seq}: a second plan, and no gate was passed")
        if phase == "rollback" and not self.stretches and event.data.get("steps"):
            raise IllegalEventError(f"event {event.seq}: nothing to roll back")
        # A run that was cut short between its first line and its second has no plan, and goes back without a step.
        if phase == "rollback" and self.stretches and self.now.phase == "forward":
            self.before_rollback, self.aside = fold_progress("", self), (self.gate, self.gate_passed)
        self.stop, self.gate, self.gate_passed = None, "", False
        data = event.data
        self.stretches.append(
            Stretch(str(data.get("plan", "")), phase, int(data.get("part", 1)), data.get("steps", ()))
        )

    def _take_stop(self, event: Event) -> None:
        code = event.data.get("exitCode")
        if code is not None and not isinstance(code, int):
            raise IllegalEventError(f"event {event.seq}: an exit code that is no number")
        if event.event == "run.ended" and code == 0 and not self.now.is_done:
            raise IllegalEventError(f"event {event.seq}: a run that ended well with steps left")
        self.stop = event

    def _must_run(self, event: Event) -> StepState:
        state = self.now.steps.get(event.step)
        if state is None:
            raise IllegalEventError(f"event {event.seq}: the plan has no step {event.step!r}")
        if state.state != "running":
            raise IllegalEventError(
                f"event {event.seq}: {event.event} of the step {event.step}, which is {state.state}"
            )
        return state

    def _take_step(self, event: Event, what: str) -> None:
        if event.step not in self.now.steps:
            raise IllegalEventError(f"event {event.seq}: the plan has no step {event.step!r}")
        self.stop = None
        match what:
            case "started":
                self._start_step(event)
            case "withdrawn":
                self._end_step(event.step, event, "withdrawn")
                self.now.written_by.discard(event.step)
            case _:  # It succeeded, failed or was skipped.
                self._must_run(event)
                self._end_step(event.step, event, what)
        if what == "succeeded":
            self.last_success[event.step] = event.seq

    def _start_step(self, event: Event) -> None:
        old = self.now.steps[event.step]
        if old.state in _DONE:
            raise IllegalEventError(f"event {event.seq}: the step {event.step} is started again after it {old.state}")
        self.now.steps[event.step] = msgspec.structs.replace(
            old,
            state="running",
            started_at=old.started_at or event.at,
            ended_at="",
            attempts=old.attempts + 1,
            message="",
        )
        self.now.waiting_since.setdefault(event.step, event.at)

    def _end_step(self, step: str, event: Event, state: Any) -> None:
        self.now.steps[step] = msgspec.structs.replace(
            self.now.steps[step], state=state, ended_at=event.at, message=str(event.data.get("message", ""))
        )

    def _take_write(self, event: Event, what: str) -> None:
        if what == "intended":
            self.intent = msgspec.convert({**event.data.get("intent", {}), "step": event.step}, Intent)
            if event.data.get("again"):
                self.now.patched_again[self.intent.object] = self.now.patched_again.get(self.intent.object, 0) + 1
            return
        intent, self.intent = self.intent, None
        if intent is None:
            raise IllegalEventError(f"event {event.seq}: an outcome without an intent")
        if what == "applied" or (what == "settled" and event.data.get("applied")):
            self._applied(intent, event)
        elif event.data.get("maybe"):
            self.wrote = self.now.wrote = True

    def _applied(self, intent: Intent, event: Event) -> None:
        here, ref, data = self.now, intent.object, event.data
        self.wrote = here.wrote = True
        here.waiting_since = {step: at for step, at in here.waiting_since.items() if step == event.step}
        self.last_change[intent.step] = event.seq
        here.written_by.add(intent.step)
        if intent.verb == "delete":
            here.forget(ref)
            return
        here.own_version[ref] = str(data.get("resourceVersion", ""))
        if intent.verb == "patch" and not has_veiled(intent.patch):
            # A text of which the journal has the digest alone cannot be written again from it.
            here.own_patch[ref] = compose(here.own_patch.get(ref, {}), intent.patch)
        here.bases[ref] = Base(
            uid=str(data.get("uid", intent.uid)),
            essence=str(data.get("essence", "")),
            outline=data.get("outline", {}),
        )

    def _take_other(self, event: Event) -> None:
        data = event.data
        match event.event:
            case "base.taken":  # After a verified wait: what the object is now is what it is expected to be.
                self.now.bases[msgspec.convert(data["object"], ObjectRef)] = msgspec.convert(data["base"], Base)
            case "backup.sealed":
                for item in data.get("objects", ()):
                    sealed = msgspec.convert({**item, "step": event.step}, Sealed)
                    self.sealed.append(sealed)
                    self.now.sealed.append(sealed)
            case "ask.answered" if data.get("yes"):
                self.now.confirmed.add(event.step)
            case "note" if data.get("kind") != "progress":
                text = str(data.get("text", ""))
                if text:
                    self.notes.setdefault(text, (str(data.get("kind", "")), self.now.phase))
            case "journal.repaired":
                text = str(data.get("message", "the last record of the journal was torn and was dropped"))
                self.notes.setdefault(text, ("info", "forward"))
            case _:
                pass  # The lock's events, a no and a line for the screen change nothing in the state.


def overall(progress: Progress) -> RunStateName:
    """Return the one word for the whole run; the only place where it is worked out from the steps."""
    if not progress.stretches:
        return "running" if progress.stop is None else "halted"
    here, stop = progress.now, progress.stop
    if stop is None:
        if progress.gate:
            return "waiting-for-upgrade"
        return "running" if here.phase == "forward" else "rolling-back"
    if _is_untouched(progress) and not here.is_done and progress.before_rollback:
        return progress.before_rollback.state
    code = stop.data.get("exitCode")
    if code == 0 and here.is_done:
        return "succeeded" if here.phase == "forward" else "rolled-back"
    if progress.gate and code != 21:
        return "waiting-for-upgrade"
    return {1: "verification-failed", 21: "needs-person"}.get(code, "halted")  # type: ignore[arg-type, return-value]


def _is_untouched(progress: Progress) -> bool:
    """Return whether the ways back since the last way forward surely wrote nothing; an open intent may have."""
    return progress.now.phase == "rollback" and progress.forward is not None


def fold_progress(run_id: str, progress: Progress) -> RunState:
    """Return the document of a run from what its journal tells."""
    started, stop, first = progress.started, progress.stop, progress.before_rollback
    data = stop.data if stop else {}
    state = overall(progress)
    untouched = first is not None and stop is not None and state == first.state and _is_untouched(progress)
    ended = first.ended_at if untouched and first else (stop.at if stop and stop.event == "run.ended" else "")
    plans = tuple(stretch.plan for stretch in progress.stretches if stretch.phase == "forward")
    return RunState(
        id=run_id,
        plan=plans[-1] if plans else "",
        plans=plans,
        cluster=str(started.data.get("cluster", "")) if started else "",
        server=str(started.data.get("server", "")) if started else "",
        state=state,
        phase=progress.now.phase if progress.stretches and not untouched else "forward",
        wrote=progress.has_written,
        started_at=started.at if started else "",
        ended_at=ended,
        steps=tuple(step for stretch in progress.stretches for step in stretch.steps.values()),
        backups=tuple(sealed.entry for sealed in progress.sealed),
        notes=_notes(progress, state),
        reason=str(data.get("reason", "")),
        message=str(data.get("message", "")),
        resolution=str(data.get("resolution", "")),
        exit_code=data.get("exitCode"),
    )


def _notes(progress: Progress, state: RunStateName) -> tuple[str, ...]:
    """Return what a person must know; what the way forward lost or left is over once rolled back."""
    over = {(kind, "forward") for kind in ("loss", "forward", "risk")} if state == "rolled-back" else set()
    return tuple(text for text, kind in progress.notes.items() if kind not in over)


def fold(run_id: str, events: Iterable[Event]) -> RunState:
    """Return the state that *events* give. Raises IllegalEventError for a journal that no run can have written."""
    return fold_progress(run_id, Progress.of(events))
