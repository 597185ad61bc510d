"""The journal as a file: one JSON line an event, each line hashed over the one before, fsynced before it counts."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from migrate.errors import StoreError
from migrate.records.essence import canonical_json
from migrate.records.journal import Event, EventName
from migrate.store.atomic import DISK, Disk, failed, load

SECTOR_BYTES: Final = 512
"""The least that a disk writes at once."""


class WallClock(Protocol):
    """What a journal needs of a clock."""

    def now(self) -> datetime:
        """Return the wall clock, UTC, aware."""


def line_of(event: Event) -> bytes:
    """Return the line of *event*, its hash worked out."""
    return canonical_json(with_hash(event)) + b"\n"


def with_hash(event: Event) -> Event:
    """Return *event* with the SHA-256 over its line without ``hash``."""
    body = msgspec.to_builtins(msgspec.structs.replace(event, hash=""))
    body.pop("hash", None)
    return msgspec.structs.replace(event, hash=hashlib.sha256(canonical_json(body)).hexdigest())


def read_journal(path: Path) -> tuple[tuple[Event, ...], int]:
    """
    Return the events of a journal file, and how many bytes of a torn last record follow them.

    Raises:
        StoreError: Any damage but a torn last record: a changed byte, a missing or an extra line.
    """
    data = load(path)
    whole, _, torn = data.rpartition(b"\n")
    lines = whole.split(b"\n") if whole or data.startswith(b"\n") else []
    events: list[Event] = []
    previous = ""
    for number, line in enumerate(lines, start=1):
        try:
            event = _checked(path, number, line, previous)
        except StoreError:
            if number == len(lines) and not torn and _lacks_a_sector(line + b"\n", len(whole) - len(line)):
                return tuple(events), len(line) + 1
            raise
        events.append(event)
        previous = event.hash
    return tuple(events), len(torn)


def _lacks_a_sector(line: bytes, at: int) -> bool:
    """
    Return whether a part of a line, which begins at byte *at* of its file, never reached the disk and reads as zeros.

    A loss of power may keep the end of what was not synced and lose what stands before it, a sector at a time. No
    line holds a zero byte, and none that is damaged otherwise lacks all of a sector.
    """
    first = at // SECTOR_BYTES * SECTOR_BYTES
    parts = (
        line[max(0, start - at) : start + SECTOR_BYTES - at] for start in range(first, at + len(line), SECTOR_BYTES)
    )
    return any(not part.strip(b"\0") for part in parts)


def _checked(path: Path, number: int, line: bytes, previous: str) -> Event:
    try:
        event = msgspec.json.decode(line, type=Event)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _damaged(path, number, f"it cannot be read ({error})") from error
    if event.seq != number or event.prev != previous:
        raise _damaged(path, number, "it does not follow the line before it")
    if line_of(event) != line + b"\n":
        raise _damaged(path, number, "it is not as it was written")
    return event


def _damaged(path: Path, number: int, why: str) -> StoreError:
    return StoreError(
        f"{path}, line {number}: {why}; the journal is damaged and nothing was changed",
        resolution="Restore the run directory from a copy; 'maas-migrate backups verify' says what is left of it.",
    )


class FileJournal:
    """
    The journal of one run in ``journal.jsonl``; only one process may hold it (the run's lock).

    A torn last record, of a crash while it was written, is cut off when the journal is opened, and that
    is written down as ``journal.repaired``.
    """

    def __init__(self, path: Path, clock: WallClock, *, disk: Disk = DISK) -> None:
        self._path = path
        self._clock = clock
        self._disk = disk
        self._broken = ""
        self._events: list[Event] = []
        self._size = 0
        self._open()

    def _open(self) -> None:
        try:
            if not self._path.exists() and not self._path.is_symlink():
                self._disk.create(self._path, b"")
            # Also where it is there already: whoever made it may have ended before its name was safe.
            self._disk.sync_folder(self._path.parent)
        except OSError as error:
            raise failed(self._path, "made", error) from error
        events, torn = read_journal(self._path)
        self._events = list(events)
        self._size = sum(len(line_of(event)) for event in events)
        if torn:
            try:
                self._disk.truncate(self._path, self._size)
            except OSError as error:
                raise failed(self._path, "repaired", error) from error
            message = f"the last record was torn: {torn} bytes were dropped; everything before it holds"
            self.append("journal.repaired", data={"message": message, "bytes": torn})

    def append(self, event: EventName, *, step: str = "", data: Mapping[str, Any] | None = None) -> Event:
        """
        Write one event; it is on disk when this returns.

        Raises:
            StoreError: It could not be written. The file is as before, or takes nothing more.
        """
        if self._broken:
            raise StoreError(
                self._broken, resolution="Free space on the disk, then run 'maas-migrate resume --window START/END'."
            )
        at = self._clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        written = with_hash(
            Event(
                seq=len(self._events) + 1,
                at=at,
                event=event,
                step=step,
                data=msgspec.json.decode(msgspec.json.encode(dict(data or {}))),
                prev=self._events[-1].hash if self._events else "",
            )
        )
        line = line_of(written)
        try:
            self._disk.append(self._path, line)
        except OSError as error:
            self._cut(str(error))
            raise failed(self._path, "written", error) from error
        self._size += len(line)
        self._events.append(written)
        return written

    def _cut(self, why: str) -> None:
        """Take back what may have been written of a line; where that fails too, take nothing more."""
        try:
            self._disk.truncate(self._path, self._size)
        except OSError:
            self._broken = f"{self._path} could not be written ({why}) and takes nothing more; what stands in it holds"

    def events(self) -> tuple[Event, ...]:
        """Return all events so far."""
        return tuple(self._events)
