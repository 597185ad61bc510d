"""What is seen of objects is their state, kept current; what might be old is not shown."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from migrate.errors import NotAuthorisedError
from migrate.kube.cluster import KubeCluster
from migrate.records.objects import Json, KubeObject, ObjectRef
from migrate.records.predicates import View
from migrate.sandbox.apiserver import ApiServer, Fault, Request, serve
from tests.unit.kube.support import CONFIG_MAP, RealClock, connected

WIDGET = ObjectRef(api_version="example.org/v1", kind="Widget", namespace="default", name="w")
CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
BODY: Json = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "default"}}
COLLECTION = "/api/v1/namespaces/default/configmaps"


class Scene:
    """A server, a cluster that looks at it, and somebody else who writes to it."""

    def __init__(self, server: ApiServer, url: str, folder: Path) -> None:
        self.server = server
        self.url = url
        self.folder = folder
        self.stop = False
        self.cluster = KubeCluster(connected(folder, url), RealClock(), lambda: self.stop)

    def send(self, method: str, path: str, body: Json | None = None, content_type: str = "application/json") -> None:
        response = self.server.handle(Request.to(method, path, body, content_type=content_type, user="admin"))
        assert response.status < 300, response.document

    def create(self) -> None:
        self.send("POST", COLLECTION, BODY)

    def change(self, value: str) -> None:
        self.send("PATCH", f"{COLLECTION}/settings", {"data": {"a": value}}, "application/merge-patch+json")

    def delete(self) -> None:
        self.send("DELETE", f"{COLLECTION}/settings")

    def asked(self, verb: str) -> int:
        return sum(entry.verb == verb for entry in self.server.log.entries())


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    server = ApiServer(tokens={"t": "admin", "weak": "user"})
    with serve(server) as running:
        yield Scene(server, running.url, tmp_path)


def _until(views: Iterator[View], ref: ObjectRef, wanted: Callable[[KubeObject | None], bool]) -> KubeObject | None:
    """Return the first state that is *wanted*; the observation's own time limit ends it."""
    for view in views:
        if wanted(view[ref]):
            return view[ref]
    raise AssertionError("it was never seen")


def _has(value: str) -> Callable[[KubeObject | None], bool]:
    return lambda thing: thing is not None and thing.get("data", "a") == value


def test_each_change_is_seen_from_absence_to_absence(scene: Scene) -> None:
    views = scene.cluster.observe([CONFIG_MAP], timeout_s=20)

    assert next(views) == {CONFIG_MAP: None}
    scene.create()
    _until(views, CONFIG_MAP, lambda thing: thing is not None)
    scene.change("2")
    _until(views, CONFIG_MAP, _has("2"))
    scene.delete()
    _until(views, CONFIG_MAP, lambda thing: thing is None)

    assert scene.asked("list") == 1


def test_a_change_is_seen_at_once_and_without_change_every_second(scene: Scene) -> None:
    scene.create()
    views = scene.cluster.observe([CONFIG_MAP], timeout_s=20)
    next(views)

    began = time.monotonic()
    next(views)
    idle_s = time.monotonic() - began
    scene.change("2")
    began = time.monotonic()
    thing = next(views)[CONFIG_MAP]

    assert idle_s <= 1.0
    assert thing is not None
    assert thing.get("data", "a") == "2"
    assert time.monotonic() - began < 0.6


def test_it_ends_after_its_time(scene: Scene) -> None:
    began = time.monotonic()

    seen = list(scene.cluster.observe([CONFIG_MAP], timeout_s=1.5))

    assert len(seen) >= 2
    assert 1.4 < time.monotonic() - began < 2.5


def test_it_ends_early_when_a_stop_is_requested(scene: Scene) -> None:
    views = scene.cluster.observe([CONFIG_MAP], timeout_s=60)
    next(views)
    scene.stop = True

    began = time.monotonic()

    assert list(views) == []
    assert time.monotonic() - began < 1.0


def test_its_threads_end_when_nobody_looks_any_more(scene: Scene) -> None:
    views = scene.cluster.observe([CONFIG_MAP], timeout_s=60)
    next(views)
    running = [thread for thread in threading.enumerate() if thread.name == "maas-migrate-watch"]

    began = time.monotonic()
    views.close()  # type: ignore[attr-defined]  # It is a generator; the port promises no more than an iterator.

    assert len(running) == 1
    assert not any(thread.is_alive() for thread in running)
    assert time.monotonic() - began < 1.0


def test_a_forgotten_version_is_read_again(scene: Scene) -> None:
    scene.create()
    views = scene.cluster.observe([CONFIG_MAP], timeout_s=20)
    next(views)
    scene.server.plant(Fault(verb="watch", resource="configmaps", code=410))
    scene.server.drop_watches()
    scene.change("2")

    _until(views, CONFIG_MAP, _has("2"))

    assert scene.asked("list") == 2


@pytest.mark.parametrize("fault", [{"code": 429}, {"code": 503}, {"code": 500}, {"reset": True}])
def test_what_passes_is_ridden_out(scene: Scene, fault: Json) -> None:
    scene.create()
    scene.server.plant(Fault(verb="list,watch", resource="configmaps", times=2, **fault))

    views = scene.cluster.observe([CONFIG_MAP], timeout_s=20)

    assert next(views)[CONFIG_MAP] is not None
    scene.change("2")
    _until(views, CONFIG_MAP, _has("2"))


def test_a_state_that_could_not_be_read_is_not_shown(scene: Scene) -> None:
    scene.server.plant(Fault(verb="list", resource="configmaps", code=503, times=None))

    assert list(scene.cluster.observe([CONFIG_MAP], timeout_s=1.5)) == []


def test_a_refused_read_ends_it_with_an_error(scene: Scene) -> None:
    cluster = KubeCluster(connected(scene.folder, scene.url, token="weak"), RealClock())

    with pytest.raises(NotAuthorisedError, match="ConfigMap"):
        next(cluster.observe([CONFIG_MAP], timeout_s=20))


def test_many_objects_of_one_namespace_share_one_watch(scene: Scene) -> None:
    scene.create()
    others = [
        ObjectRef(api_version="v1", kind="ConfigMap", namespace="default", name=f"other-{number}")
        for number in range(5)
    ]
    views = scene.cluster.observe([CONFIG_MAP, *others], timeout_s=20)

    view = next(views)
    scene.change("2")
    _until(views, CONFIG_MAP, _has("2"))

    assert [ref.name for ref, thing in view.items() if thing is not None] == ["settings"]
    assert (scene.asked("list"), scene.asked("watch")) == (1, 1)


def test_a_kind_that_comes_and_goes_is_followed(scene: Scene) -> None:
    views = scene.cluster.observe([WIDGET], timeout_s=60)

    assert next(views) == {WIDGET: None}
    scene.send("POST", CRD, _widget_crd())
    scene.send(
        "POST",
        "/apis/example.org/v1/namespaces/default/widgets",
        {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "default"}},
    )
    _until(views, WIDGET, lambda thing: thing is not None)
    scene.send("DELETE", f"{CRD}/widgets.example.org")
    _until(views, WIDGET, lambda thing: thing is None)


def _widget_crd() -> Json:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.org"},
        "spec": {
            "group": "example.org",
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }
