"""The four kinds of patch, and who owns what afterwards."""

from typing import Any

import pytest

from .driver import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    JSON_PATCH,
    STRATEGIC,
    WIDGETS,
    Api,
    causes,
    config_map,
    deployment,
    widget,
)


def managers(document: Any) -> dict[tuple[str, str], Any]:
    """The owned fields by manager and operation."""
    found = document["metadata"].get("managedFields", [])
    return {(entry["manager"], entry["operation"]): entry["fieldsV1"] for entry in found}


def test_null_deletes_in_a_merge_patch(api: Api) -> None:
    api.post(CONFIG_MAPS, config_map("a", {"x": "1", "y": "2"}))

    patched = api.merge(CONFIG_MAPS + "/a", {"data": {"x": None, "z": "3"}})

    assert patched.document["data"] == {"y": "2", "z": "3"}


@pytest.mark.parametrize(
    ("operation", "status"),
    [
        ({"op": "test", "path": "/data/x", "value": "1"}, 200),
        ({"op": "test", "path": "/data/x", "value": "2"}, 422),
        ({"op": "remove", "path": "/data/none"}, 422),
        ({"op": "replace", "path": "/metadata/labels/a~1b", "value": "d"}, 200),
        ({"op": "nonsense", "path": "/data"}, 400),
    ],
)
def test_a_json_patch_is_all_or_nothing(api: Api, operation: dict[str, Any], status: int) -> None:
    before = api.post(CONFIG_MAPS, config_map("a", {"x": "1"}, labels={"a/b": "c"})).document

    patched = api("PATCH", CONFIG_MAPS + "/a", [operation], JSON_PATCH)

    assert patched.status == status
    if status != 200:
        assert api.get(CONFIG_MAPS + "/a") == before


def test_a_strategic_patch_merges_lists_by_their_keys(api: Api) -> None:
    body = deployment("d")
    pod = body["spec"]["template"]["spec"]
    pod["containers"] = [
        {"name": "main", "image": "i:1", "env": [{"name": "A", "value": "1"}]},
        {"name": "side", "image": "s:1"},
    ]
    api.post(DEPLOYMENTS, body)
    change = [{"name": "main", "env": [{"name": "B", "value": "2"}]}, {"name": "side", "$patch": "delete"}]

    patched = api(
        "PATCH", DEPLOYMENTS + "/d", {"spec": {"template": {"spec": {"containers": change}}}}, STRATEGIC
    ).document

    containers = patched["spec"]["template"]["spec"]["containers"]
    assert [each["name"] for each in containers] == ["main"]
    assert [each["name"] for each in containers[0]["env"]] == ["A", "B"]


def test_apply_creates_and_owns(widgets: Api) -> None:
    applied = widgets.apply(WIDGETS + "/a", widget("a", {"window": "1h", "limit": 1}), "one")

    assert applied.status == 201
    assert managers(applied.document) == {("one", "Apply"): {"f:spec": {"f:limit": {}, "f:window": {}}}}


def test_apply_meets_another_owner(widgets: Api) -> None:
    widgets.apply(WIDGETS + "/a", widget("a", {"window": "1h", "limit": 1}), "one")
    wanted = widget("a", {"window": "1h", "limit": 2})

    refused = widgets.apply(WIDGETS + "/a", wanted, "two")
    forced = widgets.apply(WIDGETS + "/a", wanted, "two", force="true")

    assert (refused.status, causes(refused)) == (409, [".spec.limit"])
    assert refused.document["message"] == (
        'Apply failed with 1 conflict: conflict with "one" using example.com/v1: .spec.limit'
    )
    assert forced.document["spec"]["limit"] == 2
    assert managers(forced.document)["one", "Apply"] == {"f:spec": {"f:window": {}}}


def test_a_field_goes_with_its_only_owner(widgets: Api) -> None:
    widgets.apply(WIDGETS + "/a", widget("a", {"window": "1h", "limit": 1}), "one")
    widgets.apply(WIDGETS + "/a", widget("a", {"window": "1h"}), "two")

    left = widgets.apply(WIDGETS + "/a", widget("a", {}), "one").document

    assert left["spec"] == {"window": "1h", "priority": 7}


def test_keyed_lists_merge_by_key(widgets: Api) -> None:
    path = WIDGETS + "/a"
    widgets.apply(path, widget("a", {"window": "1h", "rules": [{"key": "A", "v": "1"}]}), "one")
    widgets.apply(path, widget("a", {"rules": [{"key": "B", "v": "2"}]}), "two")

    left = widgets.apply(path, widget("a", {"window": "1h", "rules": []}), "one").document

    assert left["spec"]["rules"] == [{"key": "B", "v": "2"}]


def test_applying_again_changes_nothing(widgets: Api) -> None:
    first = widgets.apply(WIDGETS + "/a", widget("a", {"window": "1h", "users": ["x"]}), "one").document
    widgets.clock.advance(60)

    second = widgets.apply(WIDGETS + "/a", widget("a", {"window": "1h", "users": ["x"]}), "one").document

    assert second == first


def test_an_update_takes_fields_from_an_applier(widgets: Api) -> None:
    widgets.apply(WIDGETS + "/a", widget("a", {"window": "1h", "limit": 1}), "one")

    patched = widgets.merge(WIDGETS + "/a", {"spec": {"limit": 3}}, fieldManager="up").document

    assert managers(patched) == {
        ("one", "Apply"): {"f:spec": {"f:window": {}}},
        ("up", "Update"): {"f:spec": {"f:limit": {}}},
    }


def test_apply_refuses_what_no_schema_declares(widgets: Api) -> None:
    refused = widgets.apply(WIDGETS + "/a", widget("a", {"window": "1h", "bogus": 1}), "one")

    assert refused.status == 500
    assert ".spec.bogus: field not declared in schema" in refused.document["message"]


@pytest.mark.parametrize(("query", "status"), [({}, 422), ({"fieldManager": "m"}, 201)])
def test_apply_needs_a_name_for_the_owner(api: Api, query: dict[str, str], status: int) -> None:
    kind = "application/apply-patch+yaml"

    assert api("PATCH", CONFIG_MAPS + "/a", config_map("a"), kind, **query).status == status


def test_apply_with_a_uid_never_creates(api: Api) -> None:
    assert api.apply(CONFIG_MAPS + "/a", config_map("a", uid="1"), "m").status == 409


def test_owners_may_be_forgotten(api: Api) -> None:
    api.post(CONFIG_MAPS, config_map("a", {"x": "1"}))

    patched = api.merge(CONFIG_MAPS + "/a", {"metadata": {"managedFields": [{}]}}).document

    assert "managedFields" not in patched["metadata"]


def test_what_was_there_before_the_first_apply_has_an_owner(api: Api) -> None:
    path = CONFIG_MAPS + "/a"
    api.post(CONFIG_MAPS, config_map("a", {"x": "1"}))
    api.merge(path, {"metadata": {"managedFields": [{}]}})
    updated = api.merge(path, {"data": {"x": "2"}}).document

    refused = api.apply(path, config_map("a", {"x": "3"}), "m")

    assert managers(updated) == {}
    assert refused.status == 409
    assert 'conflict with "before-first-apply"' in refused.document["message"]
