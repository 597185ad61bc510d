"""Backup sets: sealed, never overwritten, usable without the tool."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml

from migrate.errors import StoreError
from migrate.records.objects import KubeObject
from migrate.store.backup_set import BackupSets
from migrate.store.manifests import LAST_APPLIED, re_appliable, to_yaml
from tests.unit.engine.story import texts
from tests.unit.store.test_codec import FullDisk


def a_thing(**metadata: Any) -> KubeObject:
    thing = texts()
    thing["metadata"] |= {"uid": "u", "resourceVersion": "7", **metadata}
    return KubeObject(thing)


def test_a_saved_object_is_raw_as_read_and_sealed(tmp_path: Path) -> None:
    sets = BackupSets(tmp_path, "run-1")

    (entry,) = sets.save("backup:red/team", [a_thing()])

    (folder,) = sets.folders()
    assert sets.load(entry.file, entry.sha256) == a_thing()
    assert folder.name == "backup_red_team"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o500
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o400}
    assert (entry.verified, entry.uid) == (True, "u")
    assert sets.verify() == (entry,)


def test_a_taken_label_gets_a_number_and_nothing_is_overwritten(tmp_path: Path) -> None:
    sets = BackupSets(tmp_path, "run-1")

    (first,) = sets.save("backup", [a_thing()])
    (second,) = sets.save("backup", [a_thing(labels={"new": "yes"})])

    assert first.file != second.file
    assert sets.load(first.file, first.sha256) == a_thing()


def test_two_objects_of_one_file_name_are_both_kept(tmp_path: Path) -> None:
    sets = BackupSets(tmp_path, "run-1")

    entries = sets.save("backup", [a_thing(), a_thing(labels={"other": "yes"})])

    assert len({entry.file for entry in entries}) == 2


def test_a_set_that_was_never_finished_is_none(tmp_path: Path) -> None:
    sets = BackupSets(tmp_path, "run-1", disk=FullDisk("rename"))

    with pytest.raises(StoreError, match="No space left"):
        sets.save("backup", [a_thing()])

    assert BackupSets(tmp_path, "run-1").verify() == ()


@pytest.mark.parametrize("step", ["create", "sync_folder"])
def test_no_backup_is_reported_from_a_full_disk(tmp_path: Path, step: str) -> None:
    with pytest.raises(StoreError):
        BackupSets(tmp_path, "run-1", disk=FullDisk(step)).save("backup", [a_thing()])


@pytest.mark.parametrize(
    "file", ["../x.json", "objects/../x.json", "/etc/passwd", "objects/a/b/c.json", "", "plan.json"]
)
def test_a_backup_outside_the_sets_is_never_read(tmp_path: Path, file: str) -> None:
    with pytest.raises(StoreError):
        BackupSets(tmp_path, "run-1").load(file, "0" * 64)


def test_a_symlinked_set_is_refused(tmp_path: Path) -> None:
    sets = BackupSets(tmp_path, "run-1")
    (entry,) = sets.save("backup", [a_thing()])
    (folder,) = sets.folders()
    folder.rename(tmp_path / "moved")
    folder.symlink_to(tmp_path / "moved")

    with pytest.raises(StoreError):
        sets.load(entry.file, entry.sha256)
    with pytest.raises(StoreError):
        sets.verify()


def test_a_backup_with_another_digest_is_refused(tmp_path: Path) -> None:
    sets = BackupSets(tmp_path, "run-1")
    (entry,) = sets.save("backup", [a_thing()])

    with pytest.raises(StoreError, match="not those that were sealed"):
        sets.load(entry.file, "0" * 64)


def test_ch_16_the_file_for_kubectl_holds_nothing_of_the_server_and_no_copy_of_itself() -> None:
    thing = a_thing(
        creationTimestamp="2026-08-01T00:00:00Z",
        managedFields=[{"manager": "m"}],
        ownerReferences=[{"uid": "1111"}],
        annotations={LAST_APPLIED: "x" * 300_000, "note": "mine"},
    )

    body = re_appliable(KubeObject({**thing.raw, "status": {"phase": "Ready"}}))

    assert set(body) == {"apiVersion", "kind", "metadata", "data"}
    assert set(body["metadata"]) == {"name", "namespace", "labels", "annotations"}
    assert body["metadata"]["annotations"] == {"note": "mine"}


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "1:30",
        "0o17",
        "~",
        "",
        "1e3",
        "a\n",
        "a\nb",
        "  a\n b\n\n",
        "a \nb",
        "\ta\n",
        "#x\n",
        "---\n",
        "é\u2028\x85x",
        "\ufeff",
    ],
)
def test_the_yaml_gives_every_reader_the_same_text(text: str) -> None:
    data = to_yaml({"data": {text or "key": text}})

    assert yaml.safe_load(data) == {"data": {text or "key": text}}
    assert yaml.load(data, Loader=yaml.BaseLoader) == {"data": {text or "key": text}}


def test_the_yaml_is_for_a_person_too_and_the_same_each_time() -> None:
    long = "word " * 200
    body = {"b": {"a.yaml": "x: 1\ny: é\n", "c.yaml": "x: 1\n"}, "a": {"flag": "yes", "long": long, "é": ""}}

    data = to_yaml(body)

    assert data.decode("ascii").splitlines() == [
        '"a":',
        '  "flag": "yes"',
        f'  "long": "{long}"',
        '  "\\xE9": ""',
        '"b":',
        '  "a.yaml": "x: 1\\ny: \\xE9\\n"',
        '  "c.yaml": |',
        "    x: 1",
    ]
    assert to_yaml(dict(reversed(body.items()))) == data


def test_a_lone_surrogate_that_a_file_may_hold_is_written_too() -> None:
    assert to_yaml({"data": {"a": "x\ud800"}}) == b'"data":\n  "a": "x\\uD800"\n'


def test_the_raw_file_is_plain_json(tmp_path: Path) -> None:
    sets = BackupSets(tmp_path, "run-1")
    (entry,) = sets.save("backup", [a_thing()])

    assert json.loads((tmp_path / entry.file).read_text()) == a_thing().raw
