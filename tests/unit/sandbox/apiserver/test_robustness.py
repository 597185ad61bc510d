"""
Whatever is sent, the server answers.

Method: valid documents are damaged in one to three places, sent by every verb, and only the
answer's existence is looked at; the seed is fixed, so a failure comes again.
"""

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from .driver import (
    APPLY,
    CONFIG_MAPS,
    CRDS,
    DEPLOYMENTS,
    JSON_PATCH,
    MERGE,
    STRATEGIC,
    WIDGETS,
    Api,
    config_map,
    crd,
    deployment,
    widget,
)

VALUES: list[Any] = [None, 5, "x", [], {}, True, [1], [None], {"a": 1}, [{"a": None}], 1.5, "", {"$patch": "delete"}]
SPEC = {"window": "1h", "limit": 5, "users": ["a"], "rules": [{"key": "A", "v": "1"}], "free": {"x": [1]}}
OWNERS = [{"apiVersion": "v1", "kind": "K", "name": "n", "uid": "1"}]
DOCUMENTS = [
    (CONFIG_MAPS, config_map("a", {"x": "1"}, labels={"a": "b"}, finalizers=["a/b"], ownerReferences=OWNERS)),
    (WIDGETS, widget("a", SPEC, annotations={"x": "y"})),
    (DEPLOYMENTS, deployment("a")),
    (CRDS, crd()),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


def damaged(random: Random, document: Any) -> Any:
    made = copy.deepcopy(document)
    for _ in range(random.randint(1, 3)):
        *parents, last = random.choice(list(places(made)) or [("kind",)])
        node = made
        for key in parents:
            node = node[key]
        node[last] = copy.deepcopy(random.choice(VALUES))
    return made


@pytest.mark.parametrize("seed", range(4))
def test_every_request_has_an_answer(widgets: Api, seed: int) -> None:
    random = Random(seed)
    for path, document in DOCUMENTS:
        widgets.post(path, document)

    for _ in range(200):
        path, document = random.choice(DOCUMENTS)
        body, single = damaged(random, document), f"{path}/{document['metadata']['name']}"
        kind = random.choice([MERGE, STRATEGIC, APPLY, JSON_PATCH])
        change = [{"op": "replace", "path": "/spec", "value": body}] if kind == JSON_PATCH else body
        answers = [
            widgets.post(path, body),
            widgets.put(single, body),
            widgets("PATCH", single, change, kind, fieldManager="m"),
            widgets("DELETE", single, {"preconditions": random.choice(VALUES)}),
            widgets.post(path, document),
        ]
        assert all(200 <= answer.status <= 500 and answer.body for answer in answers)
