"""Take back a flip that is in progress, while nothing is lost yet; else say what goes on by itself."""

from migrate.engine import perform
from migrate.engine.perform import Change
from migrate.engine.work import Work
from migrate.errors import NeedsPersonError
from migrate.records.objects import KubeObject
from migrate.records.plan import SetFields, Step, Wait, Withdrawal

WITHDRAWAL_TIMEOUT_S = 30.0


class _TooLateError(Exception):
    """What allowed the withdrawal does not hold any more."""


def armed(work: Work) -> tuple[SetFields, Withdrawal] | None:
    """
    Return the flip that a stop now has to take back or let run, None when there is none.

    A flip is in progress from its write until a later wait with a withdrawal of the same object succeeded.
    """
    flip: SetFields | None = None
    for step in work.plan.steps:
        if isinstance(step, SetFields) and step.withdrawal and step.id in work.here.written_by:
            flip = step
        elif flip and _closes(step, flip) and work.log.progress.is_done(step.id):
            flip = None
    return (flip, flip.withdrawal) if flip and flip.withdrawal else None


def _closes(step: Step, flip: SetFields) -> bool:
    return (
        isinstance(step, Wait)
        and step.withdrawal is not None
        and flip.withdrawal is not None
        and step.withdrawal.object == flip.withdrawal.object
    )


def stretch_of(steps: tuple[Step, ...], index: int) -> tuple[Step, ...]:
    """Return the step and, when it is a flip, all up to the wait that brings it to a safe point."""
    step = steps[index]
    if isinstance(step, SetFields) and step.withdrawal:
        for end in range(index + 1, len(steps)):
            if _closes(steps[end], step):
                return steps[index : end + 1]
    return steps[index : index + 1]


def forward_note(work: Work, flip: SetFields) -> str:
    """Return what goes on by itself when *flip* is not taken back."""
    later = [step for step in work.plan.steps if isinstance(step, Wait) and step.forward_note]
    mine = [step for step in later if _closes(step, flip)] or [step for step in later if step.tenant == flip.tenant]
    if mine:
        return mine[0].forward_note
    return f"{flip.object}: what was begun goes on by itself; it was not taken back because it has gone too far"


def withdraw(work: Work, flip: SetFields, withdrawal: Withdrawal, why: str, *, refused: bool = False) -> str:
    """
    Take *flip* back in one patch while ``only_while`` holds, and return what was done in words.

    Args:
        work: The run's.

        flip: The step to take back.

        withdrawal: How.

        why: What stopped the run.

        refused: Nobody goes on with what was begun: the controller refuses, or the object is gone.

    Raises:
        NeedsPersonError: Something was lost on the way, or it was refused half-way; names ``rollback``.

        MigrateError: The patch itself failed.
    """
    work = work.unstoppable(seconds=WITHDRAWAL_TIMEOUT_S, step_id=flip.id)
    perform.settle(work)

    def must_not_be_late(_live: KubeObject) -> None:
        if not work.holds(withdrawal.only_while):
            raise _TooLateError

    if not work.holds(withdrawal.only_while):
        return _run_forward(work, flip, refused=refused)
    change = Change(object=withdrawal.object, patch=withdrawal.patch, uid=flip.uid, compared=False)
    try:
        perform.patch(work, change, must_not_be_late)
    except _TooLateError:
        return _run_forward(work, flip, refused=refused)
    work.log.append("step.withdrawn", step=flip.id, data={"message": f"withdrawn: {why}"})
    if withdrawal.then_holds is not None and not work.holds(withdrawal.then_holds):
        raise NeedsPersonError(
            f"{withdrawal.object} was taken back, but what it protects was changed meanwhile",
            resolution=f"Run 'maas-migrate rollback {work.run_id}'; it restores from the run's backups.",
            object=str(withdrawal.object),
            run=work.run_id,
        )
    return f"{withdrawal.object} was taken back; nothing was lost"


def _run_forward(work: Work, flip: SetFields, *, refused: bool) -> str:
    note_losses(work, flip.tenant)
    if refused:
        raise NeedsPersonError(
            f"{flip.object} has gone too far to be taken back, and stands half-way",
            resolution=f"Run 'maas-migrate rollback {work.run_id}'; "
            f"or mend what is named and run 'maas-migrate resume {work.run_id}'.",
            object=str(flip.object),
            run=work.run_id,
        )
    note = forward_note(work, flip)
    work.log.note(note, kind="forward", step=flip.id)
    return note


def note_losses(work: Work, tenant: str) -> None:
    """List what the forced flip of *tenant* lost, as work for a person."""
    for text in work.plan.lost_by_force.get(tenant, ()):
        work.log.note(f"{tenant}: lost by the forced flip, for a person to do again: {text}", kind="loss")
