"""Contract 6.3, 6.4, 6.5, 7.6, 8.1: stamps, grouped limits, the new access contract, the usage dashboard."""

import pytest

from migrate.maas import resources
from migrate.records.objects import Json, KubeObject, get_in
from migrate.sandbox.controllers.build_36 import Build
from tests.unit.sandbox.controllers36.clusters import a, a_cluster, a_model_ref, a_subscription, an_access_policy
from tests.unit.sandbox.controllers36.stage import Stage

NS = resources.DEFAULT_TENANT_NAMESPACE
OLD = {"phase": "Active"}
KEY, ID, USER = (
    {"expression": f"auth.identity.{name}"}
    for name in ("selected_subscription_key", "selected_subscription_id", "userid")
)


def a_granite_cluster(*subscriptions: Json, build: str = "") -> Stage:
    extra = [
        a(resources.LLM_INFERENCE_SERVICE, "llm", "granite", spec={}),
        a_model_ref("granite", "LLMInferenceService"),
        an_access_policy("granite"),
        *subscriptions,
    ]
    stage = Stage(a_cluster(extra=extra), "platform", "3.6", build=Build.parse(build))
    assert stage.play(300)
    return stage


def limits_of(stage: Stage) -> Json:
    found: Json = stage.must(resources.TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-granite").get("spec", "limits")
    return found


def stamps(stage: Stage) -> dict[str, str]:
    return {thing.name: thing.get("status", "rateLimitIdentity") for thing in stage.all(resources.MAAS_SUBSCRIPTION)}


def test_the_example_of_the_contract_to_the_letter() -> None:
    stage = a_granite_cluster(
        a_subscription("premium", "granite", (50000, "1m"), status=OLD),
        a_subscription("free", "granite", (100, "1m"), status=OLD),
        a_subscription("batch", "granite", (100, "1m"), status=OLD),
    )

    assert limits_of(stage) == {
        "tokens-100-per-1m": {
            "rates": [{"limit": 100, "window": "1m"}],
            "when": [
                {
                    "predicate": "(auth.identity.selected_subscription_key == "
                    '"models-as-a-service/batch@llm/granite" || auth.identity.selected_subscription_key == '
                    '"models-as-a-service/free@llm/granite") && !request.path.endsWith("/v1/models")'
                }
            ],
            "counters": [KEY, USER],
        },
        "tokens-50000-per-1m": {
            "rates": [{"limit": 50000, "window": "1m"}],
            "when": [
                {
                    "predicate": "auth.identity.selected_subscription_key == "
                    '"models-as-a-service/premium@llm/granite" && !request.path.endsWith("/v1/models")'
                }
            ],
            "counters": [KEY, USER],
        },
    }
    assert stamps(stage) == dict.fromkeys(("premium", "free", "batch"), "legacy")
    policy = stage.must(resources.TOKEN_RATE_LIMIT_POLICY, "llm", "maas-trlp-granite")
    assert policy.annotations["maas.opendatahub.io/subscriptions"] == f"{NS}/batch,{NS}/free,{NS}/premium"


def test_a_mixed_rate_set_is_split_and_unlimited_is_shared() -> None:
    stage = a_granite_cluster(
        a_subscription("old", "granite", (500, "1m"), status=OLD),
        a_subscription("new", "granite", (500, "1m")),
        a_subscription(
            "free", "granite", spec={"modelRefs": [{"name": "granite", "namespace": "llm", "unlimited": True}]}
        ),
    )

    limits = limits_of(stage)

    assert set(limits) == {"tokens-500-per-1m", "tokens-500-per-1m-id", "tokens-unlimited"}
    assert limits["tokens-500-per-1m"]["counters"] == [KEY, USER]
    assert limits["tokens-500-per-1m-id"]["counters"] == [ID, USER]
    assert set(limits["tokens-unlimited"]) == {"when"}
    assert stamps(stage) == {"old": "legacy", "new": "short", "free": "short"}


def test_a_stamp_stays_and_the_spec_goes_over_it() -> None:
    stage = a_granite_cluster(a_subscription("old", "granite", (500, "1m"), status=OLD))
    kind = resources.MAAS_SUBSCRIPTION

    stage.patch(kind, NS, "old", {"spec": {"priority": 7}})
    stage.play(60)
    assert stamps(stage) == {"old": "legacy"}

    stage.patch(kind, NS, "old", {"spec": {"rateLimitIdentity": "short"}})
    stage.play(60)
    assert stamps(stage) == {"old": "short"}
    assert limits_of(stage)["tokens-500-per-1m"]["counters"] == [ID, USER]

    stage.patch(kind, NS, "old", {"spec": {"rateLimitIdentity": None}})
    stage.play(60)
    assert stamps(stage) == {"old": "short"}


def test_deleted_and_created_again_is_a_new_one() -> None:
    old = a_subscription("old", "granite", (500, "1m"), status=OLD)
    stage = a_granite_cluster(old)
    stage.delete(resources.MAAS_SUBSCRIPTION, NS, "old")
    stage.play(60)

    stage.create(resources.MAAS_SUBSCRIPTION, {key: value for key, value in old.items() if key != "status"})
    stage.play(60)

    assert stamps(stage) == {"old": "short"}


def test_v4_stamps_by_annotation_and_a_build_without_stamps_makes_all_short() -> None:
    subscriptions = (
        a_subscription("old", "granite", (500, "1m"), status=OLD),
        a_subscription("new", "granite", (500, "1m")),
    )
    v4, none = (a_granite_cluster(*subscriptions, build=f"identity={name}") for name in ("V4", "none"))

    marks = {thing.name: thing.annotations for thing in v4.all(resources.MAAS_SUBSCRIPTION)}
    assert marks["old"]["maas.opendatahub.io/rate-limit-identity"] == "legacy"
    assert marks["new"]["maas.opendatahub.io/rate-limit-identity"] == "short"
    assert set(limits_of(v4)) == {"tokens-500-per-1m", "tokens-500-per-1m-id"}
    assert set(stamps(v4).values()) == {None}
    assert set(limits_of(none)) == {"tokens-500-per-1m"}
    assert limits_of(none)["tokens-500-per-1m"]["counters"] == [ID, USER]


def test_a_policy_that_is_opted_out_stays_on_the_old_contract() -> None:
    limits = {"models-as-a-service-old-granite-tokens": {"rates": [{"limit": 500, "window": "1m"}]}}
    policy = a(
        resources.TOKEN_RATE_LIMIT_POLICY,
        "llm",
        "maas-trlp-granite",
        metadata={"annotations": {"opendatahub.io/managed": "false"}},
        spec={"limits": limits},
    )

    stage = a_granite_cluster(a_subscription("old", "granite", (500, "1m"), status=OLD), policy)

    assert limits_of(stage) == limits


def test_the_access_policy_gets_the_short_id_its_header_and_the_denial_of_it() -> None:
    stage = a_granite_cluster()

    policy = stage.must(resources.AUTH_POLICY, resources.GATEWAY_NAMESPACE, "maas-gateway-auth")

    rules = policy.get("spec", "defaults", "rules")
    properties = get_in(rules, "response", "success", "filters", "identity", "json", "properties")
    assert len(properties) == 11
    assert {"selected_subscription_key", "selected_subscription_id"} <= set(properties)
    assert "X-MaaS-Subscription-Rate-Limit-Id" in get_in(rules, "response", "success", "headers")
    assert "x-maas-subscription-rate-limit-id" in str(get_in(rules, "authorization", "deny-client-identity-headers"))


@pytest.mark.parametrize(("owned", "wanted", "stays"), [(True, None, False), (True, True, True), (False, None, True)])
def test_the_usage_dashboard_is_opt_in_and_only_our_own_copy_goes(
    owned: bool, wanted: bool | None, stays: bool
) -> None:
    owner = {
        "apiVersion": "maas.opendatahub.io/v1alpha1",
        "kind": "Config",
        "name": "default",
        "uid": "x",
        "controller": True,
    }
    dashboard = a(
        resources.PERSES_DASHBOARD,
        resources.MONITORING_NAMESPACE,
        resources.USAGE_DASHBOARD,
        metadata={"ownerReferences": [owner]} if owned else {},
        spec={},
    )
    objects = [thing for thing in a_cluster(extra=[dashboard]) if thing["kind"] != "Config"]
    spec = {} if wanted is None else {"usageMetricsDashboard": wanted}

    stage = Stage([*objects, a(resources.CONFIG, "", "default", spec=spec)], "platform", "3.6")
    stage.play(300)

    found: KubeObject | None = stage.find(
        resources.PERSES_DASHBOARD, resources.MONITORING_NAMESPACE, resources.USAGE_DASHBOARD
    )
    assert (found is not None) is stays
