"""Deletion: finalizers, policies and preconditions."""

from typing import Any

import pytest

from .driver import CONFIG_MAPS, CRDS, WIDGETS, Api, causes, config_map, crd, widget


def test_a_plain_delete_tells_of_success(api: Api) -> None:
    api.post(CONFIG_MAPS, config_map("a"))

    deleted = api.delete(CONFIG_MAPS + "/a").document

    assert (deleted["kind"], deleted["status"], deleted["details"]["name"]) == ("Status", "Success", "a")
    assert api("GET", CONFIG_MAPS + "/a").status == 404


def test_a_finalizer_holds_the_object(widgets: Api) -> None:
    path = WIDGETS + "/a"
    widgets.post(WIDGETS, widget("a", finalizers=["example.com/f"]))

    marked = widgets.delete(path).document
    added = widgets.merge(path, {"metadata": {"finalizers": ["example.com/f", "example.com/g"]}})
    freed = widgets.merge(path, {"metadata": {"finalizers": None}})

    assert marked["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:00Z"
    assert marked["metadata"]["generation"] == 2
    assert (added.status, causes(added)) == (422, ["metadata.finalizers"])
    assert freed.status == 200
    assert widgets("GET", path).status == 404


@pytest.mark.parametrize(
    ("policy", "finalizers"),
    [("Foreground", ["foregroundDeletion"]), ("Orphan", ["orphan"]), ("Background", None)],
)
def test_the_policy_becomes_a_finalizer(api: Api, policy: str, finalizers: list[str] | None) -> None:
    api.post(CONFIG_MAPS, config_map("a"))

    api.delete(CONFIG_MAPS + "/a", propagationPolicy=policy)

    left = api.get(CONFIG_MAPS + "/a")
    assert left["metadata"].get("finalizers") == finalizers if finalizers else left["code"] == 404


@pytest.mark.parametrize("precondition", [{"uid": "other"}, {"resourceVersion": "1"}])
def test_a_failed_precondition_is_a_conflict(api: Api, precondition: dict[str, Any]) -> None:
    api.post(CONFIG_MAPS, config_map("a"))

    refused = api.delete(CONFIG_MAPS + "/a", {"preconditions": precondition})

    assert (refused.status, refused.document["reason"]) == (409, "Conflict")
    assert api("GET", CONFIG_MAPS + "/a").status == 200


def test_a_collection_goes_by_selector(api: Api) -> None:
    for index in range(4):
        api.post(CONFIG_MAPS, config_map(f"c{index}", labels={"odd": str(index % 2)}))

    api.delete(CONFIG_MAPS, labelSelector="odd=1")

    assert [each["metadata"]["name"] for each in api.get(CONFIG_MAPS)["items"]] == ["c0", "c2"]


def test_a_crd_takes_its_objects_along(widgets: Api) -> None:
    widgets.post(WIDGETS, widget("free"))
    widgets.post(WIDGETS, widget("held", finalizers=["example.com/f"]))
    path = CRDS + "/widgets.example.com"

    widgets.delete(path)
    held = [each["metadata"]["name"] for each in widgets.get(WIDGETS)["items"]]
    waiting = widgets("GET", path).status
    widgets.merge(WIDGETS + "/held", {"metadata": {"finalizers": None}})

    assert (held, waiting) == (["held"], 200)
    assert widgets("GET", path).status == 404
    assert widgets("GET", WIDGETS).status == 404
    assert widgets.post(CRDS, crd()).status == 201
