"""The journal as a file on a disk that fails."""

from pathlib import Path

import pytest

from migrate.errors import StoreError
from migrate.store.journal_file import SECTOR_BYTES, FileJournal, read_journal
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


def test_a_last_line_that_lacks_a_sector_is_dropped_and_its_bytes_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    journal = FileJournal(path, TickingClock())
    journal.append("run.started", data={"plan": "p"})
    kept = path.read_bytes()
    journal.append("run.planned", data={"plan": "p" * 2 * SECTOR_BYTES, "steps": []})
    data = bytearray(path.read_bytes())
    data[SECTOR_BYTES : 2 * SECTOR_BYTES] = bytes(SECTOR_BYTES)
    path.write_bytes(data)

    events, torn = read_journal(path)
    again = FileJournal(path, TickingClock())

    assert [event.event for event in events] == ["run.started"]
    assert torn == len(data) - len(kept)
    assert again.events()[-1].data["bytes"] == torn
    assert path.read_bytes().startswith(kept)


class BrokenDisk(FullDisk):
    """A disk that cannot cut a file either."""

    def truncate(self, path: Path, size_bytes: int) -> None:
        raise OSError(5, "Input/output error")


def test_a_journal_that_is_a_symlink_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"")
    (tmp_path / "journal.jsonl").symlink_to(tmp_path / "real")

    with pytest.raises(StoreError):
        FileJournal(tmp_path / "journal.jsonl", TickingClock())
