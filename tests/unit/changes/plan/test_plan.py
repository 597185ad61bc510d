"""From an assessment to steps: which, in which order, with which patch, undo and end."""

from typing import Any

import msgspec
import pytest

from migrate.changes.assess import assess
from migrate.changes.plan import make_plan
from migrate.maas import annotations as key
from migrate.maas import naming, resources
from migrate.records.assessment import ApiTranslation, Finding, Identity, Options, Risk, SubscriptionExpectation
from migrate.records.objects import KubeObject
from migrate.records.plan import plan_bytes, plan_id
from migrate.records.predicates import evaluate, refs_of
from tests import builders as b
from tests.unit.changes.plan import stories as s

TYPE, FORCE = key.PAYLOAD_PROCESSING_TYPE, key.FORCE_PAYLOAD_PROCESSING_MIGRATION
CUSTOM = {"force": True, "lost": ("plugin metering",)}


def view_of(*things: Any, of: Any) -> Any:
    """Return the state of every object that a predicate looks at, on a cluster of *things*."""
    snapshot = b.a_snapshot(*things)
    return {ref: snapshot.find_ref(ref) for ref in refs_of(of)}


def test_on_3_5_part_one_is_closed_and_part_two_is_foretold() -> None:
    plan = s.plan(s.cluster("3.5"))

    assert s.ids(plan.steps) == ["access", "backup", "dry-run", "review", f"pin:{s.DEFAULT}", "gate"]
    assert s.ids(plan.forecast) == [
        "access-again",
        "backup-again",
        "dry-run-again",
        "cache",
        f"flip:{s.DEFAULT}",
        f"praxis:{s.DEFAULT}",
        f"settle:{s.DEFAULT}",
        f"verify:{s.DEFAULT}",
        "final",
    ]
    assert (plan.part, plan.exit_code, plan.platform) == (1, 0, "3.5")


def test_on_3_6_a_tenant_is_over_before_the_next_starts() -> None:
    things = s.cluster("3.6", s.DEFAULT, "redteam", "blue")
    plan = s.plan(things, platform="3.6", tenants={"redteam": {}, s.DEFAULT: {}, "blue": {}})

    order = [step.id for step in plan.steps if step.tenant]

    assert [step_id.partition(":")[2] for step_id in order] == ["blue"] * 4 + [s.DEFAULT] * 4 + ["redteam"] * 4
    assert order[:4] == ["flip:blue", "praxis:blue", "settle:blue", "verify:blue"]
    assert plan.forecast == ()


def test_each_write_tells_object_before_after_and_undo() -> None:
    plan = s.plan(s.cluster("3.5"))

    pin, flip = s.step(plan, f"pin:{s.DEFAULT}"), s.step(plan, f"flip:{s.DEFAULT}")

    assert pin.object == resources.MAAS_TENANT_CONFIG.ref(s.DEFAULT, "default-tenant")
    assert pin.after == {"metadata": {"annotations": {TYPE: "ipp"}}}
    assert pin.before == {"metadata": {"annotations": {TYPE: None}}}
    assert flip.before == pin.after  # The forecast knows what part one writes.
    assert flip.after == {"metadata": {"annotations": {TYPE: "praxis"}}}
    assert (pin.undo, flip.undo, flip.irreversible) == ("exact", "lossy", False)
    assert s.step(plan, "gate").irreversible


def test_the_undo_of_an_annotation_never_takes_the_others_along() -> None:
    bare = b.changed(b.a_tenant_config(), {"metadata": {"annotations": None}})
    plan = s.plan([*s.cluster("3.5"), bare])

    assert s.step(plan, f"pin:{s.DEFAULT}").before == {"metadata": {"annotations": {TYPE: None}}}


def test_force_goes_in_the_patch_of_the_flip_and_away_after_the_verification() -> None:
    plan = s.plan(s.cluster("3.6"), platform="3.6", tenants={s.DEFAULT: CUSTOM})

    flip, unforce = s.step(plan, f"flip:{s.DEFAULT}"), s.step(plan, f"unforce:{s.DEFAULT}")
    order = s.ids(plan.steps)

    assert flip.after["metadata"]["annotations"] == {TYPE: "praxis", FORCE: "true"}
    assert flip.withdrawal.patch["metadata"]["annotations"] == {TYPE: "ipp", FORCE: None}
    assert unforce.after["metadata"]["annotations"] == {FORCE: None}
    assert order.index(f"unforce:{s.DEFAULT}") == order.index(f"verify:{s.DEFAULT}") + 1
    assert plan.lost_by_force == {s.DEFAULT: ("plugin metering",)}
    assert any("customised" in name for name in s.step(plan, "review").names)


def test_a_recognised_tenant_gets_no_force_step() -> None:
    plan = s.plan(s.cluster("3.6"), platform="3.6")

    assert f"unforce:{s.DEFAULT}" not in s.ids(plan.steps)
    assert s.step(plan, f"flip:{s.DEFAULT}").withdrawal.patch == {"metadata": {"annotations": {TYPE: "ipp"}}}


@pytest.mark.parametrize(
    ("spec", "before"),
    [
        ({}, {"spec": {"apiTranslation": None}}),
        ({"apiTranslation": {}}, {"spec": {"apiTranslation": {"enabled": None}}}),
        ({"apiTranslation": {"enabled": True}}, {"spec": {"apiTranslation": {"enabled": True}}}),
        (None, {"spec": None}),
    ],
    ids=["absent", "empty", "true", "no-spec"],
)
def test_api_translation_is_set_before_the_flip_and_undone_exactly(spec: Any, before: Any) -> None:
    config = b.changed(b.a_tenant_config(), {"spec": spec})
    asked = {"api_translation": ApiTranslation(before=None, after=False, written_by="us")}
    plan = s.plan([*s.cluster("3.6"), config], platform="3.6", tenants={s.DEFAULT: asked})

    translation = s.step(plan, f"translation:{s.DEFAULT}")
    order = s.ids(plan.steps)

    assert translation.after == {"spec": {"apiTranslation": {"enabled": False}}}
    assert translation.before == before
    assert order.index(f"translation:{s.DEFAULT}") == order.index(f"flip:{s.DEFAULT}") - 1
    assert s.step(plan, f"flip:{s.DEFAULT}").expects != translation.expects


@pytest.mark.parametrize("writer", ["", "operator", "controller"])
def test_a_translation_that_is_not_ours_to_write_is_not_written(writer: Any) -> None:
    stands = {"api_translation": ApiTranslation(before=None, after=True, written_by=writer)}
    plan = s.plan(s.cluster("3.6"), platform="3.6", tenants={s.DEFAULT: stands})

    assert f"translation:{s.DEFAULT}" not in s.ids(plan.steps)
    assert ("spec", "apiTranslation") in plan.ignored_paths(plan.tenants[0].config) or writer != "controller"


def test_ch_02_a_plan_shows_both_lines_and_no_step_for_a_tenant_that_needs_an_acceptance() -> None:
    finding = Finding(code="UnsupportedExternalModel", impact="risk", tenant=s.DEFAULT, message="az-b is azure-openai")
    models = (s.binding(), s.binding("azure-openai", "az-b"), s.binding("vertex", "vx-c", active=False))
    waits = {"decision": "needs-acceptance", "external_models": models}
    plan = s.plan(s.cluster("3.6"), platform="3.6", tenants={s.DEFAULT: waits}, findings=(finding,))

    assert plan.steps == plan.forecast == ()
    assert plan.exit_code == 12
    assert plan.findings == (finding,)
    assert [entry.qualified for entry in plan.tenants[0].external_models] == [True, False, False]
    assert not plan.tenants[0].force


def test_a_blocked_tenant_gets_no_steps_and_the_others_do() -> None:
    things = s.cluster("3.6", s.DEFAULT, "redteam")
    plan = s.plan(things, platform="3.6", tenants={s.DEFAULT: {"decision": "blocked"}, "redteam": {}})

    assert {step.tenant for step in plan.steps} == {"", "redteam"}
    assert plan.exit_code == 11


def test_a_finding_that_belongs_to_no_tenant_stops_all_of_them() -> None:
    stop = Finding(code="InTransition", impact="blocking", message="signals conflict")
    plan = s.plan(s.cluster("3.6"), platform="3.6", findings=(stop,))

    assert (plan.steps, plan.exit_code) == ((), 11)


def test_what_could_not_be_read_goes_before_what_is_blocked() -> None:
    gap = Finding(code="Unreadable", impact="blocking", message="403", unreadable=True)

    assert s.plan(s.cluster("3.6"), platform="3.6", findings=(gap,)).exit_code == 4


def test_a_risk_that_is_accepted_but_not_at_stake_is_reported() -> None:
    options = Options(accepted={"unsupported-external-models": "tested"}, by="ada@ops")
    plan = s.plan(s.cluster("3.6"), platform="3.6", options=options)

    assert [(risk.id, risk.at_stake, risk.accepted, risk.by) for risk in plan.risks] == [
        ("unsupported-external-models", False, True, "ada@ops")
    ]
    assert plan.exit_code == 0
    assert msgspec.convert(plan.options, Options) == options


@pytest.mark.parametrize(("name", "code"), [("gitops-managed-object", 12), ("no-maintenance-window", 0)])
def test_a_risk_at_stake_must_be_accepted_unless_it_is_asked_for_later(name: str, code: int) -> None:
    plan = s.plan(s.cluster("3.6"), platform="3.6", risks=(Risk(id=name, statement="…"),))

    assert plan.exit_code == code


def test_a_tenant_that_is_steady_already_has_nothing_to_do() -> None:
    things = [*s.cluster("3.6"), *s.on_praxis()]
    plan = s.plan(things, platform="3.6", tenants={s.DEFAULT: {"decision": "nothing-to-do"}})

    assert (plan.steps, plan.exit_code, plan.window) == ((), 0, None)


@pytest.mark.parametrize(("platform", "runbook"), [("3.6", s.UPGRADE), ("3.5", s.MOVE)])
def test_a_runbook_for_another_platform_blocks_and_names_the_right_one(platform: str, runbook: str) -> None:
    plan = s.plan(s.cluster(platform), platform=platform, runbook=runbook)

    assert (plan.exit_code, plan.findings[-1].code, plan.steps) == (11, "RunbookNotForPlatform", ())
    assert (s.MOVE if platform == "3.6" else s.UPGRADE) in plan.findings[-1].resolution


def test_part_two_is_planned_with_the_same_runbook_for_the_run_that_waits() -> None:
    plan = s.plan(s.cluster("3.6"), platform="3.6", runbook=s.UPGRADE, run="r1")

    assert (plan.part, plan.run, plan.exit_code) == (2, "r1", 0)
    assert s.ids(plan.steps)[:4] == ["access-again", "backup-again", "dry-run-again", "cache"]


def test_the_id_is_of_the_document_without_it() -> None:
    plan = s.plan(s.cluster("3.5"))

    assert plan.id == plan_id(plan)
    assert plan_bytes(plan) == plan_bytes(s.plan(s.cluster("3.5")))
    assert msgspec.json.decode(plan_bytes(plan), type=type(plan)) == plan


def test_subscriptions_are_counted_by_what_they_will_be() -> None:
    identities: tuple[Identity, ...] = ("legacy", "short", "legacy", "unknown")
    entries = tuple(
        SubscriptionExpectation(namespace="n", name=str(number), uid=str(number), expected=expected, why="")
        for number, expected in enumerate(identities)
    )
    counted = s.plan(s.cluster("3.6"), platform="3.6", subscriptions=entries).subscriptions

    assert (counted.total, counted.expect_legacy, counted.expect_short, counted.unknown) == (4, 2, 1, 1)


def test_what_is_saved_is_all_that_can_be_lost_and_the_evidence() -> None:
    other = b.an_object(resources.CONFIG_MAP, resources.GATEWAY_NAMESPACE, "ipp-config", data={"config.yaml": "x"})
    odd = b.a_deployment("payload-processing", resources.GATEWAY_NAMESPACE, config_map="ipp-config")
    board = b.an_object(resources.PERSES_DASHBOARD, resources.MONITORING_NAMESPACE, resources.USAGE_DASHBOARD)
    extra = (resources.CONFIG_MAP.ref(other["metadata"]["namespace"], "ipp-config"), KubeObject(odd).ref)
    plan = s.plan(s.cluster("3.5", extra=(other, odd, board)), tenants={s.DEFAULT: {"extra_backups": extra}})

    items = {str(item.object): item.optional for item in s.step(plan, "backup").items}

    assert items == {
        "AITenant ai-tenants/models-as-a-service": True,
        "AuthPolicy openshift-ingress/maas-gateway-auth": True,
        "Config default": True,
        "ConfigMap openshift-ingress/ipp-config": True,  # CH-11
        "ConfigMap openshift-ingress/payload-processing-plugins": False,
        "Deployment openshift-ingress/payload-processing": True,  # CH-11
        "EnvoyFilter openshift-ingress/payload-processing": True,
        "MaaSSubscription models-as-a-service/batch": True,
        "MaaSSubscription models-as-a-service/free": True,
        "MaasTenantConfig models-as-a-service/default-tenant": False,
        "PersesDashboard redhat-ods-monitoring/dashboard-3-maas-usage-admin": True,
        "TokenRateLimitPolicy llm/maas-trlp-granite": True,
    }


@pytest.mark.parametrize("where", ["volume", "projected", "variables"])
def test_ch_11_what_ipp_really_reads_is_saved_wherever_its_pod_names_it(where: str) -> None:
    """What is asked for, what is told of and what is saved is one fact."""
    pods = {
        "volume": {"volumes": [{"name": "config", "configMap": {"name": "ipp-config"}}]},
        "projected": {"volumes": [{"projected": {"sources": [{"configMap": {"name": "ipp-config"}}]}}]},
        "variables": {"initContainers": [{"name": "i", "envFrom": [{"configMapRef": {"name": "ipp-config"}}]}]},
    }
    other = b.an_object(resources.CONFIG_MAP, resources.GATEWAY_NAMESPACE, "ipp-config", data={"config.yaml": "x"})
    odd = b.a_deployment("payload-processing", resources.GATEWAY_NAMESPACE)
    odd["spec"]["template"]["spec"] |= pods[where]
    snapshot = b.a_snapshot(*s.cluster("3.5", extra=(other, odd)))

    plan = make_plan(snapshot, assess(snapshot, Options()), s.runbook(s.UPGRADE), Options())

    saved = {str(item.object) for item in s.step(plan, "backup").items}
    assert {"ConfigMap openshift-ingress/ipp-config", "Deployment openshift-ingress/payload-processing"} <= saved


def test_ch_26_the_window_counts_the_waits_in_between_and_the_way_back() -> None:
    plan = s.plan(s.cluster("3.6", s.DEFAULT, "redteam"), platform="3.6", tenants={s.DEFAULT: {}, "redteam": {}})
    wait = s.step(plan, f"praxis:{s.DEFAULT}")
    inside = [step for step in plan.steps if step.window == "inside"]

    assert plan.window is not None
    assert plan.window.minimum_seconds >= sum(step.estimate_seconds for step in inside) + wait.undo_estimate_seconds


def test_an_absent_config_map_is_no_obstacle_and_is_not_saved() -> None:
    gone = s.cluster("3.6")
    things = [thing for thing in gone if KubeObject(thing).name != naming.PLUGINS_CONFIG_MAP]
    plan = s.plan(things, platform="3.6")

    flip = s.step(plan, f"flip:{s.DEFAULT}")

    assert not any(item.object.kind == "ConfigMap" for item in s.step(plan, "backup").items)
    assert s.step(plan, "dry-run").restores == ()
    assert evaluate(flip.withdrawal.only_while, view_of(*things, of=flip.withdrawal.only_while)).holds
