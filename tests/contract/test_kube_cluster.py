"""The port Cluster: the same cases on the fake of the tests and on the real adapter before an API server."""

import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from migrate.engine.ports import (
    Cluster,
    ObjectGoneError,
    OtherObjectError,
    Write,
    WriteConflictError,
    WriteRefusedError,
    WriteUnknownError,
)
from migrate.errors import NotAuthorisedError, UnreachableError
from migrate.kube.cluster import KubeCluster
from migrate.records.objects import Json, KubeObject, ObjectRef
from migrate.records.plan import AccessNeed
from migrate.sandbox.apiserver import ApiServer, Fault, Request, serve
from tests.fakes import FakeCluster, TickingClock
from tests.unit.kube.support import CONFIG_MAP, RealClock, connected

PATH = "/api/v1/namespaces/default/configmaps"
MERGE = "application/merge-patch+json"
BODY: Json = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "settings", "namespace": "default"},
    "data": {"a": "1"},
}


class Stage(Protocol):
    """A cluster, somebody else who writes to it, and what can go wrong."""

    @property
    def cluster(self) -> Cluster: ...

    def put(self, body: Json) -> None: ...

    def foreign(self, patch: Json) -> None: ...

    def delete(self) -> None: ...

    def next_write(self, fault: str) -> None:
        """``lost``: carried out, no reply. ``dropped``: neither. ``webhook-down``, ``refused``, ``conflict``."""

    def unreachable(self) -> None:
        """The next read gets no answer in time."""

    def deny(self, verb: str, resource: str) -> None: ...


class FakeStage:
    def __init__(self) -> None:
        self.fake = FakeCluster(TickingClock())

    @property
    def cluster(self) -> Cluster:
        return self.fake

    def put(self, body: Json) -> None:
        self.fake.put(body)

    def foreign(self, patch: Json) -> None:
        self.fake.foreign(CONFIG_MAP, patch)

    def delete(self) -> None:
        self.fake.delete(CONFIG_MAP)

    def next_write(self, fault: str) -> None:
        self.fake.faults[self.fake.sent] = fault

    def unreachable(self) -> None:
        self.fake.unreachable = 1

    def deny(self, verb: str, resource: str) -> None:
        self.fake.denied.add(f"{verb} {resource}")


FAULTS: dict[str, dict[str, Any]] = {
    "lost": {"when": "after", "reset": True},
    "dropped": {"when": "before", "reset": True},
    "webhook-down": {"code": 500, "message": 'failed calling webhook "v": no endpoints available'},
    "refused": {"code": 400, "message": 'admission webhook "v" denied the request: no'},
    "conflict": {"code": 409, "message": "the object has been modified"},
}


class KubeStage:
    def __init__(self, server: ApiServer, cluster: KubeCluster) -> None:
        self.server = server
        self.adapter = cluster

    @property
    def cluster(self) -> Cluster:
        return self.adapter

    def _send(self, method: str, path: str, body: Json | None = None, kind: str = "application/json") -> None:
        response = self.server.handle(Request.to(method, path, body, content_type=kind, user="admin"))
        assert response.status < 300, response.document

    def put(self, body: Json) -> None:
        self._send("POST", PATH, body)

    def foreign(self, patch: Json) -> None:
        self._send("PATCH", f"{PATH}/settings", patch, MERGE)

    def delete(self) -> None:
        self._send("DELETE", f"{PATH}/settings")

    def next_write(self, fault: str) -> None:
        self.server.plant(Fault(verb="patch,create,delete", resource="configmaps", **FAULTS[fault]))

    def unreachable(self) -> None:
        self.server.plant(Fault(verb="get", resource="configmaps", delay_s=3))

    def deny(self, verb: str, resource: str) -> None:
        # The administrator may do all; whoever is denied one thing here is a user without any role.
        self.server.tokens = {"t": "user"}


@pytest.fixture(params=["fake", "kube"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    if request.param == "fake":
        yield FakeStage()
        return
    server = ApiServer(tokens={"t": "admin"})
    with serve(server) as running:
        yield KubeStage(server, KubeCluster(connected(tmp_path, running.url), RealClock()))


def _read(stage: Stage) -> KubeObject:
    thing = stage.cluster.read(CONFIG_MAP, timeout_s=5)
    assert thing is not None
    return thing


def _patch(thing: KubeObject, value: str = "2", *, dry_run: bool = False) -> Write:
    return Write(
        verb="patch",
        object=CONFIG_MAP,
        uid=thing.uid,
        resource_version=thing.resource_version,
        body={"data": {"a": value}},
        dry_run=dry_run,
    )


def _delete(thing: KubeObject) -> Write:
    return Write(verb="delete", object=CONFIG_MAP, uid=thing.uid, resource_version=thing.resource_version)


def test_what_is_not_there_is_absent(stage: Stage) -> None:
    assert stage.cluster.read(CONFIG_MAP, timeout_s=5) is None


def test_a_write_is_read_back_and_answered_with_the_new_state(stage: Stage) -> None:
    created = stage.cluster.write(Write(verb="create", object=CONFIG_MAP, body=BODY), timeout_s=5)
    assert created is not None
    patched = stage.cluster.write(_patch(created), timeout_s=5)
    assert patched is not None

    assert patched == _read(stage)
    assert (patched.get("data", "a"), patched.uid) == ("2", created.uid)
    assert "maas-migrate" in patched.managers
    assert stage.cluster.write(_delete(patched), timeout_s=5) is None
    assert stage.cluster.read(CONFIG_MAP, timeout_s=5) is None


def test_a_write_on_an_old_version_is_a_conflict_and_writes_nothing(stage: Stage) -> None:
    stage.put(BODY)
    old = _read(stage)
    stage.foreign({"data": {"a": "theirs"}})

    with pytest.raises(WriteConflictError):
        stage.cluster.write(_patch(old), timeout_s=5)

    assert _read(stage).get("data", "a") == "theirs"


def test_a_conflict_that_the_server_reports_is_a_conflict(stage: Stage) -> None:
    stage.put(BODY)
    thing = _read(stage)
    stage.next_write("conflict")

    with pytest.raises(WriteConflictError):
        stage.cluster.write(_patch(thing), timeout_s=5)


def test_an_object_with_another_uid_is_another_object(stage: Stage) -> None:
    stage.put(BODY)
    old = _read(stage)
    stage.delete()
    stage.put({**BODY, "metadata": {"name": "settings", "namespace": "default"}, "data": {"a": "new"}})
    new = _read(stage)
    mixed = KubeObject({"metadata": {"uid": old.uid, "resourceVersion": new.resource_version}})

    with pytest.raises(OtherObjectError):
        stage.cluster.write(_patch(mixed), timeout_s=5)
    with pytest.raises(OtherObjectError):
        stage.cluster.write(_delete(mixed), timeout_s=5)

    assert _read(stage).get("data", "a") == "new"


def test_a_create_never_takes_a_name_that_is_taken(stage: Stage) -> None:
    stage.put(BODY)

    with pytest.raises(OtherObjectError):
        stage.cluster.write(Write(verb="create", object=CONFIG_MAP, body={**BODY, "data": {"a": "x"}}), timeout_s=5)

    assert _read(stage).get("data", "a") == "1"


def test_a_write_to_what_is_gone_says_so(stage: Stage) -> None:
    stage.put(BODY)
    thing = _read(stage)
    stage.delete()

    with pytest.raises(ObjectGoneError):
        stage.cluster.write(_patch(thing), timeout_s=5)
    with pytest.raises(ObjectGoneError):
        stage.cluster.write(_delete(thing), timeout_s=5)


def test_a_lost_reply_is_unknown_though_it_was_written(stage: Stage) -> None:
    stage.put(BODY)
    thing = _read(stage)
    stage.next_write("lost")

    with pytest.raises(WriteUnknownError):
        stage.cluster.write(_patch(thing), timeout_s=5)

    assert _read(stage).get("data", "a") == "2"


@pytest.mark.parametrize("fault", ["dropped", "webhook-down"])
def test_a_write_that_did_not_arrive_looks_the_same(stage: Stage, fault: str) -> None:
    stage.put(BODY)
    thing = _read(stage)
    stage.next_write(fault)

    with pytest.raises(WriteUnknownError):
        stage.cluster.write(_patch(thing), timeout_s=5)

    assert _read(stage) == thing


def test_a_denial_is_final(stage: Stage) -> None:
    stage.put(BODY)
    thing = _read(stage)
    stage.next_write("refused")

    with pytest.raises(WriteRefusedError, match="denied the request"):
        stage.cluster.write(_patch(thing), timeout_s=5)

    assert _read(stage) == thing


def test_a_dry_run_changes_nothing(stage: Stage) -> None:
    stage.put(BODY)
    thing = _read(stage)

    assert stage.cluster.write(_patch(thing, dry_run=True), timeout_s=5) is not None

    assert _read(stage) == thing


def test_a_change_to_what_is_immutable_is_refused(stage: Stage) -> None:
    stage.put({**BODY, "immutable": True})
    thing = _read(stage)

    with pytest.raises(WriteRefusedError):
        stage.cluster.write(_patch(thing), timeout_s=5)


def test_a_read_without_answer_in_time_is_unreachable(stage: Stage) -> None:
    stage.put(BODY)
    stage.unreachable()
    began = time.monotonic()

    with pytest.raises(UnreachableError):
        stage.cluster.read(CONFIG_MAP, timeout_s=0.5)

    assert time.monotonic() - began < 1.5


def test_what_goes_while_somebody_waits_is_seen_to_go(stage: Stage) -> None:
    stage.put(BODY)
    views = stage.cluster.observe([CONFIG_MAP], timeout_s=20)

    assert next(views)[CONFIG_MAP] == _read(stage)
    stage.delete()

    assert any(view[CONFIG_MAP] is None for view in itertools.islice(views, 5))


def test_a_view_holds_every_object_that_was_asked_for(stage: Stage) -> None:
    stage.put(BODY)
    absent = ObjectRef(api_version="v1", kind="ConfigMap", namespace="default", name="absent")

    view = next(iter(stage.cluster.observe([CONFIG_MAP, absent], timeout_s=20)))

    assert set(view) == {CONFIG_MAP, absent}
    assert view[absent] is None


def test_what_is_denied_is_answered_with_no(stage: Stage) -> None:
    need = AccessNeed(verb="delete", group="", resource="configmaps", namespace="default")

    allowed = stage.cluster.review([need])
    stage.deny("delete", "configmaps")
    denied = stage.cluster.review([need])

    assert [answer.allowed for answer in (*allowed, *denied)] == [True, False]


def test_a_forbidden_read_is_not_an_absence(tmp_path: Path) -> None:
    # The fake has no permissions on reads; this case is the adapter's alone.
    server = ApiServer(tokens={"t": "user"})
    with serve(server) as running:
        cluster = KubeCluster(connected(tmp_path, running.url), RealClock())

        with pytest.raises(NotAuthorisedError, match="get ConfigMap default/settings"):
            cluster.read(CONFIG_MAP, timeout_s=5)
