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
        fold("run-1", (events()[0], rollback_of_nothing({"steps": ["back"]})))

    assert fold("run-1", (events()[0], rollback_of_nothing({"steps": []}))).phase == "rollback"


def rollback_of_nothing(data: dict[str, Any]) -> Event:
    return Event(seq=2, at="2026-11-30T12:00:02Z", event="rollback.started", data=data)


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


# What a stretch knows.


def wrote(step: str = "a", **intent: Any) -> tuple[Any, ...]:
    given = {**INTENT, "uid": "u", "resourceVersion": "1", **intent}
    return (
        ("step.started", step, {}),
        ("write.intended", step, {"intent": given}),
        ("write.applied", step, {"uid": "u", "resourceVersion": "2", "essence": "e", "outline": {"x": 1}}),
        ("step.succeeded", step, {"message": "done"}),
    )


def test_what_was_patched_is_known_and_what_was_deleted_is_forgotten() -> None:
    here = Progress.of(events(*wrote(patch={"spec": {"a": 1}}))).now
    (ref,) = here.bases
    gone = Progress.of(events(*wrote(patch={"spec": {"a": 1}}), *wrote("b", verb="delete", patch=None))).now

    assert (here.own_version[ref], here.own_patch[ref]) == ("2", {"spec": {"a": 1}})
    assert (here.bases[ref].uid, here.bases[ref].essence, here.bases[ref].outline) == ("u", "e", {"x": 1})
    assert here.written_by == {"a"}
    assert (gone.bases, gone.own_version, gone.own_patch) == ({}, {}, {})
    assert gone.written_by == {"a", "b"}


def test_patches_of_one_object_are_composed_and_what_stands_as_a_digest_is_not() -> None:
    both = Progress.of(events(*wrote(patch={"spec": {"a": 1}}), *wrote("b", patch={"spec": {"b": 2}}))).now
    veiled = Progress.of(events(*wrote(patch={"data": {"a": "sha256:0 (1 bytes)"}}))).now
    created = Progress.of(events(*wrote(verb="create", patch={"spec": {"a": 1}}))).now

    assert list(both.own_patch.values()) == [{"spec": {"a": 1, "b": 2}}]
    assert veiled.own_patch == created.own_patch == {}
    assert len(veiled.own_version) == len(created.own_version) == 1


def test_what_is_patched_again_is_counted() -> None:
    again: tuple[Any, ...] = (
        ("write.intended", "b", {"intent": {**INTENT, "uid": "u", "resourceVersion": "1"}, "again": True}),
    )
    progress = Progress.of(events(*wrote(), ("step.started", "b", {}), *again))

    assert list(progress.now.patched_again.values()) == [1]
    assert Progress.of(events(*wrote())).now.patched_again == {}


def test_a_withdrawn_step_wrote_nothing_that_stands() -> None:
    progress = Progress.of(events(*wrote()[:3], ("step.withdrawn", "a", {"message": "withdrawn"})))

    assert progress.now.written_by == set()
    assert progress.state_of("a").state == "withdrawn"
    assert progress.state_of("a").message == "withdrawn"


def test_a_step_keeps_the_time_it_first_began_and_waits_from_the_last_write() -> None:
    more: tuple[Any, ...] = (
        ("step.started", "a", {}),
        ("step.failed", "a", {"message": "no"}),
        ("step.started", "a", {}),
    )
    state = Progress.of(events(*more)).state_of("a")
    waited = Progress.of(events(*more)).now.waiting_since["a"]
    after = Progress.of(events(*more[:2], *wrote("b"), more[2])).now.waiting_since["a"]

    assert (state.started_at, state.ended_at, state.message) == ("2026-11-30T12:00:04Z", "", "")
    assert waited == "2026-11-30T12:00:04Z"
    assert after == "2026-11-30T12:00:10Z"


def test_changes_and_successes_are_told_by_their_lines() -> None:
    progress = Progress.of(events(*wrote()))

    assert (progress.last_change, progress.last_success) == ({"a": 6}, {"a": 7})


def test_a_yes_is_a_confirmation_and_a_no_is_none() -> None:
    asked: tuple[Any, ...] = ("step.started", "a", {})
    yes = Progress.of(events(asked, ("ask.answered", "a", {"yes": True})))
    no = Progress.of(events(asked, ("ask.answered", "a", {"yes": False})))

    assert (yes.now.confirmed, no.now.confirmed) == ({"a"}, set())


def test_a_gate_that_was_passed_is_a_step_that_succeeded() -> None:
    passed: tuple[Any, ...] = (
        *(("step.started", "a", {}), ("gate.reached", "a", {}), ("run.stopped", "", {"exitCode": 20})),
        ("run.resumed", "", {"plan": "p"}),
        ("gate.passed", "a", {"message": "open"}),
    )
    progress = Progress.of(events(*passed))

    assert (progress.state_of("a").state, progress.gate, progress.gate_passed) == ("succeeded", "", True)
    assert (Progress().gate_passed, Progress().has_written) == (False, False)
    second = Progress.of(events(*passed, ("run.planned", "", {"plan": "q", "steps": ["c"]})))
    assert [(stretch.plan, stretch.part) for stretch in second.stretches] == [("p", 1), ("q", 1)]


def test_a_way_back_that_wrote_nothing_is_given_up_by_going_forward() -> None:
    back: tuple[Any, ...] = (
        *wrote(),
        ("run.stopped", "", {"exitCode": 22, "message": "slow"}),
        ("rollback.started", "", {"plan": "r", "steps": ["x"]}),
        ("run.stopped", "", {"exitCode": 11}),
    )
    forward: tuple[Any, ...] = ("run.resumed", "", {"plan": "p"})
    given_up = Progress.of(events(*back, forward))

    assert fold("run-1", events(*back)).state == "halted"
    assert fold("run-1", events(*back)).phase == "forward"
    assert [stretch.plan for stretch in given_up.stretches] == ["p"]
    assert given_up.before_rollback is None
    assert fold("run-1", events(*back, forward)).state == "running"


def test_ways_back_that_wrote_nothing_are_given_up_all_together_and_the_parts_before_them_stay() -> None:
    at_gate: tuple[Any, ...] = (
        *(("step.started", "a", {}), ("gate.reached", "a", {}), ("run.stopped", "", {"exitCode": 20})),
        *(("run.resumed", "", {"plan": "p"}), ("gate.passed", "a", {}), ("run.planned", "", {"plan": "q"})),
        ("run.stopped", "", {"exitCode": 22}),
    )
    refused: tuple[Any, ...] = (
        ("rollback.started", "", {"plan": "r", "steps": ["x"]}),
        ("run.stopped", "", {"exitCode": 11}),
    )
    forward: tuple[Any, ...] = ("run.resumed", "", {"plan": "q"})

    for times in (1, 2, 3):
        progress = Progress.of(events(*at_gate, *refused * times, forward))
        assert [stretch.plan for stretch in progress.stretches] == ["p", "q"]


def test_a_run_that_was_rolled_back_ended_with_its_way_back() -> None:
    ended: tuple[Any, ...] = (*wrote(), *wrote("b"), ("run.ended", "", {"exitCode": 0}))
    back: tuple[Any, ...] = ("rollback.started", "", {"plan": "r", "steps": ["a"]})
    refused = fold("run-1", events(*ended, back, ("run.stopped", "", {"exitCode": 11})))
    done = fold("run-1", events(*ended, back, *wrote(), ("run.ended", "", {"exitCode": 0})))

    assert (refused.state, refused.ended_at) == ("succeeded", "2026-11-30T12:00:12Z")
    assert (done.state, done.ended_at) == ("rolled-back", "2026-11-30T12:00:18Z")


def test_a_way_back_that_wrote_is_the_run_also_when_it_is_begun_again() -> None:
    back: tuple[Any, ...] = ("rollback.started", "", {"plan": "r", "steps": ["a"]})
    stopped: tuple[Any, ...] = ("run.stopped", "", {"exitCode": 24})

    once = fold("run-1", events(*wrote(), back, *wrote(), stopped))
    again = fold("run-1", events(*wrote(), back, *wrote(), stopped, back, stopped))

    assert (once.phase, again.phase) == ("rollback", "rollback")
    assert (once.state, again.state) == ("halted", "halted")


def test_a_way_back_that_wrote_is_the_run() -> None:
    back: tuple[Any, ...] = (
        *wrote(),
        ("run.stopped", "", {"exitCode": 22}),
        ("rollback.started", "", {"plan": "r", "steps": ["a", "b"]}),
    )
    stopped: tuple[Any, ...] = (*back, *wrote("b"), ("run.stopped", "", {"exitCode": 22}))

    assert fold("run-1", events(*back)).state == "rolling-back"
    assert (fold("run-1", events(*stopped)).state, fold("run-1", events(*stopped)).phase) == ("halted", "rollback")
    assert Progress.of(events(*stopped)).forward is None
    assert fold("run-1", events(*stopped)).plans == ("p",)


def test_a_run_with_code_0_and_steps_left_is_not_called_a_success() -> None:
    stopped = fold("run-1", events(("step.started", "a", {}), ("run.stopped", "", {"exitCode": 0})))

    assert stopped.state == "halted"
    assert stopped.ended_at == ""
