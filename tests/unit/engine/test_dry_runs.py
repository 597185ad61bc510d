"""Before anything is written: what is tried, what is saved, what is asked of the server, and what stops there."""

from collections.abc import Callable
from typing import Any

import pytest

from migrate.engine.hands import Ending
from migrate.engine.perform import refused
from migrate.engine.run import run
from migrate.errors import BlockedError, NotAuthorisedError
from migrate.records.objects import KubeObject, ObjectRef
from migrate.records.plan import AccessNeed, BackUp, BackUpItem, CheckAccess, DryRun, SetFields, Step
from migrate.records.writes import (
    AccessAnswer,
    ObjectGoneError,
    OtherObjectError,
    Write,
    WriteConflictError,
    WriteError,
    WriteRefusedError,
    WriteUnknownError,
)
from tests.fakes import FakeCluster, FakeHands
from tests.unit.engine.story import CONFIG, OPEN, PODS, TEXTS, a_plan, a_step, a_world, config, must, texts


def go(fakes: FakeHands, *steps: Step, **more: Any) -> Ending:
    return run("run-1", a_plan(steps, fakes.cluster, **more), fakes.hands(), OPEN)


def paint(uid: str = "config-1") -> SetFields:
    step: SetFields = a_step(SetFields, "paint", object=CONFIG, uid=uid, after={"spec": {"colour": "red"}})
    return step


class Moody(FakeCluster):
    """Answers dry runs with what it is told, one after the other, and then as ever."""

    moods: tuple[WriteError, ...] = ()

    def write(self, write: Write, *, timeout_s: float) -> KubeObject | None:
        if write.dry_run and self.moods:
            mood, *left = self.moods
            self.moods = tuple(left)
            raise mood
        return super().write(write, timeout_s=timeout_s)


def a_moody_world(*moods: WriteError) -> FakeHands:
    fakes = a_world()
    fakes.cluster = Moody(fakes.clock, config(), texts())
    fakes.cluster.moods = moods
    return fakes


CONFLICT, UNKNOWN = WriteConflictError("modified", status=409), WriteUnknownError("reset", status=0)
DRY = a_step(DryRun, "dry-run")


@pytest.mark.parametrize("mood", [CONFLICT, UNKNOWN])
@pytest.mark.parametrize(("times", "code"), [(4, 0), (5, 20)])
def test_a_dry_run_is_tried_five_times(mood: WriteError, times: int, code: int) -> None:
    fakes = a_moody_world(*[mood] * times)

    ending = go(fakes, DRY, paint())

    assert ending.state.exit_code == code
    assert ("met 5 conflicts or failures in a row" in ending.state.message) is (code == 20)
    assert fakes.clock.passed_s >= 0.5 + 1 + 2 + 4


@pytest.mark.parametrize("mood", [CONFLICT, UNKNOWN])
def test_a_dry_run_that_runs_out_of_time_ends_as_one_that_runs_out_of_tries(mood: WriteError) -> None:
    fakes = a_moody_world(*[mood] * 4)
    steps = (a_step(DryRun, "dry-run", timeout_seconds=2), paint())

    stopped, resumed = go(fakes, *steps), go(fakes, *steps)

    assert (stopped.state.exit_code, stopped.state.state) == (20, "halted")
    assert "met 4 conflicts or failures in a row" in stopped.state.message
    assert resumed.state.state == "succeeded"


@pytest.mark.parametrize("mood", [OtherObjectError("uid", status=422), ObjectGoneError("gone", status=404)])
@pytest.mark.parametrize("uid", ["config-1", ""])
def test_a_dry_run_that_meets_another_object_makes_the_plan_stale(mood: WriteError, uid: str) -> None:
    ending = go(a_moody_world(mood), DRY, paint(uid))

    assert ending.state.exit_code == 13
    assert "not config-1" in ending.state.message


def test_the_dry_run_of_an_object_that_was_made_anew_is_for_another_one() -> None:
    gone = a_world()
    gone.cluster.delete(CONFIG)

    assert go(a_world(), DRY, paint("uid-of-the-old-one")).state.exit_code == 13
    assert go(gone, DRY, paint()).state.exit_code == 13


def test_only_writes_to_what_is_there_and_not_yet_done_are_tried() -> None:
    fakes = a_world()
    absent = ObjectRef(api_version="v1", kind="ConfigMap", name="made later")
    fakes.cluster.delete(TEXTS)
    again = a_step(DryRun, "again", restores=(TEXTS, PODS))

    ending = go(fakes, paint(), again, a_step(SetFields, "later", object=absent, uid="", after={}))

    assert {step.id: step.message for step in ending.state.steps}["again"] == (
        "1 writes tried on the server, none of them kept"
    )
    assert [write.object for write in fakes.cluster.dry_runs] == [PODS]


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (401, "Unauthorized", NotAuthorisedError),
        (403, 'User "me" cannot patch resource', NotAuthorisedError),
        (403, "denied by policy", BlockedError),
        (400, "it cannot be", BlockedError),
        (422, "invalid", BlockedError),
    ],
)
def test_a_refusal_for_want_of_rights_is_told_from_one_by_rule(status: int, message: str, kind: type[Any]) -> None:
    error = refused(CONFIG, WriteRefusedError(message, status=status))

    assert type(error) is kind
    assert message in error.message


def test_a_write_for_which_the_right_is_missing_is_4_and_names_the_role() -> None:
    fakes = a_world()
    fakes.cluster.refuses = Refusing(403, "user cannot patch configs")

    ending = go(fakes, paint())

    assert ending.state.exit_code == 4
    assert "rbac" in ending.state.resolution


class Refusing:
    """Refuses every write with a status."""

    def __init__(self, status: int, message: str) -> None:
        self.status, self.message = status, message

    def __call__(self, _write: Write) -> str:
        raise WriteRefusedError(self.message, status=self.status)


# What is saved first.


def items(**more: Any) -> tuple[BackUpItem, ...]:
    return (BackUpItem(object=CONFIG, uid="config-1"), BackUpItem(object=TEXTS, **{"uid": "old", **more}))


def anew(fakes: FakeHands) -> None:
    fakes.cluster.put(texts({"a.yaml": "made anew"}))


def gone(fakes: FakeHands) -> None:
    fakes.cluster.delete(TEXTS)


@pytest.mark.parametrize(
    ("happens", "optional", "code", "note"),
    [
        (gone, True, 0, "is gone and is not in the backup"),
        (gone, False, 13, ""),
        (anew, True, 0, "was made anew since the plan"),
        (anew, False, 13, ""),
    ],
)
def test_what_is_no_more_what_it_was_is_saved_only_where_it_may_differ(
    happens: Callable[[FakeHands], None], optional: bool, code: int, note: str
) -> None:
    fakes = a_world()
    happens(fakes)

    ending = go(fakes, a_step(BackUp, "backup", items=items(optional=optional)))

    assert ending.state.exit_code == code
    assert [text for text in ending.state.notes if note and note in text] == list(ending.state.notes)
    assert bool(ending.state.notes) is bool(note)
    saved = [entry.object for entry in fakes.backups.entries]
    assert saved == ([] if code else [str(CONFIG), *([str(TEXTS)] if happens is anew else [])])


def test_what_is_as_it_was_is_saved_without_a_note() -> None:
    fakes = a_world()

    ending = go(fakes, a_step(BackUp, "backup", items=items(uid=must(fakes.cluster, TEXTS).uid, optional=True)))

    assert ending.state.notes == ()
    assert ending.state.steps[0].message == "2 objects saved and verified"


# What the server permits.


def answers(*allowed: tuple[bool | None, bool]) -> list[AccessAnswer]:
    return [
        AccessAnswer(
            need=AccessNeed(
                verb="get", group="", resource=f"things{number}", namespace="ns", optional=optional, why="why"
            ),
            allowed=yes,
        )
        for number, (yes, optional) in enumerate(allowed)
    ]


class Answering(FakeCluster):
    """Gives the answers that it is told."""

    told: tuple[AccessAnswer, ...] = ()

    def review(self, needs: Any) -> tuple[AccessAnswer, ...]:
        return self.told


def check_access(*allowed: tuple[bool | None, bool]) -> Ending:
    fakes = a_world()
    fakes.cluster = Answering(fakes.clock, config())
    fakes.cluster.told = tuple(answers(*allowed))
    return go(fakes, a_step(CheckAccess, "access", needs=()))


def test_an_optional_permission_that_is_missing_is_noted_and_no_more() -> None:
    ending = check_access((True, True), (False, True), (None, True))

    assert ending.state.exit_code == 0
    assert ending.state.notes == (
        "less can be proved: 'get things1' in ns is not permitted (why)",
        "less can be proved: 'get things2' in ns is unknown, the server refuses to say (why)",
    )
    assert ending.state.steps[0].message == "3 permissions checked"


@pytest.mark.parametrize("answer", [False, None])
def test_a_permission_that_is_missing_or_unknown_stops(answer: bool | None) -> None:
    assert check_access((True, False), (answer, False)).state.exit_code == 4


def test_no_more_than_five_missing_permissions_are_named() -> None:
    message = check_access(*[(False, False)] * 7).state.message

    assert "things4" in message
    assert "things5" not in message
