"""How a run begins, tries again, and gives back what it holds; and what can only be a fault of this tool."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from migrate.engine.hands import Ending
from migrate.engine.run import run
from migrate.engine.steps import perform_step
from migrate.engine.work import Log, Work
from migrate.errors import InternalError, NeedsPersonError, StoreError, UnreachableError
from migrate.records.journal import Phase
from migrate.records.plan import Plan, SetFields, Step, Verify, WindowNeed
from migrate.records.verification import CheckResult, Verification
from migrate.records.window import Window
from tests.fakes import START, FakeHands, FakeSurveyor
from tests.unit.engine.story import CONFIG, OPEN, a_plan, a_step, a_world, forward_plan, gate_step, must, rollback_plan


def go(fakes: FakeHands, *steps: Step, phase: Phase = "forward", window: Window = OPEN, **more: Any) -> Ending:
    return run("run-1", a_plan(steps, fakes.cluster, **more), fakes.hands(), window, phase=phase)


def paint(step_id: str = "paint", colour: str = "red", **more: Any) -> SetFields:
    step: SetFields = a_step(
        SetFields, step_id, object=CONFIG, uid="config-1", after={"spec": {"colour": colour}}, **more
    )
    return step


def test_a_fault_of_this_tool_flies_and_the_lock_is_given_back() -> None:
    fakes = a_world()

    with pytest.raises(TypeError, match="names no object"):
        go(fakes, a_step(SetFields, "none", uid="", after={}))

    assert fakes.lock.held is False
    assert fakes.journal.names()[-2:] == ["step.started", "lock.released"]


def test_a_gate_is_reached_and_never_performed() -> None:
    fakes = a_world()
    plan = a_plan((gate_step(),), fakes.cluster)
    ending = run("run-1", plan, fakes.hands(), OPEN)

    assert ending.state.state == "waiting-for-upgrade"
    with pytest.raises(TypeError, match="is no gate"):
        run("run-1", replace(plan, steps=(a_step(Verify, "gate"),)), fakes.hands(), OPEN)
    with pytest.raises(TypeError, match="reached, not performed"):
        perform_step(
            Work(run_id="r", plan=plan, hands=fakes.hands(), log=Log(a_world().hands()), window=OPEN, phase="forward"),
            gate_step(),
        )


def test_a_lock_that_cannot_be_given_back_does_not_change_how_a_run_ended() -> None:
    fakes = a_world()

    def release() -> None:
        raise UnreachableError("no answer", resolution="Wait.")

    fakes.lock.release = release  # type: ignore[method-assign]
    ending = go(fakes, paint())

    assert (ending.state.exit_code, ending.error) == (0, None)
    assert "lock.released" not in fakes.journal.names()


class Flaky(FakeSurveyor):
    """Gives no answer a number of times, then a verdict."""

    def __init__(self, silent: int, *verdicts: bool) -> None:
        super().__init__(*verdicts)
        self.silent = silent

    def verify(self, plan: Plan, tenants: Any) -> Verification:
        if self.silent:
            self.silent -= 1
            raise UnreachableError("no answer", resolution="Wait.")
        return super().verify(plan, tenants)


@pytest.mark.parametrize(("attempts", "code", "tries"), [(1, 5, 1), (2, 0, 2), (3, 0, 2)])
def test_a_step_that_met_no_answer_is_tried_as_often_as_it_says(attempts: int, code: int, tries: int) -> None:
    fakes = a_world()
    fakes.surveyor = Flaky(1)

    ending = go(fakes, a_step(Verify, "verify", attempts=attempts, timeout_seconds=1))

    assert (ending.state.exit_code, ending.state.steps[0].attempts) == (code, tries)
    assert fakes.clock.passed_s == (2.0 if tries > 1 else 0.0)


def test_the_pause_before_the_next_attempt_grows_to_half_a_minute() -> None:
    fakes = a_world()
    fakes.surveyor = Flaky(99)

    ending = go(fakes, a_step(Verify, "verify", attempts=7, timeout_seconds=1))

    assert (ending.state.exit_code, ending.state.steps[0].attempts) == (5, 7)
    assert fakes.clock.passed_s == 2 + 4 + 8 + 16 + 30 + 30


def test_what_is_no_want_of_an_answer_is_not_tried_again() -> None:
    fakes = a_world()
    fakes.surveyor.verdicts = [False]

    ending = go(fakes, a_step(Verify, "verify", attempts=3, timeout_seconds=10))

    assert (ending.state.exit_code, ending.state.steps[0].attempts) == (1, 1)


def test_a_signal_between_two_attempts_stops() -> None:
    fakes = a_world()
    fakes.surveyor = Flaky(99)
    fakes.clock.after(0.5, lambda: setattr(fakes.operator, "signal", 2))

    ending = go(fakes, a_step(Verify, "verify", attempts=5, timeout_seconds=1))

    assert (ending.state.exit_code, ending.state.steps[0].attempts) == (130, 1)


def test_a_verification_rides_out_what_does_not_answer_and_says_so() -> None:
    fakes = a_world()
    fakes.surveyor = Flaky(2)

    ending = go(fakes, a_step(Verify, "verify", timeout_seconds=60, tenants=("red",)))

    assert ending.state.exit_code == 0
    assert fakes.surveyor.asked == [("red",)]
    assert [waiting.says for waiting in fakes.told] == ["no answer", "no answer"]
    assert fakes.clock.passed_s == 1 + 2


def test_a_failed_verification_is_read_again_ever_more_slowly() -> None:
    fakes = a_world()
    fakes.surveyor.verdicts = [False]

    ending = go(fakes, a_step(Verify, "verify", timeout_seconds=100))

    assert ending.state.exit_code == 1
    assert fakes.clock.passed_s == 1 + 2 + 4 + 8 + 15 * 5
    assert len(fakes.surveyor.asked) == 10


def checks(*results: Any) -> tuple[CheckResult, ...]:
    return tuple(
        CheckResult(code=f"Code{number}", expected="x", observed="y", result=result)
        for number, result in enumerate(results)
    )


class Verdict(FakeSurveyor):
    """Gives one verdict."""

    def __init__(self, verdict: Verification) -> None:
        super().__init__()
        self.verdict = verdict

    def verify(self, plan: Plan, tenants: Any) -> Verification:
        del plan, tenants
        return self.verdict


def verdict_of(*results: Any, **more: Any) -> Ending:
    fakes = a_world()
    fakes.surveyor = Verdict(Verification(at="2026-11-30T12:00:00Z", checks=checks(*results), **more))
    return go(fakes, a_step(Verify, "verify", timeout_seconds=1, final=True))


def test_what_failed_or_is_unknown_is_named_up_to_five_and_nothing_else() -> None:
    ending = verdict_of("passed", "failed", "unknown", "failed", "failed", "failed", "failed", passed=False)

    assert "Code5  failed: y and 1 more" in ending.state.message
    assert "Code0" not in ending.state.message
    assert "Code6" not in ending.state.message


def test_a_verdict_over_nothing_is_no_success() -> None:
    ending = verdict_of(passed=False)

    assert (ending.state.exit_code, ending.state.message) == (1, "the verification found: nothing examined")


def test_risks_that_were_accepted_are_told_when_all_is_well() -> None:
    ending = verdict_of("passed", passed=True, recorded_risks=("a risk",))

    assert (ending.state.exit_code, ending.state.notes) == (0, ("still shows: a risk",))
    assert ending.state.steps[0].message == "1 checks passed"


def test_only_a_final_verdict_ends_the_run() -> None:
    fakes = a_world()
    fakes.surveyor.verdicts = [False]
    ending = go(fakes, paint(), a_step(Verify, "verify", timeout_seconds=1))

    assert (ending.state.exit_code, ending.state.ended_at) == (1, "")
    assert ending.verification is not None


# The window.


def window_of(seconds: float) -> Window:
    return Window(start=START, end=START + timedelta(seconds=seconds), cutoff_s=0)


@pytest.mark.parametrize(("seconds", "code"), [(900, 0), (899, 15)])
def test_a_run_begins_only_when_the_whole_of_its_plan_fits(seconds: float, code: int) -> None:
    fakes = a_world()
    plan = a_plan((paint(),), fakes.cluster, window=WindowNeed(minimum_seconds=900))

    ending = run("run-1", plan, fakes.hands(), window_of(seconds))

    assert ending.state.exit_code == code
    assert ("899 s are left before the cutoff" in ending.state.message) is bool(code)


def test_once_begun_only_what_is_left_has_to_fit() -> None:
    fakes = a_world()
    need = WindowNeed(minimum_seconds=900)
    plan = a_plan((paint(), a_step(Verify, "verify", timeout_seconds=1)), fakes.cluster, window=need)
    fakes.surveyor = Flaky(1)
    first = run("run-1", plan, fakes.hands(), OPEN)

    assert first.state.exit_code == 22
    assert run("run-1", plan, fakes.hands(), window_of(100)).state.exit_code == 0


def test_the_way_back_counts_and_a_step_that_just_fits_is_started() -> None:
    step = paint(estimate_seconds=20, undo_estimate_seconds=30)

    assert go(a_world(), step, window=window_of(50)).state.exit_code == 0
    assert go(a_world(), step, window=window_of(49)).state.exit_code == 15


def test_a_window_that_is_over_for_the_second_step_halts_what_this_call_has_begun() -> None:
    ending = go(a_world(), paint(), paint("again", "black", estimate_seconds=500), window=window_of(100))

    assert (ending.state.exit_code, ending.state.reason) == (20, "WindowClosed")
    assert "the step again needs 500 s with the way back, and 100 s are left" in ending.state.message


def test_what_may_be_done_outside_is_done_outside() -> None:
    closed = Window(start=START + timedelta(hours=1), end=START + timedelta(hours=2))

    ending = go(a_world(), paint(window="outside"), window=closed)
    later = go(a_world(), paint(), window=closed)

    assert ending.state.exit_code == 0
    assert "the window is not open" in later.state.message


def test_a_rollback_outside_of_the_window_says_so_once() -> None:
    fakes = a_world()
    run("run-1", forward_plan(fakes.cluster), fakes.hands(), OPEN)
    plan = rollback_plan(fakes)
    closed = Window(start=START - timedelta(hours=2), end=START - timedelta(hours=1))

    told = run("run-1", plan, fakes.hands(), closed, phase="rollback").state.notes
    other = a_world()
    run("run-1", forward_plan(other.cluster), other.hands(), OPEN)
    untold = run("run-1", rollback_plan(other), other.hands(), OPEN, phase="rollback").state.notes

    assert len([note for note in told if "the window is closed" in note]) == 1
    assert not [note for note in untold if "the window is closed" in note]


# Beginning.


def test_a_run_that_got_no_further_than_its_first_line_can_be_taken_back() -> None:
    fakes = a_world()
    fakes.journal.append("run.started", data={"plan": "p", "cluster": "c"})

    ending = run("run-1", a_plan(()), fakes.hands(), OPEN, phase="rollback")

    assert ending.state.state == "rolled-back"
    assert "run.planned" not in [event.event for event in fakes.journal.lines]


def test_its_way_back_that_was_cut_short_too_is_gone_on_with_and_never_its_plan() -> None:
    fakes = a_world()
    fakes.journal.append("run.started", data={"plan": "p", "cluster": "c"})
    fakes.journal.append("rollback.started", data={"plan": "back", "part": 1, "steps": []})

    forward = run("run-1", a_plan((paint(),)), fakes.hands(), OPEN)
    back = run("run-1", a_plan(()), fakes.hands(), OPEN, phase="rollback")

    assert "is on its way back" in str(forward.error)
    assert back.state.state == "rolled-back"


def test_another_plan_for_a_run_under_way_is_refused_and_the_first_one_goes_on() -> None:
    fakes = a_world()
    fakes.surveyor = Flaky(1)
    plan = a_plan((paint(), a_step(Verify, "verify", timeout_seconds=1)), fakes.cluster)
    first = run("run-1", plan, fakes.hands(), OPEN)
    lines = len(fakes.journal.lines)

    other = go(fakes, paint("other"))

    assert first.state.exit_code == 22
    assert other.error is not None
    assert "is under way with the plan" in other.error.message
    assert len(fakes.journal.lines) == lines
    assert run("run-1", plan, fakes.hands(), OPEN).state.state == "succeeded"


def test_a_journal_that_no_run_can_have_written_is_damage() -> None:
    fakes = a_world()
    fakes.journal.append("run.ended", data={"exitCode": 0})

    with pytest.raises(StoreError, match="cannot be what a run wrote"):
        go(fakes, paint())


def test_an_event_that_cannot_follow_is_never_written() -> None:
    fakes = a_world()
    log = Log(fakes.hands())

    with pytest.raises(InternalError, match=r"told gate\.passed after nothing"):
        log.append("gate.passed")

    assert fakes.journal.lines == []


def test_the_same_note_is_written_once_and_progress_each_time() -> None:
    fakes = a_world()
    log = Log(fakes.hands())
    log.append("run.started", data={"plan": "p"})
    log.append("run.planned", data={"plan": "p", "steps": []})

    for kind in ("info", "info", "progress", "progress"):
        log.note("the same", kind=kind)

    assert [event.data.get("kind") for event in fakes.journal.lines[2:]] == ["info", "progress", "progress"]


def test_a_lock_that_is_lost_is_written_down_once_and_stops_every_write() -> None:
    fakes = a_world()
    fakes.cluster.reactions.append(lambda *_: setattr(fakes.lock, "lost", True))

    ending = go(fakes, paint(), paint("again", "black"))

    assert isinstance(ending.error, NeedsPersonError)
    assert must(fakes.cluster, CONFIG).get("spec", "colour") == "red"
    assert len(fakes.cluster.writes) == 1


def test_a_step_of_the_past_is_not_done_again() -> None:
    fakes = a_world()
    fakes.surveyor = Flaky(1)
    plan = a_plan((paint(), a_step(Verify, "verify", timeout_seconds=1)), fakes.cluster)
    run("run-1", plan, fakes.hands(), OPEN)
    fakes.cluster.foreign(CONFIG, {"spec": {"colour": "green"}})

    ending = run("run-1", plan, fakes.hands(), OPEN)

    assert ending.state.state == "succeeded"
    assert must(fakes.cluster, CONFIG).get("spec", "colour") == "green"
    assert len(fakes.cluster.writes) == 1
