"""
Whatever a cluster holds, an assessment is made of it, and never a traceback.

Method: a whole cluster in which some fields, found at random, hold something else than they should.
"""

import copy
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from migrate.changes.assess import assess
from migrate.changes.survey import queries
from migrate.maas import rate_limits
from migrate.maas.rate_limits import Member, Rate
from tests.builders import (
    a_cluster,
    a_maas_external_model,
    a_model_ref,
    a_pod,
    a_policy,
    a_provider,
    a_snapshot,
    a_subscription,
    an_external_model,
    on_praxis,
)

LIMITS = rate_limits.legacy_limits(
    [
        Member(
            subscription="models-as-a-service/gold",
            model="llm/granite",
            identity="legacy",
            rates=(Rate(limit=1, window="1m"),),
        )
    ]
)
CLUSTERS = [
    [
        *things,
        a_subscription("gold"),
        a_policy("granite", LIMITS, "models-as-a-service/gold"),
        a_model_ref("granite"),
        a_provider("openai"),
        an_external_model("gpt"),
        a_maas_external_model("azure"),
        a_model_ref("azure", kind="ExternalModel", tenant="redteam"),
        a_pod("payload-processing-1-a", "openshift-ingress", app="payload-processing"),
    ]
    for things in (
        a_cluster("3.5", "models-as-a-service", "redteam"),
        on_praxis(a_cluster("3.6", "models-as-a-service", "redteam")),
    )
]
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, "", "x", 0, -1, 1.5, True, [], {}, [None], [[]], [{}], {"a": None}, "\x1b[31m", "é" * 300]
)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return every place of an object but its kind and name, which a server always gives."""
    entries: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        entries = list(value.items())
    elif isinstance(value, list):
        entries = list(enumerate(value))
    fixed = {("apiVersion",), ("kind",), ("metadata",), ("metadata", "name"), ("metadata", "namespace")}
    places = [(*path, key) for key, _ in entries if (*path, key) not in fixed]
    return places + [place for key, inner in entries for place in _paths(inner, (*path, key))]


PLACES = [[(number, path) for number, thing in enumerate(things) for path in _paths(thing)] for things in CLUSTERS]


def _set(things: list[dict[str, Any]], number: int, path: tuple[Any, ...], value: Any) -> None:
    target: Any = things[number]
    for part in path[:-1]:
        try:
            target = target[part]
        except (KeyError, IndexError, TypeError):
            return  # An earlier change of this example has taken the place away.
    if isinstance(target, dict) or (isinstance(target, list) and isinstance(path[-1], int) and path[-1] < len(target)):
        target[path[-1]] = value


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), which=st.integers(0, 1))
def test_no_odd_field_makes_it_fall_over(data: st.DataObject, which: int) -> None:
    things = copy.deepcopy(CLUSTERS[which])
    for number, path in data.draw(st.lists(st.sampled_from(PLACES[which]), min_size=1, max_size=4)):
        _set(things, number, path, data.draw(ODD))
    snapshot = a_snapshot(*things)

    assessment = assess(snapshot)

    assert queries(snapshot)
    assert all(one.message and one.resolution and one.source for one in assessment.findings)
    assert len(assessment.tenants) == 2
