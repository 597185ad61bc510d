"""Put an object back from its backup: in one patch; an immutable one by delete and create, which nothing splits."""

from migrate.engine import perform, sealing
from migrate.engine.bodies import create_body, differs, restore_patch
from migrate.engine.perform import Change
from migrate.engine.ports import (
    ObjectGoneError,
    OtherObjectError,
    Write,
    WriteConflictError,
    WriteError,
    WriteRefusedError,
    WriteUnknownError,
)
from migrate.engine.work import REQUEST_TIMEOUT_S, Work
from migrate.errors import MigrateError, NeedsPersonError, StoreError, UnreachableError, WaitTimeoutError
from migrate.records.objects import Json, KubeObject, ObjectRef
from migrate.records.plan import Restore

GC_PERIOD_S = 10.0
"""How long after a create the object is read again: the garbage collector takes one with a stale owner at once."""

_UNSPLIT_S = 120.0
_TRIES = 3
_POLL_S = 0.2


def restore(work: Work, step: Restore) -> str:
    """
    Put the object back and compare it byte for byte, and return what was done.

    Raises:
        StoreError: The backup is missing or damaged. Nothing was written.

        NeedsPersonError: It could not be put back, or does not stay as it was put.
    """
    sealing.must_be_whole(work)
    backup = work.hands.backups.load(step.file, step.sha256)
    ref = _ref_of(step, backup)
    perform.settle(work)
    for _ in range(_TRIES):
        live = work.read(ref)
        if live is None:
            _create_from(work.unstoppable(seconds=_UNSPLIT_S), step, backup)
        elif not differs(backup, live, step.sections):
            return f"{ref} is as it was saved" + _what_stood_there(work, step)
        elif live.get("immutable") is True:
            _replace(work, step, backup, live)
        else:
            sealing.seal(work, f"{step.id}-live", [live])
            change = Change(object=ref, patch=restore_patch(step, backup, live), uid=live.uid, compared=False)
            perform.patch(work, change)
    raise NeedsPersonError(
        f"{ref} was put back {_TRIES} times and does not stay as it was saved",
        resolution="Find out who writes it, then run the rollback again.",
        object=str(ref),
    )


def _what_stood_there(work: Work, step: Restore) -> str:
    """Return where that lies which the restore wrote over: it may be somebody's work, and nobody reads the journal."""
    if step.id not in work.here.written_by:
        return "; nothing to write"
    files = {sealed.entry.sha256: sealed.entry.file for sealed in work.here.sealed if sealed.step == step.id}
    shown = ", ".join(f"maas-migrate backups show {work.run_id} {file}" for file in files.values())
    return f"; what stood there is kept: {shown}" if shown else ""


def _ref_of(step: Restore, backup: KubeObject) -> ObjectRef:
    if step.object is None or backup.ref != step.object:
        raise StoreError(
            f"the backup {step.file} holds {backup.ref}, not {step.object}; nothing was changed",
            resolution="Plan the rollback again.",
            object=str(step.object),
        )
    return step.object


def _replace(work: Work, step: Restore, backup: KubeObject, live: KubeObject) -> None:
    """Delete the live immutable object and create the saved one. Past the delete, no signal stops it."""
    work.must_go_on()
    sealing.seal(work, f"{step.id}-live", [live])
    work = work.unstoppable(seconds=max(_UNSPLIT_S, work.left_s()))
    work.must_hold_lock(2 * REQUEST_TIMEOUT_S)
    _delete(work, live)
    _create(work, create_body(step, backup, live.owners), step, backup, put_back=live)


def _create_from(work: Work, step: Restore, backup: KubeObject) -> None:
    """Create the saved object where there is none; after a crash in the middle of ``_replace``, with its owners."""
    replaced = next(
        (
            sealed
            for stretch in reversed(work.log.progress.stretches)
            if stretch.phase == "rollback"
            for sealed in reversed(stretch.sealed)
            if sealed.object == backup.ref
        ),
        None,
    )
    live = work.hands.backups.load(replaced.entry.file, replaced.entry.sha256) if replaced else None
    dropped = [owner for owner in backup.owners if live is None or owner not in live.owners]
    for owner in dropped:
        text = (
            f"{backup.ref}: its owner {owner.get('kind')} {owner.get('name')} (UID {owner.get('uid')}) is not put back"
        )
        work.log.note(text, kind="loss", step=step.id)
    _create(work, create_body(step, backup, live.owners if live else ()), step, backup, put_back=live)


def _delete(work: Work, live: KubeObject) -> None:
    """Delete the object with its preconditions and wait until a read says that it is gone."""
    ref, uid, tries = live.ref, live.uid, 0
    while True:
        perform.settle(work)
        seen = work.read(ref)
        if seen is None or seen.uid != uid:
            return
        if work.left_s() <= 0:
            raise WaitTimeoutError(
                f"{ref} was deleted and does not go away: finalizers {seen.get('metadata', 'finalizers', default=[])}",
                resolution="See to what holds it, then run the rollback again.",
                object=str(ref),
            )
        if seen.is_deleting:
            work.rest(_POLL_S)
            continue
        try:
            perform.write(work, Write(verb="delete", object=ref, uid=uid, resource_version=seen.resource_version))
        except (WriteConflictError, WriteUnknownError, OtherObjectError, ObjectGoneError, UnreachableError):
            tries += 1
            work.rest(_POLL_S * tries)
        except WriteRefusedError as error:
            raise perform.refused(ref, error) from error


def _create(work: Work, body: Json, step: Restore, backup: KubeObject, *, put_back: KubeObject | None) -> None:
    ref, tries, why = backup.ref, 0, ""
    while True:
        perform.settle(work)
        seen = work.read(ref)
        if seen is not None:
            _must_be_ours(seen, backup, step)
            break
        if work.left_s() <= 0:
            raise NeedsPersonError(
                f"{ref} is absent and could not be created within the step's time{why}; its backup is {step.file}",
                resolution="Run the rollback again, or create it from the backup with kubectl create -f.",
                object=str(ref),
            )
        try:
            perform.write(work, Write(verb="create", object=ref, body=body), patch=body)
        except (WriteUnknownError, WriteConflictError, OtherObjectError, ObjectGoneError, UnreachableError) as error:
            tries, why = tries + 1, f" (at last: {error.message})"
            work.rest(_POLL_S * tries)
        except WriteRefusedError as error:
            raise _put_back(work, step, perform.refused(ref, error), put_back) from error
    _must_stay(work, ref)


def _must_be_ours(seen: KubeObject, backup: KubeObject, step: Restore) -> None:
    """A name that is taken is somebody else's object, unless it is byte for byte what was to be created."""
    if differs(backup, seen, step.sections):
        raise NeedsPersonError(
            f"{seen.ref} was created by somebody else before it could be put back; theirs was left as it is",
            resolution="Run the rollback again; it then takes the new object for what is live.",
            object=str(seen.ref),
        )


def _put_back(work: Work, step: Restore, first: MigrateError, live: KubeObject | None) -> MigrateError:
    """Create the object that was deleted again, and return the error that says so; the first cause stays first."""
    if live is None:
        return first
    as_it_was = Restore(
        **{name: getattr(step, name) for name in ("id", "title", "phase", "estimate_seconds", "timeout_seconds")},
        file=step.file,
        sha256=step.sha256,
        sections=step.sections,
    )
    body = create_body(as_it_was, live, live.owners)
    try:
        perform.write(work, Write(verb="create", object=live.ref, body=body), patch=body)
        said = "the object that was deleted for it was put back as it was"
    except (WriteError, MigrateError) as error:
        said = f"putting the deleted object back failed too: {error.message}; it lies in the run's backups"
    return NeedsPersonError(
        f"{first.message}; {said}",
        resolution="Mend what the message names, then run the rollback again.",
        object=str(live.ref),
        run=work.run_id,
    )


def _must_stay(work: Work, ref: ObjectRef) -> None:
    work.rest(GC_PERIOD_S)
    if work.read(ref) is None:
        raise NeedsPersonError(
            f"{ref} was created and is gone again",
            resolution="Look for a garbage collector or an operator that removes it, then run the rollback again.",
            object=str(ref),
        )
