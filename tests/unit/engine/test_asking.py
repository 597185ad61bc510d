"""What is asked of the person, and what a run that ended does when it is called again."""

import contextlib

import pytest

from migrate.engine.hands import Ending
from migrate.engine.ports import Answer
from migrate.engine.run import run
from migrate.engine.steps import RESTARTED_AT
from migrate.records.essence import fingerprint
from migrate.records.objects import Json
from migrate.records.plan import Ask, Pause, Plan, Restart, SetFields
from migrate.records.predicates import FieldIs
from tests.fakes import Absent, Crash, FakeHands, Willing
from tests.unit.engine.story import (
    CONFIG,
    IGNORED,
    OPEN,
    PODS,
    a_plan,
    a_step,
    a_world,
    forward_plan,
    must,
)

COLOUR = ("spec", "colour")


def go(fakes: FakeHands, plan: Plan | None = None) -> Ending:
    return run("run-1", plan or forward_plan(fakes.cluster), fakes.hands(), OPEN)


def paint(fakes: FakeHands, colour: str, step_id: str = "paint", *, more: Json | None = None) -> SetFields:
    live = must(fakes.cluster, CONFIG)
    step: SetFields = a_step(
        SetFields,
        step_id,
        object=CONFIG,
        uid=live.uid,
        expects=fingerprint(live, IGNORED),
        after={"spec": {"colour": colour, **(more or {})}},
    )
    return step


def test_nobody_to_ask_is_16_before_the_first_write() -> None:
    fakes = a_world()
    fakes.operator = Absent()

    ending = go(fakes)

    assert ending.state.exit_code == 16
    assert "nobody could be asked" in ending.state.message


def test_a_no_is_16_before_the_first_write() -> None:
    fakes = a_world()
    fakes.operator = Willing(Answer(yes=False, how="terminal"))

    ending = go(fakes)

    assert ending.state.exit_code == 16
    assert "the answer was no" in ending.state.message


def test_nobody_to_ask_after_the_first_write_halts() -> None:
    fakes = a_world()
    fakes.operator = Absent()
    ask = a_step(Ask, "ask", question="Sure?", names=("x",))

    ending = go(fakes, a_plan((paint(fakes, "red"), ask)))

    assert (ending.state.exit_code, ending.state.state) == (20, "halted")


def test_an_ask_with_nothing_to_name_is_skipped() -> None:
    fakes = a_world()

    ending = go(fakes, a_plan((a_step(Ask, "ask", question="Sure?"),)))

    assert ending.state.steps[0].state == "skipped"
    assert fakes.operator.asked == []


def test_yes_by_flag_is_recorded_as_not_reviewed() -> None:
    fakes = a_world()
    fakes.operator = Willing(Answer(yes=True, how="--yes"))

    ending = go(fakes)

    assert {step.id: step.message for step in ending.state.steps}["review"] == "answered by --yes, not reviewed"


def test_what_must_not_hold_just_before_stops_the_write() -> None:
    fakes = a_world()
    step = a_step(
        SetFields,
        "paint",
        object=CONFIG,
        uid="config-1",
        after={"spec": {"colour": "red"}},
        forbidden_if=FieldIs(object=CONFIG, path=COLOUR, values=("blue",)),
    )

    ending = go(fakes, a_plan((step,)))

    assert ending.state.exit_code == 11
    assert fakes.cluster.writes == []


def test_a_run_that_ended_is_not_run_again() -> None:
    fakes = a_world()
    plan = forward_plan(fakes.cluster)
    go(fakes, plan)
    lines = len(fakes.journal.lines)

    ending = go(fakes, plan)

    assert ending.state.state == "succeeded"
    assert len(fakes.journal.lines) == lines


def test_a_pause_is_counted_from_when_it_first_began() -> None:
    fakes = a_world()
    plan = forward_plan(fakes.cluster)
    fakes.operator = StopInPause(fakes)
    first = go(fakes, plan)
    fakes.operator = Willing()
    fakes.clock.sleep(25)
    before = fakes.clock.passed_s

    go(fakes, plan)

    assert first.state.exit_code == 130
    assert fakes.clock.passed_s - before < 10


class StopInPause(Willing):
    """Asks to stop as soon as the pause has begun."""

    def __init__(self, fakes: FakeHands) -> None:
        super().__init__()
        self.fakes = fakes

    def stop_requested(self) -> int:
        last = self.fakes.journal.lines[-1] if self.fakes.journal.lines else None
        return 2 if last is not None and last.step == "caches" else 0


def test_what_was_answered_once_is_not_asked_again() -> None:
    fakes = a_world()
    plan = forward_plan(fakes.cluster)
    fakes.operator = StopInPause(fakes)
    go(fakes, plan)
    fakes.operator = Absent()
    again = a_step(Ask, "review", question="Have you looked at it?", names=("model a",))
    stopped = a_world()
    both = a_plan((again, paint(stopped, "red")), stopped.cluster)
    stopped.cluster.faults = dict.fromkeys(range(99), "dropped")
    assert go(stopped, both).state.exit_code in {5, 22}
    stopped.cluster.faults = {}
    stopped.operator = Absent()

    assert go(fakes, plan).state.state == "succeeded"
    assert go(stopped, both).state.state == "succeeded"
    assert fakes.operator.asked == stopped.operator.asked == []


def test_a_yes_counts_also_when_the_process_was_killed_before_the_step_was_over() -> None:
    fakes = a_world()
    plan = a_plan((a_step(Ask, "review", question="Sure?", names=("a",)),), fakes.cluster)
    fakes.kill.at = 10
    with pytest.raises(Crash):
        go(fakes, plan)
    assert fakes.journal.names()[-1] == "ask.answered"
    fakes.new_process()
    fakes.operator = Absent()

    ending = go(fakes, plan)

    assert (ending.state.exit_code, ending.state.steps[0].message) == (0, "answered before")
    assert fakes.operator.asked == []


def test_a_no_is_written_down_with_how_it_was_given() -> None:
    fakes = a_world()
    fakes.operator = Willing(Answer(yes=False, how="terminal"))
    go(fakes)
    absent = a_world()
    absent.operator = Absent()
    go(absent)

    said = [event.data for event in fakes.journal.lines if event.event == "ask.answered"]
    assert said == [{"yes": False, "how": "terminal"}]
    assert "ask.answered" not in absent.journal.names()


def test_how_a_yes_was_given_is_written_down() -> None:
    told = []
    for how in ("terminal", "--yes"):
        fakes = a_world()
        fakes.operator = Willing(Answer(yes=True, how=how))
        ending = go(fakes)
        told += [event.data["reviewed"] for event in fakes.journal.lines if event.event == "ask.answered"]
        assert ending.state.exit_code == 0

    assert told == [True, False]


# Restarts.


def restart(fakes: FakeHands, **more: str) -> Plan:
    return a_plan((paint(fakes, "red"), a_step(Restart, "restart", object=PODS, **more)), fakes.cluster)


def test_a_restart_after_a_step_that_changed_nothing_is_skipped() -> None:
    fakes = a_world()
    fakes.cluster.foreign(CONFIG, {"spec": {"colour": "red"}})

    ending = go(fakes, restart(fakes, only_after="paint"))

    assert (ending.state.steps[1].state, ending.state.steps[1].message) == (
        "skipped",
        "nothing was restored since the last restart",
    )
    assert fakes.cluster.writes == []


def test_a_restart_after_a_change_and_one_that_depends_on_nothing_is_made() -> None:
    for more in ({"only_after": "paint"}, {}):
        fakes = a_world()
        ending = go(fakes, restart(fakes, **more))

        at = must(fakes.cluster, PODS).get("spec", "template", "metadata", "annotations", RESTARTED_AT)
        assert ending.state.steps[1].message == f"restarted at {at}"
        assert at.endswith("Z")
        assert [write.object for write in fakes.cluster.writes] == [CONFIG, PODS]


def test_a_second_restart_does_not_mind_what_else_was_changed_meanwhile() -> None:
    fakes = a_world()
    pause, again = a_step(Pause, "pause", seconds=5, why="w"), a_step(Restart, "again", object=PODS)
    fakes.clock.after(2, lambda: fakes.cluster.foreign(PODS, {"spec": {"replicas": 3}}, "hpa"))

    ending = go(fakes, a_plan((*restart(fakes).steps, pause, again), fakes.cluster))

    live = must(fakes.cluster, PODS)
    assert ending.state.exit_code == 0
    assert ending.state.steps[-1].message.endswith(
        live.get("spec", "template", "metadata", "annotations", RESTARTED_AT)
    )
    assert live.get("spec", "replicas") == 3


def test_a_restart_that_was_made_and_not_yet_told_is_not_made_again() -> None:
    fakes = a_world()
    plan = restart(fakes, only_after="paint")
    go_until_killed(fakes, plan, "write.applied", 2)

    ending = go(fakes, plan)

    assert ending.state.steps[1].state == "succeeded"
    assert len(fakes.cluster.writes) == 2


def go_until_killed(fakes: FakeHands, plan: Plan, event: str, times: int) -> None:
    """Run until *event* was written that often, and no further."""
    for at in range(200):
        fakes.kill.at = fakes.kill.passed + at
        with contextlib.suppress(Crash):
            go(fakes, plan)
        fakes.new_process()
        if fakes.journal.names().count(event) >= times:
            return
