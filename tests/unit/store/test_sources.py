"""What lies on the disk in place of a cluster: read whole, or refused with file, line and column."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from migrate.errors import BadInputError
from migrate.records.snapshot import ClusterIdentity, Snapshot
from migrate.records.source import Place, Source
from migrate.store import codec, sources_parse
from migrate.store.sources import load_source

THING = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: n}\n"


def everything(places: Sequence[Place]) -> Sequence[Place]:
    return places


def source_of(path: Path) -> Source:
    found = load_source(path, everything)
    assert isinstance(found, Source)
    return found


def refusal(path: Path) -> str:
    with pytest.raises(BadInputError) as caught:
        load_source(path, everything)
    assert caught.value.exit_code == 3
    assert caught.value.resolution
    return str(caught.value)


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_our_own_snapshot_is_known_whatever_it_is_called(tmp_path: Path) -> None:
    snapshot = Snapshot(taken_at="2026-10-03T22:00:00+00:00", cluster=ClusterIdentity(server="s"))
    path = write(tmp_path / "saved.yaml", codec.encode(snapshot))
    sorted_keys = json.dumps(json.loads(codec.encode(snapshot)), sort_keys=True, indent=1)

    assert load_source(path, everything) == snapshot
    assert load_source(write(tmp_path / "sorted", sorted_keys), everything) == snapshot


def test_another_document_of_ours_is_named_for_what_it_is(tmp_path: Path) -> None:
    assert "maas-migrate/plan" in refusal(write(tmp_path / "p.json", '{"format": "maas-migrate/plan", "version": 1}'))


def test_a_truncated_snapshot_is_no_manifest(tmp_path: Path) -> None:
    assert "line 1" in refusal(write(tmp_path / "s.json", '{"format":"maas-migrate/snapshot","version":1,"takenAt":'))


def test_json_and_yaml_say_the_same(tmp_path: Path) -> None:
    thing = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "n"}}

    found = [
        source_of(write(tmp_path / name, text)).files[0].documents
        for name, text in (("a.yaml", THING), ("a.json", json.dumps(thing)), ("b.yaml", "\ufeff" + THING))
    ]

    assert found == [(thing,)] * 3


def test_plain_scalars_are_what_a_server_meant(tmp_path: Path) -> None:
    text = 'a: 2026-11-30T14:26:46Z\nb: 1:30\nc: yes\nd: 010\ne: 1e+06\nf: "5"\ng: 5\nh: null\ni: true\nj: =\n'

    (document,) = source_of(write(tmp_path / "a.yaml", text)).files[0].documents

    assert document == {
        "a": "2026-11-30T14:26:46Z",
        "b": "1:30",
        "c": "yes",
        "d": "010",
        "e": 1e6,
        "f": "5",
        "g": 5,
        "h": None,
        "i": True,
        "j": "=",
    }


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("a: [1,\nb: {\n", 3, 1, "node content"),
        ("a: 1\n\tb: 2\n", 2, 1, "found"),
        ("a: &x 1\nb: *y\n", 2, 4, "found undefined alias"),
        ("a: !!python/object:os.system 1\n", 1, 4, "could not determine a constructor"),
        ("a: 1\nb: \x01\n", 2, 4, "not allowed"),
        ('{"a": 1,\n "b": }', 2, 7, "Expecting value"),
        (b"a: 1\nb: \xff\n", 2, 4, "no UTF-8"),
    ],
    ids=["unclosed", "tab", "alias", "tag", "control", "json", "utf-8"],
)
def test_what_cannot_be_parsed_is_told_by_file_line_and_column(
    tmp_path: Path, text: str | bytes, line: int, column: int, said: str
) -> None:
    path = write(tmp_path / ("bad.json" if text[:1] == "{" else "bad.yaml"), text)

    message = refusal(path)

    assert f"{path}, line {line}, column {column}: " in message
    assert said in message


@pytest.mark.parametrize(
    "text",
    [
        "a: &x {b: 1}\nc: *x\n",
        "a: !!binary aGVsbG8=\n",
        "1: a\n",
        "a: " + "[" * 150 + "]" * 150,
        "[" * 100_000,
        '{"a":' * 20_000,
        "? [a, b]\n: 1\n",
        "a: !!set {b}\n",
        "a: !!timestamp 2026-11-30\n",
        "a: !!int x\n",
    ],
    ids=["anchor", "binary", "key", "deep", "bomb", "json-bomb", "complex-key", "set", "timestamp", "not-an-int"],
)
def test_what_no_server_sends_is_refused_and_the_file_is_named(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "odd.yaml", text)

    assert str(path) in refusal(path)


def test_yaml_that_would_take_minutes_is_refused_before_it_is_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources_parse, "MOST_YAML_BYTES", 10)

    assert "-o json" in _resolution(write(tmp_path / "a.yaml", THING))


def _resolution(path: Path) -> str:
    with pytest.raises(BadInputError) as caught:
        load_source(path, everything)
    return caught.value.resolution


def test_a_folder_is_read_in_the_order_of_places_whatever_the_disk_says(tmp_path: Path) -> None:
    root = tmp_path / "dump"
    for name in ("z.yaml", "a/b.json", "a.yml", "notes.txt"):
        write(root / name, THING if not name.endswith("json") else '{"kind": "List", "items": []}')
    os.utime(root / "a.yml", (4_000_000_000, 4_000_000_000))

    found = source_of(root)

    assert [file.place for file in found.files] == [("dump", "a", "b.json"), ("dump", "a.yml"), ("dump", "z.yaml")]
    assert (found.name, found.modified_at) == ("dump", "2096-10-02T07:06:40+00:00")


def test_nothing_is_followed_out_of_the_folder(tmp_path: Path) -> None:
    secret = write(tmp_path / "elsewhere.yaml", THING)
    root = tmp_path / "dump"
    root.mkdir()
    (root / "link.yaml").symlink_to(secret)
    assert "symlink" in refusal(root)

    (root / "link.yaml").unlink()
    (root / "folder").symlink_to(tmp_path)
    assert "symlink" in refusal(root)


def test_a_pipe_in_the_folder_is_not_waited_for(tmp_path: Path) -> None:
    root = tmp_path / "dump"
    root.mkdir()
    os.mkfifo(root / "pipe.yaml")

    assert "not a regular file" in refusal(root)


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_a_path_that_holds_nothing_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()

    assert str(tmp_path / name) in refusal(tmp_path / name)
