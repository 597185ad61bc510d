"""What lies in the state dir or was named by the user and is not what it should be: said for what it is."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from migrate.errors import BadInputError, StoreError
from migrate.records.objects import KubeObject
from migrate.records.snapshot import Snapshot
from migrate.store import codec
from migrate.store.backup_set import BackupSets
from migrate.store.manifests import LAST_APPLIED, re_appliable, to_yaml
from migrate.store.run_directory import StateDirectory, find_state_dir, new_run_id, plan_name
from tests.fakes import START
from tests.unit.engine.story import texts
from tests.unit.store.material import a_snapshot

RUN = "20261130t142201z-ab12cd"


def a_set(path: Path, *things: KubeObject) -> tuple[BackupSets, Path]:
    sets = BackupSets(path, "run-1")
    sets.save("backup", things or (KubeObject(texts()),))
    (folder,) = sets.folders()
    folder.chmod(0o700)
    return sets, folder


def test_a_root_that_is_a_symlink_is_not_followed(tmp_path: Path) -> None:
    sets, folder = a_set(tmp_path)
    (entry,) = sets.verify()
    (tmp_path / "objects").rename(tmp_path / "moved")
    (tmp_path / "objects").symlink_to(tmp_path / "moved")

    with pytest.raises(StoreError, match="it is a symlink"):
        sets.verify()
    with pytest.raises(StoreError, match="it is a symlink"):
        sets.load(entry.file, entry.sha256)
    assert folder.name == "backup"


def test_among_the_sets_lies_nothing_else(tmp_path: Path) -> None:
    sets, _ = a_set(tmp_path)
    (tmp_path / "objects" / ".partial-backup-1234").mkdir()
    assert len(sets.verify()) == 1
    (tmp_path / "objects" / "note.txt").touch()

    with pytest.raises(StoreError, match="it is no backup set"):
        sets.verify()


def test_sets_that_cannot_be_listed_are_said(tmp_path: Path) -> None:
    (tmp_path / "objects").write_text("no folder")

    with pytest.raises(StoreError, match="cannot be read: Not a directory"):
        BackupSets(tmp_path, "run-1").verify()


def test_one_set_is_checked_alone_and_a_missing_one_is_said(tmp_path: Path) -> None:
    sets, folder = a_set(tmp_path)

    assert sets.check(folder) == sets.verify()
    with pytest.raises(StoreError, match="cannot be read"):
        sets.check(folder.with_name("none"))
    with pytest.raises(StoreError, match="cannot be read"):
        sets._must_be_complete(folder.with_name("none"), set())


@pytest.mark.parametrize(("data", "said"), [(b"[1]", "it is no object"), (b"{", "it is no JSON"), (b"\xff", "JSON")])
def test_a_file_that_was_sealed_as_something_else_is_no_object(tmp_path: Path, data: bytes, said: str) -> None:
    sets, folder = a_set(tmp_path)
    (folder / "odd.json").write_bytes(data)

    with pytest.raises(StoreError, match=said):
        sets.load("objects/backup/odd.json", hashlib.sha256(data).hexdigest())


def test_a_third_set_and_a_third_object_of_one_name_get_numbers(tmp_path: Path) -> None:
    things = [KubeObject(texts({"n": str(number)})) for number in range(3)]
    sets, _ = a_set(tmp_path, *things)
    sets.save("backup", things[:1])
    sets.save("backup", things[:1])

    names = sorted(path.name for path in (tmp_path / "objects" / "backup").iterdir())
    assert [path.name for path in sets.folders()] == ["backup", "backup-2", "backup-3"]
    assert names[:3] == ["ConfigMap.ns.texts-2.json", "ConfigMap.ns.texts-2.yaml", "ConfigMap.ns.texts-3.json"]
    assert [sets.load(entry.file, entry.sha256) for entry in sets.verify()[:3]] == things


def test_a_symlink_to_nothing_is_a_name_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects" / "backup").symlink_to(tmp_path / "nowhere")

    (entry,) = BackupSets(tmp_path, "run-1").save("backup", [KubeObject(texts())])

    assert entry.file.startswith("objects/backup-2/")


def test_a_label_becomes_a_safe_name(tmp_path: Path) -> None:
    sets = BackupSets(tmp_path, "run-1")
    for label in ("../../x", "...", "a" * 300):
        sets.save(label, [KubeObject(texts())])

    assert [path.name for path in sets.folders()] == ["_.._x", "a" * 180, "unnamed"]


def test_a_label_that_is_taken_by_a_file_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "objects").write_text("no folder")

    with pytest.raises(StoreError, match="cannot be written"):
        BackupSets(tmp_path, "run-1").save("backup", [KubeObject(texts())])


def test_a_manifest_with_no_annotations_stays_so() -> None:
    thing = texts()
    thing["metadata"]["annotations"] = {LAST_APPLIED: "x"}
    bare: dict[str, Any] = {"kind": "Namespace", "metadata": {"name": "n"}}

    assert "annotations" not in re_appliable(KubeObject(thing))["metadata"]
    assert re_appliable(KubeObject(bare)) == bare


def test_what_is_said_twice_is_written_out_twice() -> None:
    shared = {"a": "b"}

    assert b"&" not in to_yaml({"one": shared, "two": shared})
    assert b"*" not in to_yaml({"one": shared, "two": shared})


# Documents.


def test_a_head_of_another_kind_is_not_asked_of_a_document_without_one() -> None:
    class Plain(msgspec.Struct):
        """A document without a format."""

        a: int

    assert codec.decode(b'{"a": 1}', Plain, source="f") == Plain(1)
    with pytest.raises(StoreError, match="f is damaged"):
        codec.decode(b'{"a": "x"}', Plain, source="f")


@pytest.mark.parametrize("version", ["0", "-1", '"1"', "null", "1.5", "true"])
def test_a_version_that_is_none_is_refused(version: str) -> None:
    data = b'{"format":"maas-migrate/snapshot","version":%s}' % version.encode()

    with pytest.raises(StoreError, match="no version that can be read"):
        codec.decode(data, Snapshot, source="f")


def test_json_that_only_another_reader_takes_has_no_line() -> None:
    with pytest.raises(StoreError, match=r"f is not JSON that can be read: "):
        codec.decode(b"NaN", Snapshot, source="f")


# The state dir.


@pytest.mark.parametrize("token", ["", "ab12c", "ab12cde", "AB12CD", "ab12c\n", "../../"])
def test_a_token_is_six_signs(token: str) -> None:
    with pytest.raises(ValueError, match="six of 0-9a-z"):
        new_run_id(START, token)


def test_a_state_dir_that_cannot_be_looked_at_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match="cannot be read: Not a directory"):
        StateDirectory(tmp_path / "file" / "state").run_ids()


class Unlistable(type(Path())):  # type: ignore[misc]
    """A folder that may not be listed, also by root."""

    def iterdir(self) -> Any:
        raise PermissionError(13, "Permission denied")


def test_a_state_dir_that_may_not_be_listed_is_said(tmp_path: Path) -> None:
    state = StateDirectory(tmp_path)
    state.path = Unlistable(tmp_path)

    with pytest.raises(StoreError, match="cannot be read: Permission denied"):
        state.run_ids()


def test_a_run_that_exists_is_not_made_again(tmp_path: Path) -> None:
    state = StateDirectory(tmp_path)
    state.create_run(RUN)

    with pytest.raises(StoreError, match="cannot be made: File exists"):
        state.create_run(RUN)
    for name in ("../x", "UPPER", ""):
        with pytest.raises(BadInputError, match="is no id of a run"):
            state.create_run(name)


def test_only_folders_with_the_name_of_a_run_are_runs(tmp_path: Path) -> None:
    state = StateDirectory(tmp_path / "state")
    assert state.run_ids() == ()
    state.create_run(RUN)
    for name in ("plans", "rehearsals", "UPPER", ".hidden"):
        (state.path / name).mkdir()
    (state.path / "20261130t142201z-file00").touch()

    assert state.run_ids() == (RUN,)


def test_beginning_makes_the_state_dir_and_holds_it(tmp_path: Path) -> None:
    state = StateDirectory(tmp_path / "state")

    with state.beginning():
        assert (state.path / "lock").is_file()
    assert state.path.stat().st_mode & 0o777 == 0o700


def test_documents_of_both_parts_have_names(tmp_path: Path) -> None:
    run = StateDirectory(tmp_path).create_run(RUN)
    run.save("snapshot.json", a_snapshot())
    run.save("snapshot-2.json", msgspec.structs.replace(a_snapshot(), taken_at="2026-12-01T00:00:00Z"))

    assert (plan_name(1), plan_name(2)) == ("plan.json", "plan-2.json")
    assert run.snapshot() == a_snapshot()
    assert run.snapshot(2).taken_at == "2026-12-01T00:00:00Z"
    assert (run.has("snapshot.json"), run.has("plan.json")) == (True, False)


def test_a_document_is_not_written_over_unless_it_is_said(tmp_path: Path) -> None:
    run = StateDirectory(tmp_path).create_run(RUN)
    other = msgspec.structs.replace(a_snapshot(), taken_at="2026-12-01T00:00:00Z")
    run.save("snapshot.json", a_snapshot())

    with pytest.raises(StoreError, match="another content"):
        run.save("snapshot.json", other)
    run.save("snapshot.json", other, replace=True)

    assert run.snapshot() == other


def test_a_text_with_half_a_character_is_written_all_the_same(tmp_path: Path) -> None:
    path = StateDirectory(tmp_path).create_run(RUN).save_text("report.md", "a\ud800b")

    assert path.read_text() == "a\\ud800b"


def test_a_marker_that_is_no_file_marks_nothing(tmp_path: Path) -> None:
    (tmp_path / "backups" / ".maas-migrate").mkdir(parents=True)

    assert find_state_dir(None, {"HOME": "/home/me"}, tmp_path).path == Path("/home/me/.local/state/maas-migrate")


def test_a_relative_xdg_without_a_home_is_no_place(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no place for runs"):
        find_state_dir(None, {"XDG_STATE_HOME": "relative"}, tmp_path)
    assert find_state_dir(None, {"XDG_STATE_HOME": "/xdg"}, tmp_path).path == Path("/xdg/maas-migrate")


def test_state_dirs_of_others_above_ours_are_left_as_they_are(tmp_path: Path) -> None:
    class Forbidden(type(StateDirectory(tmp_path).disk)):  # type: ignore[misc]
        """A disk whose folders above ours may not be synced."""

        def sync_folder(self, path: Path) -> None:
            if path == tmp_path:
                raise PermissionError(13, "Permission denied")
            super().sync_folder(path)

    run = StateDirectory(tmp_path / "state", disk=Forbidden()).create_run(RUN)

    assert run.path.is_dir()
