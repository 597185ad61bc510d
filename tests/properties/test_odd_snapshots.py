"""
Whatever a snapshot holds, it is judged or refused, and never a fault of ours.

Goal: nulls, lists where maps belong, numbers as names, control characters and other nonsense anywhere in any
object of a cluster. Method: one to five fields of a whole cluster replaced at random; assess, plan, render and
verify must end with records that can be written as JSON, or with an error that a person can act on.
"""

import copy
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from migrate.changes.assess import assess
from migrate.changes.plan import make_plan
from migrate.changes.plan_runbook import validate
from migrate.changes.rate_limit_identity.verify_limits import clauses_of
from migrate.changes.survey import config_maps_of
from migrate.changes.verify import verify_cluster
from migrate.errors import MigrateError
from migrate.records.assessment import Options
from migrate.records.objects import Json, KubeObject
from migrate.records.predicates import RolledOut, evaluate
from migrate.render.plan_text import plan_text
from migrate.store import codec
from migrate.store.runbooks import load_runbook
from tests.builders import a_cluster, a_snapshot

ODD: tuple[Any, ...] = (
    None, [], {}, 0, 5, -1, 1e300, True, "", "x\x1b[31m", "2026-99-99", "a" * 300, [None], {"a": None}, [{}], [[]],
)  # fmt: skip
ROUNDS = 60
AT = datetime(2026, 11, 30, tzinfo=UTC)
RUNBOOKS = {"3.5": "upgrade-3.5-to-3.6", "3.6": "ipp-to-praxis"}
OPTIONS = Options(by="x", accepted={"force-custom-plugins-configmap": "x"}, api_translation={"": True})

Path_ = tuple[Any, ...]


def paths(value: Any, above: Path_ = ()) -> Iterator[Path_]:
    if above:
        yield above
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from paths(item, (*above, key))


def spoilt(objects: list[Json], chance: random.Random) -> list[Json]:
    """Return a copy of *objects* with some fields replaced; kind, name and namespace still tell what each is."""
    found = copy.deepcopy(objects)
    for _ in range(chance.choice((1, 1, 2, 5))):
        thing = chance.choice(found)
        every = [path for path in paths(thing) if path[0] not in {"kind", "apiVersion"} and path != ("metadata",)]
        path = chance.choice([path for path in every if path[-1] not in {"name", "namespace"}])
        place = thing
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = copy.deepcopy(chance.choice(ODD))
    return found


@pytest.mark.parametrize("release", ["3.5", "3.6"])
@pytest.mark.parametrize("seed", range(3))
def test_an_odd_snapshot_is_judged_or_refused(release: str, seed: int) -> None:
    chance = random.Random(f"{release} {seed}")
    runbook = validate(msgspec.to_builtins(load_runbook(RUNBOOKS[release], Path()).runbook, str_keys=True))
    whole = a_cluster(release)

    judged = 0
    for _ in range(ROUNDS):
        objects = spoilt(whole, chance)
        try:
            snapshot = a_snapshot(*objects)
            plan = make_plan(snapshot, assess(snapshot, OPTIONS), runbook, OPTIONS)
            assert "\x1b" not in plan_text(plan)
            codec.encode(plan)
            codec.encode(verify_cluster(snapshot, AT))
            judged += 1
        except MigrateError:
            continue  # Refused, in words; the program ends with them.

    assert judged > ROUNDS / 2


@pytest.mark.parametrize("odd", ["1", None, [], {}, {"a": 1}])
@pytest.mark.parametrize("field", ["replicas", "updatedReplicas", "availableReplicas", "observedGeneration"])
def test_counts_that_are_no_numbers_are_not_a_rollout(field: str, odd: Any) -> None:
    status = {"replicas": 1, "updatedReplicas": 1, "availableReplicas": 1, "observedGeneration": 2}
    thing = KubeObject(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "a", "namespace": "b", "generation": 3},
            "spec": {"replicas": 1},
            "status": {**status, field: odd},
        }
    )

    assert not evaluate(RolledOut(object=thing.ref), {thing.ref: thing}).holds


@pytest.mark.parametrize("odd", [5, None, "x", {}, [5], [None]])
def test_a_limit_of_another_shape_compares_with_nothing(odd: Any) -> None:
    assert clauses_of({"when": odd, "rates": odd, "counters": odd}) == frozenset()


@pytest.mark.parametrize("odd", [5, {"a": 1}, [], None, ""])
def test_a_volume_of_another_shape_names_no_config_map(odd: Any) -> None:
    source = {"volumes": [{"configMap": {"name": odd}}], "containers": [{"envFrom": [{"configMapRef": {"name": odd}}]}]}
    thing = KubeObject({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": {"spec": source}}})

    assert config_maps_of(thing) == set()
