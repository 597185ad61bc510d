"""Wait until something holds: by watch for effects, on the clock where the fact is a time."""

from datetime import datetime

from migrate.engine import perform, sealing
from migrate.engine.perform import Change
from migrate.engine.work import Work
from migrate.errors import MigrateError, NeedsPersonError, UnreachableError, WaitTimeoutError
from migrate.records.essence import outline
from migrate.records.journal import Base
from migrate.records.merging import holds
from migrate.records.objects import ObjectRef
from migrate.records.plan import Failure, Hint, Pause, Wait
from migrate.records.predicates import Predicate, View, describe, evaluate, refs_of, words_of

_STRETCH_S = 15.0
"""How long one watch is asked for; signals are looked at in between even when nothing can be read."""


class RefusedByControllerError(NeedsPersonError):
    """A wait met one of its failures."""

    reason = "RefusedByController"


def wait(work: Work, step: Wait) -> None:
    """
    Return when ``step.until`` has held for ``settle_seconds``, and take the new bases.

    Raises:
        RefusedByControllerError: One of ``step.fails`` holds in a state newer than our own write.

        WaitTimeoutError: The step's time is over; says what is missing.

        OutsideWindowError, StoppedBySignalError: As ``Work.must_go_on``.
    """
    _until(work, step.until, fails=step.fails, hints=step.hints, settle_s=step.settle_seconds)
    for ref in step.accepts_as_base:
        take_base(work, ref)


def open_gate(work: Work, until: Predicate, hints: tuple[Hint, ...]) -> None:
    """Return when the gate is open. Raises as ``wait`` does."""
    _until(work, until, hints=hints)


def take_base(work: Work, ref: ObjectRef) -> None:
    """Make what an object is now what it is expected to be from here on."""
    thing = work.read(ref)
    if thing is None:
        return
    leaves = outline(thing, work.plan.ignored_paths(ref))
    base = Base(uid=thing.uid, essence=work.essence(thing), outline=leaves)
    work.log.append("base.taken", step=work.step_id, data=perform.plain({"object": ref, "base": base}))


def _until(
    work: Work,
    until: Predicate,
    *,
    fails: tuple[Failure, ...] = (),
    hints: tuple[Hint, ...] = (),
    settle_s: int = 0,
) -> None:
    clock = work.hands.clock
    others = [failure.when for failure in fails] + [hint.when for hint in hints]
    refs = sorted(refs_of(until).union(*map(refs_of, others)))
    since: float | None = None
    missing: tuple[str, ...] = (describe(until),)
    says = ""
    while work.left_s() > 0:
        try:
            for view in work.hands.cluster.observe(refs, timeout_s=min(_STRETCH_S, work.left_s())):
                outcome = evaluate(until, view)
                if outcome.holds:
                    since = clock.monotonic() if since is None else since
                    if clock.monotonic() - since >= settle_s:
                        return
                    missing = (f"holds, and must go on holding for {settle_s} s",)
                else:
                    since, missing = None, outcome.missing
                    _must_not_fail(work, fails, view)
                _mend_reverts(work, view)
                says = "; ".join(filter(None, (_name(hints, view), *held_words(view))))
                work.tell(says=says, missing=missing)
                _must_go_on(work)
        except UnreachableError as error:
            missing = (*missing[:1], f"the API server does not answer: {error.message}")
            work.tell(says=missing[-1])
            work.rest(1.0)
        _must_go_on(work)
    raise _timed_out(work, (*([says] if says else []), *missing, *work.hands.ask_why(refs_of(until))))


def _must_go_on(work: Work) -> None:
    work.must_go_on()
    work.must_hold_lock(0.0)


def held_words(view: View) -> tuple[str, ...]:
    """Return of each object that is being deleted and does not go who holds it."""
    return tuple(
        f"{ref} is being deleted since {thing.get('metadata', 'deletionTimestamp')} and held by the finalizer "
        f"{', '.join(thing.finalizers)}"
        for ref, thing in sorted(view.items())
        if thing is not None and thing.is_deleting and thing.finalizers
    )


def _name(hints: tuple[Hint, ...], view: View) -> str:
    return next((hint.says for hint in hints if evaluate(hint.when, view).holds), "")


def _timed_out(work: Work, missing: tuple[str, ...]) -> MigrateError:
    limit = round(work.deadline - work.started)
    return WaitTimeoutError(
        f"the step {work.step_id} waited {limit} s in vain: {'; '.join(missing)}",
        resolution=f"See to what is missing, then run 'maas-migrate resume {work.run_id} --window START/END'.",
        run=work.run_id,
    )


def _must_not_fail(work: Work, fails: tuple[Failure, ...], view: View) -> None:
    for failure in fails:
        if failure.after_own_write and not _is_newer(work, failure.when, view):
            continue
        if evaluate(failure.when, view).holds:
            told = " ".join((f"{failure.reason}: {failure.message}", *words_of(failure.when, view)))
            raise RefusedByControllerError(told, resolution=failure.resolution)


def _is_newer(work: Work, predicate: Predicate, view: View) -> bool:
    """Return whether each object that we wrote has moved on since."""
    own = work.here.own_version
    for ref in refs_of(predicate):
        thing = view.get(ref)
        if thing is not None and ref in own and thing.resource_version == own[ref]:
            return False
    return True


def _mend_reverts(work: Work, view: View) -> None:
    """Write again what somebody reverted; ``perform.patch`` counts, and gives up after a few times."""
    for ref, own in list(work.here.own_patch.items()):
        live = view.get(ref)
        if live is None or live.is_deleting or holds(live.raw, own):
            continue
        base = work.here.bases.get(ref)
        if base is not None and base.uid == live.uid:
            perform.patch(work, Change(object=ref, patch=own, uid=base.uid), sealing.guard_of(work, ref))


def pause(work: Work, step: Pause) -> None:
    """
    Wait on the clock for ``step.seconds``, counted from when the step was first started after our last write.

    Raises as ``Work.must_go_on``.
    """
    clock = work.hands.clock
    begun = datetime.fromisoformat(work.here.waiting_since[step.id])
    passed = max(0.0, (clock.now() - begun).total_seconds())
    end = clock.monotonic() + step.seconds - passed
    while (left := end - clock.monotonic()) > 0:
        work.tell(says=step.why, missing=(f"{round(left)} s left",))
        _must_go_on(work)  # It keeps the lock, too.
        clock.sleep(min(1.0, left))
