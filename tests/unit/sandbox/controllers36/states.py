"""The states in which a decision is taken, each reached by playing. Contract 4.6."""

from collections.abc import Callable

from migrate.maas import resources
from migrate.sandbox.controllers.build_36 import Build
from migrate.sandbox.controllers.rendering import POST_CONFIG, POST_KEY
from tests.unit.sandbox.controllers36.clusters import a_cluster
from tests.unit.sandbox.controllers36.stage import MIGRATION, STATUS, Stage

GATEWAY_NS = resources.GATEWAY_NAMESPACE
PLUGINS = "payload-processing-plugins"
PATIENCE_S = 400


def on_ipp(text: str = "default", models: str = "none", *, build: str = "") -> Stage:
    stage = Stage(a_cluster(text, models), "platform", "3.6", build=Build.parse(build))
    assert stage.play(PATIENCE_S)
    assert stage.runs_on() == "ipp"
    return stage


def blocked() -> Stage:
    stage = on_ipp("custom")
    stage.flip()
    assert stage.play(PATIENCE_S)
    assert stage.config.annotations[MIGRATION] == "blocked"
    return stage


def half_deleted() -> Stage:
    """IPP is deleted but for a Pod that does not want to go."""
    stage = on_ipp()
    pod = next(pod for pod in stage.all(resources.POD) if pod.labels.get("app") == "payload-processing")
    stage.patch(resources.POD, pod.namespace, pod.name, {"metadata": {"finalizers": ["test/stays"]}})
    stage.flip()
    assert stage.play(PATIENCE_S, lambda: stage.plugins is None)
    return stage


def cleaned() -> Stage:
    """The names are free, and nobody claims them."""
    stage = on_ipp()
    stage.context.troupe.remove("ai-gateway-controller-3.6")
    stage.flip()
    assert stage.play(PATIENCE_S)
    assert stage.config.annotations[STATUS] == "cleanup-complete"
    return stage


def steady() -> Stage:
    stage = on_ipp()
    stage.flip()
    assert stage.play(PATIENCE_S)
    assert (stage.config.annotations[STATUS], stage.runs_on(), stage.ready[0]) == ("steady", "praxis", "True")
    return stage


def uids(stage: Stage) -> set[str]:
    kinds = (resources.DEPLOYMENT, resources.CONFIG_MAP, resources.SERVICE, resources.ENVOY_FILTER)
    return {thing.uid for kind in kinds for thing in stage.all(kind) if thing.namespace == GATEWAY_NS}


def restore(stage: Stage) -> None:
    stage.patch(resources.CONFIG_MAP, GATEWAY_NS, PLUGINS, {"data": {POST_KEY: POST_CONFIG}})


def is_steady(stage: Stage) -> Callable[[], bool]:
    # Ready alone is no proof that Praxis runs: it comes with the EnvoyFilter, the Pods come later.
    def holds() -> bool:
        return (stage.config.annotations.get(STATUS), stage.ready[0], stage.runs_on()) == ("steady", "True", "praxis")

    return holds
