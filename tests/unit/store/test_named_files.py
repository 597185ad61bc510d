"""What the user named is 3 when it is wrong, what lies in the state dir 24; nothing comes from an unsafe place."""

import resource
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from migrate.errors import ExitCode, MigrateError, StoreError
from migrate.records.snapshot import Snapshot
from migrate.records.source import Place
from migrate.store import rehearsals
from migrate.store.journal_file import FileJournal, read_journal
from migrate.store.plans import find_snapshot, load_plan, save_plan, write_plan
from migrate.store.run_directory import StateDirectory
from migrate.store.runbooks import load_runbook
from migrate.store.snapshots import load_snapshot, save_snapshot
from migrate.store.sources import load_source
from tests.fakes import TickingClock
from tests.unit.engine.story import a_world, forward_plan
from tests.unit.store.material import a_snapshot
from tests.unit.store.test_names_are_safe import CountingDisk

RUN = "20261130t142201z-ab12cd"


TOO_LONG = "n" * 252 + ".json"


def damaged(path: Path, text: str = '{"format": "maas-migrate/snapshot", "version": 1, "x": 1}') -> Path:
    (path / "f.json").write_text(text)
    return path / "f.json"


def unreadable(path: Path) -> object:
    """Read a folder in which no file can be opened any more once it was listed."""
    (path / "a.yaml").touch()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)

    def choose(places: Sequence[Place]) -> Sequence[Place]:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
        return places

    try:
        return load_source(path, choose)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


NAMED: dict[str, Callable[[Path], object]] = {
    "a plan that cannot be written": lambda path: write_plan(path / "none" / "p.json", forward_plan(a_world().cluster)),
    "a plan of too long a name": lambda path: write_plan(path / TOO_LONG, forward_plan(a_world().cluster)),
    "a plan over a folder": lambda path: write_plan(path, forward_plan(a_world().cluster)),
    "a plan that is a snapshot": lambda path: load_plan(StateDirectory(path / "s"), damaged(path).name, path),
    "a snapshot that cannot be written": lambda path: save_snapshot(path / "none" / "s.json", a_snapshot()),
    "a snapshot of too long a name": lambda path: save_snapshot(path / TOO_LONG, a_snapshot()),
    "a snapshot that is not there": lambda path: load_snapshot(path / "none"),
    "a snapshot that is damaged": lambda path: load_snapshot(damaged(path)),
    "a runbook that is a folder": lambda path: load_runbook(".", path),
    "a reading that is damaged": lambda path: load_source(damaged(path), lambda places: places),
    "a reading that is damaged and was sorted": lambda path: load_source(
        damaged(path, '{"a": 1, "format": "maas-migrate/snapshot", "version": 1}'), lambda places: places
    ),
    "a reading that cannot be opened": unreadable,
    "a reading that is not there": lambda path: load_source(path / "none", lambda places: places),
}


@pytest.mark.parametrize("what", NAMED)
def test_what_the_user_named_is_the_users_to_mend(tmp_path: Path, what: str) -> None:
    with pytest.raises(MigrateError) as caught:
        NAMED[what](tmp_path)

    assert caught.value.exit_code is ExitCode.BAD_INPUT


def test_a_link_that_the_user_named_is_followed(tmp_path: Path) -> None:
    save_snapshot(tmp_path / "real.json", a_snapshot())
    (tmp_path / "link.json").symlink_to("real.json")

    assert load_snapshot(tmp_path / "link.json") == a_snapshot()
    assert load_source(tmp_path / "link.json", lambda places: places) == a_snapshot()


UNSAFE: dict[str, Callable[[StateDirectory], object]] = {
    "plans": lambda state: load_plan(state, forward_plan(a_world().cluster).id, state.path.parent),
    "runs": lambda state: state.open_run(RUN),
    "a new run": lambda state: state.create_run(f"{RUN}-2"),
    "the lock of new runs": StateDirectory.beginning,
    "rehearsals": rehearsals.rehearsal_ids,
    "a rehearsal": lambda state: rehearsals.load_rehearsal(state, "r1", Snapshot),
    "saving a rehearsal": lambda state: rehearsals.save_rehearsal(state, "r2", a_snapshot()),
    "saving": lambda state: save_plan(state, forward_plan(a_world().cluster), a_snapshot()),
}


@pytest.mark.parametrize("what", UNSAFE)
def test_nothing_is_taken_from_a_state_dir_that_everybody_may_write_to(tmp_path: Path, what: str) -> None:
    state = StateDirectory(tmp_path / "state")
    state.create_run(RUN)
    save_plan(state, forward_plan(a_world().cluster), a_snapshot())
    rehearsals.save_rehearsal(state, "r1", a_snapshot())
    state.path.chmod(0o777)

    with pytest.raises(StoreError, match="everybody may write"):
        UNSAFE[what](state)


def test_the_names_of_new_folders_are_synced(tmp_path: Path) -> None:
    disk = CountingDisk()
    state = StateDirectory(tmp_path / "state", disk=disk)

    save_plan(state, forward_plan(a_world().cluster), a_snapshot())
    assert disk.synced.count(state.path) == 1
    rehearsals.save_rehearsal(state, "r1", a_snapshot())

    assert disk.synced.count(state.path) == 2


def test_the_snapshot_of_a_plan_that_is_made_again_is_the_newest(tmp_path: Path) -> None:
    state, plan = StateDirectory(tmp_path / "state"), forward_plan(a_world().cluster)
    later = msgspec.structs.replace(a_snapshot(), taken_at="2026-12-01T00:00:00Z")

    save_plan(state, plan, a_snapshot())
    save_plan(state, plan, later)

    assert find_snapshot(state, plan.id) == later


def test_a_report_is_written_over_the_last_one(tmp_path: Path) -> None:
    run = StateDirectory(tmp_path).create_run(RUN)

    for text in ("first", "second"):
        path = run.save_text("report.md", text)

    assert path.read_text() == "second"


def test_a_line_of_another_journal_in_the_right_place_is_found(tmp_path: Path) -> None:
    lines = []
    for name in ("one", "other"):
        path = tmp_path / f"{name}.jsonl"
        journal = FileJournal(path, TickingClock())
        journal.append("run.started", data={"plan": name})
        journal.append("run.planned", data={"plan": name, "steps": []})
        lines.append(path.read_bytes().splitlines(keepends=True))
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_bytes(lines[0][0] + lines[1][1])

    with pytest.raises(StoreError, match="line 2: it does not follow the line before it"):
        read_journal(mixed)
