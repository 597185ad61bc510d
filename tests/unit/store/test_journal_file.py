"""The journal as a file on a disk that fails."""

from pathlib import Path

import pytest

from migrate.errors import StoreError
from migrate.store.journal_file import FileJournal, read_journal
from tests.fakes import TickingClock
from tests.unit.store.test_codec import FullDisk


def test_a_line_that_could_not_be_written_is_taken_back(tmp_path: Path) -> None:
    disk = FullDisk("")
    journal = FileJournal(tmp_path / "journal.jsonl", TickingClock(), disk=disk)
    journal.append("run.started")
    disk.step = "append"

    with pytest.raises(StoreError, match="No space left"):
        journal.append("run.planned")
    disk.step = ""
    journal.append("run.planned")

    events, torn = read_journal(tmp_path / "journal.jsonl")
    assert [event.event for event in events] == ["run.started", "run.planned"]
    assert torn == 0


def test_a_journal_that_cannot_be_cut_back_takes_nothing_more(tmp_path: Path) -> None:
    disk = BrokenDisk("")
    journal = FileJournal(tmp_path / "journal.jsonl", TickingClock(), disk=disk)
    journal.append("run.started")
    disk.step = "append"

    with pytest.raises(StoreError):
        journal.append("run.planned")
    disk.step = ""
    with pytest.raises(StoreError, match="takes nothing more"):
        journal.append("run.planned")

    again = FileJournal(tmp_path / "journal.jsonl", TickingClock())
    assert [event.event for event in again.events()] == ["run.started", "journal.repaired"]


class BrokenDisk(FullDisk):
    """A disk that cannot cut a file either."""

    def truncate(self, path: Path, size_bytes: int) -> None:
        raise OSError(5, "Input/output error")


def test_a_journal_that_is_a_symlink_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"")
    (tmp_path / "journal.jsonl").symlink_to(tmp_path / "real")

    with pytest.raises(StoreError):
        FileJournal(tmp_path / "journal.jsonl", TickingClock())
