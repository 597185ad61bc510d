"""Lists, pages, selectors and watches on both targets."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.contract.likeness import Api, Seen, config_maps, lamps
from tests.contract.likeness_kinds import lamp, settings


@pytest.fixture
def home(target: Api) -> str:
    return target.namespace()


@contextmanager
def meanwhile(*work: Callable[[], Any]) -> Iterator[None]:
    """Do *work* in another thread, a moment after the block began."""

    def do() -> None:
        threading.Event().wait(0.3)
        for step in work:
            step()

    thread = threading.Thread(target=do)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def of(seen: Seen, *names: str) -> list[tuple[str, str]]:
    return [(kind, name) for kind, name in seen.told if name in names]


def test_a_list_tells_its_kind_and_version(target: Api, home: str) -> None:
    answer = target.get(config_maps(home))
    assert (answer.get("kind"), answer.get("apiVersion")) == ("ConfigMapList", "v1")
    assert answer.version > 0


def test_items_of_a_custom_list_tell_their_kind_and_those_of_the_core_do_not(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a"))
    target.create(config_maps(home), settings("a"))
    assert target.get(lamps(home)).get("kind") == "LampList"
    assert target.get(lamps(home)).get("items", 0, "kind") == "Lamp"
    assert "kind" not in target.get(config_maps(home)).get("items", 0)


def test_an_empty_list_is_a_list(target: Api, home: str) -> None:
    assert target.get(lamps(home)).get("items") == []
    assert target.get(lamps("no-such-namespace")).get("items") == []


def test_pages_are_of_one_moment(target: Api, home: str) -> None:
    for number in range(5):
        target.create(lamps(home), lamp(f"c{number}"))
    pages = [target.get(lamps(home), limit=2)]
    assert pages[0].get("metadata", "remainingItemCount") == 3
    target.create(lamps(home), lamp("c1a"))
    while token := pages[-1].get("metadata", "continue"):
        pages.append(target.get(lamps(home), limit=2, **{"continue": token}))
    assert [page.names for page in pages] == [["c0", "c1"], ["c2", "c3"], ["c4"]]
    assert len({page.version for page in pages}) == 1


def test_a_page_that_holds_everything_has_no_next(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a"))
    answer = target.get(lamps(home), limit=500)
    assert answer.get("metadata", "continue") in {None, ""}
    assert answer.get("metadata", "remainingItemCount") is None


@pytest.mark.parametrize("token", ["bogus", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ"])
def test_a_token_that_nobody_gave_is_a_bad_request(target: Api, home: str, token: str) -> None:
    assert target.get(lamps(home), limit=2, **{"continue": token}).status == 400


@pytest.mark.parametrize(
    ("selector", "wanted"),
    [
        ("app=a", ["c0", "c3"]),
        ("app==a", ["c0", "c3"]),
        ("app!=a", ["c1", "c2", "c4", "c5"]),
        ("app in (a,b)", ["c0", "c1", "c3", "c4"]),
        ("app notin (a,b)", ["c2", "c5"]),
        ("x", ["c0", "c1"]),
        ("!x,app=a", ["c3"]),
        ("app=a,x=1", ["c0"]),
    ],
)
def test_labels_select(target: Api, home: str, selector: str, wanted: list[str]) -> None:
    for number in range(6):
        labels = {"app": "abc"[number % 3]} | ({"x": "1"} if number < 2 else {})
        target.create(lamps(home), lamp(f"c{number}", labels=labels))
    assert target.get(lamps(home), labelSelector=selector).names == wanted


def test_fields_select_where_they_are_declared(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a", {"period": "1h", "identity": "short"}))
    target.create(lamps(home), lamp("b"))
    assert target.get(lamps(home), fieldSelector="metadata.name=b").names == ["b"]
    assert target.get(lamps(home), fieldSelector="spec.identity=short").names == ["a"]
    assert target.get(lamps(home), fieldSelector="spec.period=1h").status == 400


def test_a_broken_selector_is_a_bad_request(target: Api, home: str) -> None:
    assert target.get(config_maps(home), labelSelector="app=((").status == 400
    assert target.get(config_maps(home), fieldSelector="nonsense").status == 400


def test_a_kind_is_listed_over_all_namespaces(target: Api, home: str) -> None:
    other = target.namespace()
    target.create(lamps(home), lamp("a", labels={"where": home}))
    target.create(lamps(other), lamp("b", labels={"where": home}))
    path = "/apis/likeness.example.com/v1/lamps"
    assert target.get(path, labelSelector=f"where={home}").names == ["a", "b"]


def test_an_object_is_read_at_every_served_version(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a"))
    answer = target.get(lamps(home, "a", version="v1alpha1"))
    assert answer.get("apiVersion") == "likeness.example.com/v1alpha1"


@pytest.mark.parametrize("version", ["0", ""])
def test_a_list_may_be_of_any_age(target: Api, home: str, version: str) -> None:
    target.create(lamps(home), lamp("a"))
    answer = target.get(lamps(home), resourceVersion=version)
    assert answer.status == 200
    assert answer.version > 0


def test_a_version_that_is_no_number_is_refused(target: Api, home: str) -> None:
    assert target.get(lamps(home), resourceVersion="abc").status in {400, 422}


def test_a_watch_tells_what_happens_from_a_version_on(target: Api, home: str) -> None:
    target.create(config_maps(home), settings("old"))
    version = target.get(config_maps(home)).version
    with meanwhile(
        lambda: target.create(config_maps(home), settings("a")),
        lambda: target.merge(config_maps(home, "a"), {"data": {"x": "1"}}),
        lambda: target.delete(config_maps(home, "a")),
    ):
        live = target.watch(config_maps(home), resourceVersion=version, count=3)
    told = [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]
    assert of(live, "a", "old") == told
    again = target.watch(config_maps(home), resourceVersion=version, count=3)
    assert of(again, "a", "old") == told
    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in again.events]
    assert versions == sorted(set(versions))
    assert versions[0] > version


def test_a_watch_without_version_begins_with_what_is_there(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a"))
    assert target.watch(lamps(home), count=1).told == [("ADDED", "a")]


def test_a_watch_can_be_of_one_object(target: Api, home: str) -> None:
    for name in ("a", "b"):
        target.create(lamps(home), lamp(name))
    seen = target.watch(lamps(home), fieldSelector="metadata.name=b", timeoutSeconds=1)
    assert seen.told == [("ADDED", "b")]


def test_a_watch_ends_when_it_was_asked_to(target: Api, home: str) -> None:
    seen = target.watch(lamps(home), timeoutSeconds=1)
    assert seen.ended_after_s is not None
    assert 0.8 < seen.ended_after_s < 4


def test_what_leaves_the_selection_is_told_as_deleted(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a", labels={"k": "1"}))
    version = target.get(lamps(home)).version
    with meanwhile(
        lambda: target.create(lamps(home), lamp("b", labels={"k": "2"})),
        lambda: target.merge(lamps(home, "a"), {"metadata": {"labels": {"k": "2"}}}),
        lambda: target.merge(lamps(home, "b"), {"metadata": {"labels": {"k": "1"}}}),
    ):
        seen = target.watch(lamps(home), labelSelector="k=1", resourceVersion=version, count=2)
    assert seen.told == [("DELETED", "a"), ("ADDED", "b")]


def test_a_bookmark_ends_the_beginning(target: Api, home: str) -> None:
    target.create(lamps(home), lamp("a"))
    query: dict[str, Any] = {
        "allowWatchBookmarks": "true",
        "sendInitialEvents": "true",
        "resourceVersionMatch": "NotOlderThan",
    }
    seen = target.watch(lamps(home), count=2, **query)
    assert [event["type"] for event in seen.events] == ["ADDED", "BOOKMARK"]
    metadata = seen.events[1]["object"]["metadata"]
    assert metadata["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert int(metadata["resourceVersion"]) > 0


def test_initial_events_need_their_match(target: Api, home: str) -> None:
    seen = target.watch(lamps(home), sendInitialEvents="true", timeoutSeconds=1)
    assert seen.status == 422


def test_history_that_is_gone_is_told_so(target: Api, home: str) -> None:
    seen = target.watch(config_maps(home), resourceVersion="1", count=1, timeoutSeconds=2)
    told = seen.events[0]["object"]
    assert (told["code"], told["reason"]) == (410, "Expired")


def test_many_watch_at_once(target: Api, home: str) -> None:
    seen: list[Seen] = []
    threads = [
        threading.Thread(target=lambda: seen.append(target.watch(lamps(home), count=1, within_s=15))) for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    target.create(lamps(home), lamp("a"))
    for thread in threads:
        thread.join()
    assert [each.told for each in seen] == [[("ADDED", "a")]] * 20
