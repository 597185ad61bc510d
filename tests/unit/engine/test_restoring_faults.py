"""What goes wrong while something is put back, and what is then left: said, and never less than there was."""

from typing import Any

import pytest

from migrate.engine.run import run
from migrate.records.journal import BackupEntry
from migrate.records.objects import Json, KubeObject, ObjectRef
from migrate.records.plan import Restart
from migrate.records.writes import Write
from tests.fakes import FakeCluster, FakeHands, FakeLock, MemoryBackups, TickingClock
from tests.unit.engine.story import CUSTOM, OPEN, PODS, TEXTS, a_plan, a_step, must, texts
from tests.unit.engine.test_restoring import OWNER, immutable_world, replaced_by, restore_plan, roll_back, saved_world


def overwrites(fakes: FakeHands, data: dict[str, str], *, times: int) -> None:
    left = [times]

    def again(cluster: FakeCluster, write: Write) -> None:
        if write.object == TEXTS and left[0]:
            left[0] -= 1
            cluster.foreign(TEXTS, {"data": data}, "controller")

    fakes.cluster.reactions.append(again)


@pytest.mark.parametrize(("times", "code"), [(2, 0), (3, 21)])
def test_what_does_not_stay_as_it_was_put_needs_a_person_after_three_times(times: int, code: int) -> None:
    fakes = saved_world()
    replaced_by(fakes, texts({"a.yaml": "default"}))
    overwrites(fakes, {"a.yaml": "default"}, times=times)

    ending = roll_back(fakes)

    assert ending.state.exit_code == code
    assert ("written 3 times and does not stay as written" in ending.state.message) is (code == 21)
    assert len(fakes.cluster.writes) == 3


def test_an_immutable_object_that_is_put_there_again_and_again_needs_a_person() -> None:
    fakes = immutable_world()
    other = texts({"a.yaml": "default"}, immutable=True)

    def again(cluster: FakeCluster, write: Write) -> None:
        if write.verb == "create":
            cluster.clock.after(3, lambda: void(cluster.put(other, "controller")))

    fakes.cluster.reactions.append(again)
    ending = roll_back(fakes, timeout_seconds=900)

    assert ending.state.exit_code == 21
    assert "was put back 3 times and does not stay as it was saved" in ending.state.message
    assert [write.verb for write in fakes.cluster.writes] == ["delete", "create"] * 3


def test_what_was_put_back_by_this_run_is_not_called_nothing_to_write() -> None:
    fakes = saved_world()
    replaced_by(fakes, texts({"a.yaml": "default"}))
    changed = roll_back(fakes)
    same = roll_back(saved_world())

    assert changed.state.steps[-1].message.startswith(f"{TEXTS} is as it was saved; what stood there is kept")
    assert same.state.steps[-1].message == f"{TEXTS} is as it was saved; nothing to write"


@pytest.mark.parametrize(
    "object_", [None, ObjectRef(api_version="v1", kind="ConfigMap", namespace="ns", name="others")]
)
def test_a_backup_of_another_object_is_never_restored(object_: ObjectRef | None) -> None:
    fakes = saved_world()
    replaced_by(fakes, texts({"a.yaml": "default"}))

    ending = roll_back(fakes, object=object_)

    assert ending.state.exit_code == 24
    assert f"not {object_}" in ending.state.message
    assert fakes.cluster.writes == []


class Forgetful(MemoryBackups):
    """Verifies as it should, but what it then finds is another set than the journal's."""

    def verify(self) -> tuple[BackupEntry, ...]:
        return ()


def test_a_backup_of_the_journal_that_is_not_on_the_disk_stops_the_restore() -> None:
    fakes = saved_world()
    replaced_by(fakes, texts({"a.yaml": "default"}))
    kept = fakes.backups
    fakes.backups = Forgetful()
    fakes.backups.sets, fakes.backups.entries = kept.sets, kept.entries

    ending = roll_back(fakes)

    assert ending.state.exit_code == 24
    assert "not what the journal says was sealed" in ending.state.message
    assert fakes.cluster.writes == []


def deleting(fakes: FakeHands, *, for_s: float) -> None:
    """Let a finalizer hold the object for a while after its delete."""

    def hold(cluster: FakeCluster, write: Write) -> None:
        if write.verb == "delete":
            kept = texts({"new.yaml": "server: {}\n"}, immutable=True)
            kept["metadata"] |= {
                "uid": write.uid,
                "deletionTimestamp": "2026-11-30T12:00:00Z",
                "finalizers": ["example.com/hold"],
            }
            cluster.put(kept)
            cluster.clock.after(for_s, lambda: cluster.delete(TEXTS))

    fakes.cluster.reactions.append(hold)


def test_a_finalizer_that_lets_go_in_time_is_waited_for_with_one_delete() -> None:
    fakes = immutable_world()
    deleting(fakes, for_s=20)

    ending = roll_back(fakes)

    assert ending.state.state == "rolled-back"
    assert [write.verb for write in fakes.cluster.writes] == ["delete", "create"]
    assert must(fakes.cluster, TEXTS).get("data") == CUSTOM


class Lapsing(FakeLock):
    """A lease that is lost for good once it was not kept for 20 seconds."""

    def __init__(self, clock: TickingClock) -> None:
        super().__init__()
        self.clock = clock
        self.kept_at = 0.0

    def keep(self) -> None:
        super().keep()
        self.lost = self.lost or self.clock.monotonic() - self.kept_at > 20
        self.kept_at = self.clock.monotonic()


def test_the_lease_is_kept_while_a_finalizer_is_waited_for() -> None:
    fakes = immutable_world()
    deleting(fakes, for_s=60)
    fakes.lock = Lapsing(fakes.clock)

    assert roll_back(fakes).state.state == "rolled-back"


def test_what_was_deleted_and_created_counts_as_restored_for_the_restart_after_it() -> None:
    fakes = immutable_world()
    steps = (*restore_plan(fakes).steps, a_step(Restart, "restart", object=PODS, only_after="restore"))

    states = run("run-1", a_plan(steps), fakes.hands(), OPEN, phase="rollback").state.steps[-2:]

    assert [step.state for step in states] == ["succeeded", "succeeded"]
    assert states[0].message.startswith(f"{TEXTS} is as it was saved; what stood there is kept")
    assert [write.object for write in fakes.cluster.writes] == [TEXTS, TEXTS, PODS]


def test_a_finalizer_that_never_lets_go_is_named_when_the_time_is_over() -> None:
    fakes = immutable_world()
    deleting(fakes, for_s=10_000)

    ending = roll_back(fakes)

    assert ending.state.exit_code == 22
    assert "finalizers ['example.com/hold']" in ending.state.message
    assert [write.verb for write in fakes.cluster.writes] == ["delete"]


def test_a_delete_that_the_server_refuses_leaves_the_object() -> None:
    fakes = immutable_world()
    fakes.cluster.refuses = lambda write: "protected" if write.verb == "delete" else ""

    ending = roll_back(fakes)

    assert ending.state.exit_code == 11
    assert "protected" in ending.state.message
    assert fakes.cluster.get(TEXTS) is not None


def test_a_delete_that_never_gets_through_ends_in_time_with_a_pause_in_between() -> None:
    fakes = immutable_world()
    fakes.cluster.faults = dict.fromkeys(range(1000), "dropped")

    ending = roll_back(fakes)

    assert ending.state.exit_code == 22
    assert 100 < fakes.clock.passed_s < 200
    assert fakes.cluster.sent < 60


def test_a_create_that_never_gets_through_needs_a_person_who_is_told_of_the_backup() -> None:
    fakes = immutable_world()
    fakes.cluster.faults = dict.fromkeys(range(1, 1000), "dropped")

    ending = roll_back(fakes)

    assert ending.state.exit_code == 21
    assert "is absent and could not be created within the step's time (at last: " in ending.state.message
    assert "); its backup is objects/" in ending.state.message
    assert 100 < fakes.clock.passed_s < 200
    assert fakes.cluster.sent < 60


def test_a_create_that_is_refused_where_nothing_was_deleted_puts_nothing_back() -> None:
    fakes = saved_world()
    replaced_by(fakes, None)
    fakes.cluster.refuses = lambda _: "quota"

    ending = roll_back(fakes)

    assert ending.state.exit_code == 11
    assert "put back" not in ending.state.message
    assert fakes.cluster.get(TEXTS) is None


def test_where_putting_back_fails_too_both_are_told_and_the_first_comes_first() -> None:
    fakes = immutable_world()
    fakes.cluster.refuses = lambda write: "quota" if write.verb == "create" else ""

    ending = roll_back(fakes)

    assert ending.state.exit_code == 21
    said = ending.state.message
    assert said.index("refuses the write") < said.index("putting the deleted object back failed too")
    assert "it lies in the run's backups" in said


def test_after_a_crash_between_delete_and_create_the_owners_of_what_was_live_are_kept() -> None:
    live = texts({"new.yaml": "server: {}\n"}, immutable=True)
    live["metadata"]["ownerReferences"] = [OWNER]
    saved = texts()
    saved["metadata"]["ownerReferences"] = [OWNER, {**OWNER, "name": "gone", "uid": "2222"}]
    fakes = saved_world(saved)
    replaced_by(fakes, live)
    fakes.cluster.faults = dict.fromkeys(range(1, 1000), "dropped")
    assert roll_back(fakes).state.exit_code == 21
    assert fakes.cluster.get(TEXTS) is None
    fakes.cluster.faults = {}

    ending = roll_back(fakes)

    assert ending.state.state == "rolled-back"
    assert must(fakes.cluster, TEXTS).owners == (OWNER,)
    assert [note for note in ending.state.notes if "is not put back" in note] == [
        f"{TEXTS}: its owner Owner gone (UID 2222) is not put back"
    ]


def test_a_lock_that_would_not_last_stops_before_the_delete() -> None:
    fakes = immutable_world()
    asked: list[float] = []
    kept = fakes.lock.must_hold

    def must_hold(for_s: float) -> None:
        asked.append(for_s)
        kept(for_s)

    fakes.lock.must_hold = must_hold  # type: ignore[method-assign]
    roll_back(fakes)

    assert 30.0 in asked, "delete and create are two requests, and the lock must last for both"


def as_saved(thing: KubeObject | None) -> Json:
    return dict(thing.raw) if thing else {}


@pytest.mark.parametrize("same", [True, False])
def test_an_object_made_by_somebody_while_we_create_is_ours_only_when_it_is_the_same(same: bool) -> None:
    fakes = saved_world()
    replaced_by(fakes, None)
    thing: dict[str, Any] = texts() if same else texts({"a.yaml": "theirs"})
    fakes.cluster.before_write[0] = lambda: void(fakes.cluster.put(thing, "somebody"))

    ending = roll_back(fakes)

    assert ending.state.exit_code == (0 if same else 21)
    assert must(fakes.cluster, TEXTS).get("data") == thing["data"]
    assert ("created by somebody else" in ending.state.message) is not same


def void(_: object) -> None:
    """Drop what is returned."""
