"""
Goal: whatever a file holds, the answer is right or an error of ours, soon: never a traceback.

Method: every reader of files is given what a person, an attacker or a broken disk may leave there: random bytes,
random documents, real documents with a part changed; and the state dir is prepared as an attacker would.
"""

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.commands.context import Input
from migrate.commands.fingerprint import fingerprint_file
from migrate.errors import BadInputError, MigrateError, StoreError
from migrate.records.plan import Plan
from migrate.records.snapshot import Snapshot
from migrate.store import codec
from migrate.store.backup_set import BackupSets
from migrate.store.journal_file import FileJournal, read_journal
from migrate.store.run_directory import RunDirectory, StateDirectory
from migrate.store.runbooks import parse_runbook
from tests.fakes import TickingClock

SOON_S = 10.0
RUN = "20261130t142201z-ab12cd"

JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
BYTES = st.binary(max_size=200) | JSONS.map(lambda value: json.dumps(value).encode())
HEADS = st.sampled_from(["plan", "snapshot", "run", "runbook"])


def soon(read: Callable[[], object]) -> None:
    """Call *read*: it must answer or raise an error of ours, and soon."""
    began = time.process_time()
    with suppress(MigrateError):
        read()
    assert time.process_time() - began < SOON_S


@settings(max_examples=120, deadline=None)
@given(data=BYTES)
def test_any_bytes_as_a_document(data: bytes) -> None:
    for kind in (Plan, Snapshot):
        soon(lambda kind=kind: codec.decode(data, kind, source="f", by_user=True))  # type: ignore[misc]


@settings(max_examples=120, deadline=None)
@given(name=HEADS, version=st.integers() | st.text(max_size=3) | st.none(), rest=st.dictionaries(st.text(), JSONS))
def test_any_document_that_begins_like_one_of_ours(name: str, version: Any, rest: dict[str, Any]) -> None:
    data = json.dumps({"format": f"maas-migrate/{name}", "version": version, **rest}).encode()
    for kind in (Plan, Snapshot):
        soon(lambda kind=kind: codec.decode(data, kind, source="f", by_user=True))  # type: ignore[misc]


@settings(max_examples=120, deadline=None)
@given(data=BYTES)
def test_any_bytes_as_a_runbook(data: bytes) -> None:
    soon(lambda: parse_runbook(data, "f"))


@settings(max_examples=150, deadline=None)
@given(data=BYTES)
def test_any_bytes_as_a_plugins_config_map(data: bytes) -> None:
    soon(lambda: fingerprint_file(Input(name="f", data=data)))


@settings(max_examples=150, deadline=None)
@given(
    post=st.text(max_size=200) | JSONS,
    metadata=JSONS | st.just({"name": "payload-processing-plugins", "namespace": "openshift-ingress"}),
    more=st.dictionaries(st.text(max_size=8), JSONS, max_size=2),
)
def test_any_config_map_is_judged(post: Any, metadata: Any, more: dict[str, Any]) -> None:
    thing = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"custom-ipp-config.yaml": post}}
    soon(lambda: fingerprint_file(Input(name="f", data=json.dumps({**thing, **more}).encode())))


@settings(max_examples=100, deadline=None)
@given(data=BYTES)
def test_any_bytes_as_a_journal(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    path.write_bytes(data)
    soon(lambda: read_journal(path))
    soon(lambda: RunDirectory(path.parent, RUN).state())


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join(['*' + before] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        "a: &a [*a]\n",
        "[" * 100_000,
        "{" * 100_000,
        "a:\n" + "".join(f"{' ' * n}b:\n" for n in range(1, 3000)),
        "x: 1\n" * 200_000,
        "- " * 50_000,
        "a: !!python/object/apply:os.system ['true']\n",
        "\x00\x01",
        "a: \x1b]0;title\x07\n",
    ],
    ids=["bomb", "itself", "brackets", "braces", "deep", "long", "dashes", "python", "nul", "escape"],
)
def test_hostile_yaml_is_answered_soon(text: str) -> None:
    soon(lambda: parse_runbook(text.encode(), "f"))
    soon(lambda: fingerprint_file(Input(name="f", data=text.encode())))


@pytest.mark.parametrize("data", [b"[" * 200_000, b'{"a":' * 100_000, b'"' + b"\\u0000" * 50_000 + b'"', b"1" * 10_000])
def test_hostile_json_is_answered_soon(data: bytes) -> None:
    for kind in (Plan, Snapshot):
        soon(lambda kind=kind: codec.decode(data, kind, source="f"))  # type: ignore[misc]
    soon(lambda: fingerprint_file(Input(name="f", data=data)))


@pytest.mark.parametrize(
    "name", ["..", ".", "../x", "/etc", "a/b", "plans", "", "A", "\x1b[2J", "x" * 70, "-rf", "a\n"]
)
def test_a_run_of_a_hostile_name_is_none(tmp_path: Path, name: str) -> None:
    state = StateDirectory(tmp_path / "state")
    state.create_run(RUN)

    with pytest.raises(BadInputError):
        state.open_run(name)


@pytest.mark.parametrize("file", ["../../x", "/etc/passwd", "objects/../x", "objects/a/../../b", "objects/a", "a/b/c"])
def test_a_backup_is_never_looked_for_elsewhere(tmp_path: Path, file: str) -> None:
    with pytest.raises(StoreError):
        BackupSets(tmp_path, RUN).load(file, "0" * 64)


def test_no_part_of_a_run_directory_is_followed_through_a_symlink(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "journal.jsonl").write_bytes(b"")
    state = StateDirectory(tmp_path / "state")
    run = state.create_run(RUN)
    (run.path / "journal.jsonl").symlink_to(elsewhere / "journal.jsonl")
    (run.path / "objects").symlink_to(elsewhere)
    (tmp_path / "state" / "20261130t142201z-zzzzzz").symlink_to(elsewhere)
    (run.path / "plan.json").symlink_to(elsewhere / "journal.jsonl")

    with pytest.raises(StoreError):
        FileJournal(run.path / "journal.jsonl", TickingClock())
    with pytest.raises(StoreError):
        run.backups().verify()
    with pytest.raises(StoreError):
        run.plan()
    with pytest.raises(StoreError):
        state.open_run("20261130t142201z-zzzzzz")
    assert (elsewhere / "journal.jsonl").read_bytes() == b""


def test_a_state_dir_that_everybody_may_write_to_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    state.chmod(0o777)

    with pytest.raises(StoreError, match="everybody"):
        StateDirectory(state).create_run(RUN)


@pytest.mark.parametrize("kind", ["fifo", "folder", "device"])
def test_what_is_no_file_is_not_waited_for(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "journal.jsonl"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path = Path("/dev/zero")

    with pytest.raises(StoreError):
        read_journal(path)
