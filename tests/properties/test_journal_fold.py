"""
Goal: every journal that a run can write folds, at each of its lines; none that it cannot write does.

Method: journals of calm, refused, faulty and rolled back runs; each prefix is folded, and at each line every
event that may not follow is tried.
"""

from typing import get_args

import msgspec
import pytest

from migrate.engine.run import run
from migrate.records.journal import NEXT, SEE_THROUGH, Event, EventName, IllegalEventError, RunState
from migrate.records.progress import Progress, fold, overall
from tests.fakes import FakeHands
from tests.unit.engine.story import OPEN, Controller, a_world, forward_plan, rollback_plan

TERMINAL = {"succeeded", "rolled-back"}


def calm() -> FakeHands:
    fakes = a_world()
    run("run-1", forward_plan(fakes.cluster), fakes.hands(), OPEN)
    return fakes


def rolled_back() -> FakeHands:
    fakes = calm()
    run("run-1", rollback_plan(fakes), fakes.hands(), OPEN, phase="rollback")
    return fakes


def refused() -> FakeHands:
    fakes = a_world(Controller(blocks=True))
    run("run-1", forward_plan(fakes.cluster), fakes.hands(), OPEN)
    return fakes


def faulty() -> FakeHands:
    fakes = a_world()
    fakes.cluster.faults = {0: "lost", 1: "conflict", 2: "webhook-down"}
    run("run-1", forward_plan(fakes.cluster), fakes.hands(), OPEN)
    return fakes


JOURNALS = {maker.__name__: maker().journal.events() for maker in (calm, rolled_back, refused, faulty)}


@pytest.mark.parametrize("name", JOURNALS)
def test_every_prefix_folds_and_only_a_finished_run_is_called_done(name: str) -> None:
    events = JOURNALS[name]

    for length in range(len(events) + 1):
        state = fold("run-1", events[:length])
        done = all(step.state in {"succeeded", "skipped"} for step in state.steps)
        assert state.state not in TERMINAL or done
        assert (state.exit_code == 0) <= (state.state in TERMINAL)


@pytest.mark.parametrize("name", JOURNALS)
def test_an_event_that_may_not_follow_is_refused_at_each_line(name: str) -> None:
    events = JOURNALS[name]

    for length in range(len(events)):
        last = next((event.event for event in reversed(events[:length]) if event.event not in SEE_THROUGH), "")
        for wrong in set(get_args(EventName)) - NEXT[last] - SEE_THROUGH:
            with pytest.raises(IllegalEventError):
                fold("run-1", (*events[:length], Event(seq=length + 1, at="2026-11-30T12:00:00Z", event=wrong)))


@pytest.mark.parametrize("name", JOURNALS)
def test_a_journal_with_a_line_missing_does_not_fold(name: str) -> None:
    events = JOURNALS[name]

    for gone in range(len(events) - 1):
        with pytest.raises(IllegalEventError):
            fold("run-1", events[:gone] + events[gone + 1 :])


def test_reading_then_writing_a_run_changes_no_byte() -> None:
    state = fold("run-1", JOURNALS["rolled_back"])
    data = msgspec.json.encode(state)

    assert msgspec.json.encode(msgspec.json.decode(data, type=RunState)) == data


def test_a_run_cannot_end_well_with_steps_left() -> None:
    events = JOURNALS["calm"]
    at = next(number for number, event in enumerate(events) if event.event == "step.succeeded") + 1
    end = Event(seq=at + 1, at="2026-11-30T12:00:00Z", event="run.ended", data={"exitCode": 0})

    with pytest.raises(IllegalEventError, match="steps left"):
        fold("run-1", (*events[:at], end))


def test_an_outcome_without_an_intent_is_refused() -> None:
    events = JOURNALS["calm"]
    at = next(number for number, event in enumerate(events) if event.event == "write.intended")
    twice = [*events[: at + 2], msgspec.structs.replace(events[at + 1], seq=at + 3)]

    with pytest.raises(IllegalEventError):
        fold("run-1", twice)


def test_no_event_at_all_is_a_run_that_has_only_just_begun() -> None:
    assert fold("run-1", ()).state == "running"
    assert overall(Progress()) == "running"
