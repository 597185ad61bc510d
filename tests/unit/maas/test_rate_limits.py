"""Keys, ids, names, windows and limits, row by row of contract §6 and of the page "Upgrade to 3.6"."""

from typing import Any

import pytest

from migrate.maas import annotations
from migrate.maas.rate_limits import (
    Generation,
    Member,
    Rate,
    group_limits,
    identity_of,
    is_enforced,
    legacy_limits,
    limit_name,
    limits_of,
    member_of,
    model_refs_of,
    short_id,
    subscription_key,
    window_seconds,
)
from migrate.records.objects import KubeObject
from tests.builders import a_policy, a_subscription, annotated, changed

KEY = "auth.identity.selected_subscription_key"
ID = "auth.identity.selected_subscription_id"
USER = "auth.identity.userid"


def _member(
    subscription: str, identity: Generation = "legacy", rates: tuple[tuple[int, str], ...] = ((500, "1m"),), **more: Any
) -> Member:
    return Member(
        subscription=f"models-as-a-service/{subscription}",
        model="llm/granite",
        identity=identity,
        rates=tuple(Rate(limit=limit, window=window) for limit, window in rates),
        **more,
    )


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (("models-as-a-service", "demo-sub", "llm", "sim-chat"), "15d4c0904b3ebaf9"),
        (("models-as-a-service", "premium", "llm", "granite"), "63720e47583223ba"),
        (("models-as-a-service", "free-sub", "llm", "gpt"), "d5704e114dfff6cd"),
        (("team-a", "gold", "models", "llama-3"), "1b8bfa879fd6b434"),
    ],
    ids=["upstream", "premium", "free-sub", "gold"],
)
def test_the_short_id_of_the_vectors(key: tuple[str, str, str, str], expected: str) -> None:
    assert short_id(subscription_key(*key)) == expected


@pytest.mark.parametrize("key", ["/a@b/c", "a/@b/c", "a/b@/c", "a/b@c/", ""])
def test_an_empty_part_gives_an_empty_id(key: str) -> None:
    assert short_id(key) == ""


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        pytest.param([(500, "1m")], "tokens-500-per-1m", id="one"),
        pytest.param([(99999, "1s"), (1000, "1h")], "tokens-1000-per-1h-99999-per-1s", id="several-sorted-as-strings"),
        pytest.param([(1, "1m"), (1, "1m")], "tokens-1-per-1m", id="duplicates-removed"),
    ],
)
def test_the_name_of_a_rate_set(rates: list[tuple[int, str]], expected: str) -> None:
    assert limit_name(Rate(limit=limit, window=window) for limit, window in rates) == expected


@pytest.mark.parametrize(
    ("window", "seconds"),
    [
        ("1s", 1),
        ("2m", 120),
        ("1h", 3600),
        ("9999h", 9999 * 3600),
        ("0s", None),
        ("1d", None),
        ("", None),
        ("10000h", None),
    ],
)
def test_windows_are_read_as_the_crd_allows_them(window: str, seconds: int | None) -> None:
    assert window_seconds(window) == seconds


@pytest.mark.parametrize(("window", "taken"), [("8784h", True), ("8785h", False), ("9999h", False)])
def test_the_controller_takes_windows_up_to_366_days(window: str, taken: bool) -> None:
    assert is_enforced(Rate(limit=1, window=window)) is taken


@pytest.mark.parametrize("render", [legacy_limits, group_limits], ids=["3.5", "3.6"])
def test_a_subscription_with_too_long_a_window_is_left_out_without_a_word(render: Any) -> None:
    assert render([_member("a", rates=((1, "9999h"),))]) == {}


def test_the_limits_of_3_5_are_one_a_subscription_counted_by_user() -> None:
    assert legacy_limits([_member("premium", rates=((50000, "1m"),))]) == {
        "models-as-a-service-premium-granite-tokens": {
            "rates": [{"limit": 50000, "window": "1m"}],
            "when": [
                {
                    "predicate": f'{KEY} == "models-as-a-service/premium@llm/granite"'
                    ' && !request.path.endsWith("/v1/models")'
                }
            ],
            "counters": [{"expression": USER}],
        }
    }


def test_3_5_takes_100_a_minute_where_no_rate_is_given() -> None:
    (limit,) = legacy_limits([_member("a", rates=())]).values()

    assert limit["rates"] == [{"limit": 100, "window": "1m"}]


def test_3_6_groups_subscriptions_of_one_rate_set() -> None:
    """The example of contract §8.1."""
    limits = group_limits([_member("free", rates=((100, "1m"),)), _member("batch", rates=((100, "1m"),))])

    assert limits == {
        "tokens-100-per-1m": {
            "rates": [{"limit": 100, "window": "1m"}],
            "when": [
                {
                    "predicate": f'({KEY} == "models-as-a-service/batch@llm/granite" || '
                    f'{KEY} == "models-as-a-service/free@llm/granite") && !request.path.endsWith("/v1/models")'
                }
            ],
            "counters": [{"expression": KEY}, {"expression": USER}],
        }
    }


def test_a_mixed_set_is_split_and_the_short_part_is_called_id() -> None:
    limits = group_limits([_member("old"), _member("new", "short")])

    assert sorted(limits) == ["tokens-500-per-1m", "tokens-500-per-1m-id"]
    assert limits["tokens-500-per-1m"]["counters"][0] == {"expression": KEY}
    assert limits["tokens-500-per-1m-id"]["counters"][0] == {"expression": ID}
    new_id = short_id("models-as-a-service/new@llm/granite")
    assert limits["tokens-500-per-1m-id"]["when"][0]["predicate"].startswith(f'{ID} == "{new_id}" && ')


def test_a_set_of_short_members_alone_keeps_the_plain_name() -> None:
    limits = group_limits([_member("new", "short")])

    assert list(limits) == ["tokens-500-per-1m"]
    assert limits["tokens-500-per-1m"]["counters"][0] == {"expression": ID}


def test_windows_are_compared_as_text() -> None:
    assert len(group_limits([_member("a", rates=((1, "1m"),)), _member("b", rates=((1, "60s"),))])) == 2


def test_both_generations_share_the_unlimited_limit_which_counts_nothing() -> None:
    limits = group_limits([_member("a", rates=(), unlimited=True), _member("b", "short", rates=(), unlimited=True)])

    assert list(limits) == ["tokens-unlimited"]
    assert list(limits["tokens-unlimited"]) == ["when"]
    assert KEY in limits["tokens-unlimited"]["when"][0]["predicate"]
    assert ID in limits["tokens-unlimited"]["when"][0]["predicate"]


def test_rates_win_over_unlimited_and_neither_is_skipped() -> None:
    assert list(group_limits([_member("a", unlimited=True), _member("b", rates=())])) == ["tokens-500-per-1m"]


@pytest.mark.parametrize(
    ("subscription", "identity", "why"),
    [
        pytest.param(a_subscription("a"), "legacy", "existing", id="existed"),
        pytest.param(
            changed(a_subscription("a"), {"status": {"phase": None}}), "legacy", "existing", id="condition-only"
        ),
        pytest.param(changed(a_subscription("a"), {"status": None}), "short", "without-status", id="no-status"),
        pytest.param(
            changed(a_subscription("a"), {"status": {"phase": "", "conditions": []}}),
            "short",
            "without-status",
            id="empty-status",
        ),
        pytest.param(a_subscription("a", identity="short"), "short", "stamp", id="stamp-is-sticky"),
        pytest.param(
            a_subscription("a", identity="legacy", spec={"rateLimitIdentity": "short"}), "short", "spec", id="spec-wins"
        ),
        pytest.param(
            annotated(a_subscription("a"), **{annotations.RATE_LIMIT_IDENTITY: "short"}), "short", "annotation", id="v4"
        ),
        pytest.param(
            a_subscription("a", spec={"rateLimitIdentity": "medium"}), "legacy", "existing", id="unknown-value"
        ),
    ],
)
def test_the_identity_of_a_subscription_and_why(subscription: dict[str, Any], identity: str, why: str) -> None:
    fact = identity_of(KubeObject(subscription))

    assert (fact.identity, fact.why) == (identity, why)


def test_a_member_is_read_from_the_subscription_and_odd_entries_are_left_out() -> None:
    subscription = KubeObject(a_subscription("a", "granite", rates=((5, "1h"),)))
    (model_ref,) = model_refs_of(subscription)

    member = member_of(subscription, {**model_ref, "tokenRateLimits": [*model_ref["tokenRateLimits"], "x"]}, "legacy")

    assert (member.key, member.rates) == ("models-as-a-service/a@llm/granite", (Rate(limit=5, window="1h"),))


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ({"limits": {"a": {}}}, ["a"]),
        ({"defaults": {"limits": {"b": {}}}, "limits": None}, ["b"]),
        ({"limits": None}, []),
    ],
    ids=["plain", "defaults", "null"],
)
def test_limits_are_found_in_both_places_and_null_is_none(spec: dict[str, Any], names: list[str]) -> None:
    assert list(limits_of(KubeObject({**a_policy("m", {}), "spec": spec}))) == names
