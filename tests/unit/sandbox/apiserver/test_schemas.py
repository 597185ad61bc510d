"""Custom objects against their schema."""

from typing import Any

import pytest

from migrate.sandbox.apiserver.schemas.cel_rules import check_rules, find_rules

from .driver import CRDS, WIDGETS, Api, causes, crd, widget


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        ({"window": "24d"}, "spec.window", "should match"),
        ({"window": "1h\n"}, "spec.window", "should match"),
        ({"window": "12345h"}, "spec.window", "may not be more than 5"),
        ({"window": "1h", "limit": 101}, "spec.limit", "should be less than or equal to 100"),
        ({"window": "1h", "limit": 0}, "spec.limit", "should be greater than or equal to 1"),
        ({"window": "1h", "mode": "x"}, "spec.mode", 'supported values: "short", "legacy"'),
        ({"limit": 1}, "spec.window", "Required value"),
        ({"window": 5}, "spec.window", 'must be of type string: "integer"'),
        ({"window": "1h", "limit": 1.5}, "spec.limit", 'must be of type integer: "number"'),
        ({"window": "1h", "users": ["a", "a"]}, "spec.users[1]", 'Duplicate value: "a"'),
        ({"window": "1h", "users": list("abcd")}, "spec.users", "must have at most 3 items"),
        ({"window": "1h", "rules": [{"key": "A"}, {"key": "A"}]}, "spec.rules[1]", "Duplicate value"),
        ({"window": "1h", "port": True}, "spec.port", "must be of type integer,string"),
        ({"window": "1h", "limit": 13}, "spec", "13 brings bad luck"),
    ],
)
def test_a_broken_rule_is_named(widgets: Api, spec: dict[str, Any], field: str, message: str) -> None:
    refused = widgets.post(WIDGETS, widget("a", spec))

    assert (refused.status, refused.document["reason"]) == (422, "Invalid")
    assert field in causes(refused)
    assert message in refused.document["message"]


def test_what_fits_is_kept_filled_and_pruned(widgets: Api) -> None:
    spec = {"window": "1h", "port": "http", "note": None, "free": {"any": {"thing": 1}}, "bogus": 1}

    created = widgets.post(WIDGETS, widget("a", spec)).document

    assert created["spec"] == {key: value for key, value in spec.items() if key != "bogus"} | {"priority": 7}


def test_a_removed_value_gets_its_default_again(widgets: Api) -> None:
    widgets.post(WIDGETS, widget("a", {"window": "1h", "priority": 3}))

    assert widgets.merge(WIDGETS + "/a", {"spec": {"priority": None}}).document["spec"]["priority"] == 7


def test_a_transition_rule_looks_back(widgets: Api) -> None:
    widgets.post(WIDGETS, widget("a", {"window": "1h", "fixed": "1"}))

    refused = widgets.merge(WIDGETS + "/a", {"spec": {"fixed": "2"}})
    kept = widgets.merge(WIDGETS + "/a", {"spec": {"fixed": "1", "limit": 5}})

    assert (refused.status, causes(refused)) == (422, ["spec.fixed"])
    assert kept.status == 200


@pytest.mark.parametrize(
    "spec",
    [
        {"properties": {"x": {"type": "string"}}},
        {"type": "object", "properties": {"x": {}}},
        {"type": "object", "properties": {"x": {"type": "array"}}},
    ],
)
def test_a_schema_must_be_structural(api: Api, spec: dict[str, Any]) -> None:
    assert api.post(CRDS, crd(spec)).status == 422


def test_a_crd_is_established_at_once(widgets: Api) -> None:
    status = widgets.get(CRDS + "/widgets.example.com")["status"]

    assert {each["type"]: each["status"] for each in status["conditions"]} == {
        "NamesAccepted": "True",
        "Established": "True",
    }
    assert status["storedVersions"] == ["v1"]


def test_without_status_subresource_all_but_metadata_counts(api: Api) -> None:
    api.post(CRDS, crd(status=False))
    api.post(WIDGETS, {**widget("a"), "status": {"phase": "X"}})

    patched = api.merge(WIDGETS + "/a", {"status": {"phase": "Y"}}).document

    assert (patched["metadata"]["generation"], patched["status"]) == (2, {"phase": "Y"})


@pytest.mark.parametrize(
    ("rule", "value", "holds"),
    [
        ("!has(self.__namespace__) || self.__namespace__ == 'a'", {"namespace": "a"}, True),
        ("!has(self.__namespace__) || self.__namespace__ == 'a'", {"namespace": "b"}, False),
        ("self.a__dash__b == 'x'", {"a-b": "x"}, True),
        ("isURL(self.link) && url(self.link).getScheme() == 'https'", {"link": "https://example.com/x"}, True),
        ("isURL(self.link) && url(self.link).getScheme() == 'https'", {"link": "http://example.com/x"}, False),
        ("self.link.find('[0-9]+') == '42'", {"link": "a42b"}, True),
        ("self.names.isSorted()", {"names": ["b", "a"]}, False),
        ("self.none == 1", {}, False),
    ],
)
def test_rules_are_written_as_kubernetes_has_them(rule: str, value: dict[str, Any], holds: bool) -> None:
    text = {"type": "string"}
    properties = {"namespace": text, "a-b": text, "link": text, "names": {"type": "array", "items": text}}
    schema = {"type": "object", "properties": properties, "x-kubernetes-validations": [{"rule": rule}]}

    assert (check_rules(find_rules(schema), value, None) == []) is holds
