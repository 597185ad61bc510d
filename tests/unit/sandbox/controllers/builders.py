"""Small objects for the tests of the played controllers."""

import functools
from datetime import datetime
from typing import Any

from migrate.records.objects import Json
from migrate.sandbox.apiserver import ApiServer
from migrate.sandbox.crds import crds_of
from migrate.sandbox.examples import example
from tests.unit.sandbox.controllers36.stage import Stage, VirtualClock

NAMESPACE = "work"


def a_deployment(name: str = "web", *, replicas: int = 1, config_map: str = "") -> Json:
    labels = {"app": name}
    spec: Json = {"containers": [{"name": "main", "image": "example/web:1"}]}
    if config_map:
        spec["volumes"] = [{"name": "config", "configMap": {"name": config_map}}]
    template = {"metadata": {"labels": labels}, "spec": spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template},
    }


def a_config_map(name: str, **metadata: Any) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": NAMESPACE, **metadata},
        "data": {"key": "value"},
    }


def a_platform(*objects: Json) -> Stage:
    """A cluster whose own controllers run, and no MaaS."""
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    return Stage([*crds_of("3.5"), namespace, *objects], "platform")


class StagesClock:
    """The time of a stage, for a server that is there before it."""

    stage: Stage | None = None

    def now(self) -> datetime:
        return (self.stage.clock if self.stage else VirtualClock()).now()


@functools.cache
def _settled_35(name: str) -> tuple[ApiServer, float]:
    stage = Stage([*crds_of("3.5"), *example(name, "3.5")], "platform", "3.5")
    assert stage.play(600)
    return stage.server, stage.clock.seconds


def a_35_cluster(name: str = "default") -> Stage:
    """An example on 3.5, settled; each call has a cluster of its own."""
    server, seconds = _settled_35(name)
    clock = StagesClock()
    stage = Stage([], "platform", "3.5", server=server.fork(clock=clock))
    stage.clock.seconds = seconds
    clock.stage = stage
    assert stage.play(600)
    return stage
