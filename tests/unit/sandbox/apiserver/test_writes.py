"""Create, update and the rules that every write obeys."""

import pytest

from migrate.sandbox.apiserver import Request

from .driver import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    JSON_PATCH,
    LEASES,
    NAMESPACES,
    STRATEGIC,
    WIDGETS,
    Api,
    causes,
    config_map,
    deployment,
    widget,
)

OTHER_UID = "11111111-1111-1111-1111-111111111111"


def test_a_new_object_gets_its_system_fields(api: Api) -> None:
    created = api.post(CONFIG_MAPS, config_map("a", {"x": "1"}))

    metadata = created.document["metadata"]
    assert created.status == 201
    assert metadata["creationTimestamp"] == "2026-01-01T00:00:00Z"
    assert metadata["namespace"] == "default"
    assert metadata["managedFields"][0]["manager"] == "tester"
    assert "generation" not in metadata


def test_a_name_may_be_generated(api: Api) -> None:
    body = config_map("")
    body["metadata"] = {"generateName": "gen-"}

    assert len(api.post(CONFIG_MAPS, body).document["metadata"]["name"]) == 9


def test_a_taken_name_is_refused(api: Api) -> None:
    api.post(CONFIG_MAPS, config_map("a"))

    refused = api.post(CONFIG_MAPS, config_map("a"))

    assert (refused.status, refused.document["reason"]) == (409, "AlreadyExists")
    assert refused.document["message"] == 'configmaps "a" already exists'


@pytest.mark.parametrize("name", ["Bad_Name", "-a", "a..b", "x" * 254])
def test_a_bad_name_is_invalid(api: Api, name: str) -> None:
    refused = api.post(CONFIG_MAPS, config_map(name))

    assert refused.status == 422
    assert set(causes(refused)) == {"metadata.name"}


def test_a_namespace_must_exist_and_live(api: Api) -> None:
    api.post(NAMESPACES, {"metadata": {"name": "dying"}})
    api.delete(NAMESPACES + "/dying")

    absent = api.post("/api/v1/namespaces/none/configmaps", config_map("a"))
    dying = api.post("/api/v1/namespaces/dying/configmaps", config_map("a"))

    assert (absent.status, absent.document["message"]) == (404, 'namespaces "none" not found')
    assert (dying.status, causes(dying)) == (403, ["metadata.namespace"])


def test_a_namespace_goes_when_it_is_finalized(api: Api) -> None:
    api.post(NAMESPACES, {"metadata": {"name": "a"}})
    left = api.delete(NAMESPACES + "/a").document
    assert left["status"]["phase"] == "Terminating"

    done = api.put(NAMESPACES + "/a/finalize", {**left, "spec": {"finalizers": []}})

    assert done.status == 200
    assert api("GET", NAMESPACES + "/a").status == 404


def test_a_stale_version_is_a_conflict_even_for_a_patch_that_changes_nothing(api: Api) -> None:
    old = api.post(CONFIG_MAPS, config_map("a", {"x": "1"})).document
    api.merge(CONFIG_MAPS + "/a", {"data": {"x": "2"}})
    version = old["metadata"]["resourceVersion"]

    put = api.put(CONFIG_MAPS + "/a", old)
    patched = api.merge(CONFIG_MAPS + "/a", {"metadata": {"resourceVersion": version}, "data": {"x": "2"}})

    assert (put.status, patched.status) == (409, 409)
    assert patched.document["reason"] == "Conflict"


def test_a_wrong_uid_is_invalid_in_a_patch_and_a_conflict_in_an_update(api: Api) -> None:
    old = api.post(CONFIG_MAPS, config_map("a")).document
    wrong = {"uid": OTHER_UID, "resourceVersion": old["metadata"]["resourceVersion"]}

    patched = api.merge(CONFIG_MAPS + "/a", {"metadata": wrong})
    put = api.put(CONFIG_MAPS + "/a", {**old, "metadata": {**old["metadata"], **wrong}})

    assert (patched.status, causes(patched)) == (422, ["metadata.uid"])
    assert put.status == 409
    assert "UID in precondition" in put.document["message"]


def test_a_stale_version_is_told_before_a_wrong_uid(api: Api) -> None:
    api.post(CONFIG_MAPS, config_map("a"))

    refused = api.merge(CONFIG_MAPS + "/a", {"metadata": {"uid": OTHER_UID, "resourceVersion": "1"}})

    assert refused.status == 409


def test_an_unknown_field_is_told_before_a_stale_version(widgets: Api) -> None:
    widgets.post(WIDGETS, widget("a"))
    body = {"metadata": {"resourceVersion": "1"}, "spec": {"bogus": 1}}

    strict = widgets.merge(WIDGETS + "/a", body, fieldValidation="Strict")
    created = widgets.post(WIDGETS, widget("b", {"window": "1h", "bogus": 1}), fieldValidation="Strict")

    assert strict.status == 422
    assert 'unknown field "spec.bogus"' in strict.document["message"]
    assert created.status == 400


@pytest.mark.parametrize(("validation", "warned"), [("Warn", True), ("", True), ("Ignore", False)])
def test_an_unknown_field_may_be_warned_of(widgets: Api, validation: str, warned: bool) -> None:
    created = widgets.post(WIDGETS, widget("a", {"window": "1h", "bogus": 1}), fieldValidation=validation)

    assert created.status == 201
    assert "bogus" not in created.document["spec"]
    assert ("Warning" in created.headers) is warned


def test_a_write_that_changes_nothing_keeps_the_version(api: Api) -> None:
    before = api.post(CONFIG_MAPS, config_map("a", {"x": "1"})).document

    after = api.merge(CONFIG_MAPS + "/a", {"data": {"x": "1"}}).document

    assert after == before


def test_a_dry_run_stores_nothing(api: Api) -> None:
    api.post(CONFIG_MAPS, config_map("a", {"x": "1"}))
    revision = api.server.core.store.revision

    answers = [
        api.post(CONFIG_MAPS, config_map("b"), dryRun="All"),
        api.merge(CONFIG_MAPS + "/a", {"data": {"x": "2"}}, dryRun="All"),
        api.delete(CONFIG_MAPS + "/a", dryRun="All"),
        api.delete(CONFIG_MAPS, dryRun="All"),
        api.apply(CONFIG_MAPS + "/c", config_map("c"), "m", dryRun="All"),
    ]

    assert [answer.status for answer in answers] == [201, 200, 200, 200, 201]
    assert api.server.core.store.revision == revision
    assert api.post(CONFIG_MAPS, config_map("b"), dryRun="Some").status == 422


def test_a_custom_object_needs_a_version_to_be_replaced(widgets: Api) -> None:
    widgets.post(WIDGETS, widget("a"))

    refused = widgets.put(WIDGETS + "/a", widget("a"))

    assert (refused.status, causes(refused)) == (422, ["metadata.resourceVersion"])


@pytest.mark.parametrize(
    ("at", "status"),
    [
        ("2026-01-01T00:00:00.000000Z", 201),
        ("2026-01-01T00:00:00Z", 400),
        ("2026-01-01T00:00:00.123Z", 400),
        ("2026-01-01T00:00:00.1234567Z", 400),
    ],
)
def test_a_lease_is_renewed_at_six_digits(api: Api, at: str, status: int) -> None:
    spec = {"holderIdentity": "me", "leaseDurationSeconds": 60, "renewTime": at}

    created = api.post(LEASES, {"metadata": {"name": "l"}, "spec": spec})

    assert created.status == status
    if status == 400:
        assert "cannot parse" in created.document["message"]


def test_a_value_of_a_wrong_type_is_told_as_go_does(api: Api) -> None:
    body = {"metadata": {"name": "a"}, "data": {"some.key": 5}}

    message = api.post(CONFIG_MAPS, body).document["message"]

    assert message.endswith("json: cannot unmarshal number into Go struct field ConfigMap.data of type string")


def test_an_immutable_config_map_keeps_its_data(api: Api) -> None:
    api.post(CONFIG_MAPS, {**config_map("a", {"x": "1"}), "immutable": True})

    assert api.merge(CONFIG_MAPS + "/a", {"data": {"x": "2"}}).status == 422
    assert api.merge(CONFIG_MAPS + "/a", {"immutable": None}).status == 422
    assert api.merge(CONFIG_MAPS + "/a", {"metadata": {"labels": {"l": "1"}}}).status == 200


def test_annotations_have_a_limit(api: Api) -> None:
    fits = config_map("a", annotations={"k": "x" * 262_143})
    too_big = config_map("b", annotations={"k": "x" * 262_144})

    assert api.post(CONFIG_MAPS, fits).status == 201
    assert (api.post(CONFIG_MAPS, too_big).status, causes(api.post(CONFIG_MAPS, too_big))) == (
        422,
        ["metadata.annotations"],
    )


def test_a_huge_body_is_refused(api: Api) -> None:
    assert api.post(CONFIG_MAPS, b" " * (3 * 1024 * 1024 + 1)).status == 413


@pytest.mark.parametrize(
    ("method", "path", "kind", "body", "status"),
    [
        ("POST", CONFIG_MAPS + "/a", "", {}, 405),
        ("PUT", CONFIG_MAPS, "", {}, 405),
        ("POST", CONFIG_MAPS, "", b"{nope", 400),
        ("POST", CONFIG_MAPS, "text/plain", b"x", 415),
        ("PATCH", CONFIG_MAPS + "/a", "text/plain", b"{}", 415),
        ("PATCH", WIDGETS + "/a", STRATEGIC, {}, 415),
        ("POST", CONFIG_MAPS, "", {"kind": "Secret", "metadata": {"name": "a"}}, 400),
        ("POST", CONFIG_MAPS, "", {"metadata": {"name": "a", "namespace": "other"}}, 400),
        ("GET", "/apis/example.com/v1/namespaces/default/nopes", "", None, 404),
        ("GET", "/apis/none.example.com/v1/nopes", "", None, 404),
        ("GET", CONFIG_MAPS + "/a/status", "", None, 404),
        ("PATCH", CONFIG_MAPS + "/a", JSON_PATCH, {}, 400),
        ("GET", "/api/v1/configmaps/a", "", None, 404),
        ("GET", "/api/v1/namespaces/default/nodes", "", None, 404),
        ("POST", "/api/v1/configmaps", "", {}, 405),
        ("DELETE", "/api/v1/configmaps", "", None, 405),
        ("POST", CONFIG_MAPS + "?fieldManager=" + "m" * 129, "", {"metadata": {"name": "b"}}, 422),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(
    widgets: Api, method: str, path: str, kind: str, body: object, status: int
) -> None:
    widgets.post(CONFIG_MAPS, config_map("a"))

    assert widgets(method, path, body, kind).status == status


def test_generation_counts_what_is_wanted(widgets: Api) -> None:
    path = WIDGETS + "/a"
    seen = [
        widgets.post(WIDGETS, widget("a")),
        widgets.merge(path, {"metadata": {"labels": {"a": "b"}}}),
        widgets.merge(path + "/status", {"status": {"phase": "Ready"}}),
        widgets.merge(path, {"spec": {"limit": 5}}),
    ]

    assert [each.document["metadata"]["generation"] for each in seen] == [1, 1, 1, 2]


def test_status_and_spec_have_a_door_each(widgets: Api) -> None:
    path = WIDGETS + "/a"
    created = widgets.post(WIDGETS, {**widget("a"), "status": {"phase": "X"}}).document
    widgets.merge(path, {"status": {"phase": "Y"}, "spec": {"limit": 6}})
    widgets.merge(path + "/status", {"status": {"phase": "Z"}, "spec": {"limit": 99}})

    found = widgets.get(path)

    assert "status" not in created
    assert (found["spec"]["limit"], found["status"]) == (6, {"phase": "Z"})
    assert {entry.get("subresource") for entry in found["metadata"]["managedFields"]} == {None, "status"}


def test_a_deployment_is_filled_scaled_and_keeps_its_selector(api: Api) -> None:
    path = DEPLOYMENTS + "/d"
    created = api.post(DEPLOYMENTS, deployment("d")).document
    scaled = api.merge(path + "/scale", {"spec": {"replicas": 4}}).document
    moved = api.merge(path, {"spec": {"selector": {"matchLabels": {"a": "c"}}}})

    assert created["spec"]["strategy"]["type"] == "RollingUpdate"
    assert (scaled["kind"], scaled["spec"]) == ("Scale", {"replicas": 4})
    assert api.get(path)["metadata"]["generation"] == 2
    assert (moved.status, causes(moved)[0]) == (422, "spec.selector")


def test_a_secret_takes_plain_text(api: Api) -> None:
    body = {"metadata": {"name": "s"}, "stringData": {"k": "v"}}

    created = api.post("/api/v1/namespaces/default/secrets", body).document

    assert (created["data"], created["type"], "stringData" in created) == ({"k": "dg=="}, "Opaque", False)


def test_the_same_seed_makes_the_same_cluster() -> None:
    """Uids and revisions follow from the random source and the clock alone."""
    first, second = Api(), Api()

    for each in (first, second):
        each.post(CONFIG_MAPS, config_map("a"))

    assert first.get(CONFIG_MAPS) == second.get(CONFIG_MAPS)


def test_a_request_may_be_built_by_hand(api: Api) -> None:
    request = Request(method="GET", path="/version")

    assert api.server.handle(request).json()["gitVersion"].startswith("v1.")


@pytest.mark.parametrize(
    ("path", "metadata", "status"),
    [
        (LEASES, {}, 201),
        (LEASES, {"resourceVersion": "5"}, 201),
        (LEASES, {"uid": OTHER_UID}, 409),
        (CONFIG_MAPS, {}, 404),
        (CONFIG_MAPS, {"uid": OTHER_UID}, 404),
    ],
)
def test_an_update_of_nothing_creates_a_lease_only(api: Api, path: str, metadata: dict[str, str], status: int) -> None:
    """A lease with the uid of a deleted one is a conflict, so that nobody revives a lock he has lost."""
    assert api.put(path + "/a", {"metadata": {"name": "a", **metadata}}).status == status


def test_a_new_object_has_no_version_yet(api: Api) -> None:
    assert api.post(CONFIG_MAPS, config_map("a", resourceVersion="5")).status == 500


def test_a_fork_goes_its_own_way(widgets: Api) -> None:
    widgets.post(WIDGETS, widget("a"))
    version = widgets.get(WIDGETS)["metadata"]["resourceVersion"]
    other = Api()
    other.server = widgets.server.fork(clock=other.clock)

    other.merge(WIDGETS + "/a", {"spec": {"limit": 9}})
    other.post(WIDGETS, widget("b"))

    assert [each["metadata"]["name"] for each in widgets.get(WIDGETS)["items"]] == ["a"]
    assert "limit" not in widgets.get(WIDGETS + "/a")["spec"]
    events = other.watch(WIDGETS, resourceVersion=version).poll()
    assert [event["type"] for event in events] == ["MODIFIED", "ADDED"]


def test_what_is_empty_is_not_written(api: Api) -> None:
    """Go leaves empty maps out, so the last annotation takes the map with it."""
    api.post(CONFIG_MAPS, config_map("a", annotations={"k": "v"}))

    left = api.merge(CONFIG_MAPS + "/a", {"metadata": {"annotations": {"k": None}}}).document

    assert "data" not in left
    assert "annotations" not in left["metadata"]


@pytest.mark.parametrize("path", [WIDGETS + "/a", WIDGETS + "/a/status", DEPLOYMENTS + "/a", DEPLOYMENTS + "/a/status"])
def test_what_was_read_stays_as_it_was(widgets: Api, path: str) -> None:
    """A later write never reaches into a document that somebody holds."""
    widgets.post(WIDGETS, {**widget("a", {"window": "1h", "free": {"x": [1]}})})
    widgets.post(DEPLOYMENTS, deployment("a"))
    held = widgets.get(path)
    copy = widgets("GET", path).json()

    widgets.merge(path, {"spec": {"limit": 5}, "status": {"replicas": 1}, "metadata": {"labels": {"a": "b"}}})
    widgets.apply(path, {"status": {"replicas": 2}}, "m", force="true")
    widgets.delete(path, propagationPolicy="Foreground")

    assert held == copy
