"""Objects on both targets: what a server fills in, what it refuses and how it says so, deletion, dry runs."""

import re
from typing import Any

import pytest

from tests.contract.likeness import MERGE, Answer, Api, config_maps, lamps
from tests.contract.likeness_kinds import lamp, settings, street

STREETS = "/apis/likeness.example.com/v1/streets"
OTHER_UID = "11111111-1111-1111-1111-111111111111"


@pytest.fixture
def home(target: Api) -> str:
    return target.namespace()


def reason(answer: Answer) -> tuple[int, Any]:
    return answer.status, answer.get("reason")


def test_a_new_object_gets_its_identity(target: Api, home: str) -> None:
    made = target.create(config_maps(home), settings("a"))
    assert made.status == 201
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", made.get("metadata", "uid"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made.get("metadata", "creationTimestamp"))
    assert made.version > 0
    assert made.get("metadata", "namespace") == home
    assert "generation" not in made.body["metadata"]


def test_the_version_grows_with_a_change_and_only_then(target: Api, home: str) -> None:
    made = target.create(config_maps(home), settings("a"))
    changed = target.merge(config_maps(home, "a"), {"data": {"x": "1"}})
    same = target.merge(config_maps(home, "a"), {"data": {"x": "1"}})
    assert changed.version > made.version
    assert same.version == changed.version
    assert same.get("metadata", "managedFields") == changed.get("metadata", "managedFields")


def test_a_name_can_be_made_up(target: Api, home: str) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "made-"}}
    assert re.fullmatch(r"made-[a-z0-9]{5}", target.create(config_maps(home), body).get("metadata", "name"))


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}}, (422, "Invalid")),
        (settings("Not_A_Name"), (422, "Invalid")),
        (settings("a", namespace="elsewhere"), (400, "BadRequest")),
        ({**settings("a"), "kind": "Secret"}, (400, "BadRequest")),
        (settings("a", {"x": 5}), (400, "BadRequest")),
        ("{broken", (400, "BadRequest")),
        (settings("a", {"no/slash": "x"}), (422, "Invalid")),
        (settings("a", labels={"bad key!": "x"}), (422, "Invalid")),
    ],
    ids=["no name", "bad name", "other namespace", "other kind", "number as data", "no JSON", "bad key", "bad label"],
)
def test_a_bad_object_is_refused(target: Api, home: str, body: Any, refused: tuple[int, str]) -> None:
    assert reason(target.create(config_maps(home), body)) == refused


def test_a_uid_cannot_be_changed(target: Api, home: str) -> None:
    made = target.create(config_maps(home), settings("a"))
    assert target.merge(config_maps(home, "a"), {"metadata": {"uid": OTHER_UID}}).status == 422
    body = {**made.body, "metadata": {**made.body["metadata"], "uid": OTHER_UID}}
    assert reason(target.put(config_maps(home, "a"), body)) == (409, "Conflict")


def test_a_namespace_must_be_there(target: Api) -> None:
    answer = target.create(config_maps("no-such-namespace"), settings("a"))
    assert reason(answer) == (404, "NotFound")
    assert answer.get("message") == 'namespaces "no-such-namespace" not found'


def test_a_namespace_that_ends_takes_nothing_new(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a", finalizers=["example.com/held"]))
    ended = target.delete(f"/api/v1/namespaces/{home}")
    assert ended.get("status", "phase") == "Terminating"
    refused = target.create(config_maps(home), settings("b"))
    assert reason(refused) == (403, "Forbidden")
    assert "because it is being terminated" in refused.get("message")
    target.merge(lamps(home, "a"), {"metadata": {"finalizers": None}})


def test_an_absent_object_is_named(target: Api, home: str) -> None:
    answer = target.get(config_maps(home, "nothing"))
    assert reason(answer) == (404, "NotFound")
    assert answer.get("message") == 'configmaps "nothing" not found'
    assert answer.get("details") == {"name": "nothing", "kind": "configmaps"}


def test_an_absent_custom_object_is_named_with_its_group(target: Api, home: str) -> None:
    answer = target.get(lamps(home, "nothing"))
    assert answer.get("message") == 'lamps.likeness.example.com "nothing" not found'
    assert answer.get("details") == {"name": "nothing", "group": "likeness.example.com", "kind": "lamps"}


def test_what_exists_is_not_created_again(target: Api, home: str) -> None:
    target.create(config_maps(home), settings("a"))
    answer = target.create(config_maps(home), settings("a"))
    assert reason(answer) == (409, "AlreadyExists")
    assert answer.get("message") == 'configmaps "a" already exists'


def test_methods_and_media_types_have_their_limits(target: Api, home: str) -> None:
    target.create(config_maps(home), settings("a"))
    assert reason(target.create(config_maps(home, "a"), settings("a"))) == (405, "MethodNotAllowed")
    assert reason(target.patch(config_maps(home, "a"), {}, "application/unknown")) == (415, "UnsupportedMediaType")
    assert target.get(f"/apis/likeness.example.com/v1/namespaces/{home}/nothings").status == 404


def test_a_stale_replacement_is_a_conflict(target: Api, home: str) -> None:
    made = target.create(config_maps(home), settings("a", {"x": "1"}))
    target.merge(config_maps(home, "a"), {"data": {"x": "2"}})
    answer = target.put(config_maps(home, "a"), {**made.body, "data": {"x": "3"}})
    assert reason(answer) == (409, "Conflict")
    assert answer.get("message").startswith('Operation cannot be fulfilled on configmaps "a": the object has been')
    assert target.get(config_maps(home, "a")).get("data") == {"x": "2"}


def test_a_patch_may_carry_its_precondition(target: Api, home: str) -> None:
    made = target.create(config_maps(home), settings("a", {"x": "1"}))
    changed = target.merge(config_maps(home, "a"), {"data": {"x": "2"}})
    stale = {"metadata": {"resourceVersion": str(made.version)}, "data": {"x": "3"}}
    fresh = {"metadata": {"resourceVersion": str(changed.version)}, "data": {"x": "3"}}
    assert reason(target.merge(config_maps(home, "a"), stale)) == (409, "Conflict")
    assert target.merge(config_maps(home, "a"), fresh).get("data") == {"x": "3"}


def test_a_patch_may_carry_the_uid_it_means(target: Api, home: str) -> None:
    made = target.create(lamps(home), lamp("a"))
    same = {"metadata": {"uid": made.get("metadata", "uid")}, "spec": {"count": 6}}
    assert target.merge(lamps(home, "a"), same).get("spec", "count") == 6
    assert target.merge(lamps(home, "a"), {"metadata": {"uid": OTHER_UID}, "spec": {"count": 7}}).status in {409, 422}


@pytest.mark.parametrize("what", ["resourceVersion", "uid"])
def test_a_deletion_may_carry_its_precondition(target: Api, home: str, what: str) -> None:
    made = target.create(config_maps(home), settings("a"))
    target.merge(config_maps(home, "a"), {"data": {"x": "2"}})
    wrong = str(made.version) if what == "resourceVersion" else OTHER_UID
    options = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {what: wrong}}
    answer = target.delete(config_maps(home, "a"), options)
    assert reason(answer) == (409, "Conflict")
    assert target.get(config_maps(home, "a")).status == 200


def test_a_custom_object_is_replaced_only_by_version(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a"))
    answer = target.put(lamps(home, "a"), lamp("a"))
    assert reason(answer) == (422, "Invalid")
    assert "must be specified for an update" in answer.get("message")


def test_what_is_absent_cannot_be_replaced(target: Api, home: str) -> None:
    assert reason(target.put(config_maps(home, "ghost"), settings("ghost"))) == (404, "NotFound")


def test_a_replacement_is_whole(target: Api, home: str) -> None:
    made = target.create(config_maps(home), settings("a", {"x": "1", "y": "2"}))
    assert target.put(config_maps(home, "a"), {**made.body, "data": {"x": "9"}}).status == 200
    assert target.get(config_maps(home, "a")).get("data") == {"x": "9"}


def test_status_has_a_door_of_its_own(target: Api, home: str) -> None:
    made = target.create(lamps(home), {**lamp("a"), "status": {"phase": "Active"}})
    assert not made.get("status")
    main = target.merge(lamps(home, "a"), {"status": {"phase": "Active"}, "spec": {"count": 6}})
    assert (main.get("status"), main.get("spec", "count")) == (None, 6)
    side = target.merge(lamps(home, "a", "status"), {"status": {"phase": "Active"}, "spec": {"count": 9}})
    assert (side.get("status", "phase"), side.get("spec", "count")) == ("Active", 6)
    assert target.get(lamps(home, "a", "status")).get("status", "phase") == "Active"


def test_status_can_be_replaced(target: Api, home: str) -> None:
    made = target.create(lamps(home), lamp("a"))
    body = {**made.body, "status": {"phase": "Pending"}, "spec": {"period": "9h"}}
    answer = target.put(lamps(home, "a", "status"), body)
    assert (answer.get("status"), answer.get("spec", "period")) == ({"phase": "Pending"}, "1h")


def test_generation_counts_changes_of_what_is_wanted(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a"))
    steps: list[tuple[tuple[str, ...], dict[str, Any]]] = [
        ((), {"metadata": {"annotations": {"x": "y"}}}),
        ((), {"spec": {"count": 6}}),
        ((), {"metadata": {"labels": {"x": "y"}}}),
        (("status",), {"status": {"phase": "Active"}}),
        ((), {"spec": {"count": 6}}),
        ((), {"spec": {"count": 7}}),
    ]
    seen = [target.merge(lamps(home, "a", *where), body).get("metadata", "generation") for where, body in steps]
    assert seen == [1, 2, 2, 2, 2, 3]


def test_a_finalizer_holds_an_object(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a", finalizers=["example.com/held"]))
    assert target.delete(lamps(home, "a")).get("kind") == "Lamp"
    held = target.get(lamps(home, "a"))
    assert re.fullmatch(r".*T\d\d:\d\d:\d\dZ", held.get("metadata", "deletionTimestamp"))
    assert held.get("metadata", "deletionGracePeriodSeconds") == 0
    assert held.get("metadata", "generation") == 2
    more = {"metadata": {"finalizers": ["example.com/held", "example.com/more"]}}
    assert target.merge(lamps(home, "a"), more).status == 422
    last = target.merge(lamps(home, "a"), {"metadata": {"finalizers": None}})
    assert last.status == 200
    assert target.get(lamps(home, "a")).status == 404


def test_a_plain_deletion_says_what_went(target: Api, home: str) -> None:
    made = target.create(lamps(home), lamp("a"))
    answer = target.delete(lamps(home, "a"))
    assert (answer.get("kind"), answer.get("status")) == ("Status", "Success")
    assert answer.get("details", "uid") == made.get("metadata", "uid")
    assert answer.get("details", "kind") == "lamps"


def test_many_are_deleted_by_selector(target: Api, home: str) -> None:
    for number in range(4):
        target.create(config_maps(home), settings(f"c{number}", labels={"k": str(number % 2)}))
    answer = target.delete(config_maps(home), labelSelector="k=0")
    assert (answer.status, answer.get("kind")) == (200, "ConfigMapList")
    assert target.get(config_maps(home)).names == ["c1", "c3"]


def test_a_dry_run_answers_and_stores_nothing(target: Api, home: str) -> None:
    assert target.create(config_maps(home), settings("a"), dryRun="All").status == 201
    assert target.get(config_maps(home, "a")).status == 404
    target.create(config_maps(home), settings("b", {"x": "1"}))
    assert target.merge(config_maps(home, "b"), {"data": {"x": "2"}}, dryRun="All").get("data") == {"x": "2"}
    assert target.delete(config_maps(home, "b"), dryRun="All").status == 200
    assert target.get(config_maps(home, "b")).get("data") == {"x": "1"}


def test_a_dry_run_is_as_strict(target: Api, home: str) -> None:
    assert target.create(lamps(home), lamp("a", {"period": "9d"}), dryRun="All").status == 422
    assert target.create(lamps(home), lamp("a"), dryRun="Some").status in {400, 422}


def test_a_dry_run_may_end_nothing_by_finalizer(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a", finalizers=["example.com/held"]))
    target.delete(lamps(home, "a"))
    target.patch(lamps(home, "a"), {"metadata": {"finalizers": None}}, MERGE, dryRun="All")
    assert target.get(lamps(home, "a")).get("metadata", "finalizers") == ["example.com/held"]
    target.merge(lamps(home, "a"), {"metadata": {"finalizers": None}})


def test_a_cluster_wide_object_has_no_namespace(target: Api, home: str) -> None:
    made = target.create(STREETS, street(home))
    assert made.status == 201
    assert "namespace" not in made.get("metadata")
    assert target.merge(f"{STREETS}/{home}", {"spec": {"count": 3}}).get("spec", "count") == 3
    assert target.delete(f"{STREETS}/{home}").status == 200


def test_an_immutable_config_map_keeps_its_data(target: Api, home: str) -> None:
    target.create(config_maps(home), {**settings("a", {"x": "1"}), "immutable": True})
    changed = target.merge(config_maps(home, "a"), {"data": {"x": "2"}})
    assert (changed.status, changed.fields) == (422, ["data"])
    freed = target.merge(config_maps(home, "a"), {"immutable": None})
    assert (freed.status, freed.fields) == (422, ["immutable"])
    assert target.merge(config_maps(home, "a"), {"metadata": {"labels": {"l": "1"}}}).status == 200
    assert target.delete(config_maps(home, "a")).status == 200


def test_a_too_large_config_map_is_refused(target: Api, home: str) -> None:
    answer = target.create(config_maps(home), settings("a", {"x": "y" * (1024 * 1024 + 1)}))
    assert answer.status == 422
    assert answer.get("details", "causes", 0, "reason") == "FieldValueTooLong"


def test_a_secret_takes_text_and_gives_base64(target: Api, home: str) -> None:
    path = f"/api/v1/namespaces/{home}/secrets"
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"k": "v"}}
    made = target.create(path, body)
    assert (made.get("data"), made.get("type"), made.get("stringData")) == ({"k": "dg=="}, "Opaque", None)
