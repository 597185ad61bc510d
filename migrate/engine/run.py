"""Run a plan, forward or backward; start and resume are the same code."""

from dataclasses import replace
from typing import Any

import msgspec

from migrate.engine import perform, stopping, waiting, withdrawing
from migrate.engine.hands import Ending, Hands
from migrate.engine.steps import Done, NotVerifiedError, perform_step
from migrate.engine.work import Log, Work, raise_on_signal, window_closed
from migrate.errors import (
    BlockedError,
    MigrateError,
    NeedsPersonError,
    OutsideWindowError,
    RunHaltedError,
    UnreachableError,
)
from migrate.records.journal import EventName, Phase
from migrate.records.plan import Gate, Plan, SetFields, Step, Wait, Withdrawal
from migrate.records.progress import fold_progress
from migrate.records.verification import Verification
from migrate.records.window import Window

_TRIED_AGAIN = (RunHaltedError, UnreachableError)


def run(run_id: str, plan: Plan, hands: Hands, window: Window, *, phase: Phase = "forward") -> Ending:
    """
    Perform the steps of *plan* that the journal does not show as done.

    With an empty journal the run starts; with another plan than the journal's last one (part two, a
    rollback) a new stretch of the same run starts; else the run goes on where it stopped. Where the run
    waits at a Gate the gate is evaluated: still closed gives 20 again, open gives ``Ending.gate_passed``.

    A rollback is a plan of the same steps, run with ``phase="rollback"``; the window never stops it.

    What stops a run is not raised but returned as ``Ending.error``, and stands in the journal. Only what
    cannot be journaled flies: StoreError from the journal itself, and faults of this tool.
    """
    log = Log(hands)
    work = Work(run_id=run_id, plan=plan, hands=hands, log=log, window=window, phase=phase)
    course = _Course(work)
    if course.is_over():
        return course.ending()
    try:
        course.begin()
    except BlockedError as error:
        return course.ending(error)
    if log.progress.gate:
        return course.at_gate()
    if log.progress.gate_passed and course.is_same():
        return course.ending(gate_passed=True)
    return course.go()


class WaitingForUpgradeError(RunHaltedError):
    """The run waits at its gate."""

    reason = "WaitingForUpgrade"


class _Course:
    """One call of ``run``."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._log = work.log
        self._did = False
        self._verification: Verification | None = None

    def ending(self, error: MigrateError | None = None, *, gate_passed: bool = False) -> Ending:
        state = fold_progress(self._work.run_id, self._log.progress)
        return Ending(state=state, error=error, verification=self._verification, gate_passed=gate_passed)

    def is_same(self) -> bool:
        """Return whether the journal's present stretch is of this plan; a rollback that wrote nothing is none."""
        progress = self._log.progress
        if not progress.stretches:
            return False
        here = progress.forward if self._work.phase == "forward" else progress.now
        return here is not None and (here.plan, here.phase) == (self._work.plan.id, self._work.phase)

    def is_over(self) -> bool:
        """Return whether there is nothing to go on with."""
        progress = self._log.progress
        if self._work.phase == "forward" and progress.before_rollback is not None:
            return progress.forward is not None and bool(progress.before_rollback.ended_at)
        stop = progress.stop
        return stop is not None and stop.event == "run.ended" and (self.is_same() or self._work.phase == "forward")

    def begin(self) -> None:
        """Write down that the run starts, goes on, or enters a new stretch."""
        self._must_be_next()
        plan, progress = self._work.plan, self._log.progress
        window = msgspec.to_builtins(self._work.window)
        what = {"plan": plan.id, "part": plan.part, "steps": [step.id for step in plan.steps], "window": window}
        if progress.started is None:
            cluster = {"cluster": plan.cluster.id, "server": plan.cluster.server, "runbook": plan.runbook.name}
            self._log.append("run.started", data={"plan": plan.id, **cluster})
        elif progress.stretches and (self.is_same() or self._work.phase != "rollback"):
            self._log.append("run.resumed", data={"plan": plan.id, "window": window})
        if not self.is_same():
            self._log.append("rollback.started" if self._work.phase == "rollback" else "run.planned", data=what)

    def _must_be_next(self) -> None:
        progress = self._log.progress
        if self.is_same() or not progress.stretches or self._work.phase == "rollback":
            return
        if progress.now.phase == "rollback":
            raise BlockedError(
                f"the run {self._work.run_id} is on its way back; nothing was written",
                resolution=f"Run 'maas-migrate rollback {self._work.run_id}' to go on with that.",
                run=self._work.run_id,
            )
        if not progress.gate_passed:
            raise BlockedError(
                f"the run {self._work.run_id} is under way with the plan {progress.now.plan}; nothing was written",
                resolution=f"Run 'maas-migrate resume {self._work.run_id} --window START/END'.",
                run=self._work.run_id,
            )

    def go(self) -> Ending:
        error: MigrateError | None = None
        try:
            self._work.hands.lock.acquire()
            self._log.append("lock.acquired")
            perform.settle(self._work.unstoppable(seconds=withdrawing.WITHDRAWAL_TIMEOUT_S))
            self._steps()
        except MigrateError as raised:
            error = self._stopped(raised)
        except Exception:
            self._release()  # A fault of this tool; the journal says how far the run came.
            raise
        if error is None:
            self._log.append("run.ended", data={"exitCode": 0})
        self._release()
        return self.ending(error)

    def _release(self) -> None:
        try:
            self._work.hands.lock.release()
            self._log.append("lock.released")
        except MigrateError:
            return  # It runs out by itself; the run's own outcome is what counts.

    def _steps(self) -> None:
        """Perform what is left."""
        for index, step in enumerate(self._work.plan.steps):
            if self._log.progress.is_done(step.id):
                continue
            raise_on_signal(self._work.hands, self._work.run_id)
            self._work.must_hold_lock(0.0)
            self._must_fit(index)
            if isinstance(step, Gate):
                self._log.append("step.started", step=step.id, data={"title": step.title})
                self._log.append("gate.reached", step=step.id, data={"message": f"waits for {step.waiting_for}"})
                raise _gate_closed(self._work, step)
            self._perform(step)
            self._did = True

    def _must_fit(self, index: int) -> None:
        """Raise unless the step, and the way back from it to the last safe point, still fit the window."""
        work, steps = self._work, self._work.plan.steps
        now = work.hands.clock.now()
        if work.phase == "rollback":
            if not work.window.is_open(now):
                self._log.note("the window is closed; a rollback goes on all the same")
            return
        if steps[index].window == "outside":
            return
        stretch = withdrawing.stretch_of(steps, index)
        needed = sum(step.estimate_seconds for step in stretch) + max(step.undo_estimate_seconds for step in stretch)
        fresh = all(state.state == "pending" for state in work.here.steps.values())
        if fresh and work.plan.window is not None:
            needed = max(needed, work.plan.window.minimum_seconds)
        if work.window.fits(now, needed):
            return
        left = work.window.left_s(now)
        is_open = work.window.is_open(now) and left is not None
        where = f"{round(left or 0)} s are left before the cutoff" if is_open else "the window is not open"
        what = f"the step {steps[index].id} needs {needed} s with the way back, and {where}; it was not started"
        if self._did:
            raise window_closed(work, what)
        raise OutsideWindowError(what, resolution="Come back inside the window, or with a longer one.", run=work.run_id)

    def _perform(self, step: Step) -> None:
        attempt = 0
        while True:
            attempt += 1
            work = self._work.for_step(step)
            self._log.append("step.started", step=step.id, data={"attempt": attempt, "title": step.title})
            try:
                done = perform_step(work, step)
            except MigrateError as error:
                self._failed(step, error)
                if attempt >= step.attempts or type(error) not in _TRIED_AGAIN:
                    raise
                work.hands.clock.sleep(min(2.0**attempt, 30.0))
                work.must_go_on()
            else:
                self._succeeded(step, done)
                return

    def _failed(self, step: Step, error: MigrateError) -> None:
        if isinstance(error, NotVerifiedError):
            self._verification = error.verification
        data = {"message": error.message, "reason": error.reason, "exitCode": int(error.exit_code)}
        self._log.append("step.failed", step=step.id, data=data)

    def _succeeded(self, step: Step, done: Done) -> None:
        self._verification = done.verification or self._verification
        name: EventName = "step.skipped" if done.skipped else "step.succeeded"
        self._log.append(name, step=step.id, data={"message": done.message} if done.message else {})
        if isinstance(step, Wait) and step.withdrawal is not None:
            withdrawing.note_losses(self._work, step.tenant)

    def _stopped(self, error: MigrateError) -> MigrateError:
        """Take back what is in progress while that loses nothing, and return the error that the run ends with."""
        flip = withdrawing.armed(self._work) if self._log.progress.stretches else None
        if flip is not None and self._work.phase == "forward":
            error = self._withdrawn(error, *flip)
        if self._log.progress.has_written:
            error = stopping.after_first_write(error)
        over = stopping.is_over(error, has_written=self._log.progress.has_written) and self._work.phase == "forward"
        final = isinstance(error, NotVerifiedError) and error.final
        self._log.append("run.ended" if over or final else "run.stopped", data=_stop_data(error))
        return error

    def _withdrawn(self, error: MigrateError, flip: SetFields, withdrawal: Withdrawal) -> MigrateError:
        refused = isinstance(error, waiting.RefusedByControllerError)
        try:
            said = withdrawing.withdraw(self._work, flip, withdrawal, error.message, refused=refused)
            return stopping.with_more(error, said=said)
        except MigrateError as second:
            if second.message == error.message:
                return error  # What stopped the run stands in the way of taking it back, too: a lost lock.
            return NeedsPersonError(
                f"{error.message}; then: {second.message}",
                resolution=second.resolution,
                object=second.object or str(flip.object),
                run=self._work.run_id,
            )

    def at_gate(self) -> Ending:
        """Look whether the gate is open; read only, so without the lock."""
        gate = next(step for step in self._work.plan.steps if step.id == self._log.progress.gate)
        if not isinstance(gate, Gate):
            raise TypeError(f"the step {gate.id} is no gate")
        work = replace(self._work.for_step(gate), locked=False, windowed=False)
        try:
            if work.holds(gate.closed_while):
                raise _gate_closed(work, gate)
            waiting.open_gate(work, gate.open_when, gate.hints)
        except MigrateError as raised:
            wrote = self._log.progress.has_written
            error = stopping.after_first_write(raised) if wrote else raised
            self._log.append("run.stopped", data=_stop_data(error))
            return self.ending(error)
        self._log.append("gate.passed", step=gate.id, data={"message": "the gate is open"})
        return self.ending(gate_passed=True)


def _gate_closed(work: Work, gate: Gate) -> WaitingForUpgradeError:
    return WaitingForUpgradeError(
        f"the run waits for {gate.waiting_for}; all steps before it are done",
        resolution=f"When it is done, run 'maas-migrate resume {work.run_id} --window START/END'.",
        run=work.run_id,
    )


def _stop_data(error: MigrateError) -> dict[str, Any]:
    return {
        "exitCode": int(error.exit_code),
        "reason": error.reason,
        "message": error.message,
        "resolution": error.resolution,
        "object": error.object,
    }
