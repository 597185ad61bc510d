"""The examples with several tenants, played until they settle, and what a first ``check`` makes of them."""

from collections.abc import Iterable

import pytest

from migrate.changes.assess import assess
from migrate.changes.offline import snapshot_from
from migrate.changes.offline_layout import KINDS
from migrate.errors import BadInputError
from migrate.maas import resources
from migrate.records.assessment import Assessment, Options
from migrate.sandbox.crds import crds_of
from migrate.sandbox.examples import EXAMPLES, example, summary
from migrate.sandbox.examples.many import LARGE, LONG_NAME
from migrate.sandbox.seeding import Loaded, prepared
from tests.unit.changes.offline.builders import a_source, get_all
from tests.unit.sandbox.controllers36.stage import Stage

DEFAULT = resources.DEFAULT_TENANT_NAME


def played(name: str, version: str) -> Stage:
    seeds = prepared(Loaded(example(name, version), {}), crds_of(version), "2026-11-30T00:00:00Z")
    stage = Stage(seeds, "platform", version)
    assert stage.play(600)
    return stage


def checked(stage: Stage, tenants: Iterable[str] = ()) -> Assessment:
    served = [kind for kind in KINDS if stage.context.view.is_served(kind)]
    held = [dict(thing.raw) for kind in served for thing in stage.all(kind)]
    typed = [{"apiVersion": kind.api_version, "kind": kind.kind} for kind in served for _ in stage.all(kind)]
    objects = [head | thing for head, thing in zip(typed, held, strict=True)]
    snapshot = snapshot_from(a_source(get_all(objects, empty=served)))
    return assess(snapshot, Options(only_tenants=tuple(tenants)))


def decisions(assessment: Assessment) -> dict[str, str]:
    return {tenant.name: tenant.decision for tenant in assessment.tenants}


def why(assessment: Assessment, tenant: str) -> set[str]:
    return {one.code for one in assessment.findings if one.tenant == tenant and one.impact in {"blocking", "risk"}}


@pytest.mark.parametrize("version", ["3.5", "3.6"])
def test_every_tenant_of_a_cluster_gets_a_decision_of_its_own(version: str) -> None:
    stage = played("multi-tenant", version)

    found = checked(stage)

    assert decisions(found) == {
        DEFAULT: "proceed",
        "quality-assurance-europe": "proceed",
        "redteam": "proceed",
        "research": "needs-acceptance",
    }
    assert why(found, "research") == {"PluginsConfigMapCustomised"}
    places = {
        tenant.name: (tenant.config_map.namespace, tenant.config_map.name)
        for tenant in found.tenants
        if tenant.config_map
    }
    assert places["research"] == ("team-ingress", "payload-processing-plugins-research")
    assert places["redteam"] == ("openshift-ingress", "payload-processing-plugins-redteam")
    assert {one.tenant for one in found.findings if one.code == "TenantNameLong"} == {"quality-assurance-europe"}
    assert set(decisions(checked(stage, [DEFAULT, "redteam"]))) == {DEFAULT, "redteam"}


def test_mixed_generations_are_told_apart_subscription_by_subscription() -> None:
    found = checked(played("mixed-generations", "3.6"))

    assert decisions(found) == {DEFAULT: "proceed", "redteam": "nothing-to-do"}
    short = {one.name for one in found.subscriptions if one.expected == "short"}
    assert short == {"made-since", "asked-for-short"}


def test_a_gitops_tool_is_found_on_what_would_be_written() -> None:
    for version in ("3.5", "3.6"):
        found = checked(played("gitops", version))

        owners = {one.object.kind for one in found.findings if one.risk == "gitops-managed-object" and one.object}
        assert owners == {"MaasTenantConfig", "ConfigMap"}
        assert decisions(found) == {DEFAULT: "needs-acceptance"}


def test_a_first_check_finds_every_tenant_that_was_left_on_its_way() -> None:
    found = checked(played("half-migrated", "3.6"))

    assert decisions(found)[DEFAULT] == "proceed"
    assert {name for name, decision in decisions(found).items() if decision != "proceed"} == {
        "blocked",
        "held",
        "claimed",
        "foreign",
        "left-over",
        LONG_NAME,
    }
    assert "PayloadProcessingBlocked" in why(found, "blocked")
    assert "DeploymentMissing" not in why(found, "blocked")  # IPP goes on serving it.
    assert "CleanupWaits" in why(found, "held")
    assert "MigrationInTransition" in why(found, "claimed")
    assert "ForceLeftBehind" in why(found, "left-over")
    assert why(found, "foreign")
    assert "TenantNameTooLong" in why(found, LONG_NAME)


def test_on_3_5_the_same_marks_are_found_before_the_upgrade_acts_on_them() -> None:
    found = checked(played("half-migrated", "3.5"))

    marks = {"blocked": "PraxisRequestedEarly", "held": "PraxisRequestedEarly", "claimed": "MigrationInTransition"}
    for tenant, code in marks.items():
        assert code in {one.code for one in found.findings if one.tenant == tenant}
    assert "ForceLeftBehind" in why(found, "left-over")


def test_large_is_as_large_as_asked() -> None:
    def count(name: str, subscriptions: int | None) -> int:
        return sum(thing["kind"] == "MaaSSubscription" for thing in example(name, "3.5", subscriptions))

    assert count("large", None) == count("default", None) + LARGE
    assert count("large", 7) == count("default", 7) == count("default", None) + 7
    with pytest.raises(BadInputError):
        example("large", "3.5", -1)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_says_in_a_line_what_it_is(name: str) -> None:
    assert summary(name).endswith(".")
