"""Manifests in files become seeds: owners, namespaces, CRDs, and messages that name the place."""

import json
from pathlib import Path

import pytest
import yaml

from migrate.errors import BadInputError
from migrate.records.objects import Json
from migrate.sandbox.apiserver import ApiServer, Request
from migrate.sandbox.crds import crds_of
from migrate.sandbox.seeding import load_objects, prepared

NOW = "2026-12-01T00:00:00Z"


def an_object(name: str, kind: str = "ConfigMap", version: str = "v1", **metadata: object) -> Json:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "a", **metadata}}


def seeded(*paths: Path) -> ApiServer:
    server = ApiServer()
    server.seed(prepared(load_objects(paths), crds_of("3.5"), NOW))
    return server


def write(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document) if path.suffix == ".json" else yaml.safe_dump(document))
    return path


def test_folders_lists_documents_and_json_are_all_read(tmp_path: Path) -> None:
    write(tmp_path / "list.yaml", {"apiVersion": "v1", "kind": "List", "items": [an_object("one")]})
    write(
        tmp_path / "typed.json", {"apiVersion": "v1", "kind": "ConfigMapList", "items": [{"metadata": {"name": "2"}}]}
    )
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "many.yml").write_text(f"{json.dumps(an_object('three'))}\n---\n---\n{an_object('four')}\n")
    (tmp_path / "notes.txt").write_text("no manifest")

    found = load_objects([tmp_path]).objects

    assert sorted(obj["metadata"]["name"] for obj in found) == ["2", "four", "one", "three"]
    assert {obj["kind"] for obj in found} == {"ConfigMap"}


def test_owners_are_linked_anew_and_lost_ones_dropped(tmp_path: Path) -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "parent", "uid": "old"}
    lost = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "gone", "uid": "other"}
    child = an_object("child", ownerReferences=[owner, lost])
    file = write(tmp_path / "all.yaml", {"kind": "List", "items": [child, an_object("parent", uid="old")]})

    server = seeded(file)

    parent = server.get("/api/v1/namespaces/a/configmaps/parent")
    owners = server.get("/api/v1/namespaces/a/configmaps/child")["metadata"]["ownerReferences"]
    assert [found["uid"] for found in owners] == [parent["metadata"]["uid"]]
    assert parent["metadata"]["uid"] != "old"


def test_field_managers_keep_their_names_and_get_a_new_time(tmp_path: Path) -> None:
    entry = {
        "manager": "maas-controller",
        "operation": "Apply",
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:data": {"f:key": {}}},
        "time": "2020-01-01T00:00:00Z",
    }

    server = seeded(write(tmp_path / "one.yaml", an_object("one", managedFields=[entry])))

    told = server.get("/api/v1/namespaces/a/configmaps/one")["metadata"]["managedFields"]
    assert [(found["manager"], found["operation"], found["time"]) for found in told] == [
        ("maas-controller", "Apply", NOW)
    ]


def test_namespaces_that_are_missing_are_made(tmp_path: Path) -> None:
    server = seeded(write(tmp_path / "one.yaml", an_object("one")))

    assert server.get("/api/v1/namespaces/a")["status"] == {"phase": "Active"}


def test_a_kind_without_crd_gets_a_permissive_one_named_by_the_file(tmp_path: Path) -> None:
    named = write(tmp_path / "policies.example.com.yaml", an_object("one", "Policy", "example.com/v1", labels={}))
    other = {"apiVersion": "example.org/v2", "kind": "Widget", "metadata": {"name": "w"}, "free": {"form": 1}}
    unnamed = write(tmp_path / "stuff.yaml", other)

    server = seeded(named, unnamed)

    assert server.get("/apis/example.com/v1/namespaces/a/policies/one")["kind"] == "Policy"
    assert server.get("/apis/example.org/v2/widgets/w")["free"] == {"form": 1}


def test_a_crd_among_the_objects_wins(tmp_path: Path) -> None:
    crd = next(found for found in crds_of("3.6") if found["metadata"]["name"] == "configs.maas.opendatahub.io")
    config = {"apiVersion": "maas.opendatahub.io/v1alpha1", "kind": "Config", "metadata": {"name": "default"}}

    server = seeded(
        write(tmp_path / "crd.yaml", crd),
        write(tmp_path / "config.yaml", {**config, "spec": {"usageMetricsDashboard": True}}),
    )

    assert server.get("/apis/maas.opendatahub.io/v1alpha1/configs/default")["spec"]["usageMetricsDashboard"] is True


def test_status_is_seeded_and_dates_stay_text(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(
        "apiVersion: maas.opendatahub.io/v1alpha1\nkind: MaaSSubscription\nmetadata: {name: s, namespace: a}\n"
        "spec:\n  owner: {}\n  modelRefs: [{name: m, namespace: l, tokenRateLimits: [{limit: 1, window: 1m}]}]\n"
        "status:\n  phase: Active\n  conditions:\n"
        "  - {type: Ready, status: 'True', reason: R, message: '', lastTransitionTime: 2026-11-30T14:26:39Z}\n"
    )

    server = seeded(tmp_path)

    path = "/apis/maas.opendatahub.io/v1alpha1/namespaces/a/maassubscriptions/s"
    status = server.handle(Request.to("GET", path)).document["status"]
    assert status["phase"] == "Active"
    assert status["conditions"][0]["lastTransitionTime"] == "2026-11-30T14:26:39Z"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        pytest.param("a.yaml", "kind: [\n", "line 2, column 1", id="broken YAML"),
        pytest.param("a.json", '{"kind": \n oops}', "line 2, column 2", id="broken JSON"),
        pytest.param("a.yaml", "just text", "no Kubernetes object", id="no object"),
        pytest.param("a.yaml", "apiVersion: v1\nkind: ConfigMap\n", "no Kubernetes object", id="no name"),
        pytest.param("a.yaml", "", "no Kubernetes object", id="nothing"),
    ],
)
def test_bad_input_is_one_message_with_the_place(tmp_path: Path, name: str, text: str, told: str) -> None:
    (tmp_path / name).write_text(text)

    with pytest.raises(BadInputError, match=told):
        load_objects([tmp_path])


def test_a_missing_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="nowhere does not exist"):
        load_objects([tmp_path / "nowhere"])
