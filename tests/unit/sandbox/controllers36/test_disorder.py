"""
Goal: whatever people change their minds about, and whatever fails meanwhile, the last word is what comes.

Method: seeded disorder. A person flips and takes back at odd moments while
writes conflict, answers get lost and watches expire; then the faults stop and
the tenant must end where it was last asked to be, with every object in its place.
"""

import random

import pytest

from migrate.maas import resources
from migrate.sandbox.apiserver import Fault
from migrate.sandbox.controllers.build_36 import Build
from migrate.sandbox.controllers.refusals import ApiError
from tests.unit.sandbox.controllers36.clusters import a_cluster, a_model_ref, a_subscription, an_access_policy
from tests.unit.sandbox.controllers36.stage import STATUS, TYPE, Stage

ROUTES = {"praxis": "maas-gpt-4o", "ipp": "ipp-gpt-4o"}


def some_fault(rng: random.Random) -> Fault:
    times = rng.randint(1, 6)
    return rng.choice(
        [
            Fault(verb="patch", code=409, times=times),
            Fault(verb="create,update,patch,delete", reset=True, when=rng.choice(["before", "after"]), times=times),
            Fault(verb="watch", drop_watches=True, expire=True, times=2),
            Fault(verb="delete", code=503, times=2),
        ]
    )


def ask_for(stage: Stage, engine: str) -> None:
    """Ask until it is taken, as a person would."""
    for _ in range(50):
        try:
            stage.mark(TYPE, engine)
        except ApiError:
            continue
        return


def is_on(stage: Stage, engine: str) -> bool:
    claim = {"praxis": "steady", "ipp": None}[engine]
    return (stage.ready[0], stage.runs_on(), stage.config.annotations.get(STATUS)) == ("True", engine, claim)


@pytest.mark.parametrize("seed", range(8))
def test_the_last_word_is_what_comes(seed: int) -> None:
    rng = random.Random(seed)
    extra = [
        a_model_ref("gpt-4o"),
        an_access_policy("gpt-4o"),
        a_subscription("old", "gpt-4o", (100, "1m"), status={"phase": "Active"}),
    ]
    build = Build(handshake=rng.choice(["C", "D"]))
    stage = Stage(a_cluster("response", "anthropic", extra), "platform", "3.6", build=build)
    ask_for(stage, "ipp")
    stage.play(300)

    for _ in range(rng.randint(1, 6)):
        ask_for(stage, rng.choice(["praxis", "ipp"]))
        if rng.random() < 0.5:
            stage.server.plant(some_fault(rng))
        for _ in range(rng.randint(0, 60)):
            stage.context.troupe.step()
            stage.clock.seconds += rng.choice([0.05, 0.3, 1, 4])
    wanted = rng.choice(["praxis", "ipp"])
    ask_for(stage, wanted)

    assert stage.play(900, lambda: is_on(stage, wanted))
    assert stage.play(600)
    assert is_on(stage, wanted)
    policy = stage.must(resources.TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-gpt-4o")
    assert policy.get("spec", "targetRef", "name") == ROUTES[wanted]
    assert {route.name for route in stage.all(resources.HTTP_ROUTE)} & set(ROUTES.values()) == {ROUTES[wanted]}
    assert stage.all(resources.MAAS_SUBSCRIPTION)[0].get("status", "rateLimitIdentity") == "legacy"
