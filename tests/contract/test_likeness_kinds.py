"""Custom kinds and the rules of the built-in ones, on both targets."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.likeness import CRDS, Api, config_maps, lamps, until
from tests.contract.likeness_kinds import GROUP, definition, deployment, lamp, settings


@pytest.fixture
def home(target: Api) -> str:
    return target.namespace()


@pytest.fixture
def things(target: Api) -> Iterator[str]:
    """A kind that comes and goes with the case; its path."""
    path = f"{CRDS}/things.{GROUP}"
    made = target.create(CRDS, definition("things", "Thing", "Namespaced"))
    assert made.status == 201
    until(lambda: target.get(f"/apis/{GROUP}/v1/things").status == 200)
    yield path
    target.delete(path)
    until(lambda: target.get(f"/apis/{GROUP}/v1/things").status == 404)


def test_a_new_kind_is_served_soon(target: Api, home: str, things: str) -> None:
    conditions = {each["type"]: each["status"] for each in target.get(things).get("status", "conditions")}
    assert conditions == {"NamesAccepted": "True", "Established": "True"}
    assert target.get(things).get("status", "storedVersions") == ["v1"]
    answer = target.create(f"/apis/{GROUP}/v1/namespaces/{home}/things", {**lamp("a"), "kind": "Thing"})
    assert answer.status == 201


def test_a_kind_that_goes_takes_its_objects_along(target: Api, home: str, things: str) -> None:
    path = f"/apis/{GROUP}/v1/namespaces/{home}/things"
    target.create(path, {**lamp("a"), "kind": "Thing"})
    assert target.delete(things).status == 200
    until(lambda: target.get(path).status == 404)
    until(lambda: target.get(things).status == 404)
    target.create(CRDS, definition("things", "Thing", "Namespaced"))
    until(lambda: target.get(path).status == 200)
    assert target.get(path).names == []


def test_a_schema_must_be_structural(target: Api) -> None:
    schema = {"type": "object", "properties": {"spec": {"properties": {"x": {"type": "string"}}}}}
    answer = target.create(CRDS, definition("bads", "Bad", "Namespaced", schema=schema))
    assert (answer.status, answer.get("reason")) == (422, "Invalid")


def test_a_group_of_the_project_needs_its_approval(target: Api) -> None:
    body = definition("odds", "Odd", "Namespaced")
    body["spec"]["group"] = "likeness.k8s.io"
    body["metadata"]["name"] = "odds.likeness.k8s.io"
    answer = target.create(CRDS, body)
    assert (answer.status, answer.fields) == (422, ["metadata.annotations[api-approved.kubernetes.io]"])
    body["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved, for a test"}
    assert target.create(CRDS, body, dryRun="All").status == 201


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"period": "24d"}, "spec.period"),
        ({"period": "1h", "count": 10**10}, "spec.count"),
        ({"period": "1h", "count": 0}, "spec.count"),
        ({"period": "1h", "count": "5"}, "spec.count"),
        ({"period": "1h", "count": 1.5}, "spec.count"),
        ({"period": "1h", "identity": "long"}, "spec.identity"),
        ({"count": 1}, "spec.period"),
        ({"period": 5}, "spec.period"),
        ({"period": None}, "spec.period"),
        ({"period": "1h", "isOn": "true"}, "spec.isOn"),
        ({"period": "1h", "name": ""}, "spec.name"),
        ({"period": "1h", "name": "much too long"}, "spec.name"),
        ({"period": "1h", "people": {"users": ["a", "a"]}}, "spec.people.users[1]"),
        ({"period": "1h", "refs": [{"name": "a"}, {"name": "a"}]}, "spec.refs[1]"),
        ({"period": "1h", "refs": []}, "spec.refs"),
        ({"period": "1h", "refs": [{"name": c} for c in "abcd"]}, "spec.refs"),
        ({"period": "1h", "refs": [{"value": "x"}]}, "spec.refs[0].name"),
        ({"period": "1h", "limits": {"a": "b"}}, "spec.limits.a"),
        ({"period": "1h", "port": True}, "spec.port"),
    ],
    ids=str,
)
def test_what_the_schema_forbids_is_named(target: Api, home: str, spec: dict[str, Any], field: str) -> None:
    answer = target.create(lamps(home), lamp("a", spec))
    assert answer.status == 422
    assert field in answer.fields


@pytest.mark.parametrize(
    "spec",
    [
        {"period": "9999h", "count": 1, "identity": "short", "port": "http", "remark": None},
        {"period": "1s", "port": 80, "limits": {"a": 1}, "isOn": False},
        {"period": "1m", "name": "n" * 8, "refs": [{"name": "a"}, {"name": "b"}]},
        {"period": "1h", "count": 5.0},
    ],
    ids=str,
)
def test_what_the_schema_allows_is_taken(target: Api, home: str, spec: dict[str, Any]) -> None:
    assert target.create(lamps(home), lamp("a", spec)).status == 201


def test_a_patch_is_held_to_the_schema_too(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a"))
    answer = target.merge(lamps(home, "a"), {"spec": {"count": 0}})
    assert (answer.status, answer.fields) == (422, ["spec.count"])
    status = target.merge(lamps(home, "a", "status"), {"status": {"phase": "Sleeping"}})
    # With an enum broken, the rules of the kind are not looked at, and that is told too.
    assert (status.status, status.fields) == (422, ["status.phase", "<nil>"])


def test_defaults_are_filled_and_come_back(target: Api, home: str) -> None:
    assert target.create(lamps(home), lamp("a")).get("spec", "rank") == 7
    assert target.merge(lamps(home, "a"), {"spec": {"rank": None}}).get("spec", "rank") == 7


def test_a_null_where_none_may_be_is_dropped_for_the_default(target: Api, home: str) -> None:
    answer = target.create(lamps(home), lamp("a", {"period": "1h", "rank": None, "remark": None}))
    assert answer.get("spec") == {"period": "1h", "rank": 7, "remark": None}


def test_unknown_fields_are_pruned_where_the_schema_is_closed(target: Api, home: str) -> None:
    answer = target.create(lamps(home), lamp("a", {"period": "1h", "bogus": 1, "anything": {"any": {"thing": 1}}}))
    assert answer.get("spec") == {"period": "1h", "rank": 7, "anything": {"any": {"thing": 1}}}


def test_unknown_fields_are_refused_when_asked_for(target: Api, home: str) -> None:
    body = lamp("a", {"period": "1h", "bogus": 1})
    answer = target.create(lamps(home), body, fieldValidation="Strict")
    assert answer.status == 400
    assert 'unknown field "spec.bogus"' in answer.get("message")
    warned = target.create(lamps(home), body, fieldValidation="Warn")
    assert 'unknown field \\"spec.bogus\\"' in warned.headers["Warning"]
    silent = target.create(lamps(home), {**body, "metadata": {"name": "b"}}, fieldValidation="Ignore")
    assert "Warning" not in silent.headers


def test_a_key_that_comes_twice_is_refused_when_asked_for(target: Api, home: str) -> None:
    text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1","x":"2"}}'
    answer = target.create(config_maps(home), text, fieldValidation="Strict")
    assert answer.status == 400
    assert 'duplicate field "data.x"' in answer.get("message")


def test_strictness_holds_for_patches(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a"))
    answer = target.merge(lamps(home, "a"), {"spec": {"bogus": 1}}, fieldValidation="Strict")
    assert answer.status in {400, 422}
    assert "spec.bogus" in answer.get("message")


def test_a_rule_of_the_kind_is_told_in_its_words(target: Api, home: str) -> None:
    answer = target.create(lamps(home), lamp("a", {"period": "1h", "people": {"users": [], "groups": []}}))
    assert answer.status == 422
    assert "somebody must own it" in answer.get("message")
    assert answer.fields == ["spec.people"]
    good = {"period": "1h", "people": {"users": ["x"], "groups": []}}
    assert target.create(lamps(home), lamp("a", good)).status == 201


def test_a_rule_may_compare_with_before(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a", {"period": "1h", "gateway": "one"}))
    answer = target.merge(lamps(home, "a"), {"spec": {"gateway": "two"}})
    assert (answer.status, answer.fields) == (422, ["spec.gateway"])
    assert "it stays" in answer.get("message")
    assert target.merge(lamps(home, "a"), {"spec": {"gateway": "one", "count": 8}}).status == 200


def test_a_deployment_is_filled_in(target: Api, home: str) -> None:
    answer = target.create(f"/apis/apps/v1/namespaces/{home}/deployments", deployment("d"))
    assert answer.get("spec", "replicas") == 1
    assert answer.get("spec", "strategy") == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"},
    }
    assert answer.get("spec", "template", "spec", "restartPolicy") == "Always"


def test_a_deployment_keeps_its_selector(target: Api, home: str) -> None:
    path = f"/apis/apps/v1/namespaces/{home}/deployments"
    target.create(path, deployment("d"))
    answer = target.merge(f"{path}/d", {"spec": {"selector": {"matchLabels": {"app": "else"}}}})
    assert answer.status == 422
    assert "field is immutable" in answer.get("message")


def test_a_deployment_selects_its_own_pods(target: Api, home: str) -> None:
    body = deployment("d")
    body["spec"]["template"]["metadata"]["labels"] = {"other": "label"}
    answer = target.create(f"/apis/apps/v1/namespaces/{home}/deployments", body)
    assert answer.status == 422
    assert answer.fields == ["spec.template.metadata.labels"]


def test_a_deployment_has_a_scale(target: Api, home: str) -> None:
    path = f"/apis/apps/v1/namespaces/{home}/deployments"
    target.create(path, deployment("d"))
    answer = target.get(f"{path}/d/scale")
    assert (answer.get("kind"), answer.get("spec", "replicas")) == ("Scale", 1)
    assert target.merge(f"{path}/d/scale", {"spec": {"replicas": 3}}).status == 200
    assert target.get(f"{path}/d").get("spec", "replicas") == 3


def test_text_in_a_config_map_is_text(target: Api, home: str) -> None:
    data = {"file.yaml": "a: 1\n# ü \u0085 \ufeff\n\ttab\r\n"}
    target.create(config_maps(home), settings("a", data))
    assert target.get(config_maps(home, "a")).get("data") == data
