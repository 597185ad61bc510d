"""One action, one effect."""

from dataclasses import dataclass
from typing import Any, assert_never

from migrate.engine import perform, restoring, sealing, waiting
from migrate.engine.perform import Change
from migrate.engine.ports import AccessAnswer
from migrate.engine.work import Work, raise_on_signal
from migrate.errors import BlockedError, MigrateError, NotAuthorisedError, NotConfirmedError, UnreachableError
from migrate.records.essence import essence
from migrate.records.objects import Json, KubeObject, ObjectRef
from migrate.records.plan import (
    Ask,
    BackUp,
    CheckAccess,
    DryRun,
    Gate,
    Pause,
    Restart,
    Restore,
    SetFields,
    Step,
    Verify,
    Wait,
)
from migrate.records.predicates import describe
from migrate.records.verification import Verification

RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"
_SHOWN = 5


class NotVerifiedError(MigrateError):
    """The verification of a step found something failed or unknown."""

    reason = "NotVerified"
    verification: Verification | None = None
    final = False


@dataclass(frozen=True, slots=True)
class Done:
    """What a step did; *skipped* means it was not needed."""

    message: str = ""
    skipped: bool = False
    verification: Verification | None = None


def perform_step(work: Work, step: Step) -> Done:  # noqa: C901, PLR0911, PLR0912  one line for each action
    """Perform one step once. Raises a MigrateError; what was written then stands in the journal."""
    match step:
        case CheckAccess():
            return _check_access(work, step)
        case BackUp():
            return Done(sealing.back_up(work, step))
        case DryRun():
            return _dry_run(work, step)
        case Ask():
            return _ask(work, step)
        case SetFields():
            return _set_fields(work, step)
        case Wait():
            waiting.wait(work, step)
            return Done()
        case Pause():
            waiting.pause(work, step)
            return Done()
        case Verify():
            return _verify(work, step)
        case Restore():
            return Done(restoring.restore(work, step))
        case Restart():
            return _restart(work, step)
        case Gate():
            raise TypeError("a gate is reached, not performed")
        case _:
            assert_never(step)


def _check_access(work: Work, step: CheckAccess) -> Done:
    answers = work.hands.cluster.review(step.needs)
    refused = [answer for answer in answers if not answer.allowed and not answer.need.optional]
    for answer in answers:
        if not answer.allowed and answer.need.optional:
            work.log.note(f"less can be proved: {_name(answer)}", step=step.id)
    if refused:
        raise NotAuthorisedError(
            f"nothing was written; {'; '.join(_name(answer) for answer in refused[:_SHOWN])}",
            resolution="Grant these verbs ('maas-migrate rbac' prints the Role), then run again.",
        )
    return Done(f"{len(answers)} permissions checked")


def _name(answer: AccessAnswer) -> str:
    need = answer.need
    resource = f"{need.resource}.{need.group}" if need.group else need.resource
    where = f" in {need.namespace}" if need.namespace else ""
    verdict = "is not permitted" if answer.allowed is False else "is unknown, the server refuses to say"
    return f"'{need.verb} {resource}'{where} {verdict}{f' ({need.why})' if need.why else ''}"


def _dry_run(work: Work, step: DryRun) -> Done:
    tried = 0
    for each in work.plan.steps:
        if isinstance(each, SetFields) and each.object is not None and not work.log.progress.is_done(each.id):
            if not each.uid and work.read(each.object) is None:
                continue
            perform.dry_run(work, each.object, each.after, uid=each.uid)
            tried += 1
    for ref in step.restores:
        live = work.read(ref)
        if live is not None:
            perform.dry_run(work, ref, _own_data(live), uid=live.uid)
            tried += 1
    return Done(f"{tried} writes tried on the server, none of them kept")


def _own_data(live: KubeObject) -> Json:
    """Return what the object declares, as a patch that changes nothing: the write that a rollback would send."""
    return essence(live)


def _ask(work: Work, step: Ask) -> Done:
    if not step.names:
        return Done("nothing to review", skipped=True)
    if step.id in work.here.confirmed:
        return Done("answered before")
    answer = work.hands.operator.ask(step)
    raise_on_signal(work.hands, work.run_id)  # A Ctrl-C at the question asks to stop; it is no answer.
    if answer is None or not answer.yes:
        said = "nobody could be asked" if answer is None else "the answer was no"
        if answer is not None:
            work.log.append("ask.answered", step=step.id, data={"yes": False, "how": answer.how})
        raise NotConfirmedError(
            f"{step.question} {said}; nothing more was written",
            resolution="Review what it names and answer on a terminal, or pass --yes.",
        )
    reviewed = answer.how != "--yes"
    message = f"answered on the {answer.how}" if reviewed else "answered by --yes, not reviewed"
    work.log.append("ask.answered", step=step.id, data={"yes": True, "how": answer.how, "reviewed": reviewed})
    return Done(message)


def _set_fields(work: Work, step: SetFields) -> Done:
    ref = _object_of(step)
    perform.settle(work)
    written = step.id in work.here.written_by
    if step.only_if is not None and not written and not work.holds(step.only_if):
        return Done("not needed", skipped=True)

    def guard(_live: KubeObject) -> None:
        if step.forbidden_if is not None and work.holds(step.forbidden_if):
            raise BlockedError(
                f"{ref} was not written: {describe(step.forbidden_if)}",
                resolution="See why it is so, then make a new plan or resume.",
                object=str(ref),
            )
        if step.withdrawal is not None:
            sealing.must_be_sealed(work, step)

    change = Change(object=ref, patch=step.after, uid=step.uid, expects=step.expects)
    changed = perform.patch(work, change, guard)
    return Done("" if changed else "nothing to write")


def _object_of(step: Step) -> ObjectRef:
    if step.object is None:
        raise TypeError(f"the step {step.id} names no object")
    return step.object


def _verify(work: Work, step: Verify) -> Done:
    """Verify, and read again before anything is called failed."""
    pause_s, verdict, trouble = 1.0, None, ""
    while True:
        try:
            verdict, trouble = work.hands.surveyor.verify(work.plan, step.tenants), ""
        except UnreachableError as unread:
            trouble = unread.message
        if verdict is not None and not trouble and verdict.passed:
            for risk in verdict.recorded_risks:
                work.log.note(f"still shows: {risk}", kind="risk", step=step.id)
            return Done(f"{len(verdict.checks)} checks passed", verification=verdict)
        open_checks = _not_passed(verdict)
        if work.left_s() <= pause_s:
            break
        work.tell(says=trouble or f"not yet: {open_checks}")
        work.rest(pause_s)
        work.must_go_on()
        work.must_hold_lock(0.0)
        pause_s = min(pause_s * 2, 15.0)
    if verdict is None:
        raise UnreachableError(trouble, resolution=f"Run 'maas-migrate verify {work.run_id}' later.")
    error = NotVerifiedError(
        f"the verification found: {open_checks}", resolution=f"Mend it, then run 'maas-migrate verify {work.run_id}'."
    )
    error.verification, error.final = verdict, step.final
    raise error


def _not_passed(verdict: Verification | None) -> str:
    if verdict is None:
        return "no verdict"
    left = [check for check in verdict.checks if check.result in {"failed", "unknown"}]
    texts = [f"{check.code} {check.object or ''} {check.result}: {check.observed}" for check in left[:_SHOWN]]
    return "; ".join(texts) + (f" and {len(left) - _SHOWN} more" if len(left) > _SHOWN else "") or "nothing examined"


def _restart(work: Work, step: Restart) -> Done:
    ref, progress = _object_of(step), work.log.progress
    perform.settle(work)
    restored = progress.last_change.get(step.only_after, 0)
    mine = max(progress.last_change.get(step.id, 0), progress.last_success.get(step.id, 0))
    if step.only_after and restored <= mine:
        return Done("nothing was restored since the last restart", skipped=restored == 0)
    at = work.hands.clock.now().isoformat(timespec="seconds").replace("+00:00", "Z")
    patch: dict[str, Any] = {"spec": {"template": {"metadata": {"annotations": {RESTARTED_AT: at}}}}}
    perform.patch(work, Change(object=ref, patch=patch, compared=False))
    return Done(f"restarted at {at}")
