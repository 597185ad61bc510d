"""A write whose outcome nobody knows: what is found by reading, what stands in the journal, how long is waited."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from migrate.engine import perform, sealing
from migrate.engine.hands import Ending
from migrate.engine.perform import Change
from migrate.engine.run import run
from migrate.engine.work import Log, Work
from migrate.errors import NeedsPersonError, PlanIsStaleError
from migrate.records.objects import KubeObject
from migrate.records.plan import BackUp, BackUpItem, Plan, SetFields, Step, Verify
from migrate.records.writes import OtherObjectError, Write
from tests.fakes import Crash, FakeHands
from tests.unit.engine.story import (
    CONFIG,
    OPEN,
    TEXTS,
    Controller,
    a_plan,
    a_step,
    a_world,
    config,
    forward_plan,
    must,
)


def go(fakes: FakeHands, *steps: Step, **more: Any) -> Ending:
    return run("run-1", a_plan(steps, fakes.cluster, **more), fakes.hands(), OPEN)


def paint(colour: str = "red", step_id: str = "paint", **more: Any) -> SetFields:
    given = {"object": CONFIG, "uid": "config-1", "after": {"spec": {"colour": colour}}, **more}
    step: SetFields = a_step(SetFields, step_id, **given)
    return step


def data_of(fakes: FakeHands, event: str) -> list[dict[str, Any]]:
    return [line.data for line in fakes.journal.lines if line.event == event]


def a_work(fakes: FakeHands, plan: Plan) -> Work:
    """Return the work of a step that is under way, with a minute left."""
    hands = fakes.hands()
    log = Log(hands)
    log.append("run.started", data={"plan": plan.id})
    log.append("run.planned", data={"plan": plan.id, "steps": [step.id for step in plan.steps]})
    fakes.lock.acquire()
    log.append("lock.acquired")
    log.append("step.started", step=plan.steps[0].id)
    work = Work(run_id="run-1", plan=plan, hands=hands, log=log, window=OPEN, phase="forward")
    return work.for_step(plan.steps[0])


def intended(fakes: FakeHands, write: Write, patch: Any = None) -> Work:
    """Return the work after a write whose answer was lost on the way."""
    work = a_work(fakes, a_plan((paint(timeout_seconds=60),), fakes.cluster))
    data = {"object": write.object, "verb": write.verb, "patch": patch, "uid": write.uid}
    intent = perform.plain({**data, "resourceVersion": write.resource_version, "then": ""})
    work.log.append("write.intended", step="paint", data={"intent": intent, "again": False})
    return work


def nothing(_fakes: FakeHands) -> None:
    """Change nothing."""


def gone(fakes: FakeHands) -> None:
    fakes.cluster.delete(CONFIG)


def another(fakes: FakeHands) -> None:
    fakes.cluster.delete(CONFIG)
    fakes.cluster.put({**config(), "metadata": {"namespace": "ns", "name": "config"}, "spec": {"colour": "red"}})


def written(fakes: FakeHands) -> None:
    fakes.cluster.foreign(CONFIG, {"spec": {"colour": "red"}}, "maas-migrate")


def moved(fakes: FakeHands) -> None:
    fakes.cluster.foreign(CONFIG, {"status": {"seen": 1}})


@pytest.mark.parametrize(
    ("verb", "happens", "applied", "maybe"),
    [
        ("patch", nothing, False, False),
        ("patch", written, True, False),
        ("patch", moved, False, True),
        ("patch", gone, False, False),
        ("patch", another, False, True),
        ("delete", nothing, False, False),
        ("delete", gone, True, False),
        ("delete", another, True, False),
        ("delete", moved, False, True),
        ("create", gone, False, False),
        ("create", written, True, False),
        ("create", nothing, False, False),
    ],
)
def test_what_became_of_a_write_is_found_by_reading(
    verb: Any, happens: Callable[[FakeHands], None], applied: bool, maybe: bool
) -> None:
    fakes = a_world(Controller(stuck=True))
    live = must(fakes.cluster, CONFIG)
    write = Write(verb=verb, object=CONFIG, uid=live.uid, resource_version=live.resource_version)
    work = intended(fakes, write, {"spec": {"colour": "red"}})
    happens(fakes)

    perform.settle(work)
    perform.settle(work)

    (settled,) = data_of(fakes, "write.settled")
    assert (settled["applied"], settled["maybe"], settled["resourceVersion"]) == (applied, maybe, "")
    assert work.log.progress.has_written is (applied or maybe)
    live_now = fakes.cluster.get(CONFIG)
    assert settled.get("essence", "") == (work.essence(live_now) if applied and live_now else "")


@pytest.mark.parametrize("fault", ["lost", "dropped", "webhook-down"])
def test_a_write_without_an_answer_is_settled_before_anything_else_is_sent(fault: str) -> None:
    fakes = a_world(Controller(stuck=True))
    fakes.cluster.faults = {0: fault}

    ending = go(fakes, paint())

    names = fakes.journal.names()
    at = names.index("write.intended")
    assert ending.state.exit_code == 0
    assert names[at + 1] in {"write.settled", "note"}
    assert names.count("write.settled") == 1
    assert fakes.clock.passed_s == 0.5
    assert "trying again" in next(waiting.says for waiting in fakes.told)


def test_the_pauses_between_tries_double_up_to_ten_seconds() -> None:
    fakes = a_world(Controller(stuck=True))
    fakes.cluster.faults = dict.fromkeys(range(7), "dropped")
    at: list[float] = []
    for number in range(8):
        fakes.cluster.before_write[number] = lambda: at.append(fakes.clock.passed_s)

    assert go(fakes, paint()).state.exit_code == 0
    assert [later - earlier for earlier, later in itertools.pairwise(at)] == [0.5, 1, 2, 4, 8, 10, 10]


def test_a_signal_between_two_tries_stops_once_nothing_is_in_doubt() -> None:
    fakes = a_world(Controller(stuck=True))
    fakes.cluster.faults = {0: "dropped", 1: "dropped"}
    fakes.cluster.before_write[0] = lambda: setattr(fakes.operator, "signal", 2)

    ending = go(fakes, paint())

    assert ending.state.exit_code == 130
    assert fakes.cluster.sent == 1
    assert fakes.journal.names().count("write.settled") == 1


def test_a_new_process_settles_what_the_last_one_left_open_before_its_first_step() -> None:
    fakes = a_world(Controller(stuck=True))
    plan = a_plan((paint(), a_step(Verify, "verify")), fakes.cluster)
    fakes.cluster.reactions.append(lambda *_: crash())
    with pytest.raises(Crash):
        run("run-1", plan, fakes.hands(), OPEN)
    fakes.cluster.reactions.pop()
    fakes.new_process()

    ending = run("run-1", plan, fakes.hands(), OPEN)

    names = fakes.journal.names()
    again = names.index("run.resumed")
    assert ending.state.state == "succeeded"
    assert names[again : again + 4] == ["run.resumed", "lock.acquired", "write.settled", "step.started"]
    assert ending.state.steps[0].message == ""
    assert len(fakes.cluster.writes) == 1


def crash() -> None:
    raise Crash(0)


def test_what_a_step_wrote_before_the_crash_is_no_nothing_to_write() -> None:
    calm = a_world(Controller(stuck=True))
    calm.cluster.foreign(CONFIG, {"spec": {"colour": "red"}})

    assert go(calm, paint()).state.steps[0].message == "nothing to write"
    assert go(a_world(Controller(stuck=True)), paint()).state.steps[0].message == ""


@pytest.mark.parametrize("uid", ["config-1", ""])
def test_a_name_that_another_object_takes_at_the_last_moment_is_told_by_its_uid(uid: str) -> None:
    fakes = a_world(Controller(stuck=True))
    fakes.cluster.before_write[0] = lambda: another(fakes)

    ending = go(fakes, paint(uid=uid))

    assert ending.state.exit_code == 13
    assert "it now has the UID uid-" in ending.state.message
    assert "not config-1; nothing was written" in ending.state.message


@pytest.mark.parametrize("left_s", [14.0, 16.0])
def test_a_request_takes_no_longer_than_the_lock_is_asked_to_last(left_s: float) -> None:
    fakes = a_world(Controller(stuck=True))
    asked: list[float] = []
    timeouts: list[float] = []
    send = fakes.cluster.write

    def sent(write: Write, *, timeout_s: float) -> KubeObject | None:
        timeouts.append(timeout_s)
        return send(write, timeout_s=timeout_s)

    fakes.cluster.write = sent  # type: ignore[method-assign]
    fakes.lock.must_hold = asked.append  # type: ignore[method-assign, assignment]
    go(fakes, paint(timeout_seconds=int(left_s)))

    assert timeouts == [min(15.0, left_s)]
    assert timeouts[0] in asked
    assert asked[0] == 0.0


@pytest.mark.parametrize(("left_s", "given_s"), [(15.5, 15.0), (14.5, 14.5), (0.5, 1.0), (-5.0, 1.0)])
def test_a_request_is_given_what_is_left_at_least_a_second(left_s: float, given_s: float) -> None:
    fakes = a_world()
    work = a_work(fakes, a_plan((paint(timeout_seconds=60),), fakes.cluster))
    fakes.clock.sleep(60 - left_s)

    assert work.request_s() == given_s


def test_what_is_being_deleted_is_not_written() -> None:
    fakes = a_world(Controller(stuck=True))
    fakes.cluster.foreign(CONFIG, {"metadata": {"deletionTimestamp": "2026-11-30T12:00:00Z"}})

    assert go(fakes, paint()).state.exit_code == 13
    assert fakes.cluster.writes == []


# What is patched again.


def test_a_revert_is_written_down_and_mended_twice_and_no_more() -> None:
    fakes = a_world(Controller(stuck=True))
    work = a_work(fakes, a_plan((paint(timeout_seconds=60),), fakes.cluster))
    change = Change(object=CONFIG, patch={"spec": {"colour": "red"}}, uid="config-1")
    for _ in range(3):
        assert perform.patch(work, change) is True
        fakes.cluster.foreign(CONFIG, {"spec": {"colour": "blue"}}, "argocd")

    with pytest.raises(NeedsPersonError, match="reverted by argocd, again after 2 more patches"):
        perform.patch(work, change)
    assert len(fakes.cluster.writes) == 3
    assert [data["text"] for data in data_of(fakes, "note")] == [f"{CONFIG} was reverted by argocd; patched again"]
    assert [data["again"] for data in data_of(fakes, "write.intended")] == [False, True, True]


def test_an_object_that_another_has_the_name_of_is_stale_for_a_patch_without_a_uid() -> None:
    fakes = a_world(Controller(stuck=True))
    work = a_work(fakes, a_plan((paint(timeout_seconds=60),), fakes.cluster))
    fakes.cluster.before_write[0] = lambda: raising(OtherObjectError("uid", status=422))

    with pytest.raises(PlanIsStaleError):
        perform.patch(work, Change(object=CONFIG, patch={"spec": {"colour": "red"}}))


def raising(error: Exception) -> None:
    raise error


# What is sealed.


def test_what_was_sealed_stands_in_the_journal_object_by_object() -> None:
    fakes = a_world()
    live = must(fakes.cluster, TEXTS)
    items = (BackUpItem(object=CONFIG, uid="config-1"), BackUpItem(object=TEXTS, uid=live.uid))

    go(fakes, a_step(BackUp, "backup", items=items))

    (sealed,) = data_of(fakes, "backup.sealed")
    assert sealed["label"] == "backup"
    assert [(each["object"]["name"], each["uid"]) for each in sealed["objects"]] == [
        ("config", "config-1"),
        ("texts", live.uid),
    ]
    assert all(each["essence"] for each in sealed["objects"])


class Careless:
    """Loses an object on the way."""

    def save(self, label: str, objects: Any) -> tuple[Any, ...]:
        del label, objects
        return ()


def test_a_set_with_fewer_entries_than_objects_is_a_fault_and_not_a_backup() -> None:
    fakes = a_world()
    fakes.backups.save = Careless().save  # type: ignore[method-assign]

    with pytest.raises(ValueError, match="longer"):
        go(fakes, a_step(BackUp, "backup", items=(BackUpItem(object=CONFIG, uid="config-1"),)))
    assert "backup.sealed" not in fakes.journal.names()


def flip_of(fakes: FakeHands) -> SetFields:
    steps = forward_plan(fakes.cluster).steps
    return next(step for step in steps if isinstance(step, SetFields) and step.withdrawal)


def sealed_work(fakes: FakeHands, *backed_up: Any) -> tuple[Work, SetFields]:
    """Return work whose plan backs up both objects, of which *backed_up* were sealed."""
    flip = flip_of(fakes)
    items = tuple(BackUpItem(object=ref, uid=must(fakes.cluster, ref).uid) for ref in (CONFIG, TEXTS))
    work = a_work(fakes, a_plan((a_step(BackUp, "backup", items=items), flip), fakes.cluster))
    sealing.seal(work, "backup", [must(fakes.cluster, ref) for ref in backed_up])
    return work, flip


def test_before_a_flip_the_object_that_is_written_must_be_sealed_and_may_have_changed() -> None:
    fakes = a_world()
    work, flip = sealed_work(fakes, CONFIG, TEXTS)
    sealing.must_be_sealed(work, flip)
    fakes.cluster.foreign(CONFIG, {"spec": {"size": 1}})
    sealing.must_be_sealed(work, flip)
    fakes.cluster.foreign(TEXTS, {"data": {"a.yaml": "newer"}})

    with pytest.raises(PlanIsStaleError, match=r"data\.a\.yaml"):
        sealing.must_be_sealed(work, flip)


@pytest.mark.parametrize("only", [CONFIG, TEXTS])
def test_before_a_flip_nothing_at_stake_may_be_in_no_set(only: Any) -> None:
    fakes = a_world()
    work, flip = sealed_work(fakes, only)

    with pytest.raises(Exception, match="is in no sealed backup set of this run"):
        sealing.must_be_sealed(work, flip)


def test_a_write_that_is_made_again_looks_at_what_its_own_step_put_at_stake() -> None:
    fakes = a_world()
    work, _ = sealed_work(fakes, CONFIG, TEXTS)
    fakes.cluster.foreign(TEXTS, {"data": {"a.yaml": "newer"}})
    guard = sealing.guard_of(work, CONFIG)

    guard(must(fakes.cluster, CONFIG))
    work.here.written_by.add("flip")
    with pytest.raises(PlanIsStaleError):
        guard(must(fakes.cluster, CONFIG))
    sealing.guard_of(work, TEXTS)(must(fakes.cluster, TEXTS))
    fakes.cluster.delete(TEXTS)
    guard(must(fakes.cluster, CONFIG))
