"""What is looked at before and amid each kind of step: the lock, the signals, the window, what is still in doubt."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from migrate.engine.hands import Ending
from migrate.engine.ports import Answer
from migrate.engine.run import run
from migrate.errors import UnreachableError
from migrate.records.objects import KubeObject
from migrate.records.plan import Ask, Pause, Plan, Restart, SetFields, Step, Verify, Wait
from migrate.records.predicates import FieldIs
from migrate.records.verification import Verification
from migrate.records.window import Window
from tests.fakes import START, FakeCluster, FakeHands, FakeSurveyor, Willing
from tests.unit.engine.story import (
    CONFIG,
    CUSTOM,
    OPEN,
    PODS,
    TEXTS,
    Controller,
    a_plan,
    a_step,
    a_world,
    config,
    forward_plan,
    gate_step,
    must,
    texts,
)
from tests.unit.engine.test_restoring import immutable_world, replaced_by, restore_plan, roll_back, saved_world

DONE = FieldIs(object=CONFIG, path=("spec", "done"), values=(True,))
OVER = Window(start=START - timedelta(hours=2), end=START - timedelta(hours=1))


def go(fakes: FakeHands, *steps: Step, **more: Any) -> Ending:
    return run("run-1", a_plan(steps, fakes.cluster, **more), fakes.hands(), OPEN)


def paint(colour: str = "red", **more: Any) -> SetFields:
    given = {"object": CONFIG, "uid": "config-1", "after": {"spec": {"colour": colour}}, **more}
    step: SetFields = a_step(SetFields, "paint", **given)
    return step


def later(fakes: FakeHands, seconds: float, **change: Any) -> None:
    for name, value in change.items():
        owner = fakes.lock if name == "lost" else fakes.operator
        fakes.clock.after(seconds, lambda owner=owner, name=name, value=value: setattr(owner, name, value))  # type: ignore[misc]


# The lock.


def test_without_the_lock_not_even_a_step_that_writes_nothing_is_begun() -> None:
    fakes = a_world()
    fakes.lock.lost = True

    ending = go(fakes, a_step(Verify, "verify"))

    assert ending.state.exit_code == 14
    assert fakes.surveyor.asked == []
    assert "step.started" not in fakes.journal.names()


def test_a_lock_that_holds_for_now_is_enough_to_begin_a_step() -> None:
    fakes = a_world()
    asked: list[float] = []
    fakes.lock.must_hold = asked.append  # type: ignore[method-assign, assignment]
    fakes.surveyor.verdicts = [False, True]
    fakes.cluster.foreign(CONFIG, {"spec": {"done": True}})

    go(
        fakes,
        a_step(Verify, "verify"),
        a_step(Wait, "wait", until=DONE, settle_seconds=3),
        a_step(Pause, "p", seconds=2, why=""),
    )

    assert set(asked) == {0.0}


def test_a_lock_that_is_lost_in_a_verification_ends_it() -> None:
    fakes = a_world()
    fakes.surveyor.verdicts = [False]
    later(fakes, 3, lost=True)

    assert go(fakes, a_step(Verify, "verify")).state.exit_code == 14
    assert fakes.clock.passed_s < 10


def test_a_lock_that_is_lost_in_a_wait_ends_it() -> None:
    fakes = a_world()
    later(fakes, 3, lost=True)

    assert go(fakes, a_step(Wait, "wait", until=DONE)).state.exit_code == 14
    assert fakes.clock.passed_s < 10


# Signals.


def test_a_signal_in_a_verification_ends_it() -> None:
    fakes = a_world()
    fakes.surveyor.verdicts = [False]
    later(fakes, 3, signal=2)

    assert go(fakes, a_step(Verify, "verify")).state.exit_code == 130
    assert fakes.clock.passed_s < 10


class Interrupting(Willing):
    """Is interrupted while being asked, whatever then comes out as an answer."""

    def ask(self, step: Ask) -> Answer | None:
        self.signal = 2
        return super().ask(step)


@pytest.mark.parametrize("yes", [True, False])
def test_a_signal_at_the_question_is_no_answer(yes: bool) -> None:
    fakes = a_world()
    fakes.operator = Interrupting(Answer(yes=yes, how="terminal"))

    ending = go(fakes, a_step(Ask, "ask", question="Sure?", names=("a",)))

    assert ending.state.exit_code == 130
    assert "ask.answered" not in fakes.journal.names()


def test_a_signal_before_the_delete_leaves_the_object() -> None:
    fakes = immutable_world()
    plan = restore_plan(fakes)
    load = fakes.backups.load

    def interrupted(entry_file: str, sha256: str) -> KubeObject:
        fakes.operator.signal = 2
        return load(entry_file, sha256)

    fakes.backups.load = interrupted  # type: ignore[method-assign]
    ending = run("run-1", plan, fakes.hands(), OPEN, phase="rollback")

    assert ending.state.exit_code == 130
    assert fakes.cluster.writes == []


def test_a_signal_after_the_delete_waits_until_the_object_is_back() -> None:
    fakes = immutable_world()
    fakes.cluster.faults = {1: "dropped", 2: "dropped", 3: "dropped"}
    fakes.cluster.before_write[1] = lambda: setattr(fakes.operator, "signal", 2)
    before = fakes.clock.passed_s

    roll_back(fakes)

    assert must(fakes.cluster, TEXTS).get("data") == CUSTOM
    assert fakes.clock.passed_s - before == pytest.approx(0.2 + 0.4 + 0.6 + 10)


def test_the_pauses_of_a_delete_grow() -> None:
    fakes = immutable_world()
    fakes.cluster.faults = {0: "dropped", 1: "dropped", 2: "dropped"}
    before = fakes.clock.passed_s

    assert roll_back(fakes).state.state == "rolled-back"
    assert fakes.clock.passed_s - before == pytest.approx(0.2 + 0.4 + 0.6 + 10)


# What is in doubt.


def in_doubt(fakes: FakeHands, number: int = 0) -> None:
    """Let a write arrive, its answer be lost, and the read after it fail."""
    fakes.cluster.faults = {number: "lost"}
    fakes.cluster.reactions.append(lambda cluster, _: setattr(cluster, "unreachable", int(cluster.sent == number + 1)))


def test_a_step_whose_own_write_is_in_doubt_is_not_called_not_needed() -> None:
    fakes = a_world(Controller(stuck=True))
    in_doubt(fakes)
    blue = FieldIs(object=CONFIG, path=("spec", "colour"), values=("blue",))

    ending = go(fakes, paint(only_if=blue, attempts=2))

    assert (ending.state.exit_code, ending.state.steps[0].state) == (0, "succeeded")
    assert ending.state.steps[0].attempts == 2
    assert fakes.journal.names().count("write.settled") == 1


def test_a_restart_that_is_in_doubt_is_not_made_twice() -> None:
    fakes = a_world(Controller(stuck=True))
    in_doubt(fakes, 1)

    ending = go(fakes, paint("black"), a_step(Restart, "restart", object=PODS, only_after="paint", attempts=2))

    assert ending.state.exit_code == 0
    assert [write.object for write in fakes.cluster.writes] == [CONFIG, PODS]


def test_a_restore_that_is_in_doubt_is_settled_before_it_is_called_nothing_to_write() -> None:
    fakes = saved_world()
    replaced_by(fakes, texts({"a.yaml": "default"}))
    in_doubt(fakes)

    ending = roll_back(fakes, attempts=2)

    assert ending.state.state == "rolled-back"
    assert ending.state.steps[-1].message.startswith(f"{TEXTS} is as it was saved; what stood there is kept")
    assert len(fakes.cluster.writes) == 1


def test_a_revert_whose_mending_is_in_doubt_is_settled_before_it_is_mended_again() -> None:
    fakes = a_world(Controller(stuck=True))
    in_doubt(fakes, 1)
    fakes.clock.after(5, lambda: fakes.cluster.foreign(CONFIG, {"spec": {"colour": "blue"}}, "argocd"))
    fakes.clock.after(60, lambda: fakes.cluster.foreign(CONFIG, {"spec": {"colour": "blue"}}, "argocd"))
    fakes.clock.after(90, lambda: fakes.cluster.foreign(CONFIG, {"spec": {"done": True}}, "somebody"))

    ending = go(fakes, paint(), a_step(Wait, "wait", until=DONE))

    assert ending.state.exit_code == 0
    assert len(fakes.cluster.writes) == 3
    assert fakes.journal.names().count("write.intended") == 3


def test_a_step_that_is_not_needed_is_skipped_and_says_so() -> None:
    green = FieldIs(object=CONFIG, path=("spec", "colour"), values=("green",))

    ending = go(a_world(), paint(only_if=green))

    assert (ending.state.steps[0].state, ending.state.steps[0].message) == ("skipped", "not needed")


def test_what_is_told_counts_from_the_beginning_of_the_step() -> None:
    fakes = a_world()

    go(fakes, a_step(Pause, "one", seconds=20, why="w"), a_step(Pause, "two", seconds=10, why="w", timeout_seconds=50))

    told = [waiting for waiting in fakes.told if waiting.step == "two"]
    assert [waiting.elapsed_s for waiting in told] == list(range(10))
    assert {waiting.limit_s for waiting in told} == {50}
    noted = [event.data for event in fakes.journal.lines if event.data.get("kind") == "progress"]
    assert [(data["elapsed"], data["limit"]) for data in noted] == [(0, 120), (0, 50)]


# Waits.


class Dead(FakeCluster):
    """Refuses every connection at once."""

    tried = 0

    def observe(self, refs: Any, *, timeout_s: float) -> Iterator[Any]:
        self.tried += 1
        if timeout_s >= 0:
            raise UnreachableError("connection refused", resolution="Wait.")
        yield {}


def test_a_server_that_refuses_at_once_is_asked_once_a_second() -> None:
    fakes = a_world()
    dead = fakes.cluster = Dead(fakes.clock, config())

    ending = go(fakes, a_step(Pause, "p", seconds=40, why="w"), a_step(Wait, "wait", until=DONE, timeout_seconds=60))

    assert ending.state.exit_code == 22
    assert dead.tried == 60
    assert "waited 60 s in vain" in ending.state.message


def test_a_wait_that_holds_at_once_takes_no_time_and_one_that_settles_takes_just_that() -> None:
    for settle, passed in ((0, 0.0), (1, 1.0), (7, 7.0)):
        fakes = a_world()
        fakes.cluster.foreign(CONFIG, {"spec": {"done": True}})

        assert go(fakes, a_step(Wait, "wait", until=DONE, settle_seconds=settle)).state.exit_code == 0
        assert fakes.clock.passed_s == passed


# The window, and what an ending holds.


def test_a_resume_in_a_closed_window_that_begins_nothing_is_outside_of_it_and_not_halted_by_it() -> None:
    fakes = a_world(Controller(stuck=True))
    fakes.surveyor.verdicts = [False]
    plan = a_plan((paint(), a_step(Verify, "verify", timeout_seconds=1)), fakes.cluster)
    assert run("run-1", plan, fakes.hands(), OPEN).state.exit_code == 1

    ending = run("run-1", plan, fakes.hands(), OVER)

    assert (ending.state.exit_code, ending.state.reason) == (15, "OutsideWindow")


def test_no_window_closes_the_gate() -> None:
    fakes = a_world()
    plan = a_plan((gate_step(),), fakes.cluster)
    run("run-1", plan, fakes.hands(), OPEN)
    fakes.cluster.foreign(CONFIG, {"spec": {"version": "3.5.9"}}, "olm")
    fakes.clock.after(30, lambda: fakes.cluster.foreign(CONFIG, {"spec": {"version": "3.6"}}, "olm"))

    assert run("run-1", plan, fakes.hands(), OVER).gate_passed


class Numbered(FakeSurveyor):
    """Gives verdicts that can be told apart."""

    def verify(self, plan: Plan, tenants: Any) -> Verification:
        verdict = super().verify(plan, tenants)
        return Verification(at=f"number {len(self.asked)}", checks=verdict.checks, passed=verdict.passed)


def test_the_last_verdict_is_the_endings_also_when_a_step_without_one_comes_after() -> None:
    fakes = a_world()
    fakes.surveyor = Numbered()

    ending = go(fakes, a_step(Verify, "one"), a_step(Verify, "two"), a_step(Pause, "p", seconds=1, why="w"))

    assert ending.verification is not None
    assert ending.verification.at == "number 2"
    assert go(a_world(), a_step(Pause, "p", seconds=1, why="w")).verification is None


def test_the_dry_run_says_how_many_writes_it_tried() -> None:
    fakes = a_world()

    steps = run("run-1", forward_plan(fakes.cluster), fakes.hands(), OPEN).state.steps

    assert {step.id: step.message for step in steps}["dry-run"] == "3 writes tried on the server, none of them kept"
