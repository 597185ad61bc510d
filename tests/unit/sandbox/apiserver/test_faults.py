"""What goes wrong on demand, and what is written down."""

from typing import Any

import pytest

from migrate.sandbox.apiserver import Fault

from .driver import CONFIG_MAPS, LEASES, Api, config_map


def test_a_fault_strikes_as_often_as_it_says(api: Api) -> None:
    api.server.plant(Fault(verb="list", resource="configmaps", code=503, times=2, skip=1))

    assert [api("GET", CONFIG_MAPS).status for _ in range(5)] == [200, 503, 503, 200, 200]


@pytest.mark.parametrize(
    ("rule", "statuses"),
    [
        ({"verb": "create"}, [500, 404, 404]),
        ({"verb": "create,get"}, [500, 500, 404]),
        ({"name": "a"}, [500, 500, 500]),
        ({"name": "a", "verb": "delete"}, [201, 200, 500]),
        ({"resource": "secrets"}, [201, 200, 200]),
        ({"namespace": "other"}, [201, 200, 200]),
        ({"dry_run": True}, [201, 200, 200]),
        ({"user": "somebody"}, [201, 200, 200]),
        ({"subresource": "status"}, [201, 200, 200]),
    ],
)
def test_a_fault_strikes_whom_it_means(api: Api, rule: dict[str, Any], statuses: list[int]) -> None:
    api.server.plant(Fault(code=500, times=None, **rule))

    seen = [
        api.post(CONFIG_MAPS, config_map("a")).status,
        api("GET", CONFIG_MAPS + "/a").status,
        api("DELETE", CONFIG_MAPS + "/a").status,
    ]

    assert seen == statuses


def test_an_answer_may_be_lost_after_the_commit(api: Api) -> None:
    api.server.plant(Fault(verb="create", reset=True, when="after"))

    answer = api.post(CONFIG_MAPS, config_map("a"))

    assert answer.reset
    assert api("GET", CONFIG_MAPS + "/a").status == 200


def test_a_refusal_may_be_lost_too(api: Api) -> None:
    api.server.plant(Fault(verb="get", reset=True, when="after"))

    assert api("GET", CONFIG_MAPS + "/none").reset


def test_too_many_requests_say_when_to_come_again(api: Api) -> None:
    api.server.plant(Fault(code=429, headers={"Retry-After": "3"}))

    answer = api("GET", CONFIG_MAPS)

    assert (answer.headers["Retry-After"], answer.document["details"]) == ("3", {"retryAfterSeconds": 3})


def test_a_delay_is_left_to_the_transport(api: Api) -> None:
    api.server.plant(Fault(delay_s=2.5))

    answer = api("GET", CONFIG_MAPS)

    assert (answer.status, answer.delay_s) == (200, 2.5)


def test_watches_can_be_dropped(api: Api) -> None:
    hit, spared = api.watch(CONFIG_MAPS), api.watch(LEASES)

    api.server.plant(Fault(verb="watch", resource="configmaps", drop_watches=True))

    assert (hit.closed, spared.closed) == (True, False)


def test_a_watch_may_end_with_an_error(api: Api) -> None:
    stream = api.watch(CONFIG_MAPS)

    api.server.plant(Fault(verb="watch", drop_watches=True, code=410, times=0))

    assert [(event["type"], event["object"]["code"]) for event in stream.poll()] == [("ERROR", 410)]
    assert stream.closed


def test_history_can_be_lost_in_the_middle_of_a_list(api: Api) -> None:
    for index in range(3):
        api.post(CONFIG_MAPS, config_map(f"c{index}"))
    token = api.get(CONFIG_MAPS, limit=1)["metadata"]["continue"]
    api.server.plant(Fault(verb="list", expire=True))

    assert api("GET", CONFIG_MAPS, **{"limit": 1, "continue": token}).status == 410


def test_the_back_door_plants_lists_and_clears(api: Api) -> None:
    number = api.post("/sandbox/faults", {"verb": "get", "code": 500}).document["id"]
    bad = api.post("/sandbox/faults", {"verbs": "get"})
    struck = api("GET", CONFIG_MAPS + "/a").status
    (listed,) = api.get("/sandbox/faults")["items"]
    api.delete("/sandbox/faults", id=number)

    assert (bad.status, struck) == (400, 500)
    assert (listed["id"], listed["done"]) == (number, 1)
    assert api.get("/sandbox/faults")["items"] == []


def test_the_log_knows_what_was_asked(api: Api) -> None:
    api.post(CONFIG_MAPS, config_map("a"), dryRun="All")
    api("GET", CONFIG_MAPS + "/a")

    first, second = api.server.log.entries()

    assert (first.verb, first.resource, first.namespace, first.dry_run, first.code) == (
        "create",
        "configmaps",
        "default",
        True,
        201,
    )
    assert (second.verb, second.name, second.user, second.user_agent, second.code) == (
        "get",
        "a",
        "admin",
        "tester/1.0 (linux)",
        404,
    )
    api.get("/sandbox/faults")
    assert len(api.get("/sandbox/requests")["items"]) == 2


def test_a_fault_may_look_at_the_query(api: Api) -> None:
    api.server.plant(Fault(query={"continue": "*", "limit": "1"}, code=500, times=None))

    assert api("GET", CONFIG_MAPS, limit=1).status == 200
    page = {"limit": "1", "continue": "x"}
    assert api("GET", CONFIG_MAPS, **page).status == 500


def test_a_dry_run_in_the_body_is_written_down(api: Api) -> None:
    api.post(CONFIG_MAPS, config_map("a"))
    api.delete(CONFIG_MAPS + "/a", {"dryRun": ["All"]})

    assert [entry.dry_run for entry in api.server.log.entries()] == [False, True]
    assert api("GET", CONFIG_MAPS + "/a").status == 200
