"""What was promised against what is, object by object; unknown is never passed."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from migrate.changes.verify import needs_another_look, verify, verify_cluster
from migrate.maas import annotations as key
from migrate.maas import naming, resources
from migrate.records.assessment import ApiTranslation, Finding
from migrate.records.objects import KubeObject
from migrate.records.plan import Plan
from migrate.records.snapshot import Snapshot
from migrate.records.verification import CheckResult, Verification
from tests import builders as b
from tests.unit.changes.plan import stories as s

NOW = datetime(2026, 10, 3, 23, tzinfo=UTC)
TYPE, STATUS, FORCE = (
    key.PAYLOAD_PROCESSING_TYPE,
    key.PAYLOAD_PROCESSING_STATUS,
    key.FORCE_PAYLOAD_PROCESSING_MIGRATION,
)


def contract(tenant: str = s.DEFAULT) -> Any:
    """Return the gateway's AuthPolicy as 3.6 writes it."""
    fields = ("userid", "selected_subscription", "selected_subscription_key", "selected_subscription_id")
    denial = {"predicate": '!("x-maas-subscription-rate-limit-id" in request.headers)'}
    rules = {"deny-client-identity-headers": {"patternMatching": {"patterns": [denial]}}}
    policy = b.an_auth_policy(b.gateway_name_of(tenant), properties=fields)
    return b.changed(policy, {"spec": {"defaults": {"rules": {"authorization": rules}}}})


def moved(*extra: Any, tenants: tuple[str, ...] = (s.DEFAULT,)) -> list[Any]:
    """Return a cluster after a good move of these tenants."""
    things = [*s.cluster("3.6", *tenants)]
    for tenant in tenants:
        things += [*s.on_praxis(tenant), contract(tenant)]
    return [*things, *extra]


def a_plan(**facts: Any) -> Plan:
    return s.plan(s.cluster("3.6"), platform="3.6", tenants={s.DEFAULT: facts})


def look(*extra: Any, plan: Plan | None = None, without: str = "", **changes: Any) -> Verification:
    things = [thing for thing in moved(*extra) if KubeObject(thing).name != without or not without]
    return verify(plan or a_plan(), b.a_snapshot(*things, **changes), NOW)


def bad(verification: Verification, result: str = "failed") -> list[CheckResult]:
    return [check for check in verification.checks if check.result == result]


def codes(verification: Verification, result: str = "failed") -> list[str]:
    return [check.code for check in bad(verification, result)]


def test_a_good_move_passes_with_every_subscription_and_says_what_it_does_not_prove() -> None:
    verification = look()

    assert verification.passed, bad(verification)
    assert verification.identity.legacy == 2
    assert verification.generation == "handshake C or D, identity V5"
    assert any("Limitador" in line for line in verification.not_proved)
    assert any("streaming" in line for line in verification.not_proved)
    assert not needs_another_look(verification)


def test_ch_21_every_subscription_is_looked_at_and_the_counts_are_said() -> None:
    names = [f"user-{number}" for number in range(1203)]
    subscriptions = [b.a_subscription(name, "granite", identity="legacy") for name in names]
    policy = b.a_policy("granite", s.model_limits("3.6", *subscriptions), *(f"{s.DEFAULT}/{name}" for name in names))
    things = [thing for thing in s.cluster("3.6") if thing["kind"] != "MaaSSubscription"]
    plan = s.plan([*things, *subscriptions, policy], platform="3.6")
    snapshot = b.a_snapshot(*things, *s.on_praxis(), contract(), *subscriptions, policy)

    verification = verify(plan, snapshot, NOW)

    assert verification.passed
    assert verification.seen["MaaSSubscription.maas.opendatahub.io"] == 1203
    assert sum(check.code == "SubscriptionIdentity" for check in verification.checks) == 1203


def cases() -> list[Any]:
    config = s.on_praxis()[0]
    return [
        pytest.param(b.annotated(config, **{STATUS: "cleanup-complete"}), ["EngineSteady"], id="not-steady"),
        pytest.param(b.annotated(config, **{TYPE: "ipp"}), ["EngineAskedFor"], id="type-changed"),
        pytest.param(
            b.annotated(config, **{key.PAYLOAD_PROCESSING_MIGRATION: "blocked"}), ["MigrationMarkerGone"], id="marker"
        ),
        pytest.param(b.changed(config, {"metadata": {"generation": 2}}), ["TenantReady"], id="ready-is-stale"),
        pytest.param(b.changed(config, {"metadata": {"uid": "anew"}}), ["TenantPresent"], id="tenant-made-anew"),
        pytest.param(b.annotated(config, **{FORCE: "true"}), ["ForceRemoved"], id="force-left"),
        pytest.param(
            b.changed(config, {"spec": {"apiTranslation": {"enabled": True}}}),
            ["TranslationAsPlanned"],
            id="translated",
        ),
        pytest.param(
            b.a_deployment(naming.PAYLOAD_PROCESSING, resources.GATEWAY_NAMESPACE), ["PraxisDeployment"], id="ipp-runs"
        ),
        pytest.param(b.a_plugins_config_map(), ["PluginsOfPraxis", "OldPluginsGone"], id="old-plugins"),
        pytest.param(
            b.an_object(
                resources.ENVOY_FILTER, resources.GATEWAY_NAMESPACE, "payload-processing", spec={"priority": 1}
            ),
            ["EnvoyFilterRight"],
            id="filter",
        ),
        pytest.param(b.an_auth_policy(), ["AuthPolicyContract", "RateLimitHeaderDenied"], id="old-auth-policy"),
        pytest.param(
            b.changed(contract(), {"status": {"conditions": b.conditions("Accepted")}}),
            ["PolicyEnforced"],
            id="enforced",
        ),
        pytest.param(
            b.a_subscription("free", identity="short"), ["SubscriptionIdentity", "LimitsMatchStamps"], id="short"
        ),
        pytest.param(b.a_subscription("free"), ["SubscriptionIdentity"], id="unstamped"),
        pytest.param(
            b.changed(b.a_subscription("free", identity="legacy"), {"metadata": {"uid": "anew"}}),
            ["SubscriptionIdentity"],
            id="subscription-made-anew",
        ),
        pytest.param(
            b.changed(b.a_subscription("free", identity="legacy"), {"status": {"phase": "Failed"}}),
            ["SubscriptionPhase"],
            id="phase",
        ),
        pytest.param(
            b.changed(b.a_gateway(), {"status": {"conditions": b.conditions("Accepted")}}),
            ["GatewayProgrammed"],
            id="gw",
        ),
        pytest.param(
            b.a_deployment("maas-api", resources.INFRA_NAMESPACE, status={"availableReplicas": 0}),
            ["MaasApiRolledOut"],
            id="maas-api",
        ),
        pytest.param(b.a_config(spec={"usageMetricsDashboard": True}), ["UsageDashboard"], id="dashboard"),
    ]


@pytest.mark.parametrize(("thing", "failed"), cases())
def test_each_broken_promise_fails_its_own_check(thing: Any, failed: list[str]) -> None:
    verification = look(thing)

    assert codes(verification) == failed
    assert not verification.passed


def test_a_subscription_that_is_gone_is_failed_and_named() -> None:
    verification = look(without="free")

    assert verification.identity.unexpected == (f"MaaSSubscription {s.DEFAULT}/free: gone since the plan was made",)
    assert "SubscriptionIdentity" in codes(verification)


def test_what_was_not_read_is_unknown_and_never_passed() -> None:
    gaps = [b.a_gap(resources.MAAS_SUBSCRIPTION), b.a_gap(resources.ENVOY_FILTER)]
    things = [thing for thing in moved() if thing["kind"] not in {"MaaSSubscription", "EnvoyFilter"}]

    verification = verify(a_plan(), b.a_snapshot(*things, gaps=gaps), NOW)

    assert not verification.passed
    assert {"SubscriptionIdentity", "EnvoyFilterRight", "ListRead"} <= set(codes(verification, "unknown"))
    assert not codes(verification)


def test_an_identity_that_could_not_be_told_stays_unknown() -> None:
    plan = a_plan()
    entries = tuple(msgspec.structs.replace(entry, expected="unknown") for entry in plan.subscriptions.expected)
    open_plan = msgspec.structs.replace(
        plan, subscriptions=msgspec.structs.replace(plan.subscriptions, expected=entries)
    )

    assert set(codes(look(plan=open_plan), "unknown")) == {"SubscriptionIdentity"}


def test_what_was_broken_before_is_pre_existing() -> None:
    overridden = {"status": {"conditions": b.conditions("Accepted")}}
    failed = b.changed(b.a_subscription("free", identity="legacy"), {"status": {"phase": "Failed"}})
    policy = b.changed(s.cluster("3.6")[-2], overridden)
    found = Finding(
        code="SubscriptionNotActive", impact="advisory", object=KubeObject(failed).ref, message="it is Failed"
    )
    plan = s.plan([*s.cluster("3.6"), policy], platform="3.6", findings=(found,))

    verification = look(policy, failed, plan=plan)

    assert policy["kind"] == "TokenRateLimitPolicy"
    assert codes(verification, "pre-existing") == ["SubscriptionPhase", "PolicyEnforced"]
    assert verification.passed


def test_a_policy_that_opted_out_stays_on_the_old_contract_and_is_no_failure() -> None:
    out = {"metadata": {"annotations": {key.MANAGED: "false"}}}
    verification = look(b.changed(b.an_auth_policy(), out), b.changed(b.a_policy("granite", {"x-tokens": {}}), out))

    assert codes(verification, "pre-existing") == ["LimitsMatchStamps", "AuthPolicyContract"]
    assert verification.passed


def degraded(reason: str) -> Any:
    conditions = [*b.conditions("Ready"), {"type": "Degraded", "status": "True", "reason": reason}]
    return b.changed(s.on_praxis()[0], {"status": {"phase": "Degraded", "conditions": conditions}})


@pytest.mark.parametrize(
    ("facts", "reason", "passed"),
    [
        ({"force": True}, "CompatibilityRiskAccepted", True),
        ({"api_translation": ApiTranslation(before=False, after=False, written_by="operator")}, "Whatever", True),
        ({}, "PrerequisitesWarning", True),
        ({}, "CompatibilityRiskAccepted", False),
    ],
    ids=["forced", "translation-off", "a-warning", "nobody-accepted"],
)
def test_degraded_is_a_recorded_risk_only_where_somebody_accepted_one(facts: Any, reason: str, passed: bool) -> None:
    config = degraded(reason)
    if facts.get("api_translation"):
        config = b.changed(config, {"spec": {"apiTranslation": {"enabled": False}}})

    verification = look(config, plan=a_plan(**facts))

    assert verification.passed is passed
    assert "TenantDegraded" in codes(verification, "passed" if passed else "failed")
    assert reason in verification.recorded_risks[0]
    assert look().recorded_risks == ()


def test_the_loss_of_a_model_that_was_accepted_is_no_failure() -> None:
    models = (
        b.an_external_model("az-b", "azure-openai"),
        b.a_model_ref("az", kind="ExternalModel", spec={"modelRef": {"name": "az-b"}}),
    )
    user = b.a_subscription("azure", "az", identity="legacy", status={"phase": "Degraded"})
    before = b.a_policy("az", s.model_limits("3.6", user, model="az"), f"{s.DEFAULT}/azure")
    facts = {
        "external_models": (s.binding("azure-openai", "az-b"),),
        "api_translation": ApiTranslation(before=None, after=False, written_by="us"),
    }
    plan = s.plan(s.cluster("3.6", extra=(*models, user, before)), platform="3.6", tenants={s.DEFAULT: facts})
    config = b.changed(s.on_praxis()[0], {"spec": {"apiTranslation": {"enabled": False}}})

    verification = look(*models, user, config, plan=plan)

    assert verification.passed, bad(verification)
    assert [check.observed for check in verification.checks if "accepted" in check.observed] == [
        "Degraded: it names a model whose loss was accepted",
        "no policy: the model's only providers were given up as an accepted risk",
    ]


def test_one_tenant_is_verified_alone_and_keeps_its_force_until_then() -> None:
    facts: Any = {"redteam": {"force": True}, s.DEFAULT: {}}
    plan = s.plan(s.cluster("3.6", s.DEFAULT, "redteam"), platform="3.6", tenants=facts)
    forced = b.annotated(s.on_praxis("redteam")[0], **{FORCE: "true"})
    things = [*s.cluster("3.6", s.DEFAULT, "redteam"), *s.on_praxis("redteam"), contract("redteam"), forced]

    alone = verify(plan, b.a_snapshot(*things), NOW, tenants=("redteam",))
    whole = verify(plan, b.a_snapshot(*things), NOW)

    assert alone.passed, bad(alone)
    assert {check.tenant for check in alone.checks} == {"", "redteam"}
    assert not any(check.object and check.object.namespace == s.DEFAULT for check in alone.checks)
    assert {"ForceRemoved", "EngineSteady"} <= set(codes(whole))


def test_on_3_5_a_plan_promises_the_pin_and_no_stamp() -> None:
    plan = s.plan(s.cluster("3.5"))
    pinned = b.annotated(b.a_tenant_config(), **{TYPE: "ipp"})

    assert codes(verify(plan, b.a_snapshot(*s.cluster("3.5")), NOW)) == ["TenantPinned"]
    verification = verify(plan, b.a_snapshot(*s.cluster("3.5"), pinned), NOW)
    assert verification.passed
    assert (verification.generation, verification.identity.unstamped) == ("handshake none (3.5), identity V0", 2)


@pytest.mark.parametrize(
    ("codes_", "again"),
    [
        (["SubscriptionPhase"], True),
        (["LimitsMatchStamps", "PolicyAccepted"], True),
        (["SubscriptionPhase", "SubscriptionIdentity"], False),
        ([], False),
    ],
    ids=["flips", "several", "for-good", "none"],
)
def test_only_what_may_pass_by_itself_asks_for_another_look(codes_: list[str], again: bool) -> None:
    checks = tuple(CheckResult(code=code, expected="", observed="", result="failed") for code in codes_)

    assert needs_another_look(Verification(at="", checks=checks)) is again


def whole(*things: Any, **changes: Any) -> Verification:
    snapshot: Snapshot = b.a_snapshot(*things, **changes)
    return verify_cluster(snapshot, NOW)


@pytest.mark.parametrize(
    "things",
    [s.cluster("3.5"), s.cluster("3.5", s.DEFAULT, "redteam"), [*s.cluster("3.6"), contract()], moved()],
    ids=["3.5", "two-tenants", "3.6-on-ipp", "3.6-on-praxis"],
)
def test_a_cluster_that_agrees_with_itself_passes_without_a_plan(things: Any) -> None:
    verification = whole(*things)

    assert verification.passed, bad(verification)


@pytest.mark.parametrize(
    ("thing", "code"),
    [
        (b.annotated(b.a_tenant_config(), **{TYPE: "praxis"}), "HandOverFinished"),
        (b.annotated(b.a_tenant_config(), **{STATUS: "ai-gateway-controller-active"}), "HandOverFinished"),
        (b.annotated(s.on_praxis()[0], **{FORCE: "true"}), "ForceRemoved"),
        (b.a_subscription("free"), "SubscriptionStamped"),
        (b.a_subscription("new", identity="legacy", spec={"rateLimitIdentity": "short"}), "SubscriptionStamped"),
    ],
    ids=["half-way", "unknown-claim", "force", "unstamped", "spec-against-stamp"],
)
def test_a_cluster_that_does_not_agree_with_itself_fails(thing: Any, code: str) -> None:
    assert code in codes(whole(*moved(thing)))


def test_a_tenant_that_cannot_be_told_is_unknown() -> None:
    nameless = b.changed(b.a_tenant_config(), {"metadata": {"labels": {key.TENANT_NAME: None}}})

    assert "TenantKnown" in codes(whole(*s.cluster("3.6"), contract(), nameless), "unknown")


def test_nothing_looked_at_is_never_a_pass() -> None:
    empty = Snapshot(taken_at="", cluster=b.a_snapshot().cluster)

    assert not verify_cluster(empty, NOW).passed
