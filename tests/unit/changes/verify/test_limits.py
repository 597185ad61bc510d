"""Limits, predicates and counters against the stamps: the promise of the upgrade, subscription by subscription."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from migrate.changes.rate_limit_identity.verify_limits import deviations
from migrate.changes.verify import verify_cluster
from migrate.maas import rate_limits
from migrate.maas.rate_limits import Member, Rate, group_limits, short_id
from migrate.records.verification import CheckResult
from tests import builders as b
from tests.unit.changes.plan import stories as s
from tests.unit.changes.verify.test_verify import contract

NOW = datetime(2026, 10, 3, 23, tzinfo=UTC)
KEY, ID, USER = rate_limits.KEY_FIELD, rate_limits.ID_FIELD, rate_limits.USER_FIELD


def member(name: str, identity: Any = "legacy", limit: int = 1000) -> Member:
    return Member(
        subscription=f"models-as-a-service/{name}",
        model="llm/llama",
        identity=identity,
        rates=(Rate(limit=limit, window="1m"),),
    )


def limit(*clauses: tuple[str, str], counters: tuple[str, ...], rate: int = 1000) -> Any:
    text = rate_limits.group_predicate(f'{field} == "{value}"' for field, value in clauses)
    return {
        "rates": [{"limit": rate, "window": "1m"}],
        "when": [{"predicate": text}],
        "counters": [{"expression": field} for field in counters],
    }


GOLD = member("gold")
KEYED = limit((KEY, GOLD.key), counters=(KEY, USER))


def found(live: Mapping[str, Any], *members: Member) -> list[str]:
    return list(deviations(live, group_limits(members), members))


def check_of(policy: Any, *subscriptions: Any, code: str = "LimitsMatchStamps") -> CheckResult:
    things = [
        *(thing for thing in s.cluster("3.6") if thing["kind"] not in {"MaaSSubscription", "TokenRateLimitPolicy"}),
        contract(),
        b.a_model_ref("llama"),
        *subscriptions,
        policy,
    ]
    verification = verify_cluster(b.a_snapshot(*things), NOW)
    return next(check for check in verification.checks if check.code == code)


def test_ch_06_a_legacy_subscription_matched_by_id_fails() -> None:
    gold = b.a_subscription("gold", "llama", rates=((1000, "1m"),), identity="legacy")
    other = limit((ID, "0123456789abcdef"), counters=(ID, USER))
    policy = b.a_policy("llama", {"tokens-1000-per-1m-id": other}, f"{s.DEFAULT}/gold")

    check = check_of(policy, gold)

    assert check.result == "failed"
    assert 'gold by selected_subscription_key == "models-as-a-service/gold@llm/llama"' in check.observed
    assert 'no subscription there is by selected_subscription_id == "0123456789abcdef"' in check.observed


def test_ch_06_a_mix_of_key_and_id_in_one_limit_is_a_failure_of_its_own() -> None:
    mixed = limit((KEY, GOLD.key), counters=(ID, USER))

    lines = found({"tokens-1000-per-1m": mixed}, GOLD)

    assert "limit tokens-1000-per-1m matches by auth.identity.selected_subscription_key and counts by " + ID in lines


def test_ch_06_a_short_id_is_recomputed_not_only_matched_by_its_pattern() -> None:
    gold = member("gold", "short")
    right = limit((ID, short_id(gold.key)), counters=(ID, USER))
    wrong = limit((ID, "0123456789abcdef"), counters=(ID, USER))

    assert found({"tokens-1000-per-1m": right}, gold) == []
    assert any("does not match models-as-a-service/gold" in line for line in found({"tokens-1000-per-1m": wrong}, gold))


def test_limits_that_agree_have_nothing_to_say() -> None:
    members = (GOLD, member("old"), member("new", "short"), member("big", limit=5))

    assert found(group_limits(members), *members) == []


SPOILED = [
    pytest.param({}, "tokens-1000-per-1m is missing", id="missing"),
    pytest.param(
        {"tokens-1000-per-1m": KEYED, "a-b-tokens": KEYED}, "a-b-tokens is not one of them", id="one-too-many"
    ),
    pytest.param({"tokens-1000-per-1m": {**KEYED, "counters": [{"expression": USER}]}}, "counts by", id="old-counter"),
    pytest.param({"tokens-1000-per-1m": {**KEYED, "rates": []}}, "has the rates nothing", id="rates"),
    pytest.param(
        {"tokens-1000-per-1m": limit((KEY, GOLD.key), (KEY, "x/y@llm/llama"), counters=(KEY, USER))},
        "which does not belong there",
        id="a-stranger",
    ),
    pytest.param(
        {"tokens-1000-per-1m": {**KEYED, "when": [{"predicate": f'{KEY} == "{GOLD.key}"'}]}},
        "list of models",
        id="counts-the-list-of-models",
    ),
    pytest.param({"tokens-1000-per-1m": None}, "does not match", id="not-a-limit"),
]


@pytest.mark.parametrize(("live", "line"), SPOILED)
def test_each_deviation_is_said(live: Any, line: str) -> None:
    assert any(line in text for text in found(live, GOLD))


def test_a_split_group_is_named_with_its_members() -> None:
    old = b.a_subscription("old", "llama", identity="legacy")
    new = b.a_subscription("new", "llama", identity="short")
    policy = b.a_policy("llama", s.model_limits("3.6", old, new, model="llama"), f"{s.DEFAULT}/new", f"{s.DEFAULT}/old")

    check = check_of(policy, old, new, code="MixedGroupSplit")

    assert check.expected == "tokens-100-per-1m and tokens-100-per-1m-id"
    assert check.observed == "legacy: models-as-a-service/old; short: models-as-a-service/new"
    assert check_of(policy, old, new).result == "passed"


def test_a_subscription_that_the_policy_does_not_list_is_named() -> None:
    old = b.a_subscription("old", "llama", identity="legacy")
    policy = b.a_policy("llama", s.model_limits("3.6", old, model="llama"))

    check = check_of(policy, old)

    assert (check.result, check.observed) == (
        "failed",
        "models-as-a-service/old is missing in maas.opendatahub.io/subscriptions",
    )


def test_a_model_without_policy_fails_unless_nobody_needs_one() -> None:
    unlimited = b.a_subscription("free", "llama", identity="legacy", rates=())
    limited = b.a_subscription("gold", "llama", identity="legacy")
    unrelated = b.a_policy("other", {})

    assert check_of(unrelated, unlimited).result == "passed"
    assert check_of(unrelated, limited).result == "failed"


def test_a_long_list_of_deviations_is_cut_and_counted() -> None:
    many = [
        b.a_subscription(f"s-{number}", "llama", rates=((number + 1, "1m"),), identity="legacy") for number in range(30)
    ]

    check = check_of(b.a_policy("llama", {"x": {}}), *many)

    assert check.observed.count("; ") == 20
    assert "more" in check.observed
