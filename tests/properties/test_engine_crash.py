"""
Goal: a process may be killed at any moment, and nothing is lost by it.

Method: every journal line, write and backup is a kill point (before and after it). The run is killed at each
of them, then run again, or rolled back, by a new process; the end is compared with a calm run's.
"""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.engine.hands import Ending
from migrate.engine.run import run
from migrate.records.objects import Json
from migrate.records.plan import Plan
from migrate.records.progress import fold
from tests.fakes import FAULTS, Crash, FakeHands
from tests.unit.engine.story import CONFIG, CUSTOM, OPEN, PODS, TEXTS, a_world, forward_plan, must, rollback_plan


def go(fakes: FakeHands, plan: Plan, **more: object) -> Ending:
    return run("run-1", plan, fakes.hands(), OPEN, **more)  # type: ignore[arg-type]


def calm_forward() -> tuple[Json, int]:
    fakes = a_world()
    assert go(fakes, forward_plan(fakes.cluster)).error is None
    return fakes.cluster.content(), fakes.kill.passed


FORWARD, FORWARD_POINTS = calm_forward()


def killed_forward(at: int) -> tuple[FakeHands, Plan]:
    fakes = a_world()
    plan = forward_plan(fakes.cluster)
    fakes.kill.at = at
    with pytest.raises(Crash):
        go(fakes, plan)
    fakes.new_process()
    return fakes, plan


def settle_down(fakes: FakeHands) -> None:
    fakes.clock.sleep(3600)


def test_there_are_as_many_kill_points_as_we_think() -> None:
    assert FORWARD_POINTS > 60


@pytest.mark.parametrize("at", range(FORWARD_POINTS))
def test_a_crash_anywhere_changes_nothing_in_the_end(at: int) -> None:
    fakes, plan = killed_forward(at)

    ending = go(fakes, plan)

    assert ending.error is None
    assert ending.state.state == "succeeded"
    assert fakes.cluster.content() == FORWARD


@pytest.mark.parametrize("pause_s", [0, 3600])
@pytest.mark.parametrize("at", range(FORWARD_POINTS))
def test_rollback_after_a_crash_anywhere_gives_back_what_was_saved(at: int, pause_s: int) -> None:
    fakes, _ = killed_forward(at)
    fakes.clock.sleep(pause_s)
    if not fakes.backups.entries or not fakes.journal.lines[1:]:
        assert fakes.cluster.writes == []  # Nothing was saved, so nothing was written either.
        return

    ending = go(fakes, rollback_plan(fakes), phase="rollback")

    settle_down(fakes)
    assert ending.error is None
    assert ending.state.state == "rolled-back"
    assert must(fakes.cluster, TEXTS).get("data") == CUSTOM
    assert must(fakes.cluster, CONFIG).annotations == {"engine": "old"}


def rollback_points() -> int:
    fakes = a_world()
    go(fakes, forward_plan(fakes.cluster))
    before = fakes.kill.passed
    go(fakes, rollback_plan(fakes), phase="rollback")
    return fakes.kill.passed - before


@pytest.mark.parametrize("again", ["the same plan", "a new plan"])
@pytest.mark.parametrize("at", range(rollback_points()))
def test_a_crash_in_a_rollback_changes_nothing_in_the_end(at: int, again: str) -> None:
    fakes = a_world()
    go(fakes, forward_plan(fakes.cluster))
    plan = rollback_plan(fakes)
    fakes.kill.at = fakes.kill.passed + at
    with pytest.raises(Crash):
        go(fakes, plan, phase="rollback")
    fakes.new_process()

    ending = go(fakes, plan if again == "the same plan" else rollback_plan(fakes), phase="rollback")

    restarts = [write for write in fakes.cluster.writes if write.object == PODS]
    assert ending.state.state == "rolled-back"
    assert must(fakes.cluster, TEXTS).get("data") == CUSTOM
    assert len(restarts) == 1


def test_a_second_rollback_writes_nothing() -> None:
    fakes = a_world()
    go(fakes, forward_plan(fakes.cluster))
    go(fakes, rollback_plan(fakes), phase="rollback")
    written = len(fakes.cluster.writes)

    plan = rollback_plan(fakes)
    ending = go(fakes, plan, phase="rollback")

    assert ending.state.state == "rolled-back"
    assert len(fakes.cluster.writes) == written


@settings(max_examples=150, deadline=None)
@given(
    faults=st.dictionaries(st.integers(0, 8), st.sampled_from(FAULTS), max_size=5),
    kills=st.lists(st.integers(0, FORWARD_POINTS - 1), max_size=3),
    status_writes=st.sets(st.integers(0, 8), max_size=3),
)
def test_faults_and_crashes_together_change_nothing_in_the_end(
    faults: dict[int, str], kills: list[int], status_writes: set[int]
) -> None:
    fakes = a_world()
    plan = forward_plan(fakes.cluster)
    fakes.cluster.faults = faults
    for number in status_writes:
        fakes.cluster.before_write[number] = touch(fakes)
    for kill in kills:
        fakes.kill.at = fakes.kill.passed + kill
        try:
            go(fakes, plan)
        except Crash:
            fakes.new_process()

    ending = go(fakes, plan)

    assert ending.state.state == "succeeded"
    assert fakes.cluster.content() == FORWARD
    assert fold("run-1", fakes.journal.events()) == ending.state


def touch(fakes: FakeHands) -> Callable[[], None]:
    """A write of somebody's that is no part of the essence: it moves the resourceVersion alone."""
    return lambda: fakes.cluster.foreign(CONFIG, {"status": {"seen": fakes.cluster.version}}, "status-writer")
