"""
Goal: a damaged journal or backup is found before it is used.

Method: every bit of a sample is flipped, every length is cut off, every sector zeroed, files taken away and added.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.errors import StoreError
from migrate.records.journal import BackupEntry
from migrate.records.objects import KubeObject
from migrate.store.backup_set import BackupSets
from migrate.store.journal_file import SECTOR_BYTES, FileJournal, read_journal
from tests.fakes import TickingClock
from tests.unit.engine.story import texts


def a_journal(path: Path) -> bytes:
    journal = FileJournal(path, TickingClock())
    journal.append("run.started", data={"plan": "p", "cluster": "c"})
    journal.append("run.planned", data={"plan": "p", "steps": ["a"]})
    journal.append("step.started", step="a", data={"n": 1, "list": [1, 2.5, None, True], "text": "é\n"})
    return path.read_bytes()


def test_what_was_appended_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    a_journal(path)

    events, torn = read_journal(path)

    assert [event.seq for event in events] == [1, 2, 3]
    assert torn == 0
    assert FileJournal(path, TickingClock()).events() == events


def test_every_flipped_bit_of_a_journal_is_found(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    data = a_journal(path)

    for position in range(len(data)):
        for bit in range(8):
            damaged = bytearray(data)
            damaged[position] ^= 1 << bit
            path.write_bytes(damaged)
            assert is_found(path), (position, bit)


def is_found(path: Path) -> bool:
    try:
        _, torn = read_journal(path)
    except StoreError:
        return True
    return torn > 0


def test_a_journal_cut_off_anywhere_keeps_its_whole_lines_and_reports_the_torn_one(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    data = a_journal(path)
    whole = read_journal(path)[0]

    for length in range(len(data)):
        path.write_bytes(data[:length])
        journal = FileJournal(path, TickingClock())
        lines = data[:length].count(b"\n")
        is_torn = not data[:length].endswith(b"\n") and length > 0
        assert journal.events()[:lines] == whole[:lines]
        assert [event.event for event in journal.events()[lines:]] == ["journal.repaired"] * is_torn
        assert read_journal(path) == (journal.events(), 0)


def test_a_last_line_of_which_a_sector_never_reached_the_disk_is_torn(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    a_journal(path)
    FileJournal(path, TickingClock()).append("step.succeeded", step="a", data={"message": "m" * 2000})
    data = path.read_bytes()
    last = data.rindex(b"\n", 0, len(data) - 1) + 1
    for start in range(last // SECTOR_BYTES * SECTOR_BYTES, len(data), SECTOR_BYTES):
        begin, end = max(start, last), min(start + SECTOR_BYTES, len(data))
        path.write_bytes(data[:begin] + bytes(end - begin) + data[end:])
        whole = read_journal(path)[0]

        journal = FileJournal(path, TickingClock())

        assert [event.event for event in journal.events()] == [*(event.event for event in whole), "journal.repaired"]
        assert len(whole) == data.count(b"\n") - 1


def test_a_sector_that_is_lost_before_the_last_line_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    data = a_journal(path)
    first = data.index(b"\n")
    path.write_bytes(bytes(first) + data[first:])

    with pytest.raises(StoreError, match="line 1"):
        read_journal(path)


@pytest.mark.parametrize("gone", [0, 1])
def test_a_missing_line_is_found(tmp_path: Path, gone: int) -> None:
    path = tmp_path / "journal.jsonl"
    lines = a_journal(path).splitlines(keepends=True)
    del lines[gone]
    path.write_bytes(b"".join(lines))

    with pytest.raises(StoreError, match="does not follow"):
        read_journal(path)


@pytest.mark.parametrize("extra", [b"\n", b"{}\n", b"null\n"])
def test_an_extra_line_is_found(tmp_path: Path, extra: bytes) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(a_journal(path) + extra)

    with pytest.raises(StoreError):
        read_journal(path)


def a_set(tmp_path: Path) -> tuple[BackupSets, BackupEntry, list[Path]]:
    sets = BackupSets(tmp_path, "run-1")
    thing = texts()
    thing["metadata"]["uid"] = "u"
    (entry,) = sets.save("backup:tenant", [KubeObject(thing)])
    (folder,) = sets.folders()
    folder.chmod(0o700)
    files = sorted(folder.iterdir())
    for file in files:
        file.chmod(0o600)
    return sets, entry, files


def damages(data: bytes) -> Iterator[bytes]:
    for position in range(len(data)):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[position] ^= 1 << bit
            yield bytes(flipped)
    for length in range(len(data)):
        yield data[:length]
    yield data + b"\n"


@pytest.mark.parametrize("number", [0, 1, 2])
def test_every_flipped_bit_and_every_truncation_of_a_backup_is_found(tmp_path: Path, number: int) -> None:
    sets, entry, files = a_set(tmp_path)
    data = files[number].read_bytes()

    for damaged in damages(data):
        files[number].write_bytes(damaged)
        assert is_refused(sets, entry), damaged
    files[number].write_bytes(data)
    assert sets.verify() == (entry,)


def is_refused(sets: BackupSets, sealed: BackupEntry) -> bool:
    """The journal holds what was sealed, the digest of the manifest too; that is what the engine compares with."""
    try:
        return sets.verify() != (sealed,)
    except StoreError:
        return True


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_missing_file_is_found(tmp_path: Path, number: int) -> None:
    sets, _, files = a_set(tmp_path)
    files[number].unlink()

    with pytest.raises(StoreError):
        sets.verify()


def test_an_extra_file_is_found(tmp_path: Path) -> None:
    sets, _, files = a_set(tmp_path)
    (files[0].parent / "more.json").write_text("{}")

    with pytest.raises(StoreError, match="does not belong"):
        sets.verify()
