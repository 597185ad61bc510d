"""Backups: taken before anything is lost, and proved before anything is lost."""

from collections.abc import Callable, Sequence

from migrate.engine import drift
from migrate.engine.perform import plain
from migrate.engine.work import Work
from migrate.errors import StoreError
from migrate.records.essence import outline
from migrate.records.journal import BackupEntry, Base, Sealed
from migrate.records.objects import KubeObject, ObjectRef
from migrate.records.plan import BackUp, SetFields
from migrate.records.predicates import refs_of


def back_up(work: Work, step: BackUp) -> str:
    """
    Save the step's objects as one sealed set, and return how many.

    Raises:
        PlanIsStaleError: One is gone, or another has its name.
    """
    found = []
    for item in step.items:
        live = work.read(item.object)
        if live is None and item.optional:
            work.log.note(f"{item.object} is gone and is not in the backup", step=step.id)
            continue
        if live is None or (live.uid != item.uid and not item.optional):
            raise drift.other_object(item.object, item.uid, live)
        if live.uid != item.uid:
            work.log.note(f"{item.object} was made anew since the plan; the new one is in the backup", step=step.id)
        found.append(live)
    seal(work, step.id, found)
    return f"{len(found)} objects saved and verified"


def seal(work: Work, label: str, objects: Sequence[KubeObject]) -> tuple[BackupEntry, ...]:
    """Save *objects* and write into the journal what they were."""
    entries = work.hands.backups.save(label, objects)
    sealed = [
        {"entry": entry, "object": thing.ref, "uid": thing.uid, "essence": work.essence(thing)}
        for entry, thing in zip(entries, objects, strict=True)
    ]
    work.log.append("backup.sealed", step=work.step_id, data={"label": label, "objects": plain(sealed)})
    return entries


def must_be_whole(work: Work) -> None:
    """Check every byte of every set, and that each object in the journal is among them. Raises StoreError."""
    found = {entry.file: entry for entry in work.hands.backups.verify()}
    for sealed in work.log.progress.sealed:
        entry = found.get(sealed.entry.file)
        if entry is None or (entry.sha256, entry.manifest) != (sealed.entry.sha256, sealed.entry.manifest):
            raise StoreError(
                f"the backup {sealed.entry.file} is not what the journal says was sealed; nothing was changed",
                resolution="Restore the run directory from a copy; do not go on without it.",
                object=sealed.entry.object,
                run=work.run_id,
            )


def must_be_sealed(work: Work, step: SetFields) -> None:
    """
    Prove that all that *step* puts at stake lies in a verified backup, as it is now.

    At stake are the object that is written and, of what the withdrawal protects, all that the plan must back up.

    Raises:
        StoreError: No sealed backup, or a damaged one.

        PlanIsStaleError: It has changed since it was saved.
    """
    must_be_whole(work)
    written = {step.object} if step.object else set()
    for ref in sorted(_at_stake(work, step) | written):
        _must_match(work, ref, exact=ref not in written)


def guard_of(work: Work, ref: ObjectRef) -> Callable[[KubeObject], None]:
    """
    Return what proves, before a write to *ref* is made again, that nothing unsaved is at stake now.

    Between a write and its revert the controllers have gone on: what was backed up may be gone, which is no loss,
    or may have been made anew by somebody, which is in no backup.
    """

    def guard(_live: KubeObject) -> None:
        for step in work.plan.steps:
            if isinstance(step, SetFields) and step.object == ref and step.id in work.here.written_by:
                for at_stake in sorted(_at_stake(work, step) - {ref}):
                    if work.read(at_stake) is not None:
                        _must_match(work, at_stake, exact=True)

    return guard


def _at_stake(work: Work, step: SetFields) -> set[ObjectRef]:
    backups = [each for each in work.plan.steps if isinstance(each, BackUp)]
    planned = {item.object for each in backups for item in each.items if not item.optional}
    return set(refs_of(step.withdrawal.only_while)) & planned if step.withdrawal else set()


def _must_match(work: Work, ref: ObjectRef, *, exact: bool) -> None:
    """Compare with the newest backup of this stretch; our own writes have changed the object that is written."""
    sealed = next((found for found in reversed(work.here.sealed) if found.object == ref), None)
    live = work.read(ref)
    if sealed is None:
        raise StoreError(
            f"{ref} is in no sealed backup set of this run; nothing was changed",
            resolution="Make a new plan; the runbook must back it up before this step.",
            object=str(ref),
            run=work.run_id,
        )
    if live is None or live.uid != sealed.uid:
        raise drift.other_object(ref, sealed.uid, live)
    if exact and work.essence(live) != sealed.essence:
        raise drift.foreign_change(live, _base(work, sealed), work.plan.ignored_paths(ref))


def _base(work: Work, sealed: Sealed) -> Base:
    saved = work.hands.backups.load(sealed.entry.file, sealed.entry.sha256)
    leaves = outline(saved, work.plan.ignored_paths(saved.ref))
    return Base(uid=sealed.uid, essence=sealed.essence, outline=leaves)
