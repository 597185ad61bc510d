"""A stop after the flip takes it back while nothing is lost, and else lets it run and says so."""

from datetime import timedelta

import pytest

from migrate.engine.hands import Ending
from migrate.engine.run import run
from migrate.errors import ExitCode
from migrate.records.plan import Plan
from migrate.records.window import Window
from migrate.records.writes import Write
from tests.fakes import START, FakeCluster, FakeHands
from tests.unit.engine.story import (
    CONFIG,
    OPEN,
    TEXTS,
    Controller,
    a_plan,
    a_world,
    flip_and_wait,
    forward_plan,
    forward_steps,
    must,
    rollback_plan,
)


def go(fakes: FakeHands, plan: Plan | None = None, window: Window = OPEN) -> Ending:
    return run("run-1", plan or forward_plan(fakes.cluster), fakes.hands(), window)


def engine_of(fakes: FakeHands) -> str | None:
    return must(fakes.cluster, CONFIG).annotations.get("engine")


def test_a_refusal_by_the_controller_is_taken_back_and_needs_a_person() -> None:
    fakes = a_world(Controller(blocks=True))

    ending = go(fakes)

    assert (ending.state.exit_code, ending.state.state) == (21, "needs-person")
    assert engine_of(fakes) == "old"
    assert "Blocked: the controller refuses to move" in ending.state.message
    assert "taken back; nothing was lost" in ending.state.message


def test_after_a_withdrawal_the_run_goes_on_once_the_cause_is_gone() -> None:
    controller = Controller(blocks=True)
    fakes = a_world(controller)
    plan = forward_plan(fakes.cluster)
    go(fakes, plan)
    controller.blocks = False

    ending = go(fakes, plan)

    assert ending.state.state == "succeeded"
    assert engine_of(fakes) == "new"


def test_a_wait_out_of_time_is_taken_back_while_nothing_is_deleted() -> None:
    fakes = a_world(Controller(stuck=True))

    ending = go(fakes)

    assert (ending.state.exit_code, ending.state.state) == (22, "halted")
    assert engine_of(fakes) == "old"
    assert "the old texts are still there" in {waiting.says for waiting in fakes.told}


def test_a_wait_out_of_time_runs_forward_once_something_is_deleted() -> None:
    fakes = a_world(Controller(pace_s=100))
    plan = a_plan((*forward_steps(fakes.cluster)[:4], *flip_and_wait(fakes.cluster, timeout_s=150)), fakes.cluster)

    ending = go(fakes, plan)

    assert ending.state.exit_code == 22
    assert engine_of(fakes) == "new"
    assert "the controller goes on by itself" in ending.state.notes


def test_ch_08_the_message_of_a_stuck_wait_says_what_it_waits_for_and_never_forces() -> None:
    fakes = a_world(Controller(stuck=True))

    ending = go(fakes)

    assert "status" in ending.state.message
    assert "seen: absent" in ending.state.message
    assert not any("force" in str(write.body) and "true" in str(write.body) for write in fakes.cluster.writes)


def test_a_leftover_refusal_from_before_our_write_does_not_count() -> None:
    fakes = a_world(migration="blocked")

    ending = go(fakes)

    assert ending.state.state == "succeeded"


@pytest.mark.parametrize(("signal", "code"), [(2, 130), (15, 143)])
def test_a_signal_in_the_wait_takes_the_flip_back(signal: int, code: int) -> None:
    fakes = a_world()

    def react(_cluster: FakeCluster, _write: Write) -> None:
        fakes.operator.signal = signal

    fakes.cluster.reactions.append(react)
    ending = go(fakes)

    assert ending.state.exit_code == code
    assert engine_of(fakes) == "old"
    assert fakes.lock.held is False


def test_a_signal_before_the_first_write_leaves_a_run_that_can_be_resumed() -> None:
    fakes = a_world()
    fakes.operator.signal = 2
    plan = forward_plan(fakes.cluster)

    first = go(fakes, plan)
    fakes.operator.signal = 0
    second = go(fakes, plan)

    assert (first.state.exit_code, first.state.ended_at) == (130, "")
    assert f"maas-migrate resume {first.state.id} --window" in (first.error.resolution if first.error else "")
    assert second.state.state == "succeeded"


def test_ch_30_after_an_interrupt_the_next_start_settles_the_open_write_and_goes_on() -> None:
    fakes = a_world()
    plan = forward_plan(fakes.cluster)
    fakes.cluster.faults = {0: "lost"}
    fakes.cluster.reactions.append(lambda cluster, _write: setattr(cluster, "unreachable", 1))

    first = go(fakes, plan)
    fakes.cluster.reactions.pop()
    second = go(fakes, plan)

    assert first.state.exit_code == 22
    assert second.state.state == "succeeded"
    assert [write.object for write in fakes.cluster.writes] == [CONFIG]
    assert fakes.journal.names().count("write.settled") == 1


def test_the_texts_replaced_during_a_withdrawal_need_a_person_and_name_rollback() -> None:
    fakes = a_world(Controller(blocks=True))

    def replace_texts(cluster: FakeCluster, write: Write) -> None:
        if "old" in str(write.body):
            thing = dict(cluster.objects[TEXTS], metadata={"namespace": "ns", "name": "texts"})
            cluster.delete(TEXTS)
            cluster.put(thing)

    fakes.cluster.reactions.append(replace_texts)
    ending = go(fakes)

    assert ending.state.exit_code == 21
    assert "rollback" in ending.state.resolution


def test_a_refusal_half_way_is_not_said_to_go_on_by_itself_and_names_rollback() -> None:
    controller = Controller()
    fakes = a_world(controller)

    def refuse_once_something_is_gone(cluster: FakeCluster, write: Write) -> None:
        cluster.clock.after(3.0, lambda: setattr(controller, "blocks", True))

    fakes.cluster.reactions.append(refuse_once_something_is_gone)
    ending = go(fakes)

    assert fakes.cluster.get(TEXTS) is None
    assert (ending.state.exit_code, engine_of(fakes)) == (21, "new")
    assert "half-way" in ending.state.message
    assert not [note for note in ending.state.notes if "goes on by itself" in note]
    assert "rollback run-1" in ending.state.resolution


def test_the_window_closing_in_the_wait_takes_the_flip_back_and_halts() -> None:
    fakes = a_world(Controller(stuck=True))
    window = Window(start=START, end=START + timedelta(seconds=160), cutoff_s=60)
    plan = a_plan((*forward_steps(fakes.cluster)[:4], *flip_and_wait(fakes.cluster, timeout_s=900)), fakes.cluster)

    ending = go(fakes, plan, window)

    assert (ending.state.exit_code, ending.state.reason) == (20, "WindowClosed")
    assert engine_of(fakes) == "old"


def test_the_window_closing_after_the_point_of_no_return_runs_forward() -> None:
    fakes = a_world(Controller(pace_s=50))
    window = Window(start=START, end=START + timedelta(seconds=160), cutoff_s=60)
    plan = a_plan((*forward_steps(fakes.cluster)[:4], *flip_and_wait(fakes.cluster, timeout_s=900)), fakes.cluster)

    ending = go(fakes, plan, window)

    assert ending.state.exit_code == 20
    assert engine_of(fakes) == "new"
    assert "the controller goes on by itself" in ending.state.notes


def test_ch_26_a_window_too_short_for_the_flip_and_its_way_back_stops_before_the_first_write() -> None:
    fakes = a_world()
    window = Window(start=START - timedelta(hours=1), end=START + timedelta(seconds=65), cutoff_s=0)

    ending = go(fakes, window=window)

    assert (ending.state.exit_code, ending.state.wrote) == (15, False)
    assert fakes.cluster.writes == []
    assert "flip" in ending.state.message


def test_a_closed_window_refuses_to_start() -> None:
    fakes = a_world()
    window = Window(start=START + timedelta(hours=1), end=START + timedelta(hours=2))

    assert go(fakes, window=window).state.exit_code == 15


def test_a_closed_window_never_stops_a_rollback() -> None:
    fakes = a_world()
    go(fakes)
    window = Window(start=START - timedelta(hours=2), end=START - timedelta(hours=1))

    ending = run("run-1", rollback_plan(fakes), fakes.hands(), window, phase="rollback")

    assert ending.state.state == "rolled-back"
    assert any("window is closed" in note for note in ending.state.notes)


def test_ch_31_a_lost_lock_stops_all_writing() -> None:
    fakes = a_world()

    def lose(_cluster: FakeCluster, _write: Write) -> None:
        fakes.lock.lost = True

    fakes.cluster.reactions.append(lose)
    ending = go(fakes)

    assert ending.state.exit_code == 21
    assert len(fakes.cluster.writes) == 1
    assert "lock was lost" in ending.state.message
    assert "lock.lost" in fakes.journal.names()
    assert ending.state.message.count("lock was lost") == 1


def test_a_lock_lost_before_the_first_write_is_somebody_elses() -> None:
    fakes = a_world()
    fakes.lock.lost = True

    assert go(fakes).state.exit_code == 14


def test_a_lock_of_somebody_else_is_14_and_nothing_is_begun() -> None:
    fakes = a_world()
    fakes.lock.others = True

    ending = go(fakes)

    assert ending.state.exit_code == 14
    assert "step.started" not in fakes.journal.names()


def test_a_failed_verification_is_read_again_before_it_counts() -> None:
    fakes = a_world()
    fakes.surveyor.verdicts = [False, False, True]

    ending = go(fakes)

    assert ending.state.state == "succeeded"
    assert len(fakes.surveyor.asked) == 3


def test_a_verification_that_stays_failed_is_1_and_says_what_failed() -> None:
    fakes = a_world()
    fakes.surveyor.verdicts = [False]

    ending = go(fakes)

    assert (ending.state.exit_code, ending.state.state) == (1, "verification-failed")
    assert "EnginePraxis" in ending.state.message
    assert ending.verification is not None
    assert ending.state.ended_at


def test_every_stop_has_a_code_of_the_table() -> None:
    fakes = a_world(Controller(blocks=True))

    assert go(fakes).state.exit_code in set(ExitCode)
