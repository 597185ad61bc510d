"""The clusters that stories begin on: seeded, settled once, and forked for every world."""

import random
from dataclasses import dataclass
from functools import cache
from typing import Final

from migrate.records.objects import Json
from migrate.sandbox.apiserver import ApiServer
from migrate.sandbox.controllers import registry
from migrate.sandbox.controllers.player import PlayerContext
from migrate.sandbox.crds import crds_of
from migrate.sandbox.examples import example
from migrate.sandbox.inprocess import InProcessTransport
from migrate.sandbox.seeding import Loaded, prepared
from tests.torture.clock import START, Time

SETTLED_WITHIN_S: Final = 600.0


@dataclass(frozen=True, kw_only=True)
class Story:
    """
    A kind of cluster, and what the operator says.

    Attributes:
        version: ``3.5`` for the whole journey with the upgrade in it, ``3.6`` for the second half.

        more: Further subscriptions beside those of the example.
    """

    example: str
    version: str = "3.6"
    accept: tuple[str, ...] = ()
    translation: tuple[str, ...] = ()
    more: int = 0


@dataclass(frozen=True, kw_only=True)
class Base:
    """A settled cluster to fork from, and the time it took to settle."""

    story: Story
    server: ApiServer
    settled_at_s: float


@cache
def base_of(story: Story) -> Base:
    """Return the settled cluster of *story*, made once a process."""
    time = Time()
    server = ApiServer(clock=time, rng=random.Random(1))
    objects = [*example(story.example, story.version), *_subscriptions(story)]
    seeds = prepared(Loaded(objects, {}), crds_of(story.version), START.strftime("%Y-%m-%dT%H:%M:%SZ"))
    server.seed(seeds, manager="installer")
    context = play(server, time, story.version, speed=10.0)
    settle(time, context)
    context.view.close()
    server.compact()
    return Base(story=story, server=server, settled_at_s=time.passed_s)


def _subscriptions(story: Story) -> list[Json]:
    found = [thing for thing in example(story.example, story.version) if thing["kind"] == "MaaSSubscription"]
    if not found or not story.more:
        return []
    like = found[0]
    made = []
    for number in range(story.more):
        metadata = {**like["metadata"], "name": f"more-{number:04}"}
        owner = {"groups": [{"name": f"group-{number:04}"}]}
        made.append({**like, "metadata": metadata, "spec": {**like["spec"], "owner": owner}})
    return made


def play(server: ApiServer, time: Time, version: str, *, speed: float) -> PlayerContext:
    """Let the controllers of *version* play on *server*."""
    context = PlayerContext(transport=InProcessTransport(server), speed=speed, clock=time)
    has_36 = _is_upgraded(server)
    parts = ("platform", "3.6" if has_36 else version, *(("olm",) if version == "3.5" else ()))
    for part in parts:
        context.troupe.add(*registry.cast(part, context))
    time.troupe = context.troupe
    return context


def _is_upgraded(server: ApiServer) -> bool:
    path = "/apis/apps/v1/namespaces/redhat-ods-applications/deployments/ai-gateway-controller"
    return bool(server.get(path).get("kind") == "Deployment")


def settle(time: Time, context: PlayerContext) -> bool:
    """Let time pass until the controllers have nothing more to do."""
    time.pass_by(1.0)
    time.pass_by(SETTLED_WITHIN_S, lambda: context.troupe.settled)
    return context.troupe.settled
