"""The bugs themselves: what is put in the place of what, for the time of one story."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from migrate.changes import rollback, verify
from migrate.changes.payload_processing import plan as payload_plan
from migrate.commands import runs, surveying
from migrate.engine import drift, perform, restoring, sealing, steps, waiting, withdrawing
from migrate.engine import run as engine_run
from migrate.engine.ports import WriteConflictError, WriteUnknownError
from migrate.engine.work import Work
from migrate.errors import NeedsPersonError
from migrate.kube import lease, retrying, writing
from migrate.records.objects import KubeObject, ObjectRef
from migrate.records.progress import Progress
from migrate.records.verification import Verification
from migrate.records.window import Window
from migrate.store import atomic, backup_set, journal_file
from migrate.store.atomic import Disk

Change = tuple[Any, str, Any]


@dataclass(frozen=True)
class Planting:
    """What is replaced: where, under which name, by what."""

    changes: tuple[Change, ...]


def _one(where: Any, name: str, replacement: Any) -> Planting:
    getattr(where, name)  # A planting that hits nothing would be found by nobody.
    return Planting(((where, name, replacement),))


def _nothing(*_: Any, **__: Any) -> None:
    """Do nothing."""


# The disk.


def _append_unsynced(self: Disk, path: Path, data: bytes) -> None:
    del self
    with path.open("ab") as file:
        file.write(data)


def _create_unsynced(self: Disk, path: Path, data: bytes, *, mode: int = 0o600) -> None:
    del self
    with path.open("xb") as file:
        file.write(data)
    path.chmod(mode)


def _write_in_place(self: Any, name: str, files: dict[str, bytes]) -> Path:
    if not self._root.exists():
        self._disk.make_folder(self._root)
    folder: Path = self._root / name
    self._disk.make_folder(folder)
    for file, data in files.items():
        self._disk.create(folder / file, data, mode=0o400)
    self._disk.sync_folder(folder)
    self._disk.sync_folder(self._root)
    return folder


def _write_over(self: Any, name: str, files: dict[str, bytes]) -> Path:
    folder: Path = self._root / name.replace("-back", "")
    if not folder.exists():
        return _ORIGINAL_WRITE(self, name, files)
    folder.chmod(0o700)
    for old in folder.iterdir():
        old.unlink()
    for file, data in files.items():
        (folder / file).write_bytes(data)
    return folder


_ORIGINAL_WRITE: Final[Callable[..., Path]] = backup_set.BackupSets._write

NO_SYNC_OF_THE_JOURNAL: Final = _one(Disk, "append", _append_unsynced)
NO_SYNC_OF_FILES: Final = _one(Disk, "create", _create_unsynced)
NO_SYNC_OF_FOLDERS: Final = _one(Disk, "sync_folder", _nothing)
NAME_BEFORE_CONTENT: Final = _one(backup_set.BackupSets, "_write", _write_in_place)
SETS_ARE_REUSED: Final = _one(backup_set.BackupSets, "_write", _write_over)


def _append_anyhow(self: Any, event: Any, *, step: str = "", data: Any = None) -> Any:
    was = self._disk

    class Forgiving:
        def append(self, path: Path, line: bytes) -> None:
            try:
                was.append(path, line)
            except OSError:
                was.truncate(path, path.stat().st_size)

    self._disk = Forgiving()
    try:
        return _ORIGINAL_APPEND(self, event, step=step, data=data)
    finally:
        self._disk = was


_ORIGINAL_APPEND: Final[Callable[..., Any]] = journal_file.FileJournal.append
FULL_DISK_IS_IGNORED: Final = _one(journal_file.FileJournal, "append", _append_anyhow)


def _read_strictly(path: Path) -> Any:
    events, torn = _ORIGINAL_READ(path)
    if torn:
        raise journal_file._damaged(path, len(events) + 1, "it is torn")
    return events, torn


def _read_carelessly(path: Path) -> Any:
    return _ORIGINAL_READ(path)[0], 0


_ORIGINAL_READ: Final[Callable[..., Any]] = journal_file.read_journal
TORN_LINE_IS_FATAL: Final = _one(journal_file, "read_journal", _read_strictly)
TORN_LINE_STAYS: Final = _one(journal_file, "read_journal", _read_carelessly)

# Writes to the cluster.


def _write_unannounced(work: Work, request: Any, *, patch: Any = None, then: str = "", again: bool = False) -> Any:
    del patch, then, again
    timeout_s = work.request_s()
    work.must_hold_lock(timeout_s)
    return work.hands.cluster.write(request, timeout_s=timeout_s)


def _body_alone(write: Any) -> Any:
    return dict(write.body or {})


def _conflict_is_done(work: Work, change: Any, guard: Any = None) -> bool:
    live = work.read(change.object)
    if live is None or guard is None:
        return _ORIGINAL_PATCH(work, change, guard)
    guard(live)
    try:
        _ORIGINAL_PERFORM(work, perform._request(live, change.patch), patch=change.patch)
    except WriteConflictError:
        return True
    return True


def _patch_or_end(work: Work, request: Any, **more: Any) -> Any:
    try:
        return _ORIGINAL_PERFORM(work, request, **more)
    except WriteConflictError as error:
        raise NeedsPersonError(error.message, resolution="Look.") from error


def _settle_by_faith(work: Work) -> None:
    intent = work.log.progress.intent
    if intent is not None:
        live = work.read(intent.object)
        data = {**perform._seen(work, live), "applied": True, "resourceVersion": ""}
        work.log.append("write.settled", step=intent.step, data=data)


_ORIGINAL_PERFORM: Final[Callable[..., Any]] = perform.write
_ORIGINAL_PATCH: Final[Callable[..., bool]] = perform.patch

NO_INTENT: Final = _one(perform, "write", _write_unannounced)
WRITES_ARE_RETRIED: Final = _one(writing, "THROTTLED_WRITES", retrying.Policy())
NO_PRECONDITIONS: Final = _one(writing, "_body", _body_alone)
CONFLICT_IS_SUCCESS: Final = _one(perform, "patch", _conflict_is_done)
CONFLICT_IS_THE_END: Final = _one(perform, "write", _patch_or_end)


def _unknown_is_written(work: Work, change: Any, guard: Any = None) -> bool:
    try:
        live = work.read(change.object)
        if guard is not None and live is not None:
            guard(live)
        request = perform._request(live, change.patch)  # type: ignore[arg-type]
        _ORIGINAL_PERFORM(work, request, patch=change.patch, then="")
    except WriteUnknownError:
        _settle_by_faith(work)
    return True


ASSUMED_WRITTEN: Final = _one(perform, "patch", _unknown_is_written)

# Waiting and verifying.


def _passes(*_: Any, **__: Any) -> Verification:
    return Verification(at="2026-10-25T00:00:00Z", checks=(), passed=True)


WAIT_IS_OVER_AT_ONCE: Final = Planting(((waiting, "_until", _nothing), (surveying, "judge", _passes)))
NOTHING_CHECKED_PASSES: Final = Planting(
    ((surveying, "judge", _passes), (waiting, "_until", _nothing), (withdrawing, "armed", _nothing))
)

# Backups and restores.


def _nothing_saved(work: Work, step: Any) -> str:
    del work, step
    return "0 objects saved and verified"


def _restore_nothing(work: Work, step: Any) -> str:
    del work, step
    return "as it was saved"


def _compare_nothing(*_: Any, **__: Any) -> Verification:
    return _passes()


def _restore_first(work: Any, done: Any, going: Any) -> Iterator[Any]:
    found = list(_ORIGINAL_STEPS(work, done, going))
    first = [step for step in found if type(step).__name__ in {"CheckAccess", "BackUp", "DryRun", "Ask"}]
    early = [step for step in found if type(step).__name__ == "Restore"]
    yield from first
    yield from early
    yield from (step for step in found if step not in first and step not in early)


def _with_subscriptions(work: Any, done: Any, going: Any) -> Iterator[Any]:
    for step in _ORIGINAL_STEPS(work, done, going):
        if type(step).__name__ == "SetFields":
            ref = ObjectRef(
                api_version="maas.opendatahub.io/v1alpha1",
                kind="MaaSSubscription",
                namespace="models-as-a-service",
                name="free",
            )
            more = {"metadata": {"annotations": {"example.com/restored": "true"}}}
            yield msgspec.structs.replace(
                step, id="restore-subscription", object=ref, uid="", after=more, expects="", only_if=None
            )
        yield step


def _without_type(work: Any, done: Any, going: Any) -> Iterator[Any]:
    return (
        step
        for step in _ORIGINAL_STEPS(work, done, going)
        if type(step).__name__ not in {"SetFields", "Wait", "Verify"}
    )


def _load_another(self: Any, entry_file: str, sha256: str) -> KubeObject:
    other = entry_file.replace("objects/backup/", "objects/backup-back/")
    if other == entry_file or not (self._run_path / other).exists():
        return _ORIGINAL_LOAD(self, entry_file, sha256)
    return KubeObject(msgspec.json.decode((self._run_path / other).read_bytes()))


_ORIGINAL_LOAD: Final[Callable[..., KubeObject]] = backup_set.BackupSets.load
_ORIGINAL_STEPS: Final[Callable[..., Iterator[Any]]] = rollback._steps

NO_BACKUP: Final = Planting(((sealing, "back_up", _nothing_saved), (sealing, "must_be_sealed", _nothing)))
STALE_BACKUP: Final = Planting(((sealing, "must_be_sealed", _nothing), (drift, "foreign_change", drift.foreign_change)))
RESTORE_FIRST: Final = _one(rollback, "_steps", _restore_first)
NO_RESTORE: Final = Planting(((restoring, "restore", _restore_nothing), (surveying, "judge", _compare_nothing)))
WRONG_BACKUP: Final = Planting(((backup_set.BackupSets, "load", _load_another), (surveying, "judge", _passes)))
TOO_MUCH_RESTORED: Final = _one(rollback, "_steps", _with_subscriptions)
TYPE_STAYS: Final = Planting(((rollback, "_steps", _without_type), (restoring, "restore", _restore_nothing)))
OLD_BACKUPS: Final = NO_BACKUP

# Stopping, time and the lock.


def _all_zero(ending: Any) -> Any:
    return runs.Ended(code=0, state=ending.state, gate_passed=ending.gate_passed)


def _holds_always(self: Any, for_s: float) -> None:
    del self, for_s


def _takes_it(self: Any, record: Any) -> Any:
    del self
    return record


def _set_but_unforce(work: Work, step: Any) -> Any:
    return steps.Done() if step.id.startswith("unforce") else _ORIGINAL_SET(work, step)


_ORIGINAL_SET: Final[Callable[..., Any]] = steps._set_fields


def _own_label(tenant: Any) -> Any:
    patch = _ORIGINAL_FLIP(tenant)
    return {"metadata": {**patch["metadata"], "labels": {"maas-migrate/run": "x"}}}


def _never_done(self: Any, step_id: str) -> bool:
    del self, step_id
    return False


_ORIGINAL_FLIP: Final[Callable[..., Any]] = payload_plan.flip_patch

FORCE_STAYS: Final = Planting(((steps, "_set_fields", _set_but_unforce), (surveying, "judge", _passes)))
NO_WITHDRAWAL: Final = _one(withdrawing, "armed", _nothing)
NO_WINDOW: Final = Planting(
    ((Window, "left_s", lambda self, now: None), (Window, "fits", lambda self, now, needed_s: True))
)
NO_RENEWAL: Final = Planting(((lease.KubeLock, "keep", _nothing), (lease.KubeLock, "must_hold", _holds_always)))
LEASE_TAKEN_FROM_THE_LIVING: Final = _one(lease.KubeLock, "_outwait", _takes_it)
LEASE_IS_NEVER_LOST: Final = Planting(
    ((lease.KubeLock, "must_hold", _holds_always), (lease.KubeLock, "_lose", _nothing))
)
ALWAYS_ZERO: Final = _one(runs, "_ended", _all_zero)
OWN_LABEL: Final = _one(payload_plan, "flip_patch", _own_label)
DONE_AGAIN: Final = _one(Progress, "is_done", _never_done)

_USED: Final[Sequence[Any]] = (steps, engine_run, atomic, verify, KubeObject)
