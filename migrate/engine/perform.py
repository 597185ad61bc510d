"""
The one place where a plan becomes a write.

``write`` sends every mutating request of a run: the lock is held, the intent is on disk before it goes
out, the outcome after. ``patch`` brings an object to what is wanted, and rides out what may happen to a write.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from migrate.engine import drift
from migrate.engine.ports import (
    ObjectGoneError,
    OtherObjectError,
    Write,
    WriteConflictError,
    WriteRefusedError,
    WriteUnknownError,
)
from migrate.engine.work import Work
from migrate.errors import BlockedError, NeedsPersonError, NotAuthorisedError, RunHaltedError, UnreachableError
from migrate.records.essence import outline, veiled
from migrate.records.journal import Base
from migrate.records.merging import compose, holds, merge
from migrate.records.objects import Json, KubeObject, ObjectRef, Record

PATCHED_AGAIN_AT_MOST = 2
"""How often a write that somebody reverts is repeated: a tug-of-war flips the data plane back and forth."""

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 10.0


class Change(Record, kw_only=True):
    """
    What an object is to become.

    Attributes:
        uid: The UID it must have, ``""`` for the one that is found.

        expects: Fingerprint of its essence by the plan, ``""`` when the plan has none.

        compared: Whether a foreign change stops it; a withdrawal takes back our own fields whatever else changed.
    """

    object: ObjectRef
    patch: Json
    uid: str = ""
    expects: str = ""
    compared: bool = True


def write(work: Work, request: Write, *, patch: Any = None, then: str = "", again: bool = False) -> KubeObject | None:
    """
    Send *request*, with its intent on disk before and its outcome after, and return the object as answered.

    A dry run changes nothing and leaves no intent. Raises a WriteError, NotAuthorisedError or UnreachableError; after
    WriteUnknownError and UnreachableError the intent stays open until ``settle``.
    """
    timeout_s = work.request_s()
    work.must_hold_lock(timeout_s)
    if request.dry_run:
        return work.hands.cluster.write(request, timeout_s=timeout_s)
    intent = {
        "object": request.object,
        "verb": request.verb,
        "patch": veiled(patch),
        "uid": request.uid,
        "resourceVersion": request.resource_version,
        "then": then,
    }
    work.log.append("write.intended", step=work.step_id, data={"intent": plain(intent), "again": again})
    try:
        answer = work.hands.cluster.write(request, timeout_s=timeout_s)
    except (WriteConflictError, OtherObjectError, ObjectGoneError, NotAuthorisedError) as error:
        work.log.append("write.settled", step=work.step_id, data={"applied": False, "message": error.message})
        raise
    except WriteRefusedError as error:
        refusal = {"status": error.status, "message": error.message}
        work.log.append("write.refused", step=work.step_id, data=refusal)
        raise
    work.log.append("write.applied", step=work.step_id, data=_seen(work, answer))
    return answer


def _seen(work: Work, thing: KubeObject | None) -> dict[str, Any]:
    if thing is None:
        return {}
    return {
        "uid": thing.uid,
        "resourceVersion": thing.resource_version,
        "essence": work.essence(thing),
        "outline": outline(thing, work.plan.ignored_paths(thing.ref)),
    }


def plain(value: Any) -> Any:
    """Return *value* as it stands in the journal."""
    return msgspec.to_builtins(value, str_keys=True)


def settle(work: Work) -> None:
    """Find out by reading whether the open intent, if there is one, took effect."""
    intent = work.log.progress.intent
    if intent is None:
        return
    live = work.read(intent.object)
    match intent.verb:
        case "delete":
            applied = live is None or live.uid != intent.uid
        case "create":
            applied = live is not None and holds(veiled(live.raw), intent.patch)
        case _:
            applied = live is not None and live.uid == intent.uid and holds(veiled(live.raw), intent.patch)
    # Nobody knows whether it was written and reverted at once; then the run counts as having written.
    moved = live is not None and live.resource_version != intent.resource_version
    data = _seen(work, live) if applied else {}
    # The state may already hold a reaction to our write, so no resourceVersion is "our own" here.
    data["resourceVersion"] = ""
    if applied and intent.then:
        data["essence"] = intent.then
    data |= {"applied": applied, "maybe": moved and not applied}
    work.log.append("write.settled", step=intent.step, data=data)


def patch(work: Work, change: Change, guard: Callable[[KubeObject], None] | None = None) -> bool:
    """
    Bring the object to what *change* wants, and return whether that took a write.

    Args:
        work: The step at work.

        change: What is wanted.

        guard: Called with the object just before each write; what it raises stops the write.

    Raises:
        PlanIsStaleError: Another object, or a foreign change. Nothing was written over it.

        BlockedError: The server refuses.

        NeedsPersonError: Somebody reverts what we write, or the server does not keep it.
    """
    written, tries = 0, 0
    while True:
        settle(work)
        live = work.read(change.object)
        if live is None or (change.uid and live.uid != change.uid) or live.is_deleting:
            raise drift.other_object(change.object, change.uid, live)
        if holds(live.raw, change.patch):
            return work.step_id in work.here.written_by
        again = _compare(work, change, live)
        if written > PATCHED_AGAIN_AT_MOST:
            raise _does_not_stay(change, drift.last_writer(live, change.patch), written)
        if guard is not None:
            guard(live)
        wanted = compose(work.here.own_patch.get(change.object, {}), change.patch) if again else change.patch
        try:
            write(work, _request(live, wanted), patch=wanted, then=_after(work, live, wanted), again=again)
        except (WriteConflictError, WriteUnknownError, UnreachableError) as error:
            tries += 1
            _pause(work, change.object, tries, error.message)
        except (OtherObjectError, ObjectGoneError) as error:
            raise drift.other_object(change.object, change.uid or live.uid, work.read(change.object)) from error
        except WriteRefusedError as error:
            raise refused(change.object, error) from error
        else:
            written += 1


def _does_not_stay(change: Change, writer: str, written: int) -> NeedsPersonError:
    return NeedsPersonError(
        f"{change.object} was written {written} times and does not stay as written; {writer} wrote it last",
        resolution="See who changes it (a controller, a webhook, a GitOps tool) and pause that; then go on.",
        object=str(change.object),
    )


def _compare(work: Work, change: Change, live: KubeObject) -> bool:
    """Raise on a foreign change; return whether our own fields, and only those, were reverted."""
    base = work.here.bases.get(change.object)
    expected = base.essence if base else change.expects
    if not change.compared or not expected or work.essence(live) == expected:
        return False
    own = work.here.own_patch.get(change.object)
    if own is None or work.essence(KubeObject(merge(live.raw, own))) != expected:
        raise drift.foreign_change(live, base or _ground(work, change.object), work.plan.ignored_paths(live.ref))
    writer = drift.last_writer(live, own)
    if work.here.patched_again.get(change.object, 0) >= PATCHED_AGAIN_AT_MOST:
        raise NeedsPersonError(
            f"{change.object} was reverted by {writer}, again after {PATCHED_AGAIN_AT_MOST} more patches",
            resolution=f"Make the change where {writer} takes it from, or pause its sync; then resume.",
            object=str(change.object),
        )
    work.log.note(f"{change.object} was reverted by {writer}; patched again", step=work.step_id)
    return True


def _ground(work: Work, ref: ObjectRef) -> Base | None:
    grounds = [*work.plan.grounds, *(member for group in work.plan.ground_sets for member in group.members)]
    found = next((ground for ground in grounds if ground.object == ref), None)
    return Base(uid=found.uid, essence=found.essence, outline=found.outline) if found else None


def _request(live: KubeObject, body: Json, *, dry_run: bool = False) -> Write:
    """Return the patch with its preconditions, which stand in the body."""
    preconditions = {"metadata": {"uid": live.uid, "resourceVersion": live.resource_version}}
    return Write(
        verb="patch",
        object=live.ref,
        uid=live.uid,
        resource_version=live.resource_version,
        body=compose(body, preconditions),
        dry_run=dry_run,
    )


def _after(work: Work, live: KubeObject, body: Json) -> str:
    return work.essence(KubeObject(merge(live.raw, body)))


def _pause(work: Work, ref: ObjectRef, tries: int, why: str) -> None:
    """Wait before the next try. Raises when the step has no time left, or a signal came and nothing is in doubt."""
    if work.left_s() <= 0:
        raise UnreachableError(
            f"{ref} could not be written within the step's time: {why}",
            resolution="See to the API server or the webhook it names, then resume.",
            object=str(ref),
        )
    work.tell(says=f"trying again: {why}")
    work.rest(min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** (tries - 1)))
    if work.log.progress.intent is not None:
        settle(work)
    work.must_go_on()


def refused(ref: ObjectRef, error: WriteRefusedError) -> BlockedError | NotAuthorisedError:
    """Return the error for a write that the server refuses for good."""
    if error.status == 401 or (error.status == 403 and " cannot " in error.message):
        return NotAuthorisedError(
            f"writing {ref} is not permitted: {error.message}",
            resolution="Grant the verb that it names ('maas-migrate rbac' prints the Role), then run again.",
            object=str(ref),
        )
    return BlockedError(
        f"the server refuses the write to {ref}: {error.message}; it was not changed",
        resolution="Mend what the message names, then run again.",
        object=str(ref),
    )


def dry_run(work: Work, ref: ObjectRef, body: Json, *, uid: str = "", tries: int = 5) -> None:
    """
    Send a patch with ``dryRun=All``.

    Raises:
        BlockedError: The server refuses it.

        PlanIsStaleError: It is for another object.

        RunHaltedError: It met conflicts, or got no answer, until its tries or the step's time were used up.
    """
    why, attempt = "", 0
    for attempt in range(1, tries + 1):
        live = work.read(ref)
        if live is None or (uid and live.uid != uid):
            raise drift.other_object(ref, uid, live)
        try:
            write(work, _request(live, body, dry_run=True))
        except (WriteConflictError, WriteUnknownError, UnreachableError) as error:
            why = error.message
            if work.left_s() <= 0:
                break  # It was read just now, so it can be reached: out of time is no other end than out of tries.
            _pause(work, ref, attempt, why)
        except WriteRefusedError as error:
            raise refused(ref, error) from error
        except (OtherObjectError, ObjectGoneError) as error:
            raise drift.other_object(ref, uid or live.uid, work.read(ref)) from error
        else:
            return
    raise RunHaltedError(
        f"the dry run of {ref} met {attempt} conflicts or failures in a row, the last one: {why}; nothing was written",
        resolution="See to the API server or the webhook that it names, then run again.",
        object=str(ref),
    )
