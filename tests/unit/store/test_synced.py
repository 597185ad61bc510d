"""
Goal: what is called durable was brought to the platter before the call returned, and nothing is left open.

Method: a disk that counts each fsync; the numbers of open files before and after.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.errors import StoreError
from migrate.store import atomic
from migrate.store.atomic import Disk
from migrate.store.lock import RunLock, is_locked


class Counting(Disk):
    """Remembers the size of what was flushed, and flushes it."""

    def __init__(self) -> None:
        self.flushed: list[int] = []

    def flush(self, number: int) -> None:
        super().flush(number)
        self.flushed.append(os.fstat(number).st_size)


def open_files() -> int:
    return len([*Path("/proc/self/fd").iterdir()])


def create(disk: Disk, path: Path) -> None:
    disk.create(path / "new", b"12345")


def append(disk: Disk, path: Path) -> None:
    disk.append(path / "old", b"67")


def truncate(disk: Disk, path: Path) -> None:
    disk.truncate(path / "old", 2)


def sync_folder(disk: Disk, path: Path) -> None:
    disk.sync_folder(path)


@pytest.mark.parametrize(("act", "size"), [(create, 5), (append, 5), (truncate, 2), (sync_folder, None)])
def test_each_durable_call_is_flushed_once_with_all_its_bytes(
    tmp_path: Path, act: Callable[[Disk, Path], None], size: int | None
) -> None:
    (tmp_path / "old").write_bytes(b"abc")
    disk, before = Counting(), open_files()

    act(disk, tmp_path)

    assert len(disk.flushed) == 1
    assert size is None or disk.flushed == [size]
    assert open_files() == before


class Unflushable(Disk):
    """A disk that loses what it cannot flush."""

    def flush(self, number: int) -> None:
        raise OSError(5, "Input/output error")


@pytest.mark.parametrize("act", [create, append, truncate, sync_folder])
def test_a_flush_that_fails_is_an_error_and_leaves_nothing_open(
    tmp_path: Path, act: Callable[[Disk, Path], None]
) -> None:
    (tmp_path / "old").write_bytes(b"abc")
    before = open_files()

    with pytest.raises(OSError, match="Input/output"):
        act(Unflushable(), tmp_path)

    assert open_files() == before


def test_the_flush_of_a_disk_is_the_systems(tmp_path: Path) -> None:
    ends = os.pipe()
    with pytest.raises(OSError, match="Invalid argument"):
        Disk().flush(ends[1])  # No pipe can be flushed; whoever does not ask does not hear of it.
    os.close(ends[0])
    os.close(ends[1])


def test_nothing_is_left_open_whatever_is_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * 20)
    before = open_files()

    atomic.load(tmp_path / "f")
    for path in (tmp_path, tmp_path / "f", tmp_path / "none", Path("/proc/self/mem")):
        with pytest.raises(StoreError):
            atomic.load(path, largest_bytes=10)

    assert open_files() == before


def test_locks_leave_nothing_open(tmp_path: Path) -> None:
    before = open_files()
    with RunLock(tmp_path, "run-1"):
        assert is_locked(tmp_path)
        with pytest.raises(Exception, match="another process"), RunLock(tmp_path, "run-1"):
            pytest.fail("it was taken twice")
        assert open_files() == before + 1

    assert not is_locked(tmp_path)
    assert open_files() == before


def test_no_symlink_is_written_through_or_given_a_second_name(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"abc")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    disk = Disk()

    disk.link(tmp_path / "link", tmp_path / "second")
    with pytest.raises(OSError, match="symbolic"):
        disk.append(tmp_path / "link", b"x")
    with pytest.raises(OSError, match="symbolic"):
        disk.truncate(tmp_path / "link", 0)
    with pytest.raises(OSError, match="exists"):
        disk.create(tmp_path / "link", b"x")

    assert (tmp_path / "second").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"abc"


def test_modes_are_for_the_owner_alone_whatever_the_mask(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        Disk().create(tmp_path / "file", b"")
        Disk().make_folder(tmp_path / "folder")
    finally:
        os.umask(mask)

    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "folder").stat().st_mode & 0o777 == 0o700


def test_a_file_that_is_not_read_back_or_cannot_be_read_leaves_no_temporary_one(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        atomic.save(tmp_path / "plan.json", b"x", disk=Unflushable())

    assert list(tmp_path.iterdir()) == []
