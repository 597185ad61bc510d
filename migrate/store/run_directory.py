"""Where runs live: the state dir, and one folder for each run with all that a rollback needs."""

import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from migrate.errors import BadInputError, StoreError
from migrate.records.journal import Event, IllegalEventError, RunState
from migrate.records.plan import Plan
from migrate.records.progress import fold
from migrate.records.snapshot import Snapshot
from migrate.store import codec
from migrate.store.atomic import DISK, Disk, failed, save
from migrate.store.backup_set import BackupSets
from migrate.store.journal_file import FileJournal, WallClock, read_journal
from migrate.store.lock import RunLock, is_locked

Document = TypeVar("Document", bound=msgspec.Struct)

MARKER = ".maas-migrate"
ENVIRONMENT = "MAAS_MIGRATE_STATE_DIR"
JOURNAL = "journal.jsonl"
_RUN_ID = re.compile(r"[0-9a-z][0-9a-z-]{0,63}")
_TOKEN = re.compile(r"[0-9a-z]{6}")


def new_run_id(now: datetime, token: str) -> str:
    """Return the id of a run that starts *now*, such as ``20261130t142201z-ab12cd``."""
    if not _TOKEN.fullmatch(token):
        raise ValueError(f"a token is six of 0-9a-z, not {token!r}")
    return f"{now:%Y%m%dt%H%M%Sz}-{token}"


def find_state_dir(given: str | None, environ: Mapping[str, str], cwd: Path, *, disk: Disk = DISK) -> "StateDirectory":
    """
    Return the state dir: *given*, the environment's, ``./backups`` when it holds our marker, else under XDG.

    Nothing is made yet. Raises BadInputError when there is no home to put it in.
    """
    named = given or environ.get(ENVIRONMENT)
    if named:
        return StateDirectory(cwd / named, disk=disk)
    local = cwd / "backups"
    if (local / MARKER).is_file():
        return StateDirectory(local, disk=disk)
    base, home = environ.get("XDG_STATE_HOME", ""), environ.get("HOME", "")
    if not Path(base).is_absolute() and not home:
        raise BadInputError(
            "there is no place for runs: neither XDG_STATE_HOME nor HOME is set",
            resolution="Say where with --state-dir DIR.",
        )
    root = Path(base) if Path(base).is_absolute() else Path(home) / ".local" / "state"
    return StateDirectory(root / "maas-migrate", disk=disk)


class StateDirectory:
    """
    The folder that holds runs and plans.

    Attributes:
        path: Absolute.
    """

    def __init__(self, path: Path, *, disk: Disk = DISK) -> None:
        self.path = Path(os.path.abspath(path))  # noqa: PTH100  resolve() would follow the symlinks that are refused
        self.disk = disk

    def must_be_safe(self) -> None:
        """Raise StoreError when the folder is a symlink, no folder, or open to everybody's writes."""
        try:
            found = self.path.lstat()
        except FileNotFoundError:
            return
        except OSError as error:
            raise failed(self.path, "read", error) from error
        if stat.S_ISLNK(found.st_mode):
            raise StoreError(f"the state dir {self.path} is a symlink", resolution="Name the folder itself.")
        if not stat.S_ISDIR(found.st_mode):
            raise StoreError(f"the state dir {self.path} is no folder", resolution="Name another one.")
        if found.st_mode & stat.S_IWOTH:
            raise StoreError(
                f"everybody may write to the state dir {self.path}", resolution=f"Run 'chmod o-w {self.path}'."
            )

    def make(self) -> None:
        """Make the folder, mode 0700, when it is not there. Raises StoreError."""
        self.must_be_safe()
        try:
            self._make(self.path)
        except OSError as error:
            raise failed(self.path, "made", error) from error

    def _make(self, path: Path) -> None:
        if not path.exists():
            self._make(path.parent)
            self.disk.make_folder(path)
        elif path != self.path:
            return
        # Also where it is there already: whoever made it may have ended before its name was safe.
        with suppress(PermissionError):
            self.disk.sync_folder(path.parent)

    def create_run(self, run_id: str) -> "RunDirectory":
        """Make the folder of a new run. Raises StoreError when it exists or cannot be made."""
        _must_be_an_id(run_id)
        self.make()
        path = self.path / run_id
        try:
            self.disk.make_folder(path)
            self.disk.sync_folder(self.path)
        except OSError as error:
            raise failed(path, "made", error) from error
        return RunDirectory(path, run_id, disk=self.disk)

    def beginning(self) -> RunLock:
        """Return the context in which no other process begins a run here. Raises StoreError when it cannot be made."""
        self.make()
        return RunLock(self.path)

    def open_run(self, run_id: str) -> "RunDirectory":
        """
        Return a run.

        Raises:
            BadInputError: There is none of that id; names those there are.

            StoreError: Its folder is a symlink or no folder.
        """
        self.must_be_safe()
        known = self.run_ids()
        if not _RUN_ID.fullmatch(run_id) or run_id not in known:
            there = ", ".join(known) or "none"
            raise BadInputError(
                f"no run {run_id!r} in {self.path}; there are: {there}; nothing was written",
                resolution="Name one that maas-migrate runs lists, or where it lies with --state-dir DIR.",
            )
        path = self.path / run_id
        if path.is_symlink():
            raise StoreError(f"{path} is a symlink and was not followed", resolution="Put the folder itself there.")
        return RunDirectory(path, run_id, disk=self.disk)

    def run_ids(self) -> tuple[str, ...]:
        """Return the ids of all runs, oldest first."""
        self.must_be_safe()
        try:
            found = sorted(path.name for path in self.path.iterdir()) if self.path.exists() else []
        except OSError as error:
            raise failed(self.path, "read", error) from error
        return tuple(
            name
            for name in found
            if _RUN_ID.fullmatch(name)
            and name not in {"plans", "rehearsals"}
            and ((self.path / name).is_dir() or (self.path / name).is_symlink())
        )


class RunDirectory:
    """
    The folder of one run.

    Attributes:
        path: Absolute.

        id: The run's id, which is the folder's name.
    """

    def __init__(self, path: Path, run_id: str, *, disk: Disk = DISK) -> None:
        self.path = path
        self.id = run_id
        self.disk = disk

    def lock(self) -> RunLock:
        """Return the context in which no other process works on this run."""
        return RunLock(self.path, self.id)

    def is_locked(self) -> bool:
        """Return whether a process works on this run now."""
        return is_locked(self.path)

    def journal(self, clock: WallClock) -> FileJournal:
        """Return the journal, to write to; take ``lock`` first. Raises StoreError."""
        return FileJournal(self.path / JOURNAL, clock, disk=self.disk)

    def events(self) -> tuple[Event, ...]:
        """Return the journal's events without changing the file; none when there is no journal yet."""
        path = self.path / JOURNAL
        return read_journal(path)[0] if path.exists() or path.is_symlink() else ()

    def state(self) -> RunState:
        """Return where the run stands. Raises StoreError."""
        try:
            return fold(self.id, self.events())
        except IllegalEventError as error:
            raise StoreError(
                f"{self.path / JOURNAL} cannot be what a run wrote: {error}", resolution="Restore it from a copy."
            ) from error

    def backups(self) -> BackupSets:
        """Return the backup sets."""
        return BackupSets(self.path, self.id, disk=self.disk)

    def save(self, name: str, document: msgspec.Struct, *, replace: bool = False) -> Path:
        """Write a document, such as ``plan.json``, and return its path. Raises StoreError."""
        path = self._path(name)
        save(path, codec.encode(document), disk=self.disk, replace=replace)
        return path

    def save_text(self, name: str, text: str) -> Path:
        """Write a text, such as ``report.md``, over an older one. Raises StoreError."""
        path = self._path(name)
        save(path, text.encode("utf-8", "backslashreplace"), disk=self.disk, replace=True)
        return path

    def load(self, name: str, kind: type[Document]) -> Document:
        """Return a document. Raises StoreError when it is missing, damaged, of another kind or too new."""
        return codec.load_document(self._path(name), kind)

    def has(self, name: str) -> bool:
        """Return whether there is a document of that name."""
        return self._path(name).exists()

    def plan(self, part: int = 1) -> Plan:
        """Return the plan of a part. Raises StoreError."""
        return self.load(plan_name(part), Plan)

    def snapshot(self, part: int = 1) -> Snapshot:
        """Return the snapshot that the plan of a part was made from. Raises StoreError."""
        return self.load("snapshot.json" if part == 1 else f"snapshot-{part}.json", Snapshot)

    def _path(self, name: str) -> Path:
        if not name or Path(name).name != name or name.startswith("."):
            raise ValueError(f"{name!r} is no name of a document")
        return self.path / name


def plan_name(part: int) -> str:
    """Return the file name of the plan of a part."""
    return "plan.json" if part == 1 else f"plan-{part}.json"


def _must_be_an_id(run_id: str) -> None:
    if not _RUN_ID.fullmatch(run_id):
        raise BadInputError(
            f"{run_id!r} is no id of a run; nothing was written",
            resolution="Name an id as 'maas-migrate runs' prints it.",
        )
