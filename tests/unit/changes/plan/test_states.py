"""The states of a move, seen on clusters: over, blocked, on the way, and when a stop may take the flip back."""

from typing import Any

import pytest

from migrate.changes.rate_limit_identity.plan import metadata_cache_ttl_s
from migrate.maas import annotations as key
from migrate.maas import naming, resources
from migrate.records.objects import KubeObject, ObjectRef
from migrate.records.predicates import Predicate, evaluate, refs_of
from tests import builders as b
from tests.unit.changes.plan import stories as s

BLOCKED, STATUS, TYPE = (
    key.PAYLOAD_PROCESSING_MIGRATION,
    key.PAYLOAD_PROCESSING_STATUS,
    key.PAYLOAD_PROCESSING_TYPE,
)


def holds(predicate: Predicate, *things: Any) -> bool:
    snapshot = b.a_snapshot(*things)
    view: dict[ObjectRef, KubeObject | None] = {ref: snapshot.find_ref(ref) for ref in refs_of(predicate)}
    return evaluate(predicate, view).holds


def wait() -> Any:
    return s.step(s.plan(s.cluster("3.6"), platform="3.6"), f"praxis:{s.DEFAULT}")


def flipped(ready: str = "True", reason: str = "Reconciled", **annotations: str) -> Any:
    config = b.annotated(b.a_tenant_config(), **{TYPE: "praxis"}, **annotations)
    condition = {"type": "Ready", "status": ready, "reason": reason, "observedGeneration": 1}
    return b.changed(config, {"status": {"conditions": [condition]}})


def test_the_move_is_over_when_praxis_serves_and_the_policies_hold() -> None:
    assert holds(wait().until, *s.cluster("3.6"), *s.on_praxis())


def spoiled() -> list[Any]:
    config = b.annotated(b.a_tenant_config(), **{TYPE: "praxis", STATUS: "steady"})
    same_uid = b.changed(b.a_praxis_config_map(), {"metadata": {"uid": b.a_plugins_config_map()["metadata"]["uid"]}})
    mixed = b.changed(s.on_praxis()[-1], {"data": {"custom-ipp-config.yaml": "x"}})
    ipp = b.a_deployment(naming.PAYLOAD_PROCESSING, resources.GATEWAY_NAMESPACE)
    not_rolled = b.changed(s.on_praxis()[1], {"status": {"availableReplicas": 0}})
    low = b.an_object(resources.ENVOY_FILTER, resources.GATEWAY_NAMESPACE, "payload-processing", spec={"priority": 9})
    broken = b.a_policy("granite", {}, "models-as-a-service/batch", status={"conditions": []})
    return [
        pytest.param(flipped(), id="status-absent"),
        pytest.param(flipped(**{STATUS: "cleanup-complete"}), id="not-claimed"),
        pytest.param(flipped(**{STATUS: "steady", BLOCKED: "blocked"}), id="still-marked"),
        pytest.param(flipped("False", "DeploymentsNotReady", **{STATUS: "steady"}), id="not-ready"),
        pytest.param(b.changed(config, {"metadata": {"generation": 2}}), id="ready-of-an-older-generation"),
        pytest.param(same_uid, id="the-old-config-map"),
        pytest.param(mixed, id="ipp-keys-left"),
        pytest.param(ipp, id="deployment-of-ipp"),
        pytest.param(not_rolled, id="praxis-not-available"),
        pytest.param(low, id="filter-too-low"),
        pytest.param(broken, id="policy-not-accepted"),
    ]


@pytest.mark.parametrize("thing", spoiled())
def test_the_move_is_not_over_while_one_sign_is_missing(thing: Any) -> None:
    assert not holds(wait().until, *s.cluster("3.6"), *s.on_praxis(), thing)


def test_degraded_by_an_accepted_risk_is_over_all_the_same() -> None:
    degraded = {"type": "Degraded", "status": "True", "reason": "CompatibilityRiskAccepted", "observedGeneration": 1}
    ready = {"type": "Ready", "status": "True", "reason": "Reconciled", "observedGeneration": 1}
    config = b.changed(
        b.annotated(b.a_tenant_config(), **{TYPE: "praxis", STATUS: "steady"}),
        {"status": {"phase": "Degraded", "conditions": [degraded, ready]}},
    )

    assert holds(wait().until, *s.cluster("3.6"), *s.on_praxis(), config)


def reason_of(config: Any) -> str:
    things = [*s.cluster("3.6"), config]
    return next((failure.reason for failure in wait().fails if holds(failure.when, *things)), "")


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        pytest.param(
            flipped("False", "DeploymentsNotReady", **{BLOCKED: "blocked"}), "PayloadProcessingBlocked", id="blocked"
        ),
        pytest.param(flipped(**{BLOCKED: "blocked"}), "", id="a-leftover-alone"),
        pytest.param(
            flipped("False", "PlatformReconcileFailed", **{BLOCKED: "blocked"}), "", id="leftover-while-cleaning"
        ),
        pytest.param(flipped("False", "DeploymentsNotReady"), "", id="on-the-way"),
        pytest.param(
            flipped("False", "DeploymentsNotReady", **{BLOCKED: "blocked", STATUS: "steady"}), "", id="claimed"
        ),
        pytest.param(b.annotated(flipped(), **{TYPE: "ipp"}), "", id="reverted-is-patched-again-by-the-engine"),
        pytest.param(b.changed(flipped(), {"metadata": {"uid": "beef"}}), "TenantReplaced", id="replaced"),
    ],
)
def test_only_a_refusal_after_our_write_ends_the_wait(config: Any, reason: str) -> None:
    assert reason_of(config) == reason
    assert all(failure.after_own_write for failure in wait().fails)


def test_ch_08_a_clean_up_that_waits_for_a_pod_is_named_so_and_is_no_failure() -> None:
    config = flipped("False", "PlatformReconcileFailed")
    said = next(hint.says for hint in wait().hints if holds(hint.when, *s.cluster("3.6"), config))

    assert reason_of(config) == ""
    assert "writer pod" in said


@pytest.mark.parametrize(
    ("thing", "whole"),
    [
        pytest.param(flipped(), True, id="nothing-happened"),
        pytest.param(flipped(**{STATUS: "cleanup-complete"}), False, id="handed-over"),
        pytest.param(
            b.changed(b.a_plugins_config_map(), {"metadata": {"uid": "new"}}), False, id="config-map-replaced"
        ),
        pytest.param(
            b.changed(b.a_plugins_config_map(), {"metadata": {"deletionTimestamp": "2026-10-03T22:00:00Z"}}),
            False,
            id="config-map-being-deleted",
        ),
        pytest.param(
            b.changed(
                b.a_deployment(naming.PAYLOAD_PRE_PROCESSING, resources.GATEWAY_NAMESPACE),
                {"metadata": {"deletionTimestamp": "2026-10-03T22:00:00Z"}},
            ),
            False,
            id="deployment-being-deleted",
        ),
    ],
)
def test_a_stop_withdraws_only_while_nothing_is_deleted(thing: Any, whole: bool) -> None:
    step = wait()

    assert holds(step.withdrawal.only_while, *s.cluster("3.6"), flipped(), thing) is whole
    assert "goes on by itself" in step.forward_note


def test_a_tenant_in_transition_is_not_flipped() -> None:
    flip = s.step(s.plan(s.cluster("3.6"), platform="3.6"), f"flip:{s.DEFAULT}")

    assert not holds(flip.forbidden_if, *s.cluster("3.6"))
    assert holds(flip.forbidden_if, *s.cluster("3.6"), b.annotated(b.a_tenant_config(), **{STATUS: "steady"}))
    assert holds(
        flip.forbidden_if, *s.cluster("3.6"), b.changed(b.a_plugins_config_map(), {"metadata": {"uid": "new"}})
    )


def test_nobody_waits_for_the_policy_of_a_model_whose_loss_was_accepted() -> None:
    models = (s.binding("azure-openai", "az-b"), s.binding("openai", "gpt-a"))
    extra = (
        b.a_model_ref("az", kind="ExternalModel", spec={"modelRef": {"name": "az-b"}}),
        b.a_model_ref("gpt", kind="ExternalModel", spec={"modelRef": {"name": "gpt-a"}}),
        b.a_policy("az", {}, f"{s.DEFAULT}/batch"),
        b.a_policy("gpt", {}, f"{s.DEFAULT}/batch"),
    )
    plan = s.plan(s.cluster("3.6", extra=extra), platform="3.6", tenants={s.DEFAULT: {"external_models": models}})

    names = {ref.name for ref in refs_of(s.step(plan, f"praxis:{s.DEFAULT}").until)}

    assert {"maas-trlp-gpt", "maas-trlp-granite"} <= names
    assert "maas-trlp-az" not in names


def gate() -> Any:
    return s.step(s.plan(s.cluster("3.5")), "gate")


def test_the_gate_is_closed_while_nothing_has_happened() -> None:
    assert holds(gate().closed_while, *s.cluster("3.5"))
    assert not holds(gate().open_when, *s.cluster("3.5"))


def test_the_gate_opens_when_the_platform_is_new_and_everything_has_settled() -> None:
    assert holds(gate().open_when, *s.cluster("3.6"))
    assert not holds(gate().closed_while, *s.cluster("3.6"))


@pytest.mark.parametrize(
    "thing",
    [
        pytest.param(b.a_subscription("free"), id="unstamped"),
        pytest.param(b.an_auth_policy(), id="old-auth-policy"),
        pytest.param(b.a_policy("granite", {"a-b-tokens": {}}), id="old-limits"),
        pytest.param(b.a_platform("3.5")[0], id="old-dsc"),
        pytest.param(b.a_crd(resources.CONFIG), id="old-crd"),
        pytest.param(
            b.a_deployment("ai-gateway-controller", resources.APPLICATIONS_NAMESPACE, status={"availableReplicas": 0}),
            id="controller-not-rolled-out",
        ),
    ],
)
def test_the_gate_waits_in_between(thing: Any) -> None:
    things = [*s.cluster("3.6"), thing]

    assert not holds(gate().open_when, *things)
    assert not holds(gate().closed_while, *things)


def test_a_policy_that_opted_out_does_not_keep_the_gate_shut() -> None:
    out: dict[str, Any] = {"metadata": {"annotations": {key.MANAGED: "false"}}}
    things = [*s.cluster("3.5"), b.an_auth_policy(**out), b.a_policy("granite", {"old-tokens": {}}, **out)]
    step = s.step(s.plan(things), "gate")

    assert holds(step.open_when, *s.cluster("3.6"), *things[-2:])


@pytest.mark.parametrize(
    ("container", "seconds"),
    [
        ({"args": ["--metadata-cache-ttl=900", "--authz-cache-ttl=30"]}, 900),
        ({"args": ["--metadata-cache-ttl", "120"]}, 120),
        (
            {
                "args": ["--metadata-cache-ttl=$(METADATA_CACHE_TTL)"],
                "env": [{"name": "METADATA_CACHE_TTL", "value": "7"}],
            },
            7,
        ),
        ({"args": ["--authz-cache-ttl=30"]}, 60),
        ({"args": ["--metadata-cache-ttl=soon"]}, 60),
        ({}, 60),
    ],
    ids=["one-arg", "two-args", "variable", "absent", "not-a-number", "no-args"],
)
def test_ch_14_the_pause_lasts_as_long_as_the_metadata_cache(container: Any, seconds: int) -> None:
    controller = b.a_deployment("maas-controller", resources.APPLICATIONS_NAMESPACE)
    controller["spec"]["template"]["spec"]["containers"] = [container]
    pause = s.step(s.plan([*s.cluster("3.5"), controller]), "cache")

    assert metadata_cache_ttl_s(KubeObject(controller))[0] == seconds
    assert (pause.seconds, pause.estimate_seconds) == (seconds, seconds)
    assert pause.timeout_seconds > seconds
