"""The way back: which steps in which order, what is put back and how, where it refuses, what it lists."""

from typing import Any

import msgspec
import pytest

from migrate.changes.verify import verify
from migrate.maas import annotations as key
from migrate.maas import naming, resources
from migrate.records.assessment import ApiTranslation, Finding
from migrate.records.objects import KubeObject, ObjectRef
from migrate.records.plan import CheckAccess, Plan, Restart, Restore, SetFields, Verify, Wait
from migrate.records.predicates import Predicate, evaluate, refs_of
from tests import builders as b
from tests.unit.changes.plan import stories as s
from tests.unit.changes.rollback.runs import NOW, Journal
from tests.unit.changes.verify.test_verify import contract

TYPE, STATUS, FORCE = (
    key.PAYLOAD_PROCESSING_TYPE,
    key.PAYLOAD_PROCESSING_STATUS,
    key.FORCE_PAYLOAD_PROCESSING_MIGRATION,
)
CUSTOM = {"force": True, "lost": ("metering",)}
OURS: dict[str, Any] = {"api_translation": ApiTranslation(before=None, after=False, written_by="us")}
FLIP, T = f"flip:{s.DEFAULT}", s.DEFAULT


def cluster(*extra: Any, custom: bool = False) -> list[Any]:
    maps = (b.a_plugins_config_map(processing=b.CUSTOM_TEXT),) if custom else ()
    return [*s.cluster("3.6"), *maps, *extra]


def a_run(*extra: Any, custom: bool = False, writes: tuple[str, ...] = (FLIP,), **facts: Any) -> Journal:
    things = cluster(*extra, custom=custom)
    plan = s.plan(things, platform="3.6", tenants={s.DEFAULT: {**(CUSTOM if custom else {}), **facts}})
    return Journal().begin(plan).back_up(things).write(*writes)


def steady(**annotations: str) -> list[Any]:
    """Return the cluster after the move."""
    config = b.annotated(s.on_praxis()[0], **annotations)
    return [*s.cluster("3.6"), *s.on_praxis(), config]


def holds(predicate: Predicate, *things: Any) -> bool:
    snapshot = b.a_snapshot(*things)
    view: dict[ObjectRef, KubeObject | None] = {ref: snapshot.find_ref(ref) for ref in refs_of(predicate)}
    return evaluate(predicate, view).holds


def codes(plan: Plan) -> set[str]:
    return {finding.code for finding in plan.findings}


def test_from_steady_the_config_map_comes_last_and_after_ipp() -> None:
    plan = a_run().back(steady())

    assert s.ids(plan.steps) == [
        "access-back",
        "backup-back",
        f"back:{T}",
        f"ipp:{T}",
        f"restore:{T}",
        "restart:payload-pre-processing",
        "restart:payload-processing",
        f"restarted:{T}",
        f"compare:{T}",
        "final",
    ]
    assert (plan.exit_code, plan.run, plan.window) == (0, "r1", None)
    assert plan == a_run().back(steady()), "the same inputs give the same bytes"
    assert all(step.window == "outside" for step in plan.steps)


def test_ch_07_type_ipp_is_written_explicitly_and_the_marker_never() -> None:
    claimed = steady(**{STATUS: "ai-gateway-controller-active"})
    plan = a_run().back(claimed)
    back, wait = s.step(plan, f"back:{T}"), s.step(plan, f"ipp:{T}")

    assert back.after == {"metadata": {"annotations": {TYPE: "ipp"}}}
    assert STATUS not in str([step.after for step in plan.steps if isinstance(step, SetFields)])
    assert isinstance(wait, Wait)
    assert not holds(wait.until, *claimed)
    assert "whoever wrote it has to release it" in next(h.says for h in wait.hints if holds(h.when, *claimed))


def test_ch_07_the_wait_is_over_when_the_marker_is_absent_and_ipp_has_its_config_map() -> None:
    wait = s.step(a_run().back(steady()), f"ipp:{T}")
    given_back = b.annotated(b.a_tenant_config(), **{TYPE: "ipp"})

    assert holds(wait.until, *s.cluster("3.6"), given_back)
    for unfinished in (
        b.annotated(given_back, **{STATUS: "cleanup-complete"}),
        b.a_praxis_config_map(),
        s.on_praxis()[1],
        b.changed(given_back, {"metadata": {"generation": 2}}),
    ):
        assert not holds(wait.until, *s.cluster("3.6"), given_back, unfinished)


@pytest.mark.parametrize(
    ("status", "settle"),
    [("steady", 0), ("cleanup-complete", 20), (None, 20)],
    ids=["steady", "cleaned-up", "half-deleted"],
)
def test_a_clean_up_in_flight_is_given_time_to_end(status: Any, settle: int) -> None:
    config = b.changed(s.on_praxis()[0], {"metadata": {"annotations": {STATUS: status}}})
    plan = a_run().back([*steady(), config])

    assert s.step(plan, f"ipp:{T}").settle_seconds == settle


def test_force_that_we_set_goes_in_the_same_patch_and_another_one_is_left() -> None:
    forced = steady(**{FORCE: "true"})

    ours = a_run(custom=True).back(forced)
    theirs = a_run().back(forced)

    assert s.step(ours, f"back:{T}").after["metadata"]["annotations"] == {TYPE: "ipp", FORCE: None}
    assert FORCE not in s.step(theirs, f"back:{T}").after["metadata"]["annotations"]
    assert ("ForceLeft" in codes(ours), "ForceLeft" in codes(theirs)) == (False, True)


def translated(value: Any) -> list[Any]:
    return [*steady(), b.changed(s.on_praxis()[0], {"spec": {"apiTranslation": {"enabled": value}}})]


def test_our_translation_goes_back_with_its_highest_absent_member() -> None:
    run = a_run(writes=(f"translation:{T}", FLIP), **OURS)

    back = s.step(run.back(translated(False)), f"back:{T}")

    assert back.after["spec"] == {"apiTranslation": None}
    assert back.after["metadata"]["annotations"] == {TYPE: "ipp"}


def test_a_translation_that_is_not_what_we_wrote_is_left_and_reported() -> None:
    run = a_run(writes=(f"translation:{T}", FLIP), **OURS)

    plan = run.back(translated(True))

    assert "spec" not in s.step(plan, f"back:{T}").after
    assert "Somebody else's value is left" in next(f.message for f in plan.findings if f.code == "TranslationLeft")


def test_a_translation_that_the_controller_wrote_stays_and_is_reported_as_its_own() -> None:
    run = a_run(api_translation=ApiTranslation(before=None, after=True, written_by="controller"))

    plan = run.back(translated(True))

    assert "spec" not in s.step(plan, f"back:{T}").after
    assert "written by the controller" in next(f.message for f in plan.findings if f.code == "TranslationLeft")


def test_a_translation_alone_is_taken_back_without_the_rest() -> None:
    run = a_run(writes=(f"translation:{T}",), **OURS)
    now = [*cluster(), b.changed(b.a_tenant_config(), {"spec": {"apiTranslation": {"enabled": False}}})]

    plan = run.back(now)

    assert s.ids(plan.steps) == ["access-back", "backup-back", f"back:{T}", "final"]
    assert s.step(plan, f"back:{T}").after == {"spec": {"apiTranslation": None}}


def test_ch_29_the_way_back_asks_for_what_it_needs_before_it_writes() -> None:
    plan = a_run().back(steady())
    first = plan.steps[0]
    assert isinstance(first, CheckAccess)

    wanted = {(need.verb, need.resource) for need in first.needs}

    assert {("delete", "configmaps"), ("create", "configmaps"), ("patch", "deployments")} <= wanted


def test_nothing_is_restarted_unless_something_was_put_back() -> None:
    plan = a_run().back(steady())

    assert {step.only_after for step in plan.steps if isinstance(step, Restart)} == {f"restore:{T}"}


def test_an_absent_config_map_is_not_put_back_and_the_default_is_listed() -> None:
    things = [thing for thing in s.cluster("3.6") if thing["metadata"]["name"] != naming.PLUGINS_CONFIG_MAP]
    plan = s.plan(things, platform="3.6")
    run = Journal().begin(plan).back_up(things).write(FLIP)

    back = run.back(steady())

    assert not any(isinstance(step, (Restore, Restart)) for step in back.steps)
    assert "DefaultLeft" in codes(back)


GATEWAY_NAMESPACE = ("Namespace", resources.GATEWAY_NAMESPACE)


def without_peer(things: list[Any]) -> list[Any]:
    return [thing for thing in things if thing["metadata"]["name"] != resources.AI_GATEWAY_CONTROLLER_DEPLOYMENT]


def test_it_refuses_where_nobody_would_release_the_tenant() -> None:
    plan = a_run().back(without_peer(steady()))

    stop = plan.findings[0]
    assert (plan.exit_code, plan.steps, stop.code) == (11, (), "RollbackNeedsController")
    assert key.PRAXIS_CLEANUP_FINALIZER in stop.message
    assert stop.resolution


@pytest.mark.parametrize(("going", "told"), [(True, "is being deleted since 2026"), (False, "is not there")])
def test_it_refuses_where_the_namespace_of_ipp_goes_or_is_gone(going: bool, told: str) -> None:
    there = [thing for thing in steady() if (thing["kind"], thing["metadata"]["name"]) != GATEWAY_NAMESPACE]
    namespace = next(thing for thing in steady() if (thing["kind"], thing["metadata"]["name"]) == GATEWAY_NAMESPACE)
    gone = {**namespace, "metadata": {**namespace["metadata"], "deletionTimestamp": "2026-12-01T00:00:00Z"}}

    plan = a_run().back([*there, gone] if going else there)

    stop = plan.findings[0]
    assert (plan.exit_code, plan.steps, stop.code) == (11, (), "ObjectTerminating")
    assert told in stop.message
    assert "Nothing was written" in stop.message


def test_it_refuses_on_a_platform_that_went_back_to_3_5_with_praxis_in_place() -> None:
    old = [*s.cluster("3.5"), *s.on_praxis(status="cleanup-complete")]

    assert a_run().back(old).exit_code == 11


def test_a_tenant_that_is_free_to_claim_goes_back_without_the_peer() -> None:
    free = b.annotated(s.on_praxis()[0], **{STATUS: "cleanup-complete"})

    assert a_run().back(without_peer([*steady(), free])).exit_code == 0


def test_what_cannot_be_read_is_unknown_and_gives_4() -> None:
    gap = b.a_gap(resources.MAAS_TENANT_CONFIG)
    things = [thing for thing in steady() if thing["kind"] != "MaasTenantConfig"]

    plan = a_run().back(things, gaps=[gap])
    blind = a_run().back(
        without_peer(steady()),
        gaps=[b.a_gap(resources.DEPLOYMENT, resources.APPLICATIONS_NAMESPACE, "ai-gateway-controller")],
    )

    assert (plan.exit_code, plan.steps) == (4, ())
    assert (blind.exit_code, blind.steps) == (4, ())


def test_from_the_gate_on_3_5_the_pin_stays_and_nothing_is_written() -> None:
    things = s.cluster("3.5")
    run = Journal().begin(s.plan(things)).back_up(things).write(f"pin:{T}")
    pinned = b.annotated(b.a_tenant_config(), **{TYPE: "ipp"})

    plan = run.back([*things, pinned])

    assert (plan.exit_code, plan.steps, plan.platform) == (0, (), "3.5")
    assert "LeftAsIpp" in codes(plan)
    assert "LeftAsIpp" not in codes(run.back(things)), "somebody took the pin away"


def test_a_flip_that_was_withdrawn_leaves_nothing_to_do() -> None:
    withdrawn = b.annotated(b.a_tenant_config(), **{TYPE: "ipp", key.PAYLOAD_PROCESSING_MIGRATION: "blocked"})

    plan = a_run().back(cluster(withdrawn))

    assert (plan.exit_code, plan.steps) == (0, ())
    assert "LeftAsIpp" in codes(plan)


def test_a_flip_whose_reply_was_lost_may_have_run_and_is_taken_back() -> None:
    things = cluster()
    run = Journal().begin(s.plan(things, platform="3.6")).back_up(things).write(FLIP, applied=False)

    assert f"back:{T}" in s.ids(run.back(steady()).steps)


def test_a_run_that_never_flipped_has_nothing_to_take_back() -> None:
    things = cluster()
    run = Journal().begin(s.plan(things, platform="3.6")).back_up(things)

    assert run.back(things).steps == ()


@pytest.mark.parametrize("custom", [False, True], ids=["default", "customised"])
def test_a_second_rollback_has_nothing_to_do(custom: bool) -> None:
    given_back = b.annotated(b.a_tenant_config(), **{TYPE: "ipp"})

    plan = a_run(custom=custom).back(cluster(given_back, custom=custom))

    assert (plan.exit_code, plan.steps) == (0, ())


def test_a_tenant_that_was_made_anew_is_left_and_reported() -> None:
    anew = b.changed(s.on_praxis()[0], {"metadata": {"uid": "anew"}})

    plan = a_run().back([*steady(), anew])

    assert plan.steps == ()
    assert "is another object now" in next(f.message for f in plan.findings if f.code == "TenantReplaced")


def test_tenants_go_back_one_after_the_other_the_last_one_first() -> None:
    names = ("blue", s.DEFAULT)
    things = s.cluster("3.6", *names)
    plan = s.plan(things, platform="3.6", tenants={name: {} for name in names})
    run = Journal().begin(plan).back_up(things).write(*(f"flip:{name}" for name in names))

    back = run.back([*things, *s.on_praxis("blue"), *s.on_praxis(s.DEFAULT)])

    order = [step.tenant for step in back.steps if step.tenant]
    assert list(dict.fromkeys(order)) == [s.DEFAULT, "blue"]
    assert order == sorted(order, reverse=True)


def test_a_custom_text_that_the_upgrade_reset_comes_from_part_one() -> None:
    before = [*s.cluster("3.5"), b.a_plugins_config_map(processing=b.CUSTOM_TEXT)]
    after = s.cluster("3.6")
    one = s.plan(before, tenants={T: {"config_map": s.facts(b.a_snapshot(*before)).config_map}})
    assert one.tenants[0].config_map is not None
    custom = msgspec.structs.replace(one.tenants[0].config_map, verdict="custom-blocked")
    one = msgspec.structs.replace(one, tenants=(msgspec.structs.replace(one.tenants[0], config_map=custom),))
    two = s.plan(after, platform="3.6", runbook=s.UPGRADE, run="r1")
    run = Journal().begin(one).back_up(before).write(f"pin:{T}").gate().begin(two).back_up(after).write(FLIP)

    step = s.step(run.back(steady()), f"restore:{T}")

    assert run.objects[step.file].raw["data"]["custom-ipp-config.yaml"] == b.CUSTOM_TEXT


def test_otherwise_the_newest_backup_is_put_back() -> None:
    before, after = s.cluster("3.5"), [*s.cluster("3.6"), b.a_plugins_config_map(labels={"edited": "yes"})]
    two = s.plan(after, platform="3.6", runbook=s.UPGRADE, run="r1")
    run = Journal().begin(s.plan(before)).back_up(before).write(f"pin:{T}").gate().begin(two).back_up(after).write(FLIP)

    step = s.step(run.back(steady()), f"restore:{T}")

    assert step.file.startswith("objects/backup-again/")


def test_what_cannot_come_back_is_listed() -> None:
    plan = a_run().back(steady())

    assert {"EvidenceOnly", "CannotComeBack", "LeftAsIpp"} <= codes(plan)
    assert all(finding.impact in {"info", "advisory"} for finding in plan.findings)


def test_what_weighed_on_the_way_forward_asks_for_nothing_on_the_way_back() -> None:
    risk = Finding(
        code="PluginsConfigMapCustomised", impact="risk", message="It is customised.", resolution="Accept it."
    )
    run = a_run()
    run.plans[-1] = msgspec.structs.replace(run.plans[-1], findings=(risk,))

    assert msgspec.structs.replace(risk, impact="info", resolution="") in run.back(steady()).findings


def test_the_end_is_verified_with_the_promises_of_the_way_back() -> None:
    plan = a_run(custom=True).back(steady(**{FORCE: "true"}))
    given_back = b.annotated(b.a_tenant_config(), **{TYPE: "ipp"})
    odd = b.changed(b.a_plugins_config_map(), {"data": {"custom-ipp-config.yaml": None}})
    end = [*cluster(), contract(), given_back, odd]

    good = verify(plan, b.a_snapshot(*end), NOW)
    bad = verify(plan, b.a_snapshot(*end, s.on_praxis()[1]), NOW)

    assert isinstance(plan.steps[-1], Verify)
    assert good.passed, [check for check in good.checks if check.result != "passed"]
    assert [check.code for check in bad.checks if check.result == "failed"] == ["IppDeployment"]


def test_what_is_put_back_is_shown_by_digest_and_never_by_its_text() -> None:
    step = s.step(a_run(custom=True).back(steady()), f"restore:{T}")

    assert step.after["data"]["extproc.yaml"] is None
    assert step.before["data"]["custom-ipp-config.yaml"] is None
    assert step.after["data"]["custom-ipp-config.yaml"].startswith("sha256:")
    assert "metering" not in str(step)
    assert s.step(a_run().back(steady()), f"compare:{T}").after is None


def test_a_force_annotation_that_is_gone_already_is_not_spoken_of() -> None:
    assert FORCE not in s.step(a_run(custom=True).back(steady()), f"back:{T}").after["metadata"]["annotations"]
