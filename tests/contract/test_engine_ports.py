"""One suite for each port of the engine that has a real part on disk, run on the fake and on the real one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.engine.ports import Backups, Journal
from migrate.errors import StoreError
from migrate.records.objects import KubeObject
from migrate.store.backup_set import BackupSets
from migrate.store.journal_file import FileJournal
from tests.fakes import MemoryBackups, MemoryJournal, TickingClock
from tests.unit.engine.story import texts


def memory_journal(_: Path) -> Journal:
    return MemoryJournal(TickingClock())


def file_journal(path: Path) -> Journal:
    return FileJournal(path / "journal.jsonl", TickingClock())


def memory_backups(_: Path) -> Backups:
    return MemoryBackups()


def backup_sets(path: Path) -> Backups:
    return BackupSets(path, "run-1")


JOURNALS = pytest.mark.parametrize("make", [memory_journal, file_journal])
BACKUPS = pytest.mark.parametrize("make", [memory_backups, backup_sets])


def a_thing(uid: str = "u") -> KubeObject:
    thing = texts()
    thing["metadata"]["uid"] = uid
    return KubeObject(thing)


@JOURNALS
def test_events_are_numbered_chained_and_kept_as_they_were_said(
    tmp_path: Path, make: Callable[[Path], Journal]
) -> None:
    journal = make(tmp_path)

    first = journal.append("run.started", data={"plan": "p", "list": ("a", 1)})
    second = journal.append("step.started", step="s")

    assert journal.events() == (first, second)
    assert (first.seq, second.seq, second.prev) == (1, 2, first.hash)
    assert first.data == {"plan": "p", "list": ["a", 1]}


@JOURNALS
def test_an_empty_journal_has_no_events(tmp_path: Path, make: Callable[[Path], Journal]) -> None:
    assert make(tmp_path).events() == ()


@BACKUPS
def test_what_was_saved_is_loaded_by_its_digest_alone(tmp_path: Path, make: Callable[[Path], Backups]) -> None:
    backups = make(tmp_path)

    (entry,) = backups.save("backup:tenant", [a_thing()])

    assert backups.load(entry.file, entry.sha256) == a_thing()
    with pytest.raises(StoreError):
        backups.load(entry.file, "0" * 64)
    with pytest.raises(StoreError):
        backups.load("objects/none/none.json", entry.sha256)


@BACKUPS
def test_every_set_is_verified_and_none_is_overwritten(tmp_path: Path, make: Callable[[Path], Backups]) -> None:
    backups = make(tmp_path)

    entries = [*backups.save("backup", [a_thing("1")]), *backups.save("backup", [a_thing("2")])]

    assert sorted(backups.verify(), key=lambda entry: entry.uid) == entries
    assert [backups.load(entry.file, entry.sha256).uid for entry in entries] == ["1", "2"]
    assert all(entry.verified for entry in entries)


@BACKUPS
def test_no_sets_are_nothing_verified(tmp_path: Path, make: Callable[[Path], Backups]) -> None:
    assert make(tmp_path).verify() == ()
