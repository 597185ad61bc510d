"""Waits, pauses and withdrawals at their edges: silence, settling, being late, and what is not ours to mend."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from migrate.engine.hands import Ending
from migrate.engine.run import run
from migrate.records.objects import Json, KubeObject, ObjectRef
from migrate.records.plan import Hint, Pause, SetFields, Step, Wait
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
    gate_step,
    must,
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
