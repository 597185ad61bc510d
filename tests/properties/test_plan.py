"""
Laws of a plan, whatever the cluster.

The same inputs give the same bytes; a tenant that may not go on gets no step; the exit code follows from the
decisions; what part one foretells is what part two plans when nothing but the pin has changed.
"""

from random import Random
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.changes.plan import make_plan
from migrate.changes.plan_compare import compare_decisions
from migrate.changes.plan_stale import stale_differences
from migrate.maas import annotations as key
from migrate.records.assessment import ApiTranslation, TenantAssessment
from migrate.records.plan import SetFields, Step, Wait, plan_bytes
from tests import builders as b
from tests.unit.changes.plan import stories as s

Wanted = dict[str, dict[str, Any]]
NAMES = (s.DEFAULT, "blue", "redteam")
TRANSLATIONS = st.sampled_from(
    [
        ApiTranslation(),
        ApiTranslation(before=None, after=False, written_by="us"),
        ApiTranslation(before=None, after=True, written_by="controller"),
    ]
)
DECISIONS = st.sampled_from(["proceed", "blocked", "needs-acceptance", "nothing-to-do"])
TENANTS = st.dictionaries(
    st.sampled_from(NAMES),
    st.fixed_dictionaries({"decision": DECISIONS, "force": st.booleans(), "api_translation": TRANSLATIONS}),
    min_size=1,
)
CASES = settings(max_examples=20, deadline=None)


def tenants_of(wanted: Wanted, platform: str) -> list[TenantAssessment]:
    snapshot = b.a_snapshot(*s.cluster(platform, *NAMES))
    return [s.facts(snapshot, name, **facts) for name, facts in wanted.items()]


@given(TENANTS, st.sampled_from(["3.5", "3.6"]), st.randoms(use_true_random=False))
@CASES
def test_the_same_inputs_give_the_same_bytes_in_any_order(wanted: Wanted, platform: str, random: Random) -> None:
    things = list(b.a_snapshot(*s.cluster(platform, *NAMES)).objects)
    judged = tenants_of(wanted, platform)
    shuffled_things, shuffled = list(things), list(judged)
    random.shuffle(shuffled_things)
    random.shuffle(shuffled)
    runbook = s.runbook(s.UPGRADE if platform == "3.5" else s.MOVE)

    made = []
    for objects, entries in ((things, judged), (shuffled_things, shuffled)):
        snapshot = b.a_snapshot(*objects)
        made.append(make_plan(snapshot, s.assessment(snapshot, *entries, platform=platform), runbook))

    assert plan_bytes(made[0]) == plan_bytes(made[1])
    assert msgspec.json.decode(plan_bytes(made[0]), type=type(made[0])) == made[0]


@given(TENANTS, st.sampled_from(["3.5", "3.6"]))
@CASES
def test_only_tenants_that_may_go_on_get_steps_and_the_code_says_the_rest(wanted: Wanted, platform: str) -> None:
    plan = s.plan(s.cluster(platform, *NAMES), platform=platform, tenants=wanted)
    decisions = {facts["decision"] for facts in wanted.values()}

    served = {step.tenant for step in (*plan.steps, *plan.forecast)} - {""}

    assert served == {name for name, facts in wanted.items() if facts["decision"] == "proceed"}
    assert bool(plan.steps) == ("proceed" in decisions)
    assert plan.exit_code == (11 if "blocked" in decisions else 12 if "needs-acceptance" in decisions else 0)


@given(TENANTS)
@CASES
def test_what_part_one_foretells_is_what_part_two_plans(wanted: Wanted) -> None:
    one = s.plan(s.cluster("3.5", *NAMES), platform="3.5", tenants=wanted)
    pinned = [
        b.annotated(b.a_tenant_config(name), **{key.PAYLOAD_PROCESSING_TYPE: "ipp"})
        for name, facts in wanted.items()
        if facts["decision"] == "proceed"
    ]
    two = s.plan([*s.cluster("3.6", *NAMES), *pinned], platform="3.6", tenants=wanted, runbook=s.UPGRADE, run="r1")

    assert s.ids(one.forecast) == s.ids(two.steps)
    assert [_said(step) for step in one.forecast] == [_said(step) for step in two.steps]
    assert compare_decisions(one, two) == ()


def _said(step: Step) -> tuple[object, ...]:
    """Return what a person decides by: everything of a step but what changed with the release."""
    common = (step.id, step.title, step.before, step.after, step.undo, step.estimate_seconds, step.window)
    if isinstance(step, SetFields):
        return (*common, step.expects, step.withdrawal, step.forbidden_if)
    if isinstance(step, Wait):
        return (*common, step.until, step.fails)
    return common


@given(TENANTS, st.sampled_from(["3.5", "3.6"]))
@CASES
def test_a_plan_is_fresh_on_the_cluster_it_was_made_for(wanted: Wanted, platform: str) -> None:
    things = s.cluster(platform, *NAMES)

    assert stale_differences(s.plan(things, platform=platform, tenants=wanted), b.a_snapshot(*things)) == ()


@given(TENANTS)
@CASES
def test_every_write_is_one_of_the_closed_table(wanted: Wanted) -> None:
    plan = s.plan(s.cluster("3.5", *NAMES), platform="3.5", tenants=wanted)
    allowed = {key.PAYLOAD_PROCESSING_TYPE, key.FORCE_PAYLOAD_PROCESSING_MIGRATION}

    for step in (*plan.steps, *plan.forecast):
        if isinstance(step, SetFields):
            assert set(step.after.get("metadata", {}).get("annotations", {})) <= allowed
            assert set(step.after.get("spec", {})) <= {"apiTranslation"}
            assert set(step.after) <= {"metadata", "spec"}
