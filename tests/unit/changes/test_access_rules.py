"""What ``rbac`` grants is what ``plan`` reads and what ``apply`` asks for before its first write."""

from typing import Any

import pytest

from migrate.changes.access_rules import (
    Subject,
    Verb,
    generic_needs,
    grants,
    manifests_of,
    placed,
    reading_needs,
    rules_by_namespace,
)
from migrate.changes.plan_needs import needs_for, needs_of
from migrate.commands.manifests import problems_of
from migrate.records.objects import Json
from migrate.records.plan import AccessNeed
from tests import builders as b
from tests.unit.changes.plan import stories as s
from tests.unit.changes.test_survey import collect

SOMEBODY = Subject(kind="User", name="sre")
STORIES = [("3.5", (s.DEFAULT,)), ("3.6", (s.DEFAULT,)), ("3.5", (s.DEFAULT, "redteam")), ("3.6", ("redteam",))]


def needs(platform: str, tenants: tuple[str, ...]) -> tuple[AccessNeed, ...]:
    plan = s.plan(s.cluster(platform, *tenants), platform=platform, tenants={name: {} for name in tenants})
    return needs_of(plan)


def roles(verb: Verb, wanted: tuple[AccessNeed, ...]) -> tuple[Json, ...]:
    return manifests_of(verb, wanted, SOMEBODY)


def each_grant(manifests: tuple[Json, ...]) -> set[tuple[str, str, str, str, str]]:
    return {
        (verb, group, resource, manifest["metadata"].get("namespace", ""), name)
        for manifest in manifests
        if manifest["kind"] in {"Role", "ClusterRole"}
        for rule in manifest["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
        for name in rule.get("resourceNames", [""])
    }


@pytest.mark.parametrize(("platform", "tenants"), STORIES)
def test_the_roles_for_apply_grant_what_its_access_check_asks_for_and_nothing_else(
    platform: str, tenants: tuple[str, ...]
) -> None:
    wanted = needs(platform, tenants)
    made = roles("apply", wanted)

    assert wanted
    assert [need for need in wanted if not grants(made, need)] == []
    asked = {(need.verb, need.group, need.resource, need.namespace, need.name) for need in wanted}
    asked |= {(*entry[:4], "") for entry in asked if entry[0] == "create"}
    assert each_grant(made) <= asked


@pytest.mark.parametrize(("platform", "tenants"), STORIES)
def test_the_generic_roles_fit_every_cluster(platform: str, tenants: tuple[str, ...]) -> None:
    snapshot, _ = collect(dict(thing) for thing in s.cluster(platform, *tenants))
    plan = s.plan(s.cluster(platform, *tenants), platform=platform, tenants={name: {} for name in tenants})
    wanted = needs_for(snapshot, (*plan.steps, *plan.forecast))

    assert [need for need in wanted if not grants(roles("apply", generic_needs("apply")), need)] == []
    reads = needs_for(snapshot, ())
    assert [n for n in reading_needs(reads) if not grants(roles("plan", generic_needs("plan")), n)] == []


def test_the_roles_for_plan_only_read() -> None:
    for wanted in (generic_needs("plan"), reading_needs(needs("3.5", (s.DEFAULT,)))):
        assert {verb for verb, *_ in each_grant(roles("plan", wanted))} == {"get", "list"}


@pytest.mark.parametrize("verb", ["plan", "apply"])
def test_no_secret_no_status_no_finalizer_and_no_star_is_granted(verb: Verb) -> None:
    granted = each_grant(roles(verb, generic_needs(verb)))

    assert not any(
        resource == "secrets" or "/" in resource or "*" in (group, resource) for _, group, resource, *_ in granted
    )
    assert {resource for word, _, resource, *_ in granted if word in {"patch", "create", "delete", "update"}} <= {
        "maastenantconfigs",
        "configmaps",
        "deployments",
        "leases",
    }


@pytest.mark.parametrize("verb", ["plan", "apply"])
@pytest.mark.parametrize(
    "subject", [SOMEBODY, Subject(kind="Group", name="g"), Subject(kind="ServiceAccount", name="a", namespace="n")]
)
def test_the_manifests_are_valid_and_each_role_is_bound(verb: Verb, subject: Subject) -> None:
    made = manifests_of(verb, (*generic_needs(verb), *needs("3.5", (s.DEFAULT,))), subject)

    assert problems_of(made) == ()
    assert [m["kind"] for m in made if m["kind"].endswith("Binding")] == [
        f"{m['kind']}Binding" for m in made if not m["kind"].endswith("Binding")
    ]


def test_a_narrow_need_is_left_out_where_a_wide_one_grants_it() -> None:
    def need(verb: str, namespace: str = "", name: str = "") -> AccessNeed:
        return AccessNeed(verb=verb, group="apps", resource="deployments", namespace=namespace, name=name)

    rules = rules_by_namespace([need("get", "a", "x"), need("get", "a"), need("list"), need("list", "b")])

    assert {where: [(rule.verbs, rule.names) for rule in of] for where, of in rules.items()} == {
        "": [(("list",), ())],
        "a": [(("get",), ())],
    }


def test_a_question_in_a_namespace_that_is_not_there_goes_into_the_cluster_role() -> None:
    snapshot = b.a_snapshot(b.a_deployment("x", "here"))
    wanted = [
        AccessNeed(verb="get", group="apps", resource="deployments", namespace=namespace, name="x")
        for namespace in ("here", "nowhere")
    ]

    assert [need.namespace for need in placed(wanted, snapshot)] == ["here", ""]


def test_what_is_no_valid_manifest_is_said_and_a_kind_without_schema_passes() -> None:
    bad: Any = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": 1}}
    unknown: Any = {"apiVersion": "maas.opendatahub.io/v1alpha1", "kind": "Config", "metadata": {"name": "default"}}

    [problem] = problems_of([unknown, bad])

    assert problem.startswith("ConfigMap x at data.a: ")
