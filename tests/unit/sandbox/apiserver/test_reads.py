"""Lists, pages, selections, watches and layouts."""

from typing import Any

import pytest

from .driver import CONFIG_MAPS, CRDS, SPEC, WIDGETS, Api, config_map, crd, widget

TABLE = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}


def names(document: Any) -> list[str]:
    return [each["metadata"]["name"] for each in document["items"]]


def told(events: list[Any]) -> list[tuple[str, str]]:
    return [(event["type"], event["object"]["metadata"].get("name", "")) for event in events]


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("app=a", ["c0", "c3"]),
        ("app==a,x", ["c0"]),
        ("app!=a", ["c1", "c2", "c4", "c5"]),
        ("app in (a, b)", ["c0", "c1", "c3", "c4"]),
        ("app notin (a,b)", ["c2", "c5"]),
        ("!x,app=a", ["c3"]),
        ("", ["c0", "c1", "c2", "c3", "c4", "c5"]),
    ],
)
def test_labels_select(api: Api, selector: str, found: list[str]) -> None:
    for index in range(6):
        extra = {"x": "1"} if index < 2 else {}
        api.post(CONFIG_MAPS, config_map(f"c{index}", labels={"app": "abc"[index % 3], **extra}))

    assert names(api.get(CONFIG_MAPS, labelSelector=selector)) == found


@pytest.mark.parametrize(
    ("selector", "found"),
    [("spec.mode=short", ["a"]), ("spec.mode!=short,metadata.name!=c", ["b"]), ("metadata.name=c", ["c"])],
)
def test_declared_fields_select(widgets: Api, selector: str, found: list[str]) -> None:
    widgets.post(WIDGETS, widget("a", {"window": "1h", "mode": "short"}))
    widgets.post(WIDGETS, widget("b"))
    widgets.post(WIDGETS, widget("c"))

    assert names(widgets.get(WIDGETS, fieldSelector=selector)) == found


@pytest.mark.parametrize("query", [{"labelSelector": "a=(("}, {"fieldSelector": "spec.window=1h"}, {"continue": "x"}])
def test_a_bad_selection_is_refused(widgets: Api, query: dict[str, str]) -> None:
    assert widgets("GET", WIDGETS, **query).status == 400


def test_pages_show_one_moment(api: Api) -> None:
    for index in range(5):
        api.post(CONFIG_MAPS, config_map(f"c{index}"))
    page = api.get(CONFIG_MAPS, limit=2)
    api.post(CONFIG_MAPS, config_map("c0a"))
    api.delete(CONFIG_MAPS + "/c4")

    pages = [page]
    while token := pages[-1]["metadata"].get("continue"):
        pages.append(api.get(CONFIG_MAPS, **{"limit": 2, "continue": token}))

    assert page["metadata"]["remainingItemCount"] == 3
    assert [name for each in pages for name in names(each)] == ["c0", "c1", "c2", "c3", "c4"]
    assert len({each["metadata"]["resourceVersion"] for each in pages}) == 1


def test_a_page_of_a_forgotten_moment_is_expired_and_goes_on_in_the_present(api: Api) -> None:
    for index in range(4):
        api.post(CONFIG_MAPS, config_map(f"c{index}"))
    token = api.get(CONFIG_MAPS, limit=2)["metadata"]["continue"]
    api.post(CONFIG_MAPS, config_map("d"))
    api.server.compact()

    gone = api("GET", CONFIG_MAPS, **{"limit": 2, "continue": token})
    rest = api.get(CONFIG_MAPS, **{"continue": gone.document["metadata"]["continue"]})

    assert (gone.status, gone.document["reason"]) == (410, "Expired")
    assert names(rest) == ["c2", "c3", "d"]


def test_the_past_can_be_read_exactly(api: Api) -> None:
    then = api.post(CONFIG_MAPS, config_map("a")).document["metadata"]["resourceVersion"]
    api.delete(CONFIG_MAPS + "/a")

    past = api.get(CONFIG_MAPS, resourceVersion=then, resourceVersionMatch="Exact")
    future = api("GET", CONFIG_MAPS, resourceVersion="99999")

    assert names(past) == ["a"]
    assert future.status == 504


def test_a_watch_tells_what_comes(api: Api) -> None:
    api.post(CONFIG_MAPS, config_map("old"))
    stream = api.watch(CONFIG_MAPS, resourceVersion=api.get(CONFIG_MAPS)["metadata"]["resourceVersion"])
    api.post(CONFIG_MAPS, config_map("a"))
    api.merge(CONFIG_MAPS + "/a", {"data": {"x": "1"}})
    api.delete(CONFIG_MAPS + "/a")

    assert told(stream.poll()) == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]
    assert stream.poll() == []


def test_a_watch_replays_history_or_begins_with_what_there_is(api: Api) -> None:
    version = api.get(CONFIG_MAPS)["metadata"]["resourceVersion"]
    api.post(CONFIG_MAPS, config_map("a"))
    api.merge(CONFIG_MAPS + "/a", {"data": {"x": "1"}})

    assert told(api.watch(CONFIG_MAPS, resourceVersion=version).poll()) == [("ADDED", "a"), ("MODIFIED", "a")]
    assert told(api.watch(CONFIG_MAPS).poll()) == [("ADDED", "a")]


def test_leaving_the_selection_looks_like_deletion(api: Api) -> None:
    api.post(CONFIG_MAPS, config_map("a", labels={"k": "1"}))
    stream = api.watch(CONFIG_MAPS, labelSelector="k=1")
    stream.poll()

    api.merge(CONFIG_MAPS + "/a", {"metadata": {"labels": {"k": "2"}}})
    api.merge(CONFIG_MAPS + "/a", {"metadata": {"labels": {"k": "1"}}})

    assert told(stream.poll()) == [("DELETED", "a"), ("ADDED", "a")]


def test_a_watch_from_before_history_is_gone(api: Api) -> None:
    stream = api.watch(CONFIG_MAPS, resourceVersion="1")

    (event,) = stream.poll()

    assert (event["type"], event["object"]["code"], event["object"]["reason"]) == ("ERROR", 410, "Expired")
    assert stream.closed


def test_a_watch_ends_on_the_clock_with_a_bookmark(api: Api) -> None:
    stream = api.watch(CONFIG_MAPS, timeoutSeconds=90, allowWatchBookmarks="true")
    counts = []
    for seconds in (0, 61, 30):
        api.clock.advance(seconds)
        counts.append([event["type"] for event in stream.poll()])

    assert counts == [[], ["BOOKMARK"], ["BOOKMARK"]]
    assert stream.closed


def test_initial_events_end_with_a_bookmark(api: Api) -> None:
    api.post(CONFIG_MAPS, config_map("a"))

    stream = api.watch(
        CONFIG_MAPS, sendInitialEvents="true", resourceVersionMatch="NotOlderThan", allowWatchBookmarks="true"
    )

    added, bookmark = stream.poll()
    assert (added["type"], bookmark["type"]) == ("ADDED", "BOOKMARK")
    assert bookmark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


def test_history_is_bounded() -> None:
    api = Api(history_limit=3)
    start = api.get(CONFIG_MAPS)["metadata"]["resourceVersion"]
    for index in range(4):
        api.post(CONFIG_MAPS, config_map(f"c{index}"))

    assert api.watch(CONFIG_MAPS, resourceVersion=start).poll()[0]["type"] == "ERROR"


def test_a_new_schema_is_how_old_objects_are_read(widgets: Api) -> None:
    """A field that the new CRD does not know is out of sight, not lost; a new default is seen at once."""
    created = widgets.post(WIDGETS, widget("a", {"window": "1h", "limit": 5})).document
    stream = widgets.watch(WIDGETS)
    properties = {key: value for key, value in SPEC["properties"].items() if key != "limit"}
    changed = {"type": "object", "properties": {**properties, "added": {"type": "string", "default": "new"}}}

    widgets.merge(CRDS + "/widgets.example.com", {"spec": crd(changed)["spec"]})
    seen = widgets.get(WIDGETS + "/a")
    widgets.merge(CRDS + "/widgets.example.com", {"spec": crd()["spec"]})

    assert seen["spec"] == {"window": "1h", "priority": 7, "added": "new"}
    assert seen["metadata"] == created["metadata"]
    assert widgets.get(WIDGETS + "/a")["spec"]["limit"] == 5
    stream.poll()
    assert stream.closed


def test_every_served_version_shows_itself(widgets: Api) -> None:
    widgets.post(WIDGETS, widget("a"))

    found = widgets.get("/apis/example.com/v1alpha1/namespaces/default/widgets/a")

    assert found["apiVersion"] == "example.com/v1alpha1"


@pytest.mark.parametrize(
    ("path", "cells"),
    [(WIDGETS, ["a", "1h"]), (CONFIG_MAPS, ["a", 1, "5m"])],
)
def test_a_table_is_what_kubectl_prints(widgets: Api, path: str, cells: list[Any]) -> None:
    from migrate.sandbox.apiserver import Request  # noqa: PLC0415 - only here the driver is too narrow

    widgets.post(WIDGETS, widget("a"))
    widgets.post(CONFIG_MAPS, config_map("a", {"x": "1"}))
    widgets.clock.advance(300)

    table = widgets.server.handle(Request.to("GET", path, headers=TABLE)).document

    assert (table["kind"], table["rows"][0]["cells"]) == ("Table", cells)


def test_lists_of_two_moments_are_kept_apart(api: Api) -> None:
    api.post(CONFIG_MAPS, config_map("a"))
    first = api.get(CONFIG_MAPS)["metadata"]["resourceVersion"]
    api.post(CONFIG_MAPS, config_map("b"))
    second = api.get(CONFIG_MAPS)["metadata"]["resourceVersion"]
    api.delete(CONFIG_MAPS + "/a")

    found = [
        names(api.get(CONFIG_MAPS, resourceVersion=each, resourceVersionMatch="Exact"))
        for each in (first, second, first)
    ]

    assert found == [["a"], ["a", "b"], ["a"]]
    assert names(api.get(CONFIG_MAPS)) == ["b"]


def test_lists_are_in_the_order_of_keys(api: Api) -> None:
    """A dash comes before a slash, so the longer namespace comes first."""
    for namespace in ("a", "a-b"):
        api.post("/api/v1/namespaces", {"metadata": {"name": namespace}})
        api.post(f"/api/v1/namespaces/{namespace}/configmaps", config_map("x"))

    found = api.get("/api/v1/configmaps")["items"]

    assert [each["metadata"]["namespace"] for each in found] == ["a-b", "a"]
