"""Runbooks and manifests at the edges: the line that is named, the size and the depth that are still read."""

from pathlib import Path
from typing import Any

import pytest

from migrate.errors import BadInputError, MigrateError
from migrate.store import sources, sources_parse
from migrate.store.runbooks import load_runbook
from migrate.store.sources import load_source
from migrate.store.sources_parse import parse
from tests.unit.store.test_runbooks import GOOD


def test_the_lines_of_a_runbook_are_those_of_its_fields(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_bytes(GOOD)

    lines = load_runbook("mine.yaml", tmp_path).lines

    assert (lines["format"], lines["goal"], lines["phases[0].steps[0].uses"]) == (1, 6, 11)
    assert (lines["phases"], lines["phases[0]"], lines["platforms[0]"]) == (7, 8, 5)


def test_what_an_alias_repeats_is_placed_once(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_bytes(
        GOOD.replace(b"title: Mine", b"title: &t Mine").replace(b"goal: It holds.", b"goal: *t")
        + b"- name: two\n  title: Two\n  steps: &s\n  - {id: b, uses: back-up, title: B, estimateS: 1, timeoutS: 2}\n"
        + b"- name: three\n  title: Three\n  steps: *s\n"
    )

    lines = load_runbook("mine.yaml", tmp_path).lines

    assert lines["phases[1].steps[0].id"] == 15
    assert "phases[2].steps[0].id" not in lines


def test_a_shipped_name_is_not_taken_by_a_local_file_and_a_path_is_no_name(tmp_path: Path) -> None:
    (tmp_path / "runbooks").mkdir()
    (tmp_path / "runbooks" / "ipp-to-praxis.yaml").write_bytes(GOOD)
    (tmp_path / "mine").write_bytes(GOOD)

    assert load_runbook("ipp-to-praxis", tmp_path).source == "shipped"
    assert load_runbook("mine", tmp_path).source == str(tmp_path / "mine")


# Somebody's manifests.


def refusal(path: Path) -> MigrateError:
    with pytest.raises(BadInputError) as caught:
        load_source(path, lambda places: places)
    return caught.value


def test_files_that_hold_too_much_together_are_not_read_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text("a: 1\n")
    monkeypatch.setattr(sources, "MOST_BYTES", 10)
    load_source(tmp_path, lambda places: places)
    monkeypatch.setattr(sources, "MOST_BYTES", 9)

    assert "b.yaml and the rest were not read" in refusal(tmp_path).message


def test_a_folder_of_too_many_names_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("a.yaml", "deep/b.yaml"):
        (tmp_path / name).write_text("a: 1\n")
    monkeypatch.setattr(sources, "MOST_FILES", 3)
    load_source(tmp_path, lambda places: places)
    monkeypatch.setattr(sources, "MOST_FILES", 2)

    assert "more than 2 files" in refusal(tmp_path).message


def test_a_file_that_vanishes_before_it_is_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: 1\n")

    def choose(places: Any) -> Any:
        (tmp_path / "a.yaml").unlink()
        return places

    with pytest.raises(BadInputError, match=r"a\.yaml cannot be read: No such file"):
        load_source(tmp_path, choose)


def test_what_os_walk_cannot_read_is_bad_input() -> None:
    with pytest.raises(BadInputError, match="/x cannot be read: Permission denied"):
        sources._unreadable(PermissionError(13, "Permission denied", "/x"))


def test_what_begins_like_json_and_is_yaml_is_read_as_yaml() -> None:
    assert parse(b"{a: 1}\n---\n[b]\n", "f.yaml") == ({"a": 1}, ["b"])
    with pytest.raises(BadInputError, match=r"f\.json, line 1, column 2"):
        parse(b"{a: 1}", "f.json")
    with pytest.raises(BadInputError, match=r"f\.yaml, line 1, column 2"):
        parse(b"{a: [}", "f.yaml")


def test_json_too_large_to_be_yaml_is_told_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources_parse, "MOST_YAML_BYTES", 6)
    assert parse(b"{a: 1}", "f.yaml") == ({"a": 1},)
    monkeypatch.setattr(sources_parse, "MOST_YAML_BYTES", 5)

    with pytest.raises(BadInputError, match=r"f\.yaml, line 1, column 2"):
        parse(b"{a: 1}", "f.yaml")


@pytest.mark.parametrize("data", [b"[NaN]", b'{"a": Infinity}', b'"\\ud800"'])
def test_json_that_only_some_readers_take_is_refused(data: bytes) -> None:
    with pytest.raises(BadInputError):
        parse(b"[" + data + b"]", "f.json")


def test_json_deeper_than_python_goes_is_refused_by_both_readers() -> None:
    for data in (b"[" * 100_000 + b"]" * 100_000, b"[NaN," + b"[" * 100_000):
        with pytest.raises(BadInputError, match="nested too deeply"):
            parse(data, "f.json")


def test_a_depth_of_a_hundred_is_read_and_one_more_is_not() -> None:
    assert parse(b"[" * 101 + b"]" * 101, "f.json")
    with pytest.raises(BadInputError, match="deeper than 100 levels"):
        parse(b"[" * 102 + b"]" * 102, "f.json")


def test_documents_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources_parse, "MOST_DOCUMENTS", 2)

    assert len(parse(b"a: 1\n---\nb: 1\n", "f")) == 2
    with pytest.raises(BadInputError, match="more than 2 documents"):
        parse(b"a: 1\n---\nb: 1\n---\nc: 1\n", "f")


def test_yaml_of_just_the_size_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources_parse, "MOST_YAML_BYTES", 4)

    assert parse(b"a: 1", "f") == ({"a": 1},)
    with pytest.raises(BadInputError, match="YAML of more than 0 MiB"):
        parse(b"a: 1\n", "f")
