"""Where runs live, and what is refused there."""

from pathlib import Path

import pytest

from migrate.errors import BadInputError, MigrateError, RunLockedError, StoreError
from migrate.store.plans import find_snapshot, load_plan, save_plan
from migrate.store.run_directory import StateDirectory, find_state_dir, new_run_id
from tests.fakes import START, TickingClock
from tests.unit.engine.story import a_world, forward_plan
from tests.unit.store.material import a_snapshot

RUN = "20261130t142201z-ab12cd"


def test_a_run_id_tells_when_it_began() -> None:
    assert new_run_id(START, "ab12cd") == "20261130t120000z-ab12cd"


@pytest.mark.parametrize(
    ("given", "environ", "marker", "expected"),
    [
        ("mine", {"MAAS_MIGRATE_STATE_DIR": "/other"}, True, "mine"),
        (None, {"MAAS_MIGRATE_STATE_DIR": "other"}, True, "other"),
        (None, {"XDG_STATE_HOME": "/xdg"}, True, "backups"),
        (None, {"XDG_STATE_HOME": "/xdg", "HOME": "/home/me"}, False, "/xdg/maas-migrate"),
        (None, {"XDG_STATE_HOME": "relative", "HOME": "/home/me"}, False, "/home/me/.local/state/maas-migrate"),
        (None, {"HOME": "/home/me"}, False, "/home/me/.local/state/maas-migrate"),
    ],
)
def test_the_state_dir_is_found_in_this_order(
    tmp_path: Path, given: str | None, environ: dict[str, str], marker: bool, expected: str
) -> None:
    if marker:
        (tmp_path / "backups").mkdir()
        (tmp_path / "backups" / ".maas-migrate").touch()

    assert find_state_dir(given, environ, tmp_path).path == tmp_path / expected


def test_without_any_home_the_state_dir_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="HOME"):
        find_state_dir(None, {}, tmp_path)


def test_a_run_is_made_found_and_listed_with_modes_for_its_owner_alone(tmp_path: Path) -> None:
    state = StateDirectory(tmp_path / "deep" / "state")

    made = state.create_run(RUN)
    path = made.save("plan.json", forward_plan(a_world().cluster))

    assert state.run_ids() == (RUN,)
    assert state.open_run(RUN).plan() == forward_plan(a_world().cluster)
    assert made.path.stat().st_mode & 0o777 == 0o700
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("named", ["../x", "a/b", "..", "", "plans", "UPPER", "20261130t142201z-zzzzzz"])
def test_an_unknown_or_crooked_run_is_bad_input_and_names_those_there_are(tmp_path: Path, named: str) -> None:
    state = StateDirectory(tmp_path)
    state.create_run(RUN)

    with pytest.raises(BadInputError, match=RUN):
        state.open_run(named)


def test_a_run_that_is_a_symlink_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    state = StateDirectory(tmp_path / "state")
    state.make()
    (state.path / RUN).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StoreError, match="symlink"):
        state.open_run(RUN)


def test_a_state_dir_that_is_a_symlink_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")

    with pytest.raises(StoreError, match="symlink"):
        StateDirectory(tmp_path / "link").run_ids()


def test_a_state_dir_that_everybody_may_write_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)

    with pytest.raises(StoreError, match="everybody may write"):
        StateDirectory(tmp_path / "open").create_run(RUN)


def test_a_state_dir_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match="no folder"):
        StateDirectory(tmp_path / "file").make()


@pytest.mark.parametrize("name", ["../plan.json", "a/b.json", "", ".hidden", "/etc/passwd"])
def test_a_document_name_never_leaves_the_run(tmp_path: Path, name: str) -> None:
    run = StateDirectory(tmp_path).create_run(RUN)

    with pytest.raises(ValueError, match="no name of a document"):
        run.has(name)


def test_one_process_a_run(tmp_path: Path) -> None:
    run = StateDirectory(tmp_path).create_run(RUN)

    with run.lock():
        assert run.is_locked()
        with pytest.raises(RunLockedError, match=r"pid \d+"), run.lock():
            pass
    assert not run.is_locked()
    with run.lock():
        assert run.is_locked()


def test_a_run_without_a_journal_has_only_just_begun(tmp_path: Path) -> None:
    run = StateDirectory(tmp_path).create_run(RUN)

    assert run.state().state == "running"
    assert run.events() == ()


def test_a_journal_that_no_run_wrote_is_damage(tmp_path: Path) -> None:
    run = StateDirectory(tmp_path).create_run(RUN)
    run.journal(TickingClock()).append("run.ended", data={"exitCode": 0})

    with pytest.raises(StoreError, match="cannot be what a run wrote"):
        run.state()


def test_a_plan_is_found_by_its_id_by_the_start_of_it_and_as_a_file(tmp_path: Path) -> None:
    state, plan = StateDirectory(tmp_path / "state"), forward_plan(a_world().cluster)

    path = save_plan(state, plan, a_snapshot())

    assert load_plan(state, plan.id, tmp_path) == plan
    assert load_plan(state, plan.id[:12], tmp_path) == plan
    assert load_plan(state, str(path), tmp_path) == plan
    assert find_snapshot(state, plan.id) == a_snapshot()
    assert find_snapshot(state, "0" * 64) is None


def test_saving_the_same_plan_twice_is_one_plan(tmp_path: Path) -> None:
    state, plan = StateDirectory(tmp_path / "state"), forward_plan(a_world().cluster)

    assert save_plan(state, plan, a_snapshot()) == save_plan(state, plan, a_snapshot())


def test_an_unknown_plan_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no plan"):
        load_plan(StateDirectory(tmp_path), "0123456789ab", tmp_path)


@pytest.mark.parametrize("by_id", [True, False])
def test_an_edited_plan_is_refused_with_3_as_a_file_and_24_out_of_the_state_dir(tmp_path: Path, by_id: bool) -> None:
    state, plan = StateDirectory(tmp_path / "state"), forward_plan(a_world().cluster)
    path = save_plan(state, plan, a_snapshot())
    path.write_bytes(path.read_bytes().replace(b"flip", b"flop"))

    with pytest.raises(MigrateError, match="changed after it was made") as caught:
        load_plan(state, plan.id if by_id else str(path), tmp_path)

    assert caught.value.exit_code == (24 if by_id else 3)
