"""What is asked of the person, and what a run that ended does when it is called again."""

from migrate.engine.hands import Ending
from migrate.engine.ports import Answer
from migrate.engine.run import run
from migrate.records.essence import fingerprint
from migrate.records.objects import Json
from migrate.records.plan import Ask, Plan, SetFields
from migrate.records.predicates import FieldIs
from tests.fakes import Absent, FakeHands, Willing
from tests.unit.engine.story import (
    CONFIG,
    IGNORED,
    OPEN,
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

    assert go(fakes).state.exit_code == 16


def test_a_no_is_16_before_the_first_write() -> None:
    fakes = a_world()
    fakes.operator = Willing(Answer(yes=False, how="terminal"))

    assert go(fakes).state.exit_code == 16


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
