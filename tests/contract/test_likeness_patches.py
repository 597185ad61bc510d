"""The four kinds of patch on both targets, and who owns which field after them."""

import json
from typing import Any

import pytest
import yaml

from tests.contract.likeness import APPLY, JSON_PATCH, STRATEGIC, Answer, Api, config_maps, lamps
from tests.contract.likeness_kinds import deployment, lamp, settings


@pytest.fixture
def home(target: Api) -> str:
    return target.namespace()


def owners(answer: Answer) -> set[tuple[str, str, str]]:
    entries = answer.get("metadata", "managedFields") or []
    return {(entry["manager"], entry["operation"], entry.get("subresource", "")) for entry in entries}


def test_merge_null_takes_away(target: Api, home: str) -> None:
    target.create(config_maps(home), settings("a", {"x": "1", "y": "2"}, annotations={"k": "v"}))
    body = {"data": {"x": None, "z": "3"}, "metadata": {"annotations": {"k": "w"}}}
    answer = target.merge(config_maps(home, "a"), body)
    assert answer.get("data") == {"y": "2", "z": "3"}
    assert answer.get("metadata", "annotations") == {"k": "w"}


def test_merge_replaces_an_object_by_a_number_and_a_list_whole(target: Api, home: str) -> None:
    spec = {"period": "1h", "anything": {"a": {"b": 1}}, "refs": [{"name": "a"}, {"name": "b"}]}
    target.create(lamps(home), lamp("a", spec))
    answer = target.merge(lamps(home, "a"), {"spec": {"anything": {"a": 5}, "refs": [{"name": "c"}]}})
    assert answer.get("spec", "anything") == {"a": 5}
    assert answer.get("spec", "refs") == [{"name": "c"}]


def test_merge_of_nothing_into_nothing_changes_nothing(target: Api, home: str) -> None:
    made = target.create(lamps(home), lamp("a"))
    answer = target.merge(lamps(home, "a"), {"metadata": {"annotations": {"gone": None}}})
    assert answer.status == 200
    assert not answer.get("metadata", "annotations")
    assert answer.get("metadata", "generation") == made.get("metadata", "generation")


@pytest.mark.parametrize("body", ["[]", '"text"', "5", "null"])
def test_merge_wants_an_object(target: Api, home: str, body: str) -> None:
    target.create(config_maps(home), settings("a", {"x": "1"}))
    assert target.merge(config_maps(home, "a"), body).status in {400, 422}
    assert target.get(config_maps(home, "a")).get("data") == {"x": "1"}


def test_a_json_patch_tests_and_changes(target: Api, home: str) -> None:
    target.create(config_maps(home), settings("a", {"x": "1"}, labels={"a/b": "c"}))
    steps: list[dict[str, Any]] = [
        {"op": "test", "path": "/data/x", "value": "1"},
        {"op": "replace", "path": "/data/x", "value": "2"},
        {"op": "remove", "path": "/metadata/labels/a~1b"},
    ]
    answer = target.patch(config_maps(home, "a"), steps, JSON_PATCH)
    assert (answer.status, answer.get("data"), answer.get("metadata", "labels")) == (200, {"x": "2"}, None)


@pytest.mark.parametrize(
    "step",
    [
        {"op": "test", "path": "/metadata/resourceVersion", "value": "1"},
        {"op": "remove", "path": "/data/nothing"},
        {"op": "replace", "path": "/nothing/there", "value": "x"},
    ],
    ids=["test fails", "remove of nothing", "replace of nothing"],
)
def test_a_json_patch_that_does_not_fit_is_invalid(target: Api, home: str, step: dict[str, Any]) -> None:
    target.create(config_maps(home), settings("a", {"x": "1"}))
    answer = target.patch(config_maps(home, "a"), [step, {"op": "add", "path": "/data/y", "value": "1"}], JSON_PATCH)
    assert (answer.status, answer.get("reason")) == (422, "Invalid")
    assert target.get(config_maps(home, "a")).get("data") == {"x": "1"}


def test_a_json_patch_replaces_a_key_that_is_not_there(target: Api, home: str) -> None:
    target.create(config_maps(home), settings("a", {"x": "1"}))
    step = {"op": "replace", "path": "/data/y", "value": "2"}
    assert target.patch(config_maps(home, "a"), [step], JSON_PATCH).get("data") == {"x": "1", "y": "2"}


def test_a_json_patch_that_is_none_is_a_bad_request(target: Api, home: str) -> None:
    target.create(config_maps(home), settings("a"))
    assert target.patch(config_maps(home, "a"), {"op": "add"}, JSON_PATCH).status == 400


def test_a_strategic_patch_merges_containers_by_name(target: Api, home: str) -> None:
    path = f"/apis/apps/v1/namespaces/{home}/deployments"
    target.create(path, deployment("d"))
    body = {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "main:2"}]}}}}
    answer = target.patch(f"{path}/d", body, STRATEGIC)
    found = {each["name"]: each for each in answer.get("spec", "template", "spec", "containers")}
    assert set(found) == {"main", "side"}
    assert found["main"]["image"] == "main:2"
    assert found["main"]["env"] == [{"name": "MODE", "value": "plain"}]


def test_a_strategic_patch_can_take_one_out(target: Api, home: str) -> None:
    path = f"/apis/apps/v1/namespaces/{home}/deployments"
    target.create(path, deployment("d"))
    body = {"spec": {"template": {"spec": {"containers": [{"name": "side", "$patch": "delete"}]}}}}
    answer = target.patch(f"{path}/d", body, STRATEGIC)
    assert [each["name"] for each in answer.get("spec", "template", "spec", "containers")] == ["main"]


def test_a_custom_kind_takes_no_strategic_patch(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a"))
    answer = target.patch(lamps(home, "a"), {"spec": {"count": 2}}, STRATEGIC)
    assert (answer.status, answer.get("reason")) == (415, "UnsupportedMediaType")


def test_apply_creates_and_owns(target: Api, home: str) -> None:
    answer = target.apply(lamps(home, "a"), lamp("a"), "one")
    assert answer.status == 201
    (entry,) = answer.get("metadata", "managedFields")
    assert (entry["manager"], entry["operation"], entry["apiVersion"], entry["fieldsType"]) == (
        "one",
        "Apply",
        "likeness.example.com/v1",
        "FieldsV1",
    )
    assert entry["fieldsV1"] == {"f:spec": {"f:count": {}, "f:period": {}}}


def test_apply_over_another_owner_is_a_conflict_until_forced(target: Api, home: str) -> None:
    target.apply(lamps(home, "a"), lamp("a"), "one")
    wanted = lamp("a", {"period": "1h", "count": 9})
    refused = target.apply(lamps(home, "a"), wanted, "two")
    assert (refused.status, refused.get("reason")) == (409, "Conflict")
    (cause,) = refused.get("details", "causes")
    assert (cause["reason"], cause["field"]) == ("FieldManagerConflict", ".spec.count")
    assert '"one"' in cause["message"]
    assert target.apply(lamps(home, "a"), wanted, "two", force="true").get("spec", "count") == 9


def test_a_value_that_two_agree_on_has_two_owners(target: Api, home: str) -> None:
    target.apply(lamps(home, "a"), lamp("a"), "one")
    answer = target.apply(lamps(home, "a"), lamp("a"), "two")
    assert {manager for manager, _, _ in owners(answer)} == {"one", "two"}
    kept = target.apply(lamps(home, "a"), lamp("a", {"period": "1h"}), "two")
    assert kept.get("spec", "count") == 5


def test_what_the_only_owner_leaves_out_goes(target: Api, home: str) -> None:
    target.apply(lamps(home, "a"), lamp("a"), "one")
    answer = target.apply(lamps(home, "a"), lamp("a", {"period": "1h"}), "one")
    assert "count" not in answer.get("spec")


def test_apply_merges_a_keyed_list(target: Api, home: str) -> None:
    target.apply(lamps(home, "a"), lamp("a", {"period": "1h", "refs": [{"name": "x", "value": "1"}]}), "one")
    body = lamp("a", {"period": "1h", "refs": [{"name": "y", "value": "2"}]})
    answer = target.apply(lamps(home, "a"), body, "two")
    assert sorted(ref["name"] for ref in answer.get("spec", "refs")) == ["x", "y"]


def test_applied_yaml_is_read_by_the_old_rules(target: Api, home: str) -> None:
    body = lamp("a", {"period": "1h", "remark": "@"})
    answer = target.patch(lamps(home, "a"), yaml.safe_dump(body).replace("'@'", "y"), APPLY, fieldManager="one")
    assert answer.status >= 400
    assert "expected string, got &value.valueUnstructured{Value:true}" in answer.get("message")


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"remark": 1}, ".spec.remark: expected string, got &value.valueUnstructured{Value:1}"),
        (
            {"remark": {"a": 1}},
            '.spec.remark: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":1}}',
        ),
        ({"remark": ["x"]}, '.spec.remark: expected string, got &value.valueUnstructured{Value:[]interface {}{"x"}}'),
        ({"count": "x"}, ".spec.count: expected numeric (int or float), got string"),
        ({"count": {"a": 1}}, ".spec.count: expected numeric (int or float), got map[string]interface {}"),
        ({"refs": {"a": 1}}, ".spec.refs: expected list, got &{map[a:1]}"),
    ],
)
def test_an_applied_value_of_another_type_is_named(target: Api, home: str, spec: dict[str, object], told: str) -> None:
    answer = target.apply(lamps(home, "a"), lamp("a", {"period": "1h", **spec}), "one")
    assert (answer.status, answer.get("message").partition("): ")[2]) == (500, told)


def test_apply_needs_to_know_who_applies(target: Api, home: str) -> None:
    answer = target.call("PATCH", lamps(home, "a"), json.dumps(lamp("a")), kind=APPLY)
    assert answer.status == 422
    assert "fieldManager" in answer.get("message")


def test_apply_takes_no_managed_fields(target: Api, home: str) -> None:
    target.apply(lamps(home, "a"), lamp("a"), "one")
    fields = [{"manager": "x", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {}}]
    answer = target.apply(lamps(home, "a"), lamp("a", managedFields=fields), "one")
    assert (answer.status, answer.get("message")) == (400, "metadata.managedFields must be nil")


def test_the_same_apply_again_changes_nothing(target: Api, home: str) -> None:
    made = target.apply(lamps(home, "a"), lamp("a"), "one")
    again = target.apply(lamps(home, "a"), lamp("a"), "one")
    assert (again.status, again.version) == (200, made.version)


@pytest.mark.parametrize("manager", ["one", "my-tool"])
def test_every_other_write_is_an_update_of_its_manager(target: Api, home: str, manager: str) -> None:
    target.create(lamps(home), lamp("a"), fieldManager=manager)
    target.merge(lamps(home, "a"), {"spec": {"count": 3}}, fieldManager="else")
    answer = target.merge(lamps(home, "a", "status"), {"status": {"phase": "Active"}}, fieldManager=manager)
    assert owners(answer) == {(manager, "Update", ""), ("else", "Update", ""), (manager, "Update", "status")}


def test_a_write_without_manager_is_of_the_program(target: Api, home: str) -> None:
    made = target.call("POST", lamps(home), lamp("a"), headers={"User-Agent": "my-program/1.2 (linux)"})
    assert owners(made) == {("my-program", "Update", "")}


def test_an_update_takes_a_field_over(target: Api, home: str) -> None:
    target.apply(lamps(home, "a"), lamp("a"), "one")
    answer = target.merge(lamps(home, "a"), {"spec": {"count": 6}}, fieldManager="two")
    fields = {entry["manager"]: entry["fieldsV1"] for entry in answer.get("metadata", "managedFields")}
    assert fields == {"one": {"f:spec": {"f:period": {}}}, "two": {"f:spec": {"f:count": {}}}}


def test_managed_fields_can_be_dropped(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a"))
    answer = target.merge(lamps(home, "a"), {"metadata": {"managedFields": [{}]}})
    assert answer.status == 200
    assert answer.get("metadata", "managedFields") is None
