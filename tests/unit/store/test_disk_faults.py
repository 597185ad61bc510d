"""
Goal: whichever call to the disk fails, an error of ours says so and what was there is whole.

Method: a disk whose n-th call fails with ENOSPC, EIO or EROFS, for every n that the work makes.
"""

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from migrate.errors import BadInputError, ExitCode, MigrateError, RunLockedError, StoreError
from migrate.records.objects import KubeObject
from migrate.store import atomic, rehearsals
from migrate.store.atomic import Disk
from migrate.store.backup_set import BackupSets
from migrate.store.journal_file import FileJournal, read_journal
from migrate.store.lock import RunLock, is_locked
from migrate.store.plans import load_plan, save_plan, write_plan
from migrate.store.run_directory import StateDirectory
from migrate.store.snapshots import load_snapshot, must_be_free, save_snapshot
from tests.fakes import TickingClock
from tests.unit.engine.story import a_world, forward_plan, texts
from tests.unit.store.material import a_snapshot

RUN = "20261130t142201z-ab12cd"
ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS)
CALLS = ("create", "append", "truncate", "link", "remove", "rename", "make_folder", "set_mode", "sync_folder")


class FailingDisk(Disk):
    """Fails at its n-th call, and at all after it when the disk has become read-only."""

    def __init__(self, at: int = -1, number: int = errno.ENOSPC) -> None:
        self.at = at
        self.number = number
        self.calls = 0
        for name in CALLS:
            setattr(self, name, self._counting(getattr(super(), name)))

    def _counting(self, call: Callable[..., None]) -> Callable[..., None]:
        def counted(*given: Any, **more: Any) -> None:
            number, self.calls = self.calls, self.calls + 1
            for_good = self.number == errno.EROFS and self.at >= 0
            if number == self.at or (for_good and number > self.at):
                raise OSError(self.number, os.strerror(self.number))
            call(*given, **more)

        return counted


def all_work(root: Path, disk: Disk) -> None:
    """Everything that a run writes."""
    state = StateDirectory(root / "deep" / "state", disk=disk)
    plan = forward_plan(a_world().cluster)
    save_plan(state, plan, a_snapshot())
    run = state.create_run(RUN)
    run.save("plan.json", plan)
    run.save_text("report.md", "text")
    journal = run.journal(TickingClock())
    journal.append("run.started", data={"plan": plan.id})
    thing = texts()
    thing["metadata"]["uid"] = "u"
    run.backups().save("backup", [KubeObject(thing)])
    journal.append("run.planned", data={"plan": plan.id, "steps": []})
    run.save("verification.json", a_snapshot(), replace=True)
    rehearsals.save_rehearsal(state, "r1", a_snapshot())


def count(tmp_path_factory: pytest.TempPathFactory) -> int:
    disk = FailingDisk()
    all_work(tmp_path_factory.mktemp("count"), disk)
    return disk.calls


MOST = 60
"""More calls than the work makes; a test below says so when it comes to make more."""


def test_every_call_of_the_work_is_met(tmp_path_factory: pytest.TempPathFactory) -> None:
    assert 40 < count(tmp_path_factory) <= MOST


def failure_of(work: Callable[[], None]) -> MigrateError | None:
    try:
        work()
    except MigrateError as error:
        return error
    return None


@pytest.mark.parametrize("number", ERRORS)
@pytest.mark.parametrize("at", range(MOST))
def test_a_disk_that_fails_at_any_call_is_an_error_of_ours_and_what_is_there_is_whole(
    tmp_path: Path, at: int, number: int
) -> None:
    disk = FailingDisk(at, number)
    error = failure_of(lambda: all_work(tmp_path, disk))

    if error is None:
        assert at >= disk.calls, "a call failed and nobody was told"
    else:
        assert (error.exit_code, bool(error.resolution)) == (ExitCode.STORE_DAMAGED, True)
    state = StateDirectory(tmp_path / "deep" / "state")
    for run_id in state.run_ids():
        run = state.open_run(run_id)
        run.backups().verify()
        run.events()
        for name in ("plan.json", "report.md", "verification.json"):
            assert not run.has(name) or (run.path / name).read_bytes()


def test_a_file_longer_than_one_write_is_written_whole(tmp_path: Path) -> None:
    Disk().create(tmp_path / "big", b"x" * 3_000_000)

    assert (tmp_path / "big").stat().st_size == 3_000_000
    assert (tmp_path / "big").stat().st_mode & 0o777 == 0o600


class Changing(Disk):
    """Changes what it wrote."""

    def sync_folder(self, path: Path) -> None:
        for file in path.glob("plan.json"):
            file.write_bytes(b"other")
        for file in path.glob("backup/*.yaml"):
            file.chmod(0o600)
            file.write_bytes(b"other")
        super().sync_folder(path)


@pytest.mark.parametrize(("by_user", "kind"), [(True, BadInputError), (False, StoreError)])
def test_what_does_not_read_back_as_written_is_said(tmp_path: Path, by_user: bool, kind: type[MigrateError]) -> None:
    with pytest.raises(kind, match="does not read back as it was written"):
        atomic.save(tmp_path / "plan.json", b"mine", disk=Changing(), by_user=by_user)


def test_a_backup_that_does_not_read_back_is_none(tmp_path: Path) -> None:
    sets = BackupSets(tmp_path, "run-1", disk=Changing())

    with pytest.raises(StoreError, match="does not read back as it was written"):
        sets.save("backup", [KubeObject(texts())])


def test_the_same_bytes_are_no_other_file_and_others_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    disk = FailingDisk()
    atomic.save(path, b"mine", disk=disk)
    calls = disk.calls

    atomic.save(path, b"mine", disk=disk)
    with pytest.raises(StoreError, match="another content"):
        atomic.save(path, b"other", disk=disk)

    assert (disk.calls, path.read_bytes()) == (calls, b"mine")
    assert [entry.name for entry in tmp_path.iterdir()] == ["plan.json"]


def test_a_link_to_nothing_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "plan.json").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StoreError):
        atomic.save(tmp_path / "plan.json", b"mine")

    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(("size", "is_read"), [(10, True), (11, False)])
def test_a_file_of_just_the_size_is_read(tmp_path: Path, size: int, is_read: bool) -> None:
    (tmp_path / "f").write_bytes(b"x" * size)
    if is_read:
        assert atomic.load(tmp_path / "f", largest_bytes=10) == b"x" * 10
        return
    with pytest.raises(StoreError, match="larger than 10 bytes"):
        atomic.load(tmp_path / "f", largest_bytes=10)


def test_a_pipe_that_the_user_names_is_read_and_one_of_the_state_dir_is_not(tmp_path: Path) -> None:
    ends = os.pipe()
    os.write(ends[1], b"piped")
    os.close(ends[1])
    os.mkfifo(tmp_path / "fifo")

    assert atomic.load(Path(f"/dev/fd/{ends[0]}"), by_user=True) == b"piped"
    with pytest.raises(StoreError, match="not a regular file"):
        atomic.load(tmp_path / "fifo")
    os.close(ends[0])


def test_a_pipe_whose_writer_is_slower_than_the_reader_is_read_to_its_end() -> None:
    ends, data = os.pipe(), b"x" * 1_000_000

    def write() -> None:
        with os.fdopen(ends[1], "wb") as file:
            file.write(data)  # Many times what a pipe holds: it waits for the reader, and the reader for it.

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert atomic.load(Path(f"/dev/fd/{ends[0]}"), by_user=True) == data
    finally:
        os.close(ends[0])
        writer.join()


def test_a_name_that_no_system_takes_cannot_be_read() -> None:
    with pytest.raises(BadInputError, match="cannot be read: embedded null"):
        atomic.load(Path("a\0b"), by_user=True)


def test_a_file_that_cannot_be_read_to_its_end_is_said() -> None:
    with pytest.raises(StoreError, match="cannot be read: Input/output error"):
        atomic.load(Path("/proc/self/mem"))


# Journal.


@pytest.mark.parametrize("step", ["create", "sync_folder"])
def test_a_journal_that_cannot_be_made_is_said(tmp_path: Path, step: str) -> None:
    disk = FailingDisk(0 if step == "create" else 1)

    with pytest.raises(StoreError, match="cannot be made: No space left"):
        FileJournal(tmp_path / "journal.jsonl", TickingClock(), disk=disk)


def test_a_torn_line_that_cannot_be_cut_off_stops_everything(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    FileJournal(path, TickingClock()).append("run.started")
    path.write_bytes(path.read_bytes() + b'{"torn')
    before = path.read_bytes()

    with pytest.raises(StoreError, match="cannot be repaired"):
        FileJournal(path, TickingClock(), disk=FailingDisk(1, errno.EROFS))

    assert path.read_bytes() == before
    assert len(read_journal(path)[0]) == 1


# Locks.


def test_a_lock_in_no_folder_cannot_be_opened_and_nobody_holds_it(tmp_path: Path) -> None:
    assert is_locked(tmp_path / "none") is False
    with pytest.raises(StoreError, match="cannot be opened"), RunLock(tmp_path / "none", "run-1"):
        pytest.fail("it was opened")


def test_a_lock_says_who_holds_it_and_for_what(tmp_path: Path) -> None:
    with RunLock(tmp_path), pytest.raises(RunLockedError) as caught, RunLock(tmp_path):
        pytest.fail("it was taken twice")

    assert f"(pid {os.getpid()}) begins a run in {tmp_path}; nothing was written" in caught.value.message
    assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600


def test_a_lock_without_a_name_in_it_is_held_by_somebody(tmp_path: Path) -> None:
    with RunLock(tmp_path, "run-1"):
        (tmp_path / "lock").write_text("")
        with (
            pytest.raises(RunLockedError, match="works on the run run-1; nothing was written"),
            RunLock(tmp_path, "run-1"),
        ):
            pytest.fail("it was taken twice")
        assert is_locked(tmp_path)
    assert not is_locked(tmp_path)


def test_a_shorter_pid_leaves_nothing_of_a_longer_one(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("9" * 40)

    with RunLock(tmp_path, "run-1"):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_a_lock_that_is_a_symlink_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")

    assert is_locked(tmp_path) is False
    with pytest.raises(StoreError), RunLock(tmp_path):
        pytest.fail("it was followed")
    assert not (tmp_path / "elsewhere").exists()


# Plans, snapshots and rehearsals.


def test_a_plan_is_written_over_an_older_one_and_over_nothing_else(tmp_path: Path) -> None:
    plan = forward_plan(a_world().cluster)
    path, other, odd = tmp_path / "p.json", tmp_path / "notes.txt", tmp_path / "o.json"
    write_plan(path, plan)
    write_plan(path, plan)
    for text in ("mine", '{"format": "maas-migrate/snapshot"}', "[" * 100_000, "\xff"):
        other.write_text(text, encoding="latin-1")
        with pytest.raises(BadInputError, match="is no plan of maas-migrate"):
            write_plan(other, plan)
        assert other.read_text(encoding="latin-1") == text
    odd.write_text('{"format": "maas-migrate/plan", "older": true}')
    write_plan(odd, plan)

    assert load_plan(StateDirectory(tmp_path / "none"), "p.json", tmp_path) == plan
    assert load_plan(StateDirectory(tmp_path / "none"), "o.json", tmp_path) == plan


def test_a_start_that_two_plans_have_is_not_guessed(tmp_path: Path) -> None:
    state = StateDirectory(tmp_path / "state")
    plan = forward_plan(a_world().cluster)
    path = save_plan(state, plan, a_snapshot())
    twin = path.with_name(f"{plan.id[:12]}{'0' * 52}.json")
    twin.write_bytes(path.read_bytes())

    with pytest.raises(BadInputError, match="2 plans begin with") as caught:
        load_plan(state, plan.id[:12], tmp_path)

    assert f"{plan.id}, {twin.stem}" in caught.value.message or f"{twin.stem}, {plan.id}" in caught.value.message
    assert load_plan(state, plan.id[:13], tmp_path) == plan


def test_a_snapshot_goes_only_where_nothing_is(tmp_path: Path) -> None:
    must_be_free(tmp_path / "s.json")
    save_snapshot(tmp_path / "s.json", a_snapshot())
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")

    with pytest.raises(BadInputError, match="exists already"):
        must_be_free(tmp_path / "s.json")
    with pytest.raises(BadInputError, match="exists already"):
        must_be_free(tmp_path / "link")
    with pytest.raises(BadInputError, match="there is no folder"):
        must_be_free(tmp_path / "none" / "s.json")
    assert load_snapshot(tmp_path / "s.json") == a_snapshot()


def test_rehearsals_are_kept_listed_and_found_again(tmp_path: Path) -> None:
    state = StateDirectory(tmp_path / "state")
    assert rehearsals.rehearsal_ids(state) == ()
    for name in ("20261130t142201z-bbbbbb", "20261130t142201z-aaaaaa"):
        rehearsals.save_rehearsal(state, name, a_snapshot())
    (state.path / "rehearsals" / "UPPER.json").touch()

    assert rehearsals.rehearsal_ids(state) == ("20261130t142201z-aaaaaa", "20261130t142201z-bbbbbb")
    found = rehearsals.load_rehearsal(state, "20261130t142201z-aaaaaa", type(a_snapshot()))
    assert found == a_snapshot()
    for name in ("none", "../plans/x", ""):
        with pytest.raises(BadInputError, match="there are: 20261130t142201z-aaaaaa, 20261130t142201z-bbbbbb"):
            rehearsals.load_rehearsal(state, name, type(a_snapshot()))
    with pytest.raises(BadInputError, match="there are: none"):
        rehearsals.load_rehearsal(StateDirectory(tmp_path / "other"), "x", type(a_snapshot()))
