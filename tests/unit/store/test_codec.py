"""Documents in and out: no byte changes, and nothing unsound gets in."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from migrate.errors import BadInputError, MigrateError, StoreError
from migrate.records.essence import digest_of
from migrate.records.plan import Plan, Restart, SetFields, Wait
from migrate.records.predicates import FieldPresent
from migrate.records.snapshot import Snapshot
from migrate.store import atomic, codec
from migrate.store.snapshots import load_snapshot, save_snapshot
from tests.unit.engine.story import CONFIG, a_plan, a_step, a_world, forward_plan
from tests.unit.store.material import a_snapshot


def test_reading_then_writing_a_document_changes_no_byte() -> None:
    for document in (a_snapshot(), forward_plan(a_world().cluster)):
        data = codec.encode(document)
        assert codec.encode(codec.decode(data, type(document), source="x")) == data


def test_every_document_begins_with_format_and_version() -> None:
    assert codec.encode(a_snapshot()).startswith(b'{"format":"maas-migrate/snapshot","version":1,')


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not JSON"),
        (b'{\n  "a": x}', "line 2 column 8"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "not JSON that can be read"),
        (b"{}", "no document of maas-migrate"),
        (b'{"format":"maas-migrate/plan","version":1}', "holds 'maas-migrate/plan', expected maas-migrate/snapshot"),
        (b'{"format":"maas-migrate/snapshot","version":2}', "version 2"),
        (b'{"format":"maas-migrate/snapshot"}', "no version"),
        (b'{"format":"maas-migrate/snapshot","version":true}', "no version"),
        (b'{"format":"maas-migrate/snapshot","version":1}', "damaged: Object missing required field"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_document_is_refused_with_a_reason(data: bytes, said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        codec.decode(data, Snapshot, source="file", by_user=True)
    with pytest.raises(StoreError, match=said):
        codec.decode(data, Snapshot, source="file")


def test_an_unknown_field_is_refused() -> None:
    document = msgspec.to_builtins(a_snapshot()) | {"more": 1}

    with pytest.raises(StoreError, match="more"):
        codec.decode(msgspec.json.encode(document), Snapshot, source="file")


def test_a_plan_of_an_older_tool_with_fewer_fields_keeps_its_id() -> None:
    older = msgspec.to_builtins(forward_plan(a_world().cluster), str_keys=True)
    del older["runbook"]["document"], older["id"]
    older["id"] = digest_of(older)

    plan = codec.decode(msgspec.json.encode(older), Plan, source="plan.json")

    assert (plan.id, plan.runbook.document) == (older["id"], None)


def test_a_plan_whose_id_does_not_fit_is_refused() -> None:
    document = msgspec.structs.replace(forward_plan(a_world().cluster), platform="3.5")

    with pytest.raises(StoreError, match="changed after it was made"):
        codec.decode(codec.encode(document), Plan, source="file")


@pytest.mark.parametrize("kind", [SetFields, Restart])
def test_a_plan_that_writes_to_no_object_is_refused(kind: Any) -> None:
    more = {"uid": "u", "after": {}} if kind is SetFields else {}
    plan = a_plan((a_step(kind, "none", **more),))

    with pytest.raises(StoreError, match="the step none names no object to write"):
        codec.decode(codec.encode(plan), Plan, source="file")


def test_a_plan_that_looks_at_no_field_is_refused() -> None:
    nothing = FieldPresent(object=CONFIG, path=())
    plan = a_plan((a_step(Wait, "wait", until=nothing),))

    with pytest.raises(StoreError, match="file is damaged"):
        codec.decode(codec.encode(plan), Plan, source="file")


def test_a_snapshot_goes_to_a_file_and_back(tmp_path: Path) -> None:
    path = tmp_path / "s.json"

    save_snapshot(path, a_snapshot())

    assert load_snapshot(path) == a_snapshot()


def test_another_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text("mine")

    with pytest.raises(BadInputError, match="exists already"):
        save_snapshot(path, a_snapshot())

    assert path.read_text() == "mine"


@pytest.mark.parametrize("by_user", [True, False])
def test_a_missing_file_a_folder_and_a_huge_file_are_refused(tmp_path: Path, by_user: bool) -> None:
    (tmp_path / "big").write_bytes(b"x" * 11)
    code = 3 if by_user else 24

    for name in ("missing", ".", "big"):
        with pytest.raises(MigrateError) as caught:
            atomic.load(tmp_path / name, by_user=by_user, largest_bytes=10)
        assert caught.value.exit_code == code


def test_a_symlink_in_the_state_dir_is_not_followed_and_the_users_own_is(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert atomic.load(tmp_path / "link", by_user=True) == b"x"
    with pytest.raises(StoreError):
        atomic.load(tmp_path / "link")


@pytest.mark.parametrize("step", ["create", "link", "remove", "sync_folder"])
def test_a_full_disk_leaves_no_half_file(tmp_path: Path, step: str) -> None:
    path = tmp_path / "plan.json"

    with pytest.raises(StoreError, match="No space left"):
        atomic.save(path, b"new", disk=FullDisk(step))

    assert not path.exists() or path.read_bytes() == b"new"


@pytest.mark.parametrize("step", ["create", "rename", "sync_folder"])
def test_a_full_disk_leaves_the_old_file_whole(tmp_path: Path, step: str) -> None:
    path = tmp_path / "verification.json"
    path.write_bytes(b"old")

    with pytest.raises(StoreError, match="No space left"):
        atomic.save(path, b"new", disk=FullDisk(step), replace=True)

    assert path.read_bytes() in {b"old", b"new"}


class FullDisk(atomic.Disk):
    """A disk on which one kind of step fails."""

    def __init__(self, step: str) -> None:
        self.step = step

    def _maybe(self, step: str) -> None:
        if step == self.step:
            raise OSError(28, "No space left on device")

    def create(self, path: Path, data: bytes, *, mode: int = 0o600) -> None:
        self._maybe("create")
        super().create(path, data, mode=mode)

    def append(self, path: Path, data: bytes) -> None:
        if self.step == "append":
            super().append(path, data[: len(data) // 2])
        self._maybe("append")
        super().append(path, data)

    def truncate(self, path: Path, size_bytes: int) -> None:
        self._maybe("truncate")
        super().truncate(path, size_bytes)

    def link(self, source: Path, target: Path) -> None:
        self._maybe("link")
        super().link(source, target)

    def remove(self, path: Path) -> None:
        self._maybe("remove")
        super().remove(path)

    def rename(self, source: Path, target: Path) -> None:
        self._maybe("rename")
        super().rename(source, target)

    def sync_folder(self, path: Path) -> None:
        self._maybe("sync_folder")
        super().sync_folder(path)
