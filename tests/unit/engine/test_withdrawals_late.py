"""Withdrawals at their edges: too late, taken back before the wait, and what goes on by itself."""

from typing import Any

from msgspec.structs import replace

from migrate.engine import withdrawing
from migrate.engine.hands import Ending
from migrate.engine.run import run
from migrate.records.objects import ObjectRef
from migrate.records.plan import BackUp, BackUpItem, Pause, Step, Wait
from tests.fakes import FakeCluster, FakeHands
from tests.unit.engine.story import (
    CONFIG,
    OPEN,
    TEXTS,
    Controller,
    a_step,
    a_world,
    flip_and_wait,
    forward_plan,
    forward_steps,
    must,
    texts,
)
from tests.unit.engine.test_waits import DONE, go


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


def test_a_withdrawal_that_meets_no_answer_names_the_object_that_it_was_about() -> None:
    fakes = a_world(Controller(blocks=True))
    fakes.cluster.faults = {1: "lost"}
    fakes.cluster.reactions.append(lambda cluster, _: setattr(cluster, "unreachable", 9 * (cluster.sent > 1)))

    ending = flipped(fakes)

    assert ending.state.exit_code == 21
    assert ending.error is not None
    assert ending.error.object == str(CONFIG)


def test_a_withdrawal_leaves_what_somebody_else_changed_beside_the_flip() -> None:
    fakes = a_world(Controller(blocks=True))
    fakes.clock.after(1, lambda: fakes.cluster.foreign(CONFIG, {"spec": {"colour": "green"}}, "kubectl"))

    ending = flipped(fakes)

    live = must(fakes.cluster, CONFIG)
    assert "was taken back; nothing was lost" in ending.state.message
    assert (live.annotations.get("engine"), live.get("spec", "colour")) == ("old", "green")


def test_a_write_in_doubt_is_settled_before_a_flip_is_said_to_go_on() -> None:
    fakes = a_world(Controller(stuck=True))
    undone = {"metadata": {"annotations": {"engine": "old"}}}
    fakes.clock.after(1, lambda: fakes.cluster.foreign(CONFIG, undone, "argocd"))
    fakes.cluster.faults = {1: "lost"}

    def too_late(cluster: FakeCluster, _: object) -> None:
        if cluster.sent == 2:  # The flip is being made again.
            cluster.unreachable, fakes.operator.signal = 1, 15
            cluster.clock.after(0.1, lambda: cluster.delete(TEXTS))

    fakes.cluster.reactions.append(too_late)
    ending = flipped(fakes, note="it goes on")

    assert (ending.state.exit_code, "it goes on" in ending.state.notes) == (143, True)
    assert fakes.journal.names().count("write.settled") == 1


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
