"""
Laws of a verification, whatever the subscriptions.

What the controllers render from the stamps agrees with the stamps; any one thing taken out of it, or put into it, is
seen; a verdict passes exactly when no check failed or stayed unknown.
"""

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.changes.rate_limit_identity.verify_limits import deviations
from migrate.maas.rate_limits import Member, Rate, group_limits
from migrate.records.verification import CheckResult, passes

RATES = st.builds(Rate, limit=st.integers(1, 5), window=st.sampled_from(["1m", "60s", "1h"]))
MEMBERS = st.lists(
    st.builds(
        Member,
        subscription=st.sampled_from([f"{space}/{name}" for space in ("a", "b") for name in ("x", "y", "z")]),
        model=st.just("llm/m"),
        identity=st.sampled_from(["legacy", "short"]),
        rates=st.lists(RATES, max_size=2).map(tuple),
        unlimited=st.booleans(),
    ),
    min_size=1,
    unique_by=lambda member: member.subscription,
).map(tuple)
CASES = settings(max_examples=60, deadline=None)


@given(MEMBERS)
@CASES
def test_what_is_rendered_from_the_stamps_agrees_with_them(members: tuple[Member, ...]) -> None:
    limits = group_limits(members)

    assert list(deviations(limits, limits, members)) == []


@given(MEMBERS, st.data())
@CASES
def test_any_one_thing_that_is_otherwise_is_seen(members: tuple[Member, ...], data: st.DataObject) -> None:
    wanted = group_limits(members)
    live: dict[str, Any] = copy.deepcopy(wanted)
    if not live:
        return
    name = data.draw(st.sampled_from(sorted(live)))
    match data.draw(st.sampled_from(["drop", "add", "counter", "clause", "rate", "models"])):
        case "drop":
            del live[name]
        case "add":
            live["x-y-m-tokens"] = live[name]
        case "counter":
            live[name]["counters"] = [{"expression": "auth.identity.userid"}, {"expression": "auth.identity.other"}]
        case "clause":
            predicate = live[name]["when"][0]["predicate"]
            live[name]["when"][0]["predicate"] = predicate.replace(' == "', ' == "0', 1)
        case "rate":
            live[name]["rates"] = [{"limit": 999, "window": "1s"}]
        case _:
            live[name]["when"][0]["predicate"] = live[name]["when"][0]["predicate"].split(" && ")[0]

    assert list(deviations(live, wanted, members)) != []


@given(st.lists(st.sampled_from(["passed", "failed", "unknown", "pre-existing"])))
@CASES
def test_a_verdict_passes_only_when_something_was_looked_at_and_nothing_failed(results: list[Any]) -> None:
    checks = tuple(CheckResult(code="X", expected="", observed="", result=result) for result in results)

    assert passes(checks) == (bool(results) and not {"failed", "unknown"} & set(results))
