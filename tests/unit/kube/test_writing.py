"""The one place that writes: once, by name, with preconditions, and nothing is changed by a dry run."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.errors import InternalError, UnreachableError
from migrate.kube.cluster import KubeCluster
from migrate.records.objects import ObjectRef
from migrate.records.writes import ObjectGoneError, Write, WriteRefusedError, WriteUnknownError
from tests.unit.kube.support import (
    CONFIG_MAP,
    Reply,
    Script,
    VirtualClock,
    config_map,
    connected,
    scripted,
    serve_core,
)

PATH = "/api/v1/namespaces/default/configmaps/settings"
ROOM = Path(__file__).parents[3] / "migrate"
PATCH = Write(verb="patch", object=CONFIG_MAP, uid="u-1", resource_version="7", body={"data": {"a": "2"}})


@pytest.fixture
def script() -> Iterator[Script]:
    with scripted() as running:
        serve_core(running)
        running.on(PATH, Reply(body=config_map()))
        running.on("/api/v1/namespaces/default/configmaps", Reply(status=201, body=config_map()))
        yield running


@pytest.fixture
def cluster(script: Script, tmp_path: Path) -> KubeCluster:
    return KubeCluster(connected(tmp_path, script.url), VirtualClock())


def test_a_patch_goes_out_as_a_merge_patch_with_both_preconditions(cluster: KubeCluster, script: Script) -> None:
    body = {"metadata": {"annotations": {"x": "y"}}, "data": {"a": None}}

    cluster.write(Write(verb="patch", object=CONFIG_MAP, uid="u-1", resource_version="7", body=body), timeout_s=5)

    sent = script.seen[-1]
    assert sent.path == f"{PATH}?fieldManager=maas-migrate&fieldValidation=Strict"
    assert sent.all("Content-Type") == ["application/merge-patch+json"]
    assert sent.body["metadata"] == {"annotations": {"x": "y"}, "uid": "u-1", "resourceVersion": "7"}
    assert sent.body["data"] == {"a": None}
    assert body == {"metadata": {"annotations": {"x": "y"}}, "data": {"a": None}}


def test_a_create_goes_to_the_collection_and_names_the_object(cluster: KubeCluster, script: Script) -> None:
    cluster.write(Write(verb="create", object=CONFIG_MAP, body={"data": {"a": "1"}}, dry_run=True), timeout_s=5)

    sent = script.seen[-1]
    assert sent.method == "POST"
    assert sent.path.endswith("/configmaps?dryRun=All&fieldManager=maas-migrate&fieldValidation=Strict")
    assert sent.body["kind"] == "ConfigMap"
    assert sent.body["metadata"] == {"name": "settings", "namespace": "default"}


def test_a_delete_carries_its_preconditions_and_lets_the_rest_follow(cluster: KubeCluster, script: Script) -> None:
    write = Write(verb="delete", object=CONFIG_MAP, uid="u-1", resource_version="7")

    assert cluster.write(write, timeout_s=5) is None

    sent = script.seen[-1]
    assert sent.body["preconditions"] == {"uid": "u-1", "resourceVersion": "7"}
    assert sent.body["propagationPolicy"] == "Background"


@pytest.mark.parametrize(("uid", "version"), [("", "7"), ("u", ""), ("", "")])
@pytest.mark.parametrize("verb", ["patch", "delete"])
def test_nothing_is_sent_without_preconditions(
    cluster: KubeCluster, script: Script, verb: str, uid: str, version: str
) -> None:
    write = Write(verb=verb, object=CONFIG_MAP, uid=uid, resource_version=version)  # type: ignore[arg-type]

    with pytest.raises(InternalError, match="without UID and resourceVersion"):
        cluster.write(write, timeout_s=5)

    assert not any(seen.method in {"PATCH", "DELETE"} for seen in script.seen)


def test_a_secret_is_neither_read_nor_written(cluster: KubeCluster, script: Script) -> None:
    secret = ObjectRef(api_version="v1", kind="Secret", namespace="default", name="settings")

    with pytest.raises(InternalError):
        cluster.read(secret, timeout_s=5)
    with pytest.raises(InternalError):
        next(cluster.observe([secret], timeout_s=5))

    assert script.seen == []


def test_a_name_cannot_lead_somewhere_else(cluster: KubeCluster) -> None:
    sly = ObjectRef(api_version="v1", kind="ConfigMap", namespace="default", name="../secrets/x")

    with pytest.raises(InternalError, match="no name of an object"):
        cluster.read(sly, timeout_s=5)


@pytest.mark.parametrize(
    "reply", [Reply(reset=True), Reply(raw=b"{"), Reply(body={}), Reply(status=502), Reply(hang_s=20)]
)
def test_a_lost_reply_is_unknown_and_sent_once(cluster: KubeCluster, script: Script, reply: Reply) -> None:
    script.on(PATH, reply, method="PATCH")
    began = time.monotonic()

    with pytest.raises(WriteUnknownError):
        cluster.write(PATCH, timeout_s=0.5)

    assert script.paths().count(f"PATCH {PATH}") == 1
    assert time.monotonic() - began < 1.5


def test_a_write_to_a_kind_that_is_not_served_meets_nothing(cluster: KubeCluster) -> None:
    ref = ObjectRef(api_version="example.org/v1", kind="Widget", namespace="default", name="w")

    with pytest.raises(ObjectGoneError):
        cluster.write(Write(verb="delete", object=ref, uid="u", resource_version="1"), timeout_s=5)
    with pytest.raises(WriteRefusedError):
        cluster.write(Write(verb="create", object=ref, body={}), timeout_s=5)


def test_verbs_that_change_a_cluster_stand_in_one_module() -> None:
    mutating = re.compile(r"[\"'](PATCH|POST|DELETE|PUT)[\"']")
    rooms = [path for path in ROOM.rglob("*.py") if "sandbox" not in path.parts]

    found = {str(path.relative_to(ROOM)) for path in rooms if mutating.search(path.read_text())}

    assert found == {"kube/writing.py", "kube/access.py"}


def test_an_answer_that_is_another_object_is_no_answer(cluster: KubeCluster, script: Script) -> None:
    script.on(PATH, Reply(body=config_map("other")))

    with pytest.raises(UnreachableError, match="not the object settings"):
        cluster.read(CONFIG_MAP, timeout_s=1)
