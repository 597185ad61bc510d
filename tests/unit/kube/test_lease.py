"""The lock: held by one run, lost when it is lost, never taken again silently."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from migrate.engine.ports import Lock
from migrate.errors import BlockedError, NeedsPersonError, NotAuthorisedError, RunLockedError
from migrate.kube.lease import KubeLock, keeping
from migrate.kube.lease_record import LEASES, holder_identity, record_of
from migrate.kube.microtime import micro_time, parse_micro_time
from migrate.records.objects import KubeObject
from migrate.sandbox.apiserver import ApiServer, Fault, Request, serve
from tests.unit.kube.support import VirtualClock, connected

SHAPE = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
LEASE = "/apis/coordination.k8s.io/v1/namespaces/models-as-a-service/leases/maas-migrate"
OURS = holder_identity("ops", "ws-1", 4711, "7f3a")
THEIRS = holder_identity("ops", "ws-9", 990, "c0de")


class Stage:
    """A server with the lock's namespace, and locks that share one clock."""

    def __init__(self, server: ApiServer, url: str, folder: Path) -> None:
        self.server = server
        self.url = url
        self.folder = folder
        self.clock = VirtualClock()

    def lock(self, identity: str = OURS, **more: Any) -> KubeLock:
        return KubeLock(connected(self.folder, self.url), self.clock, identity=identity, **more)

    @property
    def spec(self) -> dict[str, Any]:
        spec = self.server.get(LEASE)["spec"]
        assert isinstance(spec, dict)
        return spec

    def put(self, **spec: Any) -> None:
        """Write the Lease as somebody else."""
        request = Request.to("PATCH", LEASE, {"spec": spec}, content_type="application/merge-patch+json", user="admin")
        response = self.server.handle(request)
        assert response.status == 200

    def pass_s(self, seconds: float) -> None:
        self.clock.passed_s += seconds


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    server = ApiServer(tokens={"t": "admin", "weak": "user"})
    server.seed([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "models-as-a-service"}}])
    with serve(server) as running:
        yield Stage(server, running.url, tmp_path)


def test_it_fits_the_engines_port(stage: Stage) -> None:
    lock: Lock = stage.lock()

    lock.release()  # Not held: nothing happens.

    assert stage.server.log.entries() == []


def test_taking_it_writes_who_and_since_when(stage: Stage) -> None:
    stage.lock().acquire()

    assert stage.spec["holderIdentity"] == "ops@ws-1/4711/7f3a"
    assert stage.spec["leaseDurationSeconds"] == 60
    assert stage.spec["acquireTime"] == stage.spec["renewTime"] == "2026-11-30T12:00:00.000000Z"


@pytest.mark.parametrize("microsecond", [0, 1, 120000, 999999])
def test_ch_24_written_times_always_have_six_digits(microsecond: int) -> None:
    written = micro_time(datetime(2026, 10, 3, 22, 0, 0, microsecond, tzinfo=UTC))

    assert SHAPE.match(written)
    assert parse_micro_time(written) == datetime(2026, 10, 3, 22, 0, 0, microsecond, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-10-03T22:00:00Z", datetime(2026, 10, 3, 22, 0, 0, tzinfo=UTC)),
        ("2026-10-03T22:00:00.123Z", datetime(2026, 10, 3, 22, 0, 0, 123000, tzinfo=UTC)),
        ("2026-10-03T22:00:00.123456Z", datetime(2026, 10, 3, 22, 0, 0, 123456, tzinfo=UTC)),
        ("2026-10-03T22:00:00.123456789Z", datetime(2026, 10, 3, 22, 0, 0, 123456, tzinfo=UTC)),
        ("2026-10-04T00:00:00.000000+02:00", datetime(2026, 10, 3, 22, 0, 0, tzinfo=UTC)),
        (None, None),
        ("", None),
        (7, None),
        ("yesterday", None),
        ("2026-13-41T22:00:00Z", None),
    ],
)
def test_ch_24_read_times_may_have_any_digits_an_offset_or_be_null(text: Any, moment: datetime | None) -> None:
    assert parse_micro_time(text) == moment


@pytest.mark.parametrize("renewed", [None, "2026-10-03T22:00:00Z", "garbage", 12])
def test_ch_24_a_foreign_lease_does_not_make_the_reader_fall_over(renewed: Any) -> None:
    record = record_of(
        KubeObject({"spec": {"holderIdentity": "ops-1", "renewTime": renewed, "leaseTransitions": None}})
    )

    assert (record.holder, record.run, record.duration_s, record.transitions) == ("ops-1", "ops-1", 60, 0)


def test_it_is_renewed_every_third_and_not_before(stage: Stage) -> None:
    lock = stage.lock()
    lock.acquire()

    stage.pass_s(19)
    lock.keep()
    early = stage.spec["renewTime"]
    stage.pass_s(2)
    lock.keep()

    assert early == "2026-11-30T12:00:00.000000Z"
    assert stage.spec["renewTime"] == "2026-11-30T12:00:21.000000Z"
    assert stage.spec["acquireTime"] == "2026-11-30T12:00:00.000000Z"
    lock.must_hold(40)


def test_writing_stops_when_the_last_renewal_is_two_thirds_old(stage: Stage) -> None:
    lock = stage.lock()
    lock.acquire()

    stage.pass_s(39)
    lock.must_hold(10)
    stage.pass_s(41)

    with pytest.raises(NeedsPersonError, match="Nothing more was written"):
        lock.must_hold(0)


def test_a_request_that_would_outlive_the_lease_gets_a_renewal_first(stage: Stage) -> None:
    lock = stage.lock()
    lock.acquire()

    stage.pass_s(15)
    lock.must_hold(50)

    assert stage.spec["renewTime"] == "2026-11-30T12:00:15.000000Z"
    with pytest.raises(NeedsPersonError, match="does not last the 61 s"):
        lock.must_hold(61)


def test_a_lock_that_was_never_taken_is_not_held(stage: Stage) -> None:
    with pytest.raises(NeedsPersonError, match="never taken"):
        stage.lock().must_hold(0)


def test_another_run_that_renews_is_alive_and_keeps_it(stage: Stage) -> None:
    theirs = stage.lock(THEIRS)
    theirs.acquire()
    told = []

    def renews(holder: Any) -> None:
        told.append(holder.run)
        if len(told) == 3:
            stage.put(renewTime="2026-11-30T12:00:09.000000Z")

    with pytest.raises(RunLockedError, match=r"Run c0de holds the lock.*It is alive") as caught:
        stage.lock(waiting=renews).acquire()

    assert told == ["c0de"] * 3
    assert (caught.value.run, "unlock c0de" in caught.value.resolution) == ("c0de", True)
    assert stage.spec["holderIdentity"] == THEIRS


def test_a_silent_holder_is_counted_from_when_we_saw_it_and_not_by_its_clock(stage: Stage) -> None:
    stage.lock(THEIRS).acquire()
    # By the record it expired years ago; whose clock is right nobody knows.
    stage.put(renewTime="2020-01-01T00:00:00.000000Z")

    stage.lock().acquire()

    assert 60 < stage.clock.passed_s < 66
    assert stage.spec["holderIdentity"] == OURS
    assert stage.spec["leaseTransitions"] == 1


def test_the_same_run_resumes_at_once(stage: Stage) -> None:
    stage.lock(holder_identity("ops", "ws-1", 1, "7f3a")).acquire()

    stage.lock().acquire()

    assert stage.clock.passed_s == 0
    assert stage.spec["holderIdentity"] == OURS


def test_a_released_lock_is_free_for_the_next(stage: Stage) -> None:
    first = stage.lock(THEIRS)
    first.acquire()

    first.release()
    first.release()
    stage.lock().acquire()

    assert stage.clock.passed_s == 0
    assert stage.spec["holderIdentity"] == OURS
    with pytest.raises(NeedsPersonError):
        first.must_hold(0)


def test_a_missing_namespace_is_said_clearly(stage: Stage) -> None:
    with pytest.raises(BlockedError, match="namespace nowhere, where the lock lives, does not exist") as caught:
        stage.lock(namespace="nowhere").acquire()

    assert "--lock-namespace" in caught.value.resolution


def test_a_user_who_may_not_write_leases_is_told_verb_and_resource(stage: Stage) -> None:
    lock = KubeLock(connected(stage.folder, stage.url, token="weak"), stage.clock, identity=OURS)

    with pytest.raises(NotAuthorisedError, match="get Lease models-as-a-service/maas-migrate"):
        lock.acquire()


def test_a_create_that_meets_another_run_does_not_take_it_from_it(stage: Stage) -> None:
    # Our read found nothing; by the time of our create, theirs stood there.
    stage.lock(THEIRS).acquire()
    stage.server.plant(Fault(verb="get", resource="leases", code=404, body=_absent()))

    with pytest.raises(RunLockedError, match="Run c0de holds the lock"):
        stage.lock(waiting=lambda _: stage.put(renewTime="2026-11-30T12:00:09.000000Z")).acquire()

    assert stage.spec["holderIdentity"] == THEIRS
    assert [entry.verb for entry in stage.server.log.entries() if entry.code == 409] == ["create"]


def _absent() -> dict[str, Any]:
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "reason": "NotFound",
        "code": 404,
        "message": "absent",
        "details": {"name": "maas-migrate", "group": LEASES.group, "kind": "leases"},
    }


def test_ch_31_a_renewal_that_meets_409_is_a_lost_lock_for_good(stage: Stage) -> None:
    lock = stage.lock()
    lock.acquire()
    for _ in range(2):
        stage.pass_s(21)
        lock.keep()
    stage.server.plant(Fault(verb="patch", resource="leases", when="before", reset=True))
    stage.pass_s(21)
    lock.keep()  # No answer.
    stage.put(holderIdentity=THEIRS)

    stage.pass_s(3)
    lock.keep()
    lock.keep()

    assert "ops@ws-9/990/c0de" in lock.lost
    with pytest.raises(NeedsPersonError, match="is held by ops@ws-9/990/c0de now"):
        lock.must_hold(0)
    lock.release()
    assert stage.spec["holderIdentity"] == THEIRS


def test_ch_31_a_409_names_who_has_it_now(stage: Stage) -> None:
    lock = stage.lock()
    lock.acquire()
    stage.put(holderIdentity=THEIRS)
    stage.pass_s(21)

    lock.keep()

    assert lock.lost.endswith("it is held by ops@ws-9/990/c0de now")


def test_ch_31_a_plain_409_is_not_taken_again_silently(stage: Stage) -> None:
    lock = stage.lock()
    lock.acquire()
    stage.put(leaseTransitions=7)
    stage.pass_s(21)

    lock.keep()
    renewals = stage.server.log.entries()
    lock.keep()

    assert "somebody else has changed it" in lock.lost
    assert len(stage.server.log.entries()) == len(renewals)
    with pytest.raises(NeedsPersonError):
        lock.must_hold(0)


def test_a_lost_reply_to_our_own_renewal_is_settled_by_reading(stage: Stage) -> None:
    lock = stage.lock()
    lock.acquire()
    stage.server.plant(Fault(verb="patch", resource="leases", when="after", reset=True))
    stage.pass_s(21)
    lock.keep()

    stage.pass_s(3)
    lock.keep()

    assert lock.lost == ""
    lock.must_hold(50)  # Counted from when the renewal was sent: 57 s are left.
    assert stage.spec["renewTime"] == "2026-11-30T12:00:21.000000Z"


def test_a_renewal_that_fails_is_tried_until_two_thirds_and_then_the_lock_is_lost(stage: Stage) -> None:
    lock = stage.lock()
    lock.acquire()
    stage.server.plant(Fault(verb="patch", resource="leases", code=503, times=None))

    for _ in range(25):
        stage.pass_s(1)
        lock.keep()
    lock.must_hold(5)
    for _ in range(16):
        stage.pass_s(1)
        lock.keep()

    assert "could not be renewed for 40 s" in lock.lost
    tries = [entry for entry in stage.server.log.entries() if entry.verb == "patch"]
    assert 5 <= len(tries) <= 12


def test_the_holder_is_read_and_its_silence_counted(stage: Stage) -> None:
    reader = stage.lock("me@here/1/reader")
    assert reader.read_holder() is None
    stage.lock(THEIRS).acquire()

    first = reader.read_holder()
    stage.pass_s(61)
    second = reader.read_holder()

    assert first is not None
    assert second is not None
    assert (first.run, first.identity, first.expired) == ("c0de", THEIRS, False)
    assert (second.silent_s, second.expired) == (61.0, True)


def test_unlock_asks_for_the_run_and_waits_until_it_is_silent(stage: Stage) -> None:
    stage.lock(THEIRS).acquire()
    tool = stage.lock("me@here/1/unlock")

    with pytest.raises(RunLockedError, match="not held by run 7f3a"):
        tool.unlock("7f3a")
    assert tool.unlock("c0de") is True

    assert stage.clock.passed_s > 60
    assert not stage.spec.get("holderIdentity")
    assert tool.unlock("c0de") is False


def test_unlock_leaves_a_run_alone_that_is_alive(stage: Stage) -> None:
    stage.lock(THEIRS).acquire()
    tool = stage.lock("me@here/1/unlock", waiting=lambda _: stage.put(renewTime="2026-11-30T12:00:09.000000Z"))

    with pytest.raises(RunLockedError, match="It is alive"):
        tool.unlock("c0de")

    assert stage.spec["holderIdentity"] == THEIRS


def test_a_stop_ends_the_wait_for_another_run(stage: Stage) -> None:
    stage.lock(THEIRS).acquire()

    with pytest.raises(RunLockedError, match="stop was requested"):
        stage.lock(stopped=lambda: stage.clock.passed_s > 5).acquire()


def test_a_keeper_renews_while_nobody_else_does(stage: Stage) -> None:
    lock = stage.lock()
    lock.acquire()
    stage.pass_s(25)

    with keeping(lock, every_s=0.01):
        for _ in range(500):
            if stage.spec["renewTime"] != "2026-11-30T12:00:00.000000Z":
                break
            stage.server.get(LEASE)

    assert stage.spec["renewTime"] == "2026-11-30T12:00:25.000000Z"
