"""What was changed in a run directory so that it still can be read is damage all the same."""

import hashlib
import json
from pathlib import Path

import msgspec
import pytest

from migrate.errors import StoreError
from migrate.store.journal_file import FileJournal, read_journal
from tests.fakes import TickingClock
from tests.unit.store.test_edges import a_set


def test_a_manifest_that_says_the_same_otherwise_is_damage(tmp_path: Path) -> None:
    sets, folder = a_set(tmp_path)
    manifest = folder / "MANIFEST.json"
    manifest.chmod(0o600)
    manifest.write_bytes(msgspec.json.format(manifest.read_bytes(), indent=1) + b"\n")

    with pytest.raises(StoreError, match="it is not as it was written"):
        sets.verify()


@pytest.mark.parametrize("change", [b"more", b"", b"{"])
def test_a_file_that_grew_or_shrank_or_changed_is_damage(tmp_path: Path, change: bytes) -> None:
    for name in ("ConfigMap.ns.texts.json", "ConfigMap.ns.texts.yaml"):
        place = tmp_path / name
        place.mkdir()
        sets, folder = a_set(place)
        (folder / name).chmod(0o600)
        (folder / name).write_bytes(change)

        with pytest.raises(StoreError, match="its bytes are not those that were sealed"):
            sets.verify()


def test_a_line_that_says_the_same_otherwise_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    journal = FileJournal(path, TickingClock())
    journal.append("run.started", data={"plan": "p"})
    journal.append("run.planned", data={"plan": "p", "steps": []})
    whole = path.read_bytes()
    first, second = whole.splitlines(keepends=True)
    assert len(read_journal(path)[0]) == 2

    for damaged, said in (
        (first.replace(b'"seq":1', b'"seq": 1') + second, "line 1: it is not as it was written"),
        (first.replace(b'"plan":"p"', b'"plan":"q"') + second, "line 1: it is not as it was written"),
        (second, "line 1: it does not follow"),
        (first + first, "line 2: it does not follow"),
        (b"\n" + whole, "line 1: it cannot be read"),
        (b"\n", "line 1: it cannot be read"),
        (first + b"{}\n", "line 2: it cannot be read"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(StoreError, match=said):
            read_journal(path)


def test_what_is_torn_is_counted_and_dropped_and_that_is_written_down(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    FileJournal(path, TickingClock()).append("run.started", data={"plan": "p"})
    path.write_bytes(path.read_bytes() + b"torn")
    assert read_journal(path)[1] == 4

    journal = FileJournal(path, TickingClock())

    assert [event.event for event in journal.events()] == ["run.started", "journal.repaired"]
    assert journal.events()[1].data["bytes"] == 4
    assert read_journal(path) == (journal.events(), 0)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_journal_counts_its_lines_and_chains_them(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path / "journal.jsonl", TickingClock())
    first = journal.append("run.started", data={"plan": "p"})
    second = journal.append("run.planned", step="a", data=None)

    assert [(event.seq, event.prev) for event in (first, second)] == [(1, ""), (2, first.hash)]
    assert (first.at, second.step, second.data) == ("2026-11-30T12:00:00.000Z", "a", {})
    assert len(first.hash) == 64


def test_the_hash_of_a_line_is_that_of_the_line_without_it(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path / "journal.jsonl", TickingClock())
    event = journal.append("run.started", data={"plan": "p"})
    line = json.loads((tmp_path / "journal.jsonl").read_bytes())
    del line["hash"]

    assert event.hash == hashlib.sha256(json.dumps(line, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def test_a_set_with_a_file_too_few_or_too_many_is_damage(tmp_path: Path) -> None:
    sets, folder = a_set(tmp_path)
    (folder / "more.json").touch()
    with pytest.raises(StoreError, match=r"more\.json is damaged: it does not belong to the set"):
        sets.verify()
    (folder / "more.json").unlink()
    (folder / "ConfigMap.ns.texts.yaml").unlink()

    with pytest.raises(StoreError, match=r"texts\.yaml is damaged: it is missing"):
        sets.verify()
