"""``backups``: what is saved, whether it is whole, and a way out of it."""

import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from migrate.commands.context import Context
from migrate.commands.documents import BackupsDocument
from migrate.commands.manifests import problems_of
from migrate.commands.runs import Run, read_run
from migrate.errors import BadInputError
from migrate.records.journal import BackupEntry
from migrate.records.objects import Json
from migrate.store.atomic import failed, must_have_folder, save
from migrate.store.manifests import re_appliable, to_yaml


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownBackup:
    """One saved object, as JSON and as text."""

    document: Json
    text: str


def list_backups(context: Context, run_id: str) -> BackupsDocument:
    """Return the saved objects as the journals tell; nothing is checked."""
    return BackupsDocument(backups=tuple(entry for run in _runs(context, run_id) for entry in run.state.backups))


def verify_backups(context: Context, run_id: str) -> BackupsDocument:
    """Return the saved objects after every byte was checked. Raises StoreError."""
    return BackupsDocument(
        backups=tuple(entry for run in _runs(context, run_id) for entry in run.directory.backups().verify())
    )


def _runs(context: Context, run_id: str) -> tuple[Run, ...]:
    ids = (run_id,) if run_id else context.state().run_ids()
    return tuple(read_run(context, found) for found in ids)


def show_backup(context: Context, run_id: str, named: str) -> ShownBackup:
    """Return one saved object, checked. Raises BadInputError, StoreError."""
    sets = read_run(context, run_id).directory.backups()
    entries = [entry for entry in sets.verify() if named in {entry.file, entry.object, entry.object.partition(" ")[2]}]
    if not entries:
        raise BadInputError(
            f"Run {run_id} has no backup of {named!r}.", resolution=f"See maas-migrate backups list {run_id}."
        )
    raw = dict(sets.load(entries[-1].file, entries[-1].sha256).raw)
    return ShownBackup(document=raw, text=to_yaml(raw).decode())


def export_backups(context: Context, run_id: str, out: str) -> BackupsDocument:
    """Write plain manifests into the new folder *out*. Raises BadInputError, StoreError."""
    sets = read_run(context, run_id).directory.backups()
    folder = context.cwd / out
    if os.path.lexists(folder):
        raise BadInputError(f"{folder} exists; nothing was written.", resolution="Name a new folder with --out.")
    must_have_folder(folder)
    entries = sets.verify()
    bodies = {entry.file: re_appliable(sets.load(entry.file, entry.sha256)) for entry in entries}
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise failed(folder, "made", error, by_user=True) from error
    for problem in problems_of(bodies.values()):
        # It is what the cluster held; a server may be older or newer than the schemas, so it is written all the same.
        context.warn(f"kubectl may refuse {problem}")
    return BackupsDocument(backups=tuple(_export(folder, entry, bodies[entry.file]) for entry in entries))


def _export(folder: Path, entry: BackupEntry, body: Json) -> BackupEntry:
    label, name = Path(entry.file).parts[-2:]
    path = folder / f"{label}.{Path(name).stem}.yaml"
    save(path, to_yaml(body), by_user=True)
    return msgspec.structs.replace(entry, file=str(path))
