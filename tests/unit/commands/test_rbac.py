"""``rbac``: narrowed where the cluster can be read, generic where it cannot."""

from pathlib import Path

import pytest
import yaml

from migrate.changes.access_rules import Subject, grants
from migrate.changes.plan_needs import needs_of
from migrate.commands.planning import PlanFlags
from migrate.commands.rbac import RbacFlags, rbac, rbac_yaml, subject_of
from migrate.errors import BadInputError, UnreachableError
from migrate.records.snapshot import Gap, Snapshot
from tests import builders as b
from tests.unit.changes.plan import stories as s
from tests.unit.commands.contexts import OneLive, a_context

CLUSTER = b.a_snapshot(*s.cluster("3.5"))


def offline() -> OneLive:
    raise UnreachableError("no answer", resolution="try again")


def test_it_is_narrowed_to_the_cluster_also_where_the_plan_would_be_blocked(tmp_path: Path) -> None:
    broken = b.a_snapshot(*(b.changed(t, {"status": None}) if t["kind"] == "Gateway" else t for t in s.cluster("3.5")))

    whole = rbac(a_context(tmp_path, lambda: OneLive(snapshot=CLUSTER)), PlanFlags(), RbacFlags(verb="apply"))
    blocked = rbac(a_context(tmp_path, lambda: OneLive(snapshot=broken)), PlanFlags(), RbacFlags(verb="apply"))

    assert whole.narrowed
    assert [need for need in needs_of(s.plan(s.cluster("3.5"))) if not grants(whole.manifests, need)] == []
    assert blocked.manifests == whole.manifests


@pytest.mark.parametrize("why", ["unreachable", "gap", "asked"])
def test_it_is_generic_where_the_cluster_cannot_be_read_in_full_or_when_asked(tmp_path: Path, why: str) -> None:
    query = CLUSTER.answered[0]
    gaps = Snapshot(taken_at="", cluster=CLUSTER.cluster, gaps=(Gap(query=query, reason="forbidden"),))
    live = offline if why == "unreachable" else lambda: OneLive(snapshot=gaps)
    said: list[str] = []

    document = rbac(a_context(tmp_path, live, said=said), PlanFlags(), RbacFlags(verb="plan", generic=why == "asked"))

    assert not document.narrowed
    assert [manifest["kind"] for manifest in document.manifests] == ["ClusterRole", "ClusterRoleBinding"]
    assert bool(said) is (why != "asked")
    text = rbac_yaml(document)
    assert [part["kind"] for part in yaml.safe_load_all(text) if part] == ["ClusterRole", "ClusterRoleBinding"]
    assert "--snapshot" in text


def test_the_subject_is_a_user_a_group_or_a_service_account() -> None:
    assert subject_of("user:a:b") == Subject(kind="User", name="a:b")
    assert subject_of("group:sre") == Subject(kind="Group", name="sre")
    assert subject_of("serviceaccount:ns/job") == Subject(kind="ServiceAccount", name="job", namespace="ns")
    for wrong in ("", "me", "user:", "serviceaccount:job", "serviceaccount:/job", "robot:x"):
        with pytest.raises(BadInputError):
            subject_of(wrong)
