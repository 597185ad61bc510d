"""What was saved is put back in one request, and compared byte for byte."""

from typing import Any

import pytest

from migrate.engine.bodies import ANNOTATIONS_LIMIT_BYTES, LAST_APPLIED, create_body, restore_patch
from migrate.engine.hands import Ending
from migrate.engine.run import run
from migrate.records.merging import merge
from migrate.records.objects import Json, KubeObject
from migrate.records.plan import BackUp, BackUpItem, Plan, Restore
from migrate.records.writes import Write
from tests.fakes import FakeCluster, FakeHands
from tests.unit.engine.story import (
    CONFIG,
    CUSTOM,
    OPEN,
    TEXTS,
    Controller,
    a_plan,
    a_step,
    a_world,
    forward_plan,
    must,
    rollback_plan,
    texts,
)

SECTIONS = ("data", "binaryData", "immutable")
OWNER = {"apiVersion": "v1", "kind": "Owner", "name": "o", "uid": "1111", "controller": True}


def saved_world(saved: Json | None = None) -> FakeHands:
    """Return a world in which the texts were saved and then replaced by a default."""
    fakes = a_world()
    fakes.cluster.delete(TEXTS)
    fakes.cluster.put(saved or texts())
    item = BackUpItem(object=TEXTS, uid=must(fakes.cluster, TEXTS).uid)
    run("run-1", a_plan((a_step(BackUp, "backup", items=(item,)),)), fakes.hands(), OPEN)
    return fakes


def replaced_by(fakes: FakeHands, live: Json | None) -> None:
    fakes.cluster.delete(TEXTS)
    if live is not None:
        fakes.cluster.put(live, "controller")


def restore_plan(fakes: FakeHands, **more: Any) -> Plan:
    step = next(step for step in rollback_plan(fakes).steps if isinstance(step, Restore))
    given = {"object": TEXTS, "file": step.file, "sha256": step.sha256, "sections": SECTIONS, **more}
    return a_plan((a_step(Restore, "restore", set_annotations={"managed": "false"}, **given),))


def roll_back(fakes: FakeHands, **more: Any) -> Ending:
    return run("run-1", restore_plan(fakes, **more), fakes.hands(), OPEN, phase="rollback")


def test_keys_that_the_backup_lacks_are_taken_away() -> None:
    fakes = saved_world()
    replaced_by(fakes, texts({"a.yaml": "default", "extra.yaml": "x"}, binaryData={"b": "eA=="}))

    ending = roll_back(fakes)

    live = must(fakes.cluster, TEXTS)
    assert ending.state.state == "rolled-back"
    assert live.get("data") == CUSTOM
    assert not live.get("binaryData")
    assert len(fakes.cluster.writes) == 1


def test_what_is_as_it_was_saved_is_not_written() -> None:
    fakes = saved_world()

    ending = roll_back(fakes)

    assert ending.state.exit_code == 0
    assert fakes.cluster.writes == []


def test_the_live_object_is_saved_before_it_is_written_over() -> None:
    fakes = saved_world()
    replaced_by(fakes, texts({"a.yaml": "precious"}))

    ending = roll_back(fakes)

    kept = {entry.file: fakes.backups.load(entry.file, entry.sha256).get("data") for entry in fakes.backups.entries}
    [file] = [file for file, data in kept.items() if data == {"a.yaml": "precious"}]
    assert ending.state.steps[-1].message.endswith(f"what stood there is kept: maas-migrate backups show run-1 {file}")


def test_a_damaged_backup_is_never_restored() -> None:
    fakes = saved_world()
    replaced_by(fakes, texts({"a.yaml": "default"}))
    plan = restore_plan(fakes)
    fakes.backups.damaged = True

    ending = run("run-1", plan, fakes.hands(), OPEN, phase="rollback")

    assert ending.state.exit_code == 24
    assert fakes.cluster.writes == []


def test_a_rollback_that_wrote_nothing_leaves_the_run_as_it_was() -> None:
    fakes = saved_world()
    replaced_by(fakes, texts({"a.yaml": "default"}))
    fakes.cluster.refuses = lambda _: "no"

    ending = roll_back(fakes)

    assert ending.state.exit_code == 11
    assert ending.state.state == "succeeded"


def test_ch_15_a_stale_owner_is_dropped_and_listed_and_the_object_read_again() -> None:
    thing = texts()
    thing["metadata"]["ownerReferences"] = [OWNER]
    fakes = saved_world(thing)
    replaced_by(fakes, None)
    before = fakes.clock.passed_s

    ending = roll_back(fakes)

    assert must(fakes.cluster, TEXTS).owners == ()
    assert any("Owner o (UID 1111) is not put back" in note for note in ending.state.notes)
    assert fakes.clock.passed_s - before >= 10


def test_ch_15_an_object_that_is_collected_at_once_needs_a_person() -> None:
    fakes = saved_world()
    replaced_by(fakes, None)
    fakes.cluster.reactions.append(lambda cluster, _: cluster.clock.after(3, lambda: cluster.delete(TEXTS)))

    ending = roll_back(fakes)

    assert ending.state.exit_code == 21
    assert "is gone again" in ending.state.message


def immutable_world() -> FakeHands:
    fakes = saved_world()
    replaced_by(fakes, texts({"new.yaml": "server: {}\n"}, immutable=True))
    return fakes


def test_ch_17_an_immutable_object_is_saved_deleted_and_created() -> None:
    fakes = immutable_world()

    ending = roll_back(fakes)

    assert ending.state.state == "rolled-back"
    assert [write.verb for write in fakes.cluster.writes] == ["delete", "create"]
    assert fakes.cluster.writes[0].uid
    assert must(fakes.cluster, TEXTS).get("data") == CUSTOM
    assert must(fakes.cluster, TEXTS).get("immutable") is None


def test_ch_17_a_signal_does_not_split_delete_and_create() -> None:
    fakes = immutable_world()
    fakes.cluster.reactions.append(lambda _cluster, _write: setattr(fakes.operator, "signal", 2))

    roll_back(fakes)

    assert [write.verb for write in fakes.cluster.writes] == ["delete", "create"]


def test_ch_17_a_create_that_fails_puts_the_deleted_object_back() -> None:
    fakes = immutable_world()
    fakes.cluster.refuses = lambda write: "quota" if write.verb == "create" and "b.yaml" in str(write.body) else ""

    ending = roll_back(fakes)

    assert ending.state.exit_code == 21
    assert "quota" in ending.state.message
    assert "put back as it was" in ending.state.message
    assert must(fakes.cluster, TEXTS).get("data") == {"new.yaml": "server: {}\n"}


def test_ch_17_an_object_created_by_somebody_else_in_between_is_left_alone() -> None:
    fakes = immutable_world()

    def create(cluster: FakeCluster, write: Write) -> None:
        if write.verb == "delete":
            cluster.put(texts({"a.yaml": "default"}), "controller")

    fakes.cluster.reactions.append(create)
    ending = roll_back(fakes)

    assert ending.state.exit_code == 21
    assert must(fakes.cluster, TEXTS).get("data") == {"a.yaml": "default"}
    assert roll_back(fakes).state.state == "rolled-back"


@pytest.mark.parametrize("fault", ["lost", "dropped", "conflict"])
@pytest.mark.parametrize("number", [0, 1])
def test_ch_17_delete_and_create_survive_a_fault(fault: str, number: int) -> None:
    fakes = immutable_world()
    fakes.cluster.faults = {number: fault}

    ending = roll_back(fakes)

    assert ending.state.state == "rolled-back"
    assert must(fakes.cluster, TEXTS).get("data") == CUSTOM


def test_ch_18_a_conflict_on_the_restore_is_read_again_and_tried_again() -> None:
    fakes = saved_world()
    replaced_by(fakes, texts({"a.yaml": "default"}))
    fakes.cluster.faults = {0: "conflict", 1: "conflict"}

    assert roll_back(fakes).state.state == "rolled-back"


def a_restore(**more: Any) -> Restore:
    step: Restore = a_step(Restore, "restore", object=TEXTS, file="f", sha256="s", sections=SECTIONS, **more)
    return step


def test_ch_18_no_body_has_server_fields() -> None:
    thing = texts()
    thing["metadata"] |= {
        "uid": "3333",
        "resourceVersion": "99",
        "generation": 0,
        "creationTimestamp": "2026-08-01T00:00:00Z",
        "selfLink": "/api/v1/x",
        "managedFields": [{"manager": "m"}],
        "ownerReferences": [OWNER],
        "annotations": {"managed": "false", "migration": "blocked"},
    }
    step = a_restore(drop_annotations=("migration",), set_annotations={"managed": "false"})

    created = create_body(step, KubeObject(thing), ())
    patched = restore_patch(step, KubeObject(thing), KubeObject(texts({"a.yaml": "default"})))

    assert set(created["metadata"]) == {"name", "namespace", "labels", "annotations"}
    assert set(patched["metadata"]) <= {"labels", "annotations"}
    assert created["metadata"]["annotations"] == {"managed": "false"}


def test_ch_16_annotations_over_the_limit_never_reach_the_server() -> None:
    thing = texts()
    thing["metadata"]["annotations"] = {LAST_APPLIED: "x" * ANNOTATIONS_LIMIT_BYTES, "note": "mine"}

    created = create_body(a_restore(), KubeObject(thing), ())
    patched = restore_patch(a_restore(), KubeObject(thing), KubeObject(texts({"z": "z"})))

    assert created["metadata"]["annotations"] == {"note": "mine"}
    assert LAST_APPLIED not in str(patched)


def test_the_patch_gives_the_saved_bytes_whatever_is_live() -> None:
    live = KubeObject(texts({"z": "z", "a.yaml": "other"}, binaryData={"q": "eA=="}))
    saved = KubeObject(texts(immutable=True))

    result = KubeObject(merge(live.raw, restore_patch(a_restore(), saved, live)))

    assert result.get("data") == CUSTOM
    assert result.get("immutable") is True
    assert not result.get("binaryData")


def refused_rollback(fakes: FakeHands) -> None:
    fakes.cluster.refuses = lambda _: "no"
    plan = rollback_plan(fakes)
    first = run("run-1", plan, fakes.hands(), OPEN, phase="rollback")
    assert (first.state.exit_code, first.state.phase) == (21, "forward")
    fakes.cluster.refuses = lambda _: ""


def test_after_a_rollback_that_wrote_nothing_the_run_can_go_forward() -> None:
    fakes = a_world(Controller(blocks=True))
    plan = forward_plan(fakes.cluster)
    run("run-1", plan, fakes.hands(), OPEN)
    fakes.clock.sleep(60)  # The controller that blocks has looked for the last time.
    fakes.cluster.reactions[:] = [Controller()]
    fakes.cluster.foreign(CONFIG, {"metadata": {"annotations": {"engine": "older"}}}, "maas-migrate")
    refused_rollback(fakes)
    fakes.cluster.foreign(CONFIG, {"metadata": {"annotations": {"engine": "old"}}}, "maas-migrate")

    ending = run("run-1", plan, fakes.hands(), OPEN)

    assert ending.state.state == "succeeded"
    assert ending.state.phase == "forward"


def test_a_rollback_that_wrote_cannot_go_forward() -> None:
    fakes = a_world()
    plan = forward_plan(fakes.cluster)
    fakes.operator.signal = 0
    fakes.surveyor.verdicts = [False]
    run("run-1", plan, fakes.hands(), OPEN)
    fakes.cluster.faults = {2: "refused"}
    run("run-1", rollback_plan(fakes), fakes.hands(), OPEN, phase="rollback")

    ending = run("run-1", plan, fakes.hands(), OPEN)

    assert ending.error is not None
    assert "on its way back" in ending.error.message


def test_an_ended_run_stays_ended_after_a_refused_rollback() -> None:
    fakes = a_world()
    plan = forward_plan(fakes.cluster)
    run("run-1", plan, fakes.hands(), OPEN)
    refused_rollback(fakes)

    ending = run("run-1", plan, fakes.hands(), OPEN)

    assert (ending.state.state, ending.error) == ("succeeded", None)
    assert ending.state.ended_at
