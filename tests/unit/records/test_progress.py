"""What a journal may say, and what it comes to."""

from typing import Any

import pytest

from migrate.records.journal import Event, EventName, IllegalEventError
from migrate.records.progress import Progress, fold

INTENT = {"object": {"apiVersion": "v1", "kind": "ConfigMap", "name": "a"}, "verb": "patch", "patch": {"data": {}}}
BEGUN: tuple[tuple[EventName, str, dict[str, Any]], ...] = (
    ("run.started", "", {"plan": "p", "cluster": "c"}),
    ("run.planned", "", {"plan": "p", "steps": ["a", "b"]}),
    ("lock.acquired", "", {}),
)


def events(*more: tuple[EventName, str, dict[str, Any]]) -> tuple[Event, ...]:
    return tuple(
        Event(seq=number, at=f"2026-11-30T12:00:{number:02}Z", event=name, step=step, data=data)
        for number, (name, step, data) in enumerate((*BEGUN, *more), start=1)
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((("step.started", "c", {}),), "no step 'c'"),
        ((("step.started", "a", {}), ("step.succeeded", "b", {})), "the step b, which is pending"),
        ((("step.started", "a", {}), ("step.succeeded", "a", {}), ("step.started", "a", {})), "started again"),
        ((("step.started", "a", {}), ("write.settled", "a", {"applied": True})), "without an intent"),
        ((("gate.passed", "a", {}),), "not reached"),
        ((("step.started", "a", {}), ("gate.reached", "c", {})), "no step 'c'"),
        ((("step.started", "a", {}), ("gate.reached", "b", {})), "the step b, which is pending"),
        ((("run.ended", "", {"exitCode": 0}),), "steps left"),
        ((("run.resumed", "", {}), ("run.planned", "", {"plan": "q"})), "no gate was passed"),
        ((("run.ended", "", {"exitCode": 13}), ("lock.released", "", {}), ("run.resumed", "", {})), "after the end"),
        ((("run.planned", "", {}),), "cannot follow lock.acquired"),
        ((("run.stopped", "", {"exitCode": [20]}),), "an exit code that is no number"),
    ],
)
def test_what_no_run_can_say_is_refused(more: tuple[Any, ...], said: str) -> None:
    with pytest.raises(IllegalEventError, match=said):
        fold("run-1", events(*more))


@pytest.mark.parametrize(
    "wrong",
    [
        ("run.planned", "", {"plan": "p", "steps": [["a"]]}),
        ("run.planned", "", {"plan": "p", "steps": 5}),
        ("run.planned", "", {"plan": "p", "part": [], "steps": []}),
        ("write.intended", "a", {"intent": 5}),
        ("write.intended", "a", {"intent": {"verb": "patch"}}),
        ("base.taken", "a", {}),
        ("backup.sealed", "a", {"objects": [5]}),
        ("backup.sealed", "a", {"objects": 5}),
    ],
)
def test_an_event_that_holds_what_no_event_does_is_refused(wrong: tuple[EventName, str, dict[str, Any]]) -> None:
    before = events(("step.started", "a", {})) if wrong[1] else events()[:1]
    last = Event(seq=len(before) + 1, at="2026-11-30T12:00:09Z", event=wrong[0], step=wrong[1], data=wrong[2])

    with pytest.raises(IllegalEventError, match="does not hold what it should"):
        fold("run-1", (*before, last))


def test_a_hole_in_the_numbers_is_refused() -> None:
    with pytest.raises(IllegalEventError, match="event 3 follows event 1"):
        fold("run-1", (events()[0], events()[2]))


def test_a_rollback_of_nothing_is_refused() -> None:
    with pytest.raises(IllegalEventError, match="nothing to roll back"):
        fold("run-1", (events()[0], Event(seq=2, at="2026-11-30T12:00:02Z", event="rollback.started")))


@pytest.mark.parametrize(
    ("code", "state"),
    [(1, "verification-failed"), (21, "needs-person"), (20, "halted"), (22, "halted"), (130, "halted"), (13, "halted")],
)
def test_one_failed_step_is_never_a_success(code: int, state: str) -> None:
    stopped: tuple[Any, ...] = (("step.failed", "a", {"message": "no"}), ("run.stopped", "", {"exitCode": code}))
    folded = fold("run-1", events(("step.started", "a", {}), *stopped))

    assert (folded.state, folded.exit_code) == (state, code)
    assert folded.steps[0].message == "no"


def test_an_open_intent_counts_as_written() -> None:
    begun: tuple[Any, ...] = (("step.started", "a", {}), ("write.intended", "a", {"intent": INTENT}))

    assert fold("run-1", events(*begun)).wrote
    assert not fold("run-1", events(*begun, ("write.settled", "a", {"applied": False}))).wrote
    assert fold("run-1", events(*begun, ("write.settled", "a", {"applied": False, "maybe": True}))).wrote


def test_a_torn_line_is_reported() -> None:
    folded = fold("run-1", events(("journal.repaired", "", {"message": "7 bytes were dropped"})))

    assert folded.notes == ("7 bytes were dropped",)


def test_before_the_first_plan_there_is_no_stretch() -> None:
    progress = Progress()

    assert progress.forward is None
    with pytest.raises(IllegalEventError, match="names no plan"):
        _ = progress.now


def test_a_run_that_was_killed_at_its_gate_waits_there() -> None:
    at_gate: tuple[Any, ...] = (("step.started", "a", {}), ("gate.reached", "a", {"message": "waits"}))

    assert fold("run-1", events(*at_gate)).state == "waiting-for-upgrade"
    stopped: tuple[Any, ...] = ("run.stopped", "", {"exitCode": 20})
    assert fold("run-1", events(*at_gate, stopped)).state == "waiting-for-upgrade"
    person: tuple[Any, ...] = ("run.stopped", "", {"exitCode": 21})
    assert fold("run-1", events(*at_gate, person)).state == "needs-person"


def test_a_note_without_a_text_is_none() -> None:
    assert fold("run-1", events(("note", "", {"kind": "info", "text": ""}), ("note", "", {}))).notes == ()


def test_what_a_flip_lost_is_no_work_any_more_once_it_is_rolled_back() -> None:
    done: tuple[Any, ...] = (
        ("note", "", {"kind": "loss", "text": "lost"}),
        ("note", "", {"kind": "info", "text": "told"}),
        ("note", "", {"kind": "progress", "text": "waiting"}),
        ("rollback.started", "", {"plan": "r", "steps": []}),
        ("run.ended", "", {"exitCode": 0}),
    )

    assert fold("run-1", events(*done[:2])).notes == ("lost", "told")
    assert fold("run-1", events(*done)).notes == ("told",)


def test_the_attempts_of_a_step_are_counted() -> None:
    more: tuple[Any, ...] = (("step.started", "a", {}), ("step.failed", "a", {}), ("step.started", "a", {}))
    progress = Progress.of(events(*more))

    assert progress.state_of("a").attempts == 2
    assert progress.state_of("a").state == "running"
