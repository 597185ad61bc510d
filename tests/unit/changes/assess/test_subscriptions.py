"""The identity that each subscription will have, the counters, and the policies as they are."""

from typing import Any

import pytest

from migrate.changes.platform.capacity import forecast_bytes
from migrate.maas import annotations, rate_limits, resources
from migrate.maas.rate_limits import Member, Rate
from migrate.records.objects import KubeObject, ObjectRef
from tests.builders import (
    a_cluster,
    a_crd,
    a_gap,
    a_gateway,
    a_model_ref,
    a_policy,
    a_subscription,
    an_auth_policy,
    an_object,
    annotated,
    changed,
    conditions,
    patched,
)
from tests.unit.changes.assess.judging import judged, loud, said, the

GOLD = "models-as-a-service/gold"


def _limits(*names: str, model: str = "granite", release: str = "3.5") -> dict[str, Any]:
    members = [
        Member(subscription=name, model=f"llm/{model}", identity="legacy", rates=(Rate(limit=100, window="1m"),))
        for name in names
    ]
    return rate_limits.legacy_limits(members) if release == "3.5" else rate_limits.group_limits(members)


def _with(subscription: dict[str, Any], release: str = "3.5", *more: dict[str, Any]) -> list[dict[str, Any]]:
    policy = a_policy("granite", _limits(GOLD, release=release), GOLD)
    return [*a_cluster(release), a_model_ref("granite"), policy, subscription, *more]


@pytest.mark.parametrize(
    ("subscription", "release", "expected", "why"),
    [
        pytest.param(a_subscription("gold"), "3.5", "legacy", "existed", id="existed-on-3.5"),
        pytest.param(changed(a_subscription("gold"), {"status": None}), "3.5", "short", "new", id="without-status"),
        pytest.param(a_subscription("gold", identity="short"), "3.6", "short", "stamped", id="a-stamp-stays"),
        pytest.param(a_subscription("gold", identity="legacy"), "3.6", "legacy", "stamped", id="a-stamp-stays-2"),
        pytest.param(
            a_subscription("gold", identity="legacy", spec={"rateLimitIdentity": "short"}),
            "3.6",
            "short",
            "spec",
            id="the-spec-wins",
        ),
        pytest.param(
            annotated(a_subscription("gold"), **{annotations.RATE_LIMIT_IDENTITY: "short"}),
            "3.6",
            "short",
            "V4",
            id="v4",
        ),
        pytest.param(a_subscription("gold", namespace="elsewhere"), "3.5", "unknown", "no tenant", id="orphan"),
    ],
)
def test_each_subscription_has_its_identity_by_uid_and_why(
    subscription: dict[str, Any], release: str, expected: str, why: str
) -> None:
    (found,) = judged(_with(subscription, release)).subscriptions

    assert (found.expected, found.uid) == (expected, subscription["metadata"]["uid"])
    assert why in found.why


def test_the_restart_of_counters_is_said_once_with_the_longest_window_in_use() -> None:
    things = _with(
        a_subscription("gold", rates=[(1, "90m"), (2, "3600s")]),
        "3.5",
        a_subscription("long", "other", rates=[(5, "24h")]),
        a_subscription("never", "other", rates=[(5, "9999h")]),
    )

    assert "longest window in use is 24h" in the(judged(things), "CountersRestart").message


def test_on_3_6_the_counters_have_restarted_already_and_nothing_is_said() -> None:
    assert loud(judged(_with(a_subscription("gold", identity="legacy"), "3.6"))) == set()


def test_a_build_that_stamps_nothing_promises_nothing_and_says_so_once() -> None:
    limits = {"rl-0123456789abcdef": {"when": [{"predicate": f'x == "{GOLD}@llm/granite"'}]}}
    policy = a_policy("granite", limits, GOLD, "models-as-a-service/silver")
    older = [a_crd(resources.MAAS_SUBSCRIPTION), policy, a_subscription("silver")]

    assessment = judged([*_with(a_subscription("gold"), "3.6"), *older])

    assert {one.expected for one in assessment.subscriptions} == {"unknown"}
    assert "V1" in the(assessment, "IdentityUnknown").message


def test_a_list_of_subscriptions_that_was_not_read_promises_nothing() -> None:
    assessment = judged(a_cluster(), gaps=[a_gap(resources.MAAS_SUBSCRIPTION)])

    assert assessment.subscriptions == ()
    assert the(assessment, "CouldNotRead").unreadable


COUNTERS = {"CountersRestart"}


@pytest.mark.parametrize(
    ("subscription", "codes"),
    [
        pytest.param(a_subscription("gold"), set(), id="healthy"),
        pytest.param(changed(a_subscription("gold"), {"status": None}), {"SubscriptionWithoutStatus"}, id="no-status"),
        pytest.param(a_subscription("gold", status={"phase": "Failed"}), {"SubscriptionNotActive"}, id="failed"),
        pytest.param(a_subscription("gold", status={"phase": "Ready"}), set(), id="ready-is-healthy-too"),
        pytest.param(
            a_subscription("gold", metadata={"deletionTimestamp": "2026-10-01T00:00:00Z"}),
            {"SubscriptionTerminating"},
            id="deleting",
        ),
        pytest.param(a_subscription("gold", rates=[(1, "9999h")]), {"WindowNotEnforced"}, id="window-too-long"),
        pytest.param(
            a_subscription("gold", spec={"rateLimitIdentity": "medium"}), {"IdentitySpecInvalid"}, id="unknown-identity"
        ),
        pytest.param(
            a_subscription("gold", namespace="elsewhere"),
            {"SubscriptionOrphaned", "SubscriptionNotInPolicy"},
            id="orphan",
        ),
        pytest.param(a_subscription("silver"), {"SubscriptionNotInPolicy"}, id="missing-in-its-policy"),
        pytest.param(a_subscription("gold", "gpt"), {"PolicyMissing"}, id="no-policy"),
    ],
)
def test_what_is_said_of_a_subscription(subscription: dict[str, Any], codes: set[str]) -> None:
    assert loud(judged(_with(subscription))) - COUNTERS == codes


def test_a_subscription_must_stand_in_the_annotation_and_in_the_limits() -> None:
    things = [
        *a_cluster(),
        a_model_ref("granite"),
        a_policy("granite", {}, GOLD),
        a_subscription("gold"),
    ]

    assert "its limits" in the(judged(things), "SubscriptionNotInPolicy").message


def test_a_short_member_is_found_by_its_id() -> None:
    member = Member(subscription=GOLD, model="llm/granite", identity="short", rates=(Rate(limit=100, window="1m"),))
    things = [
        *a_cluster("3.6"),
        a_model_ref("granite"),
        a_policy("granite", rate_limits.group_limits([member]), GOLD),
        a_subscription("gold", identity="short"),
    ]

    assert loud(judged(things)) == set()


def _policy(**sections: Any) -> dict[str, Any]:
    return changed(a_policy("granite", _limits(GOLD), GOLD), sections)


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        pytest.param(
            _policy(status={"conditions": conditions("Accepted")}), "PolicyNotAccepted", id="never-said-enforced"
        ),
        pytest.param(
            _policy(status={"conditions": [*conditions("Accepted"), *conditions("Enforced", status="False")]}),
            "PolicyNotAccepted",
            id="not-enforced",
        ),
        pytest.param(
            _policy(metadata={"annotations": {annotations.MANAGED: "false"}}), "PolicyOptedOut", id="opted-out"
        ),
    ],
)
def test_what_is_said_of_a_policy_does_not_block(policy: dict[str, Any], code: str) -> None:
    assessment = judged([*_with(a_subscription("gold")), policy])

    assert loud(assessment) - COUNTERS == {code}
    assert [one.decision for one in assessment.tenants] == ["proceed"]


def test_policies_on_one_route_are_named_together_as_existing_before() -> None:
    second = a_policy("llama", _limits("models-as-a-service/x", model="llama"), route="granite-kserve-route")

    found = the(judged([*_with(a_subscription("gold")), second]), "PoliciesShareARoute")

    assert "maas-trlp-granite and maas-trlp-llama" in found.message
    assert "before" in found.message


def test_the_opted_out_policy_of_a_gateway_is_said_and_a_missing_one_too() -> None:
    opted_out = annotated(an_auth_policy(), **{annotations.MANAGED: "false"})
    missing = [thing for thing in a_cluster() if thing["kind"] != "AuthPolicy"]

    assert "identity fields" in the(judged([*a_cluster(), opted_out]), "PolicyOptedOut").message
    assert the(judged(missing), "AuthPolicyMissing").impact == "advisory"


def test_a_model_that_is_not_ready_was_so_before() -> None:
    things = [*a_cluster(), a_model_ref("granite", status={"phase": "Pending"})]

    assert "before the migration" in the(judged(things), "ModelNotReady").message


def _route(matches: int) -> dict[str, Any]:
    return an_object(
        resources.HTTP_ROUTE,
        "llm",
        "granite-kserve-route",
        spec={
            "parentRefs": [{"name": "maas-default-gateway", "namespace": "openshift-ingress"}],
            "rules": [{"matches": [{}] * matches}],
        },
    )


def _members(count: int) -> dict[ObjectRef, tuple[Member, ...]]:
    ref = KubeObject(_route(1)).ref
    return {
        ref: tuple(
            Member(
                subscription=f"n/s{n}", model="llm/granite", identity="legacy", rates=(Rate(limit=n + 1, window="1m"),)
            )
            for n in range(count)
        )
    }


def test_the_forecast_gives_back_the_numbers_it_was_made_from() -> None:
    """19 matches: about 27 KB for each limit and listener."""
    size = forecast_bytes([KubeObject(_route(19))], _members(1), KubeObject(a_gateway()))

    assert size == pytest.approx(27 * 1024, rel=0.03)


@pytest.mark.parametrize(("count", "near"), [(20, False), (60, True)])
def test_a_configuration_near_the_limit_is_said_beforehand(count: int, near: bool) -> None:
    subscriptions = [a_subscription(f"s{n}", rates=[(n + 1, "1m")]) for n in range(count)]
    things = [*a_cluster(), _route(19), a_model_ref("granite"), *subscriptions]

    assert bool(said(judged(things), "LimitsNearSize")) is near


def test_the_usage_dashboard_that_3_6_removes_is_said_and_a_leftover_of_3_4_is_mentioned() -> None:
    owner = {"apiVersion": "maas.opendatahub.io/v1alpha1", "kind": "Config", "name": "default", "uid": "u"}
    name = resources.USAGE_DASHBOARD
    own = an_object(resources.PERSES_DASHBOARD, "redhat-ods-monitoring", name, metadata={"ownerReferences": [owner]})
    leftover = an_object(resources.PERSES_DASHBOARD, "redhat-ods-applications", name)

    assessment = judged([*a_cluster(), own, leftover])

    assert "usageMetricsDashboard" in the(assessment, "UsageDashboardOptIn").resolution
    assert the(assessment, "UsageDashboardLeftover").impact == "info"


def test_a_dashboard_that_is_asked_for_is_not_worth_a_word() -> None:
    owner = {"apiVersion": "maas.opendatahub.io/v1alpha1", "kind": "Config", "name": "default", "uid": "u"}
    own = an_object(
        resources.PERSES_DASHBOARD,
        "redhat-ods-monitoring",
        resources.USAGE_DASHBOARD,
        metadata={"ownerReferences": [owner]},
    )
    things = patched(a_cluster("3.6"), "Config", "default", {"spec": {"usageMetricsDashboard": True}})

    assert loud(judged([*things, own])) == set()
