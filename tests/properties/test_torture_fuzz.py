"""
Goal: whatever a file of ours, or somebody's manifests, have become, the answer is right or an error of ours, soon.

Method: real documents (a plan, a snapshot, a journal, a runbook, a ConfigMap, what kubectl wrote) with bytes or parts
changed by hypothesis; what is still read is used: judged, planned, shown and folded. Time and memory are bounded.
"""

import io
import json
import random
import tarfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from migrate.changes.assess import assess
from migrate.changes.offline import snapshot_from
from migrate.changes.offline_layout import choose
from migrate.changes.plan_runbook import RunbookError, validate
from migrate.commands.context import Input
from migrate.commands.fingerprint import fingerprint_file
from migrate.errors import MigrateError
from migrate.records.assessment import Options
from migrate.records.essence import digest_of
from migrate.records.plan import Plan
from migrate.records.snapshot import Snapshot
from migrate.records.source import Source
from migrate.render.kubectl import kubectl_script
from migrate.render.plan_text import plan_text
from migrate.store import codec
from migrate.store.journal_file import FileJournal, read_journal
from migrate.store.plans import load_plan, save_plan
from migrate.store.run_directory import RunDirectory, StateDirectory
from migrate.store.runbooks import load_runbook, parse_runbook
from migrate.store.sources import load_source
from tests.builders import a_cluster, a_snapshot
from tests.fakes import TickingClock
from tests.unit.engine.story import a_world, forward_plan

RUN = "20261130t142201z-ab12cd"
SOON_S, MOST_BYTES = 20.0, 600 * 1024 * 1024
ODD: tuple[Any, ...] = (
    None, [], {}, 0, -1, 1e300, True, "", "\x1b]0;x\x07", "\u202e", "../../etc/passwd", "a" * 5000, [None], {"a": None},
    "<script>", [[[]]], 2**70,
)  # fmt: skip
CALM = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

PLAN = codec.encode(forward_plan(a_world().cluster))
SNAPSHOT = codec.encode(a_snapshot(*a_cluster("3.6")[:12]))
RUNBOOK = Path("migrate/runbooks/ipp-to-praxis.yaml")
Where = tuple[Any, ...]


def used(read: Callable[[], object]) -> object | None:
    """Return what *read* gives, None for an error of ours; anything else flies, and so does what takes too long."""
    began, found = time.process_time(), None
    with suppress(MigrateError):
        found = read()
    assert time.process_time() - began < SOON_S
    return found


def places(value: Any, above: Where = ()) -> Iterator[Where]:
    if above:
        yield above
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*above, key))


def spoilt(data: bytes, seed: int) -> bytes:
    """Return *data* with one to three parts of its document replaced, renamed or taken out."""
    chance, document = random.Random(seed), json.loads(data)
    for _ in range(chance.choice((1, 1, 2, 3))):
        where = chance.choice(list(places(document)))
        holder = document
        for key in where[:-1]:
            holder = holder[key]
        match chance.choice(("set", "set", "drop", "rename")):
            case "drop":
                del holder[where[-1]]
            case "rename" if isinstance(holder, dict):
                holder[chance.choice(("x", "", "metadata", "\u202e"))] = holder.pop(where[-1])
            case _:
                holder[where[-1]] = chance.choice(ODD)
    return json.dumps(document).encode()


def torn(data: bytes, seed: int) -> bytes:
    """Return *data* with some bytes changed, doubled or taken out."""
    chance, changed = random.Random(seed), bytearray(data)
    for _ in range(chance.choice((1, 2, 8))):
        at = chance.randrange(len(changed))
        match chance.choice(("flip", "cut", "double", "put")):
            case "flip":
                changed[at] ^= 1 << chance.randrange(8)
            case "cut":
                del changed[at : at + chance.randrange(1, 50)]
            case "double":
                changed[at:at] = changed[at : at + chance.randrange(1, 50)]
            case _:
                changed[at:at] = chance.choice((b"\x00", b"\xff", b"&a", b"*a", b"\t", b"{", b"- ", b"!!x ", b"\n"))
        if not changed:
            return b""
    return bytes(changed)


def show(plan: object) -> None:
    if isinstance(plan, Plan):
        for text in (plan_text(plan), kubectl_script(plan, ())):
            assert [line for line in text.splitlines() if {*"\x1b\x07\u202e"} & {*line}] == []
        codec.encode(plan)


def judge(snapshot: object) -> None:
    if isinstance(snapshot, Snapshot):
        codec.encode(assess(snapshot, Options(by="x")))


@CALM
@given(seed=st.integers(0, 10**9))
def test_a_spoilt_plan_is_refused_and_never_run(seed: int) -> None:
    for data in (spoilt(PLAN, seed), torn(PLAN, seed)):
        plan = used(lambda data=data: codec.decode(data, Plan, source="f", by_user=True))  # type: ignore[misc]
        assert plan is None or msgspec.to_builtins(plan) == msgspec.to_builtins(forward_plan(a_world().cluster))


@CALM
@given(seed=st.integers(0, 10**9))
def test_a_plan_with_a_fitting_id_is_shown_or_refused_whatever_else_is_in_it(seed: int) -> None:
    document = json.loads(spoilt(PLAN, seed))
    if isinstance(document, dict):
        document.pop("id", None)
        document["id"] = digest_of(document)
    show(used(lambda: codec.decode(json.dumps(document).encode(), Plan, source="f", by_user=True)))


def test_no_text_of_a_plan_acts_on_a_screen_whichever_it_is() -> None:
    document = json.loads(PLAN)
    shown = 0
    for where in [where for where in places(document) if isinstance(value_at(document, where), str)]:
        changed = json.loads(PLAN)
        value_at(changed, where[:-1])[where[-1]] = "x\x1b]0;owned\x07\u202e"
        changed.pop("id")
        changed["id"] = digest_of(changed)
        plan = used(lambda changed=changed: codec.decode(json.dumps(changed).encode(), Plan, source="f"))  # type: ignore[misc]
        show(plan)
        shown += plan is not None

    assert shown > 100


def value_at(document: Any, where: Where) -> Any:
    for key in where:
        document = document[key]
    return document


@CALM
@given(seed=st.integers(0, 10**9))
def test_a_spoilt_snapshot_is_judged_or_refused(seed: int) -> None:
    for data in (spoilt(SNAPSHOT, seed), torn(SNAPSHOT, seed)):
        snapshot = used(lambda data=data: codec.decode(data, Snapshot, source="f", by_user=True))  # type: ignore[misc]
        used(lambda snapshot=snapshot: judge(snapshot))  # type: ignore[misc]


@CALM
@given(seed=st.integers(0, 10**9))
def test_a_spoilt_runbook_is_validated_or_refused(seed: int) -> None:
    data = torn(RUNBOOK.read_bytes(), seed)
    runbook: Any = used(lambda: parse_runbook(data, "f"))
    if runbook is not None:
        with suppress(RunbookError):  # The verbs make it an error with the file's name.
            used(lambda: validate(msgspec.to_builtins(runbook, str_keys=True)))


def a_journal(path: Path) -> bytes:
    journal = FileJournal(path, TickingClock())
    journal.append("run.started", data={"plan": "p", "cluster": "c"})
    journal.append("run.planned", data={"plan": "p", "steps": ["a", "b"]})
    journal.append("lock.acquired")
    journal.append("step.started", step="a")
    intent = {"object": {"apiVersion": "v1", "kind": "ConfigMap", "name": "a"}, "verb": "patch", "patch": {"a": 1}}
    journal.append("write.intended", step="a", data={"intent": intent})
    journal.append("write.applied", step="a", data={"uid": "u", "resourceVersion": "1"})
    journal.append("run.stopped", data={"exitCode": 20})
    return path.read_bytes()


@CALM
@given(seed=st.integers(0, 10**9))
def test_a_spoilt_journal_is_found_and_one_that_was_chained_anew_folds_or_is_refused(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    path = folder / "journal.jsonl"
    data = a_journal(path)
    whole = read_journal(path)[0]
    path.write_bytes(torn(data, seed))
    found: Any = used(lambda: read_journal(path))
    assert found is None or whole[: len(found[0])] == found[0]

    path.unlink()
    forged = FileJournal(path, TickingClock())
    for line in data.splitlines():
        document = json.loads(spoilt(line, seed))
        if not isinstance(document.get("data"), dict):
            continue
        try:
            event = msgspec.convert({**document, "seq": 1, "prev": "", "hash": ""}, type(whole[0]))
        except msgspec.ValidationError:
            continue
        forged.append(event.event, step=event.step, data=event.data)
    used(RunDirectory(folder, RUN).state)


@CALM
@given(seed=st.integers(0, 10**9))
def test_a_spoilt_config_map_is_judged_or_refused(seed: int) -> None:
    things = [thing for thing in a_cluster("3.6") if thing["kind"] == "ConfigMap" and thing.get("data")]
    data = json.dumps(random.Random(seed).choice(things)).encode()
    for changed in (spoilt(data, seed), torn(data, seed)):
        used(lambda changed=changed: fingerprint_file(Input(name="f", data=changed)))  # type: ignore[misc]


@CALM
@given(seed=st.integers(0, 10**9))
def test_spoilt_output_of_kubectl_is_judged_or_refused(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("output")
    chance = random.Random(seed)
    things = chance.sample(a_cluster(chance.choice(("3.5", "3.6"))), 6)
    listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": things}).encode()
    (folder / "one.json").write_bytes(chance.choice((spoilt, torn))(listed, seed))
    (folder / "two.yaml").write_bytes(torn(json.dumps(things[0]).encode(), seed))
    for path in (folder, folder / "one.json", folder / "two.yaml"):
        used(lambda path=path: judged(path))  # type: ignore[misc]


def judged(path: Path) -> None:
    found = load_source(path, choose)
    judge(snapshot_from(found) if isinstance(found, Source) else found)


@pytest.mark.parametrize("thing", [None, 5, "text", [], [[]], True, {"kind": "List"}, {"kind": "List", "items": 5}])
@pytest.mark.parametrize("wrap", [False, True])
def test_what_is_no_object_is_no_object(tmp_path: Path, thing: Any, wrap: bool) -> None:
    document = {"apiVersion": "v1", "kind": "List", "items": [thing]} if wrap else thing
    (tmp_path / "a.json").write_text(json.dumps(document))

    used(lambda: judged(tmp_path))
    used(lambda: judged(tmp_path / "a.json"))
    used(lambda: fingerprint_file(Input(name="f", data=json.dumps(document).encode())))


@pytest.mark.parametrize("name", ["../../escaped.yaml", "/tmp/escaped.yaml", "a.yaml"])
def test_an_archive_is_no_reading_and_is_never_unpacked(tmp_path: Path, name: str) -> None:
    with tarfile.open(tmp_path / "must-gather.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size = 5
        archive.addfile(member, io.BytesIO(b"a: 1\n"))
    before = sorted(tmp_path.rglob("*"))

    assert used(lambda: judged(tmp_path / "must-gather.tar.gz")) is None
    with pytest.raises(MigrateError):
        judged(tmp_path / "must-gather.tar.gz")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_million_lines_in_a_config_map_are_judged_soon_and_in_bounded_memory(tmp_path: Path) -> None:
    text = "plugins:\n" + "- type: x\n" * 1_000_000
    metadata = {"name": "payload-processing-plugins", "namespace": "openshift-ingress"}
    thing = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"custom-ipp-config.yaml": text}}
    data = json.dumps(thing).encode()
    (tmp_path / "a.json").write_bytes(data)
    tracemalloc.start()
    try:
        used(lambda: fingerprint_file(Input(name="f", data=data)))
        used(lambda: judged(tmp_path / "a.json"))
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a\x00b", "\x1b[2J", "-rf", "x" * 5000, "."])
def test_a_plan_or_a_runbook_of_a_hostile_name_is_none(tmp_path: Path, name: str) -> None:
    state = StateDirectory(tmp_path / "state")
    save_plan(state, forward_plan(a_world().cluster), a_snapshot())
    inside = tmp_path / "cwd"
    inside.mkdir()

    assert used(lambda: load_plan(state, name, inside)) is None
    assert used(lambda: load_runbook(name, inside)) is None
