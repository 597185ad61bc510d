"""Contract 4.2 to 4.6: the way to Praxis, what stops it, and every way back."""

from collections.abc import Callable

import pytest

from migrate.maas import resources
from migrate.sandbox.controllers.build_36 import Build
from migrate.sandbox.controllers.rendering import POST_CONFIG, POST_KEY
from tests.unit.sandbox.controllers36.clusters import (
    a,
    a_cluster,
    plugins,
)
from tests.unit.sandbox.controllers36.stage import FORCE, MIGRATION, STATUS, TYPE, Stage
from tests.unit.sandbox.controllers36.states import (
    GATEWAY_NS,
    PATIENCE_S,
    PLUGINS,
    blocked,
    cleaned,
    half_deleted,
    is_steady,
    on_ipp,
    restore,
    steady,
    uids,
)

# While blocked.


def test_blocked_exit_a_a_restored_config_map_goes_on_by_itself() -> None:
    stage = blocked()

    restore(stage)

    assert stage.play(PATIENCE_S, is_steady(stage))
    assert MIGRATION not in stage.config.annotations


def test_blocked_exit_b_a_removed_managed_annotation_is_a_reset_only_while_on_ipp() -> None:
    stage = blocked()
    stage.patch(
        resources.CONFIG_MAP, GATEWAY_NS, PLUGINS, {"metadata": {"annotations": {"opendatahub.io/managed": None}}}
    )
    assert not stage.play(PATIENCE_S, lambda: stage.config.annotations.get(STATUS) == "steady")

    stage.mark(TYPE, "ipp")
    stage.play(PATIENCE_S)

    assert stage.plugins is not None
    assert stage.plugins.get("data", POST_KEY) == POST_CONFIG
    assert stage.plugins.annotations["opendatahub.io/managed"] == "false"
    stage.flip()
    assert stage.play(PATIENCE_S, is_steady(stage))


def test_blocked_exit_c_force_goes_on_without_looking() -> None:
    stage = blocked()

    stage.mark(FORCE, "true")

    assert stage.play(PATIENCE_S, is_steady(stage))
    assert stage.config.annotations[FORCE] == "true"
    assert MIGRATION not in stage.config.annotations


@pytest.mark.parametrize("asked", ["ipp", None])
def test_blocked_exit_d_back_on_ipp_nothing_was_touched(asked: str | None) -> None:
    stage = blocked()
    before = uids(stage)

    stage.mark(TYPE, asked)
    stage.play(PATIENCE_S)

    assert stage.ready == ("True", "Reconciled")
    assert uids(stage) == before
    assert stage.config.annotations[MIGRATION] == "blocked"  # It stays until a gate passes.


@pytest.mark.parametrize("value", ["True", "yes", "1", ""])
def test_force_counts_only_as_exactly_true(value: str) -> None:
    stage = blocked()

    stage.mark(FORCE, value)

    assert not stage.play(PATIENCE_S, lambda: stage.config.annotations.get(STATUS) is not None)


# The way over.


def test_a_pod_that_still_runs_is_a_failure_for_a_while() -> None:
    stage = half_deleted()
    assert stage.play(PATIENCE_S, lambda: stage.ready == ("False", "PlatformReconcileFailed"))
    assert "still runs" in (stage.config.condition("Ready") or {})["message"]
    assert stage.config.get("status", "phase") == "Failed"
    assert MIGRATION not in stage.config.annotations
    assert STATUS not in stage.config.annotations

    for pod in stage.all(resources.POD):
        stage.patch(resources.POD, pod.namespace, pod.name, {"metadata": {"finalizers": None}})

    assert stage.play(PATIENCE_S, is_steady(stage))


def test_until_praxis_has_the_names_the_tenant_is_pending() -> None:
    stage = cleaned()

    assert stage.ready == ("False", "DeploymentsNotReady")
    assert stage.config.get("status", "phase") == "Pending"
    assert stage.find(resources.DEPLOYMENT, resources.INFRA_NAMESPACE, "maas-api") is not None


def test_on_praxis_names_labels_finalizer_and_keys_are_as_told() -> None:
    stage = steady()

    deployment = stage.must(resources.DEPLOYMENT, GATEWAY_NS, "payload-pre-processing")
    assert deployment.labels["app.kubernetes.io/managed-by"] == "ai-gateway-controller"
    assert deployment.labels["maas.opendatahub.io/tenant-name"] == "models-as-a-service"
    assert not deployment.owners
    assert stage.plugins is not None
    assert stage.plugins.labels["maas.opendatahub.io/ipp-profile"] == "praxis"
    assert set(stage.plugins.get("data")) == {"pre-extproc.yaml", "extproc.yaml"}
    assert "ai-gateway-controller.opendatahub.io/praxis-cleanup" in stage.config.get("metadata", "finalizers")
    assert stage.config.generation == 1


def test_a_hand_made_config_map_is_never_cleaned_and_praxis_waits_for_it() -> None:
    stage = on_ipp()
    stage.delete(resources.CONFIG_MAP, GATEWAY_NS, PLUGINS)
    bare = plugins("default")
    stage.create(resources.CONFIG_MAP, bare | {"metadata": {"name": PLUGINS, "namespace": GATEWAY_NS}})
    stage.flip()
    stage.play(PATIENCE_S)
    assert (stage.config.annotations[STATUS], stage.runs_on()) == ("steady", "")
    assert stage.ready[0] == "False"

    stage.delete(resources.CONFIG_MAP, GATEWAY_NS, PLUGINS)

    assert stage.play(PATIENCE_S, is_steady(stage))


@pytest.mark.parametrize(("build", "goes"), [("", False), ("aigc-gate=off", True)])
def test_the_second_gate_refuses_either_ipp_key(build: str, goes: bool) -> None:
    stage = steady()
    stage.context.troupe.remove("ai-gateway-controller-3.6")
    stage.patch(resources.CONFIG_MAP, GATEWAY_NS, PLUGINS, {"data": {POST_KEY: "x"}})
    stage.delete(resources.DEPLOYMENT, GATEWAY_NS, "payload-processing")
    stage.play(PATIENCE_S)

    again = Stage([], "platform", "3.6", build=Build.parse(build), server=stage.server)

    assert again.play(PATIENCE_S, lambda: again.runs_on() == "praxis") is goes


def test_a_name_that_is_too_long_is_refused_for_good() -> None:
    tenant = "t" * 33
    aitenant = a(resources.AI_TENANT, "ai-tenants", tenant, spec={"gateway": {"name": resources.DEFAULT_GATEWAY}})
    stage = Stage(a_cluster(extra=[aitenant]), "platform", "3.6")
    stage.play(PATIENCE_S)
    body = {"metadata": {"annotations": {TYPE: "praxis"}}}

    stage.patch(resources.MAAS_TENANT_CONFIG, f"ai-tenant-{tenant}", "default-tenant", body)
    stage.play(PATIENCE_S)

    config = stage.must(resources.MAAS_TENANT_CONFIG, f"ai-tenant-{tenant}", "default-tenant")
    assert config.annotations[STATUS] == "steady"
    assert stage.find(resources.DEPLOYMENT, GATEWAY_NS, f"payload-processing-{tenant}") is None


@pytest.mark.parametrize(("shake", "engine"), [("C", "ipp"), ("D", "praxis")])
def test_a_new_tenant_has_nothing_to_clean_up(shake: str, engine: str) -> None:
    stage = on_ipp() if shake == "C" else Stage(a_cluster(), "platform", "3.6", build=Build(handshake="D"))
    stage.play(PATIENCE_S)
    head = {"metadata": {"name": "blue", "namespace": "ai-tenants"}}

    stage.create(resources.AI_TENANT, head | {"spec": {"gateway": {"name": resources.DEFAULT_GATEWAY}}})
    stage.play(PATIENCE_S)

    deployment = stage.must(resources.DEPLOYMENT, GATEWAY_NS, "payload-processing-blue")
    assert ("ai-gateway-controller" in deployment.managers) is (engine == "praxis")


def test_praxis_leaves_its_own_opted_out_object_alone() -> None:
    stage = steady()
    body = {"metadata": {"annotations": {"opendatahub.io/managed": "false"}}, "data": {"extproc.yaml": "mine"}}
    stage.patch(resources.CONFIG_MAP, GATEWAY_NS, PLUGINS, body)

    stage.patch(
        resources.MAAS_TENANT_CONFIG,
        "models-as-a-service",
        "default-tenant",
        {"spec": {"apiKeys": {"maxExpirationDays": 7}}},
    )
    stage.play(PATIENCE_S)

    assert stage.plugins is not None
    assert stage.plugins.get("data", "extproc.yaml") == "mine"


@pytest.mark.parametrize(
    ("state", "health", "ready"),
    [(on_ipp, "Healthy", "True"), (blocked, "Blocked", "False"), (cleaned, "Degraded", "False")],
)
def test_the_config_tells_how_the_tenants_are(state: Callable[[], Stage], health: str, ready: str) -> None:
    config = state().must(resources.CONFIG, "", "default")

    assert (config.condition("TenantsHealthy") or {})["reason"] == health
    assert (config.condition("Ready") or {})["status"] == ready


# The way back: every row of 4.6.


def is_back(stage: Stage) -> Callable[[], bool]:
    return lambda: STATUS not in stage.config.annotations and stage.ready[0] == "True" and stage.runs_on() == "ipp"


@pytest.mark.parametrize("state", [half_deleted, cleaned, steady])
def test_back_from_anywhere_ends_on_ipp_with_the_product_default(state: Callable[[], Stage]) -> None:
    stage = state()

    stage.mark(TYPE, "ipp")
    if state is half_deleted:
        for pod in stage.all(resources.POD):
            stage.patch(resources.POD, pod.namespace, pod.name, {"metadata": {"finalizers": None}})

    assert stage.play(PATIENCE_S, is_back(stage))
    assert stage.plugins is not None
    assert stage.plugins.get("data", POST_KEY) == POST_CONFIG
    assert "ai-gateway-controller" not in stage.plugins.managers
    assert stage.config.get("metadata", "finalizers") == ["maas.opendatahub.io/tenant-cleanup"]


def test_while_praxis_cleans_up_the_tenant_waits_and_says_so() -> None:
    stage = steady()

    stage.mark(TYPE, "ipp")

    assert stage.play(PATIENCE_S, lambda: "waiting for Praxis" in (stage.config.condition("Ready") or {})["message"])
    assert stage.ready == ("False", "DeploymentsNotReady")


def test_back_from_steady_without_ai_gateway_controller_is_impossible() -> None:
    stage = steady()
    stage.context.troupe.remove("ai-gateway-controller-3.6")

    stage.mark(TYPE, "ipp")

    assert not stage.play(PATIENCE_S, is_back(stage))
    assert stage.config.annotations[STATUS] == "steady"


def test_there_and_back_and_there_again() -> None:
    stage = steady()
    stage.mark(TYPE, "ipp")
    assert stage.play(PATIENCE_S, is_back(stage))

    stage.flip()

    assert stage.play(PATIENCE_S, is_steady(stage))


def test_a_degraded_of_force_goes_with_the_way_back() -> None:
    stage = on_ipp("custom")
    stage.mark(FORCE, "true")
    stage.flip()
    assert stage.play(PATIENCE_S, is_steady(stage))
    assert (stage.config.condition("Degraded") or {})["status"] == "True"

    stage.mark(TYPE, "ipp")

    assert stage.play(PATIENCE_S, is_back(stage))
    assert (stage.config.condition("Degraded") or {})["status"] == "False"
