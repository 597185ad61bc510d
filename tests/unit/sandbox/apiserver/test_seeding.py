"""Seeding whole clusters."""

import pytest

from migrate.sandbox.apiserver import UnknownKindError

from .driver import CONFIG_MAPS, WIDGETS, Api, config_map, crd, widget


def test_a_seeded_object_keeps_its_status_and_gets_a_new_identity(api: Api) -> None:
    old = {**widget("a", uid="old", resourceVersion="1", generation=4, namespace="far"), "status": {"phase": "Ready"}}

    api.server.seed([old, crd()])

    found = api.get("/apis/example.com/v1/namespaces/far/widgets/a")
    metadata = found["metadata"]
    assert (found["status"], metadata["generation"]) == ({"phase": "Ready"}, 4)
    assert metadata["uid"] != "old"
    assert metadata["creationTimestamp"] == "2026-01-01T00:00:00Z"
    assert metadata["managedFields"][0]["manager"] == "seed"
    assert api("GET", "/api/v1/namespaces/far").status == 200


def test_given_owners_are_kept(api: Api) -> None:
    owners = [{"manager": "m", "operation": "Apply", "apiVersion": "v1", "fieldsV1": {"f:data": {"f:x": {}}}}]

    api.server.seed([config_map("a", {"x": "1"}, managedFields=owners)])

    assert api.get(CONFIG_MAPS + "/a")["metadata"]["managedFields"] == owners


def test_owners_are_linked_by_name(api: Api) -> None:
    owner = {"apiVersion": "example.com/v1", "kind": "Widget", "name": "parent", "uid": "old"}
    api.server.seed([crd(), config_map("child", ownerReferences=[owner]), widget("parent", uid="old")])

    (linked,) = api.get(CONFIG_MAPS + "/child")["metadata"]["ownerReferences"]

    assert linked["uid"] == api.get(WIDGETS + "/parent")["metadata"]["uid"]


def test_a_kind_without_crd_is_refused(api: Api) -> None:
    with pytest.raises(UnknownKindError, match="Widget"):
        api.server.seed([widget("a")])


def test_seeding_does_not_change_what_it_is_given(api: Api) -> None:
    given = config_map("a", {"x": "1"})

    api.server.seed([given])

    assert given == config_map("a", {"x": "1"})
