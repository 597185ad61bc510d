"""A plan is stale when what it rests on is another object, or is not as it was; else it is not."""

from typing import Any

import pytest

from migrate.changes.plan_compare import compare_decisions
from migrate.changes.plan_done import is_done, refs_of_outcome, steps_touching_nothing
from migrate.changes.plan_stale import Stale, added_subscriptions, stale_differences
from migrate.maas import annotations as key
from migrate.maas import naming, resources
from migrate.records.assessment import ApiTranslation
from migrate.records.plan import Plan
from tests import builders as b
from tests.unit.changes.plan import stories as s

FORETOLD = {"api_translation": ApiTranslation(before=None, after=True, written_by="controller")}


def stale(plan: Plan, *things: Any, platform: str = "3.6", **snapshot: Any) -> tuple[Stale, ...]:
    return stale_differences(plan, b.a_snapshot(*s.cluster(platform, extra=MODELS), *things, **snapshot))


MODELS = (b.an_external_model("gpt-4o"), b.a_provider("openai"), b.a_model_ref("gpt-4o", kind="ExternalModel"))


def a_plan(**facts: Any) -> Plan:
    return s.plan(s.cluster("3.6", extra=MODELS), platform="3.6", tenants={s.DEFAULT: facts})


def test_an_unchanged_cluster_leaves_the_plan_fresh() -> None:
    assert stale(a_plan()) == ()


def test_a_subscription_that_came_since_does_not_make_it_stale_and_is_named() -> None:
    new = b.a_subscription("new", "granite")

    assert stale(a_plan(), new) == ()
    snapshot = b.a_snapshot(*s.cluster("3.6", extra=MODELS), new)
    assert [ref.name for ref in added_subscriptions(a_plan(), snapshot)] == ["new"]
    assert added_subscriptions(a_plan(), b.a_snapshot(*s.cluster("3.6", extra=MODELS))) == ()


def test_ch_04_a_tenant_config_that_was_made_anew_is_another_object() -> None:
    anew = b.changed(b.a_tenant_config(), {"metadata": {"uid": "0b7c0000-beef"}})

    (difference,) = stale(a_plan(), anew)

    assert difference.reason == "uid"
    assert difference.object == resources.MAAS_TENANT_CONFIG.ref(s.DEFAULT, "default-tenant")
    assert "the plan was made for" in str(difference)


def test_values_are_shown_as_the_cluster_writes_them() -> None:
    asked = b.changed(b.a_tenant_config(), {"spec": {"apiTranslation": {"enabled": False}}})

    told = "\n".join(str(difference) for difference in stale(a_plan(), asked))

    assert "from absent to false" in told


def test_another_cluster_is_said_alone() -> None:
    things = s.cluster("3.6", "redteam")
    other = b.a_snapshot(*things)
    foreign = type(other)(taken_at=other.taken_at, cluster=type(other.cluster)(server="x", id="other"))

    (difference,) = stale_differences(a_plan(), foreign)

    assert (difference.reason, difference.object) == ("cluster", None)


def test_a_change_says_from_what_to_what_and_who_did_it() -> None:
    fields: Any = {"f:data": {"f:custom-ipp-config.yaml": {}}}
    edited = b.changed(
        b.a_plugins_config_map(),
        {
            "data": {"custom-ipp-config.yaml": "edited"},
            "metadata": {
                "managedFields": [
                    {"manager": "maas-controller", "time": "2026-10-05T00:00:00Z"},
                    {"manager": "kubectl-edit", "time": "2026-10-03T23:00:00Z", "fieldsV1": fields},
                ]
            },
        },
    )

    (difference,) = stale(a_plan(), edited)

    assert difference.path == "data.custom-ipp-config.yaml"
    assert difference.after.endswith("(6 bytes)")  # So does every text of a ConfigMap: it may hold anything.
    assert difference.before.startswith("sha256:")  # A long text stands as its digest.
    assert (difference.who, difference.at) == ("kubectl-edit", "2026-10-03T23:00:00Z")
    assert "(by kubectl-edit at 2026-10-03T23:00:00Z)" in str(difference)


def test_where_nobody_owns_the_field_the_last_writer_is_named() -> None:
    (difference,) = stale(a_plan(), b.annotated(b.a_tenant_config(), **{"example.com/x": "1"}))

    assert (difference.path, difference.who) == ("metadata.annotations.example.com/x", key.MAAS_MANAGER)


QUIET = [
    pytest.param(
        b.annotated(
            b.a_tenant_config(),
            **{key.PAYLOAD_PROCESSING_STATUS: "cleanup-complete", key.PAYLOAD_PROCESSING_MIGRATION: "blocked"},
        ),
        id="what-controllers-annotate",
    ),
    pytest.param(b.changed(b.a_tenant_config(), {"status": {"phase": "Failed"}}), id="status"),
    pytest.param(b.changed(b.a_tenant_config(), {"metadata": {"resourceVersion": "99"}}), id="resource-version"),
    pytest.param(b.changed(b.a_config(), {"metadata": {"managedFields": []}}), id="managed-fields"),
    pytest.param(b.a_subscription("later"), id="a-subscription-more"),
    pytest.param(b.changed(b.a_gateway(), {"metadata": {"annotations": {"a": "b"}}}), id="the-gateway-itself"),
]


@pytest.mark.parametrize("thing", QUIET)
def test_what_servers_and_others_write_does_not_count(thing: Any) -> None:
    assert stale(a_plan(), thing) == ()


CONFIGURED = b.changed(b.a_tenant_config(), {"spec": {"telemetry": {"enabled": True}}})
LOUD = [
    pytest.param(
        b.changed(b.a_config(), {"spec": {"usageLogging": True}}), "spec.usageLogging", "changed", id="config"
    ),
    pytest.param(b.an_external_model("new"), "", "appeared", id="an-external-model-more"),
    pytest.param(b.a_provider("anthropic"), "", "appeared", id="a-provider-more"),
    pytest.param(b.a_maas_external_model("old"), "", "appeared", id="a-model-of-the-old-group-more"),
    pytest.param(b.a_model_ref("new"), "", "appeared", id="a-model-ref-more"),
    pytest.param(b.an_external_model("gpt-4o", weight=0), "spec.externalProviderRefs", "changed", id="a-weight"),
    pytest.param(
        b.changed(b.an_ai_tenant(), {"status": {"gatewayRef": {"name": "other"}}}), "gateway", "changed", id="gateway"
    ),
    pytest.param(b.changed(b.an_ai_tenant(), {"status": {"gatewayRef": None}}), "gateway", "changed", id="no-gateway"),
    pytest.param(
        b.changed(b.a_tenant_config(), {"spec": {"telemetry": {"enabled": False}}}),
        "spec.telemetry.enabled",
        "changed",
        id="telemetry",
    ),
]


@pytest.mark.parametrize(("thing", "path", "reason"), LOUD)
def test_what_the_plan_rests_on_counts(thing: Any, path: str, reason: str) -> None:
    plan = s.plan([*s.cluster("3.6", extra=MODELS), CONFIGURED], platform="3.6")

    (difference,) = stale_differences(plan, b.a_snapshot(*s.cluster("3.6", extra=MODELS), CONFIGURED, thing))

    assert (difference.path, difference.reason) == (path, reason)


def test_a_ground_that_is_gone_or_unreadable_is_said_so() -> None:
    plan = a_plan()
    without = [
        thing
        for thing in s.cluster("3.6", extra=MODELS)
        if thing["metadata"]["name"] not in {naming.PLUGINS_CONFIG_MAP, "gpt-4o"}
    ]
    gap = b.a_gap(resources.CONFIG_MAP, resources.GATEWAY_NAMESPACE, naming.PLUGINS_CONFIG_MAP)

    gone = stale_differences(plan, b.a_snapshot(*without))
    unread = stale_differences(plan, b.a_snapshot(*without, *MODELS, gaps=[gap]))

    assert [entry.reason for entry in gone] == ["gone", "gone", "gone"]
    assert [entry.reason for entry in unread] == ["unreadable"]


def test_a_set_that_could_not_be_listed_is_not_taken_for_empty() -> None:
    things = [thing for thing in s.cluster("3.6", extra=MODELS) if thing["kind"] != "ExternalProvider"]
    gap = b.a_gap(resources.EXTERNAL_PROVIDER)

    (difference,) = stale_differences(a_plan(), b.a_snapshot(*things, gaps=[gap]))

    assert difference.reason == "unreadable"


@pytest.mark.parametrize(("value", "fresh"), [(None, True), (True, True), (False, False)], ids=str)
def test_a_translation_that_the_controller_was_to_write_is_no_change(value: Any, fresh: bool) -> None:
    config = b.changed(b.a_tenant_config(), {"spec": {"apiTranslation": {"enabled": value}}})

    found = stale(a_plan(**FORETOLD), config)

    assert (not found) is fresh


def view(plan: Plan, *things: Any) -> Any:
    snapshot = b.a_snapshot(*things)
    return {ref: snapshot.find_ref(ref) for ref in refs_of_outcome(plan)}


def test_a_plan_whose_end_holds_already_is_done() -> None:
    plan = a_plan()
    over = [*s.cluster("3.6"), *s.on_praxis()]

    assert is_done(plan, view(plan, *over))
    assert steps_touching_nothing(plan, view(plan, *over)) == (f"flip:{s.DEFAULT}",)


def test_a_plan_that_was_only_begun_is_not_done() -> None:
    plan = a_plan()
    flipped = b.annotated(b.a_tenant_config(), **{key.PAYLOAD_PROCESSING_TYPE: "praxis"})

    assert not is_done(plan, view(plan, *s.cluster("3.6")))
    assert not is_done(plan, view(plan, *s.cluster("3.6"), flipped))


def test_a_tenant_that_is_only_pinned_is_not_moved() -> None:
    plan = s.plan(s.cluster("3.5"))
    pinned = b.annotated(b.a_tenant_config(), **{key.PAYLOAD_PROCESSING_TYPE: "ipp"})

    assert not is_done(plan, view(plan, *s.cluster("3.5"), pinned))
    assert is_done(plan, view(plan, *s.cluster("3.6"), *s.on_praxis()))


def test_a_forced_plan_is_done_only_without_its_force_annotation() -> None:
    plan = a_plan(force=True, lost=("x",))
    forced = b.annotated(s.on_praxis()[0], **{key.FORCE_PAYLOAD_PROCESSING_MIGRATION: "true"})

    assert is_done(plan, view(plan, *s.cluster("3.6"), *s.on_praxis()))
    assert not is_done(plan, view(plan, *s.cluster("3.6"), *s.on_praxis(), forced))


def test_a_plan_without_steps_is_done() -> None:
    assert is_done(a_plan(decision="nothing-to-do"), {})


def pinned(*tenants: str) -> list[Any]:
    """Return a cluster after the upgrade, its tenants as part one left them."""
    return [
        b.annotated(thing, **{key.PAYLOAD_PROCESSING_TYPE: key.TYPE_IPP})
        if thing["kind"] == resources.MAAS_TENANT_CONFIG.kind
        else thing
        for thing in s.cluster("3.6", *tenants)
    ]


def part_two(**facts: Any) -> Plan:
    return s.plan(pinned(), platform="3.6", tenants={s.DEFAULT: facts}, runbook=s.UPGRADE, run="r1")


def test_the_same_decisions_let_the_run_go_on() -> None:
    assert compare_decisions(s.plan(s.cluster("3.5")), part_two()) == ()


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        ({"decision": "blocked"}, "decision was proceed, is blocked"),
        ({"config_map": None}, "verdict was default, is unknown"),
        (FORETOLD, "apiTranslation was absent, absent, , is absent, True, controller"),
        ({"force": True}, "force was False, is True"),
        ({"external_models": (s.binding(),)}, "externalModels was none, is inference"),
    ],
    ids=["decision", "verdict", "translation", "force", "models"],
)
def test_each_other_decision_is_named(facts: Any, line: str) -> None:
    (found,) = compare_decisions(s.plan(s.cluster("3.5")), part_two(**facts))

    assert found.startswith(f"tenant {s.DEFAULT}: {line}")


def test_a_tenant_more_or_less_is_named() -> None:
    both = s.plan(pinned(s.DEFAULT, "redteam"), platform="3.6", tenants={s.DEFAULT: {}, "redteam": {}})

    assert compare_decisions(s.plan(s.cluster("3.5")), both) == ("tenant redteam: appeared since part one was planned",)
    assert compare_decisions(both, part_two())[0].startswith("tenant redteam: is gone")


def test_a_subscription_that_was_made_anew_between_the_parts_is_named_and_a_deleted_one_is_not() -> None:
    one = s.plan(s.cluster("3.5"))
    anew = b.changed(b.a_subscription("free", identity="short"), {"metadata": {"uid": "other"}})
    without = [thing for thing in pinned() if thing["metadata"]["name"] != "free"]

    (line,) = compare_decisions(one, s.plan([*pinned(), anew], platform="3.6"))
    assert "free: was made anew since part one" in line
    assert line.endswith("identity was to be legacy, is to be short")
    assert compare_decisions(one, s.plan(without, platform="3.6")) == ()


def test_another_identity_of_a_subscription_that_existed_is_named_and_a_new_one_is_not() -> None:
    one = s.plan(s.cluster("3.5"))
    short = b.a_subscription("free", identity="short")
    two = s.plan([*pinned(), short, b.a_subscription("new", identity="short")], platform="3.6")

    assert compare_decisions(one, two) == (
        f"subscription {s.DEFAULT}/free: identity was to be legacy, is to be short (existing)",
    )


def test_a_pin_that_is_gone_is_named() -> None:
    (line,) = compare_decisions(s.plan(s.cluster("3.5")), s.plan(s.cluster("3.6"), platform="3.6"))

    assert line.startswith(f"tenant {s.DEFAULT}: the pin to ipp is gone (the type is absent)")
