"""CH-29: every verb that plan, apply and rollback need is asked for before the first write."""

import pytest

from migrate.changes.plan_needs import needs_of
from migrate.maas import resources
from migrate.records.plan import AccessNeed, CheckAccess
from tests import builders as b
from tests.unit.changes.plan import stories as s


def needs(platform: str = "3.5") -> dict[tuple[str, str, str, str], AccessNeed]:
    plan = s.plan(s.cluster(platform), platform=platform)
    return {(need.verb, need.resource, need.namespace, need.name): need for need in needs_of(plan)}


NEEDED = [
    ("get", "namespaces", "", "kube-system"),
    ("list", "maassubscriptions", "", ""),
    ("patch", "maastenantconfigs", "models-as-a-service", "default-tenant"),
    ("watch", "maastenantconfigs", "models-as-a-service", "default-tenant"),
    ("get", "configmaps", "openshift-ingress", "payload-processing-plugins"),
    ("patch", "configmaps", "openshift-ingress", "payload-processing-plugins"),
    ("create", "configmaps", "openshift-ingress", ""),
    ("delete", "configmaps", "openshift-ingress", "payload-processing-plugins"),
    ("patch", "deployments", "openshift-ingress", "payload-processing"),
    ("patch", "deployments", "openshift-ingress", "payload-pre-processing"),
    ("watch", "deployments", "openshift-ingress", ""),
    ("watch", "envoyfilters", "openshift-ingress", "payload-processing"),
    ("watch", "tokenratelimitpolicies", "llm", "maas-trlp-granite"),
    ("create", "leases", "models-as-a-service", ""),
    ("patch", "leases", "models-as-a-service", "maas-migrate"),
    ("delete", "leases", "models-as-a-service", "maas-migrate"),
]


@pytest.mark.parametrize("platform", ["3.5", "3.6"])
@pytest.mark.parametrize("need", NEEDED, ids=" ".join)
def test_ch_29_plan_apply_and_rollback_are_all_asked_about(platform: str, need: tuple[str, str, str, str]) -> None:
    found = needs(platform)

    assert need in found
    assert not found[need].optional


def test_ch_29_an_optional_read_only_lessens_what_can_be_proved() -> None:
    found = needs()

    assert found["list", "limitadors", "", ""].optional
    assert not found["list", "tokenratelimitpolicies", "", ""].optional


def test_nothing_is_asked_twice_and_no_secret_is_wanted() -> None:
    plan = s.plan(s.cluster("3.5"))
    entries = [(need.verb, need.group, need.resource, need.namespace, need.name) for need in needs_of(plan)]

    assert len(entries) == len(set(entries))
    assert not any(resource == "secrets" for _, _, resource, _, _ in entries)
    assert entries == sorted(entries, key=lambda entry: (*entry[1:], entry[0]))


def test_the_writes_asked_for_lie_in_the_closed_table() -> None:
    writable = {"maastenantconfigs", "configmaps", "deployments", "leases"}

    assert {resource for verb, resource, _, _ in needs() if verb in {"patch", "create", "delete"}} == writable


def test_part_two_asks_again_for_what_is_left() -> None:
    plan = s.plan(s.cluster("3.5"))
    again = next(step for step in plan.forecast if isinstance(step, CheckAccess))

    assert any(need.verb == "delete" and need.resource == resources.CONFIG_MAP.plural for need in again.needs)


def test_many_objects_of_a_kind_are_one_question() -> None:
    names = [f"user-{number}" for number in range(500)]
    plan = s.plan([*s.cluster("3.5"), *(b.a_subscription(name) for name in names)])
    asked = [(need.verb, need.name) for need in needs_of(plan) if need.resource == "maassubscriptions"]

    assert sorted(asked) == [("get", ""), ("list", ""), ("list", ""), ("watch", "")]
