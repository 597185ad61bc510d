"""Waits, pauses and withdrawals at their edges: silence, settling, being late, and what is not ours to mend."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from migrate.engine import withdrawing
from migrate.engine.hands import Ending
from migrate.engine.run import run
from migrate.records.objects import Json, KubeObject, ObjectRef
from migrate.records.plan import BackUp, BackUpItem, Hint, Pause, SetFields, Step, Wait
from migrate.records.predicates import Exists, FieldIs
from tests.fakes import FakeCluster, FakeHands
from tests.unit.engine.story import (
    CONFIG,
    OPEN,
    TEXTS,
    Controller,
    a_plan,
    a_step,
    a_world,
    config,
    flip_and_wait,
    forward_plan,
    forward_steps,
    gate_step,
    must,
    texts,
)

DONE = FieldIs(object=CONFIG, path=("spec", "done"), values=(True,))


def go(fakes: FakeHands, *steps: Step, **more: Any) -> Ending:
    return run("run-1", a_plan(steps, fakes.cluster, **more), fakes.hands(), OPEN)


def paint(colour: str = "red") -> SetFields:
    step: SetFields = a_step(SetFields, "paint", object=CONFIG, uid="config-1", after={"spec": {"colour": colour}})
    return step


def a_wait(**more: Any) -> Wait:
    step: Wait = a_step(Wait, "wait", until=DONE, **{"timeout_seconds": 100, **more})
    return step


def later(fakes: FakeHands, seconds: float, patch: Json, ref: ObjectRef = CONFIG) -> None:
    fakes.clock.after(seconds, lambda: fakes.cluster.foreign(ref, patch, "somebody"))


def test_what_holds_must_go_on_holding() -> None:
    fakes = a_world(Controller(stuck=True))
    later(fakes, 5, {"spec": {"done": True}})
    later(fakes, 10, {"spec": {"done": False}})
    later(fakes, 20, {"spec": {"done": True}})

    ending = go(fakes, a_wait(settle_seconds=10))

    assert ending.state.exit_code == 0
    assert fakes.clock.passed_s == 30
    assert any("must go on holding for 10 s" in "; ".join(waiting.missing) for waiting in fakes.told)


def test_what_is_being_deleted_and_held_is_named_with_its_finalizer_while_waiting_and_at_the_end() -> None:
    fakes = a_world(Controller(stuck=True))
    going = {"deletionTimestamp": "2026-11-30T10:00:00Z", "finalizers": ["foregroundDeletion", "example.com/hold"]}
    later(fakes, 5, {"metadata": going}, TEXTS)

    ending = go(fakes, a_wait(hints=(Hint(when=Exists(object=TEXTS), says="it waits"),)))

    told = f"{TEXTS} is being deleted since 2026-11-30T10:00:00Z and held by the finalizer example.com/hold"
    assert ending.state.exit_code == 22
    assert told in ending.state.message
    assert told in {waiting.says for waiting in fakes.told}


def test_a_server_that_does_not_answer_is_waited_for_and_named() -> None:
    fakes = a_world()
    fakes.cluster.unreachable = 2
    later(fakes, 40, {"spec": {"done": True}})

    ending = go(fakes, a_wait())

    assert ending.state.exit_code == 0
    assert "the API server does not answer: no answer" in {waiting.says for waiting in fakes.told}


def test_a_wait_in_which_nothing_was_ever_read_says_both() -> None:
    fakes = a_world()
    fakes.cluster.unreachable = 999

    message = go(fakes, a_wait(timeout_seconds=60)).state.message

    assert "waited 60 s in vain" in message
    assert "the API server does not answer" in message
    assert message.count("does not answer") == 1
    assert 60 <= fakes.clock.passed_s < 80


def test_a_signal_is_seen_while_the_server_does_not_answer() -> None:
    fakes = a_world()
    fakes.cluster.unreachable = 999
    fakes.clock.after(20, lambda: setattr(fakes.operator, "signal", 2))

    ending = go(fakes, a_wait())

    assert ending.state.exit_code == 130
    assert fakes.clock.passed_s < 50


def test_a_gate_is_looked_at_without_the_lock_also_when_nothing_answers() -> None:
    fakes = a_world()
    plan = a_plan((gate_step(),), fakes.cluster)
    run("run-1", plan, fakes.hands(), OPEN)
    fakes.cluster.foreign(CONFIG, {"spec": {"version": "3.5.9"}}, "olm")
    later(fakes, 60, {"spec": {"version": "3.6"}})
    kept = fakes.lock.kept
    fakes.clock.after(1, lambda: setattr(fakes.cluster, "unreachable", 2))

    ending = run("run-1", plan, fakes.hands(), OPEN)

    assert ending.gate_passed
    assert fakes.lock.kept == kept


def test_a_base_is_taken_of_what_is_there_and_of_nothing_else() -> None:
    fakes = a_world()
    fakes.cluster.foreign(CONFIG, {"spec": {"done": True}})

    ending = go(fakes, a_wait(accepts_as_base=(CONFIG, ObjectRef(api_version="v1", kind="ConfigMap", name="none"))))

    assert ending.state.exit_code == 0
    assert fakes.journal.names().count("base.taken") == 1


def test_what_was_accepted_as_base_is_no_foreign_change_and_what_came_after_is() -> None:
    fakes = a_world(Controller(stuck=True))
    later(fakes, 5, {"spec": {"done": True, "size": 5}})
    live = must(fakes.cluster, CONFIG)
    first = a_step(SetFields, "one", object=CONFIG, uid=live.uid, after={"spec": {"colour": "red"}})
    second = a_step(SetFields, "two", object=CONFIG, uid=live.uid, after={"spec": {"colour": "black"}})

    calm = go(fakes, first, a_wait(accepts_as_base=(CONFIG,)), second)
    fakes = a_world(Controller(stuck=True))
    later(fakes, 5, {"spec": {"done": True, "size": 5}})
    later(fakes, 30, {"spec": {"size": 6}})
    stale = go(fakes, first, a_wait(accepts_as_base=(CONFIG,)), a_step(Pause, "p", seconds=40, why="w"), second)

    assert calm.state.exit_code == 0
    assert stale.state.exit_code == 21
    assert "spec.size from 5 to 6" in stale.state.message


def test_the_hint_that_holds_is_shown_and_the_first_of_several() -> None:
    fakes = a_world()
    hints = (
        Hint(when=FieldIs(object=CONFIG, path=("spec", "colour"), values=("none",)), says="not this"),
        Hint(when=Exists(object=CONFIG), says="this"),
        Hint(when=Exists(object=TEXTS), says="nor this"),
    )

    message = go(fakes, a_wait(hints=hints, timeout_seconds=10)).state.message

    assert {waiting.says for waiting in fakes.told} == {"this"}
    assert "in vain: this; " in message


# What somebody reverts.


def made_anew(cluster: FakeCluster) -> None:
    thing = dict(cluster.objects[CONFIG], metadata={"namespace": "ns", "name": "config"}, spec={"colour": "blue"})
    cluster.put(thing)


def gone(cluster: FakeCluster) -> None:
    cluster.delete(CONFIG)


def deleting(cluster: FakeCluster) -> None:
    cluster.foreign(CONFIG, {"metadata": {"deletionTimestamp": "2026-11-30T12:00:00Z"}, "spec": {"colour": "blue"}})


@pytest.mark.parametrize("happens", [made_anew, gone, deleting])
def test_what_is_another_object_now_or_goes_is_not_written_again(happens: Callable[[FakeCluster], None]) -> None:
    fakes = a_world(Controller(stuck=True))
    fakes.clock.after(5, lambda: happens(fakes.cluster))

    ending = go(fakes, paint(), a_wait(timeout_seconds=30))

    assert ending.state.exit_code == 22
    assert len(fakes.cluster.writes) == 1


class Dropping(FakeCluster):
    """Has a webhook that takes a field out of whatever is written."""

    def _store(self, ref: ObjectRef, thing: Json, manager: str) -> KubeObject:
        thing.get("spec", {}).pop("colour", None)
        return super()._store(ref, thing, manager)


def test_a_server_that_does_not_keep_what_is_written_is_not_written_to_for_ever() -> None:
    fakes = a_world(Controller(stuck=True))
    fakes.cluster = Dropping(fakes.clock, config())

    ending = go(fakes, paint())

    assert ending.state.exit_code == 21
    assert "config was written 3 times and does not stay as written" in ending.state.message
    assert len(fakes.cluster.writes) == 3


# Pauses.


def test_a_pause_keeps_the_lock_and_says_how_long_it_lasts() -> None:
    fakes = a_world()

    ending = go(fakes, a_step(Pause, "p", seconds=30, why="caches"))

    assert ending.state.exit_code == 0
    assert fakes.clock.passed_s == 30
    assert fakes.lock.kept >= 30
    assert [fakes.told[0].missing, fakes.told[-1].missing] == [("30 s left",), ("1 s left",)]
    assert {waiting.says for waiting in fakes.told} == {"caches"}


def test_a_pause_stops_when_the_lock_is_lost() -> None:
    fakes = a_world()
    fakes.clock.after(10, lambda: setattr(fakes.lock, "lost", True))

    assert go(fakes, a_step(Pause, "p", seconds=30, why="caches")).state.exit_code == 14
    assert fakes.clock.passed_s < 12


def test_a_clock_that_was_set_back_lengthens_no_pause() -> None:
    fakes = a_world()
    plan = a_plan((a_step(Pause, "p", seconds=30, why="caches"),), fakes.cluster)
    fakes.clock.after(5, lambda: setattr(fakes.operator, "signal", 2))
    run("run-1", plan, fakes.hands(), OPEN)
    fakes.operator.signal = 0
    fakes.clock.start -= timedelta(hours=1)
    before = fakes.clock.passed_s

    assert run("run-1", plan, fakes.hands(), OPEN).state.exit_code == 0
    assert fakes.clock.passed_s - before == 30


# Withdrawals.


def flipped(fakes: FakeHands, *more: Step, note: str = "", **plan: Any) -> Ending:
    steps = tuple(
        replace(step, forward_note=note) if isinstance(step, Wait) else step for step in flip_and_wait(fakes.cluster)
    )
    return go(fakes, *forward_steps(fakes.cluster)[:4], *steps, *more, **plan)


def test_what_goes_too_far_between_the_look_and_the_patch_is_not_taken_back() -> None:
    fakes = a_world(Controller(blocks=True))
    looks: list[int] = []
    read = fakes.cluster.read

    def goes_too_far(ref: ObjectRef, *, timeout_s: float) -> Any:
        refusing = must(fakes.cluster, CONFIG).annotations.get("migration") == "blocked"
        if refusing and ref == TEXTS:
            looks.append(1)
            if len(looks) == 2:
                fakes.cluster.delete(TEXTS)
        return read(ref, timeout_s=timeout_s)

    fakes.cluster.read = goes_too_far  # type: ignore[method-assign]
    ending = flipped(fakes)

    assert ending.state.exit_code == 21
    assert "has gone too far to be taken back" in ending.state.message
    assert len(fakes.cluster.writes) == 1


def test_without_a_note_of_its_own_a_flip_that_goes_on_is_named() -> None:
    fakes = a_world(Controller(pace_s=100))

    ending = flipped(fakes)

    assert ending.state.exit_code == 22
    assert f"{CONFIG}: what was begun goes on by itself" in " ".join(ending.state.notes)


def test_a_note_of_the_same_tenant_stands_in_for_one() -> None:
    fakes = a_world(Controller(pace_s=100))
    other = a_step(Wait, "other", until=DONE, forward_note="the other goes on", tenant="else")
    mine = a_step(Wait, "mine", until=DONE, forward_note="mine goes on")

    notes = flipped(fakes, other, mine).state.notes

    assert "mine goes on" in notes
    assert "the other goes on" not in notes


def test_what_a_forced_flip_lost_is_work_for_a_person_when_it_goes_on_and_when_it_is_over() -> None:
    lost = {"": ("the metering plugin",)}
    stuck, calm = a_world(Controller(pace_s=100)), a_world()
    text = ": lost by the forced flip, for a person to do again: the metering plugin"

    assert text in flipped(stuck, lost_by_force=lost).state.notes
    assert text in flipped(calm, lost_by_force=lost).state.notes
    assert text not in flipped(a_world(Controller(blocks=True)), lost_by_force=lost).state.notes


def test_the_stretch_of_a_flip_reaches_to_the_wait_that_closes_it() -> None:
    fakes = a_world()
    steps = forward_plan(fakes.cluster).steps
    at = next(index for index, step in enumerate(steps) if step.id == "flip")

    assert [step.id for step in withdrawing.stretch_of(steps, at)] == ["flip", "over"]
    assert [step.id for step in withdrawing.stretch_of(steps, at + 1)] == ["over"]
    assert [step.id for step in withdrawing.stretch_of(steps[: at + 1], at)] == ["flip"]
    assert [step.id for step in withdrawing.stretch_of((*steps[: at + 1], *steps[at + 2 :]), at)] == ["flip"]


def test_a_stop_after_the_wait_leaves_the_flip_alone() -> None:
    fakes = a_world()
    fakes.surveyor.verdicts = [False]
    ending = run("run-1", forward_plan(fakes.cluster), fakes.hands(), OPEN)

    assert ending.state.exit_code == 1
    assert must(fakes.cluster, CONFIG).annotations.get("engine") == "new"
    assert "step.withdrawn" not in fakes.journal.names()


def test_a_withdrawal_that_fails_too_is_told_after_the_first_cause() -> None:
    fakes = a_world(Controller(blocks=True))
    fakes.cluster.refuses = lambda write: "frozen" if "old" in str(write.body) else ""

    ending = flipped(fakes)

    said = ending.state.message
    assert ending.state.exit_code == 21
    assert said.index("the controller refuses to move") < said.index("; then: ") < said.index("frozen")


def test_a_withdrawal_is_given_half_a_minute() -> None:
    fakes = a_world(Controller(blocks=True))
    fakes.cluster.faults = dict.fromkeys(range(1, 999), "dropped")
    began: list[float] = []
    fakes.cluster.before_write[1] = lambda: began.append(fakes.clock.passed_s)

    ending = flipped(fakes)

    assert ending.state.exit_code == 21
    assert fakes.clock.passed_s - began[0] <= 40


def test_a_stop_between_the_flip_and_its_wait_takes_it_back() -> None:
    fakes = a_world()
    fakes.cluster.reactions.append(lambda *_: setattr(fakes.operator, "signal", 15))

    ending = flipped(fakes)

    assert ending.state.exit_code == 143
    assert must(fakes.cluster, CONFIG).annotations.get("engine") == "old"
    assert {step.id: step.state for step in ending.state.steps}["flip"] == "withdrawn"


# What is at stake.


def test_only_what_the_plan_backs_up_without_fail_is_at_stake() -> None:
    fakes = a_world()
    old = must(fakes.cluster, TEXTS)
    items = (BackUpItem(object=CONFIG, uid="config-1"), BackUpItem(object=TEXTS, uid=old.uid, optional=True))
    fakes.clock.after(0, lambda: None)
    changed = Editing(fakes.cluster)
    fakes.cluster.before_write[0] = changed

    ending = go(fakes, a_step(BackUp, "backup", items=items, window="outside"), *flip_and_wait(fakes.cluster))

    assert ending.state.state == "succeeded"


class Editing:
    """Edits what is optional just before the write."""

    def __init__(self, cluster: FakeCluster) -> None:
        self.cluster = cluster

    def __call__(self) -> None:
        self.cluster.foreign(TEXTS, {"data": {"a.yaml": "newer"}})


def drop(_: object) -> None:
    """Drop what is returned."""


def test_what_was_saved_and_is_gone_before_the_flip_stops_it() -> None:
    fakes = a_world()
    old = must(fakes.cluster, TEXTS)
    items = (BackUpItem(object=CONFIG, uid="config-1"), BackUpItem(object=TEXTS, uid=old.uid))
    pause = a_step(Pause, "pause", seconds=10, why="w")
    fakes.clock.after(5, lambda: fakes.cluster.delete(TEXTS))
    fakes.clock.after(6, lambda: drop(fakes.cluster.put(texts())))

    ending = go(fakes, a_step(BackUp, "backup", items=items), pause, *flip_and_wait(fakes.cluster))

    assert ending.state.exit_code == 13
    assert f"not {old.uid}" in ending.state.message
    assert fakes.cluster.writes == []
