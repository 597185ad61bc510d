"""The least rights, proved: what ``rbac`` prints is enough for the whole job, and not one rule too much."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.contract.likeness import until
from tests.e2e import cluster
from tests.e2e.stage import GO
from tests.real import rights
from tests.real.rights import Less, Right
from tests.real.stage import Play, RealStage, real_stage
from tests.servers.locate import Programs

pytestmark = [pytest.mark.real, pytest.mark.slow]

FORCE = ("--accept", "force-custom-plugins-configmap=re-applied by CHG-1042")
FOR_OTHER_DAYS = {
    Right("create", "", "configmaps"),  # Where the way back finds no plugins ConfigMap at all.
    Right("delete", "", "configmaps"),  # Where the one it finds belongs to somebody else.
    Right("delete", "coordination.k8s.io", "leases"),  # For unlock.
}
"""What a calm journey does not use."""
FIRST_LEASE = Right("create", "coordination.k8s.io", "leases")
"""Only whoever comes first on a cluster creates the lease."""


@pytest.fixture(scope="module")
def stage(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealStage]:
    with real_stage(tmp_path_factory.mktemp("rights"), programs, Play(example="customised")) as found:
        yield found


def test_whoever_may_plan_can_write_nothing(stage: RealStage) -> None:
    printed = rights.roles_for(stage, "plan", "reader")
    rights.bind(stage, "reader", printed)
    reader = rights.as_account(stage, "reader")
    until(lambda: may(reader, "list", "maastenantconfigs"))

    reader.cli("check", wanted=2)
    plan = reader.plan(*FORCE)
    reader.cli("apply", plan["id"], *GO, wanted=4)

    assert {right.verb for right in rights.rights_of(printed)} <= {"get", "list", "watch"}
    assert rights.changed(stage.plane, "reader") == []


def test_taking_away_any_rule_is_named_before_the_first_write(stage: RealStage) -> None:
    plan = stage.plan(*FORCE, "--out", "plan.json")
    printed = rights.roles_for(stage, "apply", "mover")
    tries = list(rights.each_without_one(printed, "less"))
    rights.bind_all(stage, {less.name: less.manifests for less in tries})
    assert plan["steps"]
    with ThreadPoolExecutor(2) as pool:
        faults = [fault for fault in pool.map(lambda less: fault_of(stage, less), tries) if fault]
    assert not faults, "\n".join(faults)


def fault_of(stage: RealStage, less: Less) -> str:
    """Apply without one rule; return what is wrong with how that ended. What only helps an apply, a plan insists on."""
    account = rights.as_account(stage, less.name)
    told = ""
    path = stage.place / "plan.json"
    planning = [["plan", *FORCE]] if less.rights <= optional_rights(path) else []
    for words in (*planning, ["apply", str(path), *GO]):
        done = account.finish(account.start(*words), None)
        told += done.out + done.err
        if done.code == 4:
            break
    else:
        return f"{less.where}: without {less.rule} it ends with {done.code}: {told[-900:]}"
    if not any(right.verb in told and right.resource in told for right in less.rights):
        return f"{less.where}: without {less.rule} nothing of it is named: {told[-900:]}"
    written = [line for line in rights.changed(stage.plane, less.name) if "/leases" not in line]
    return f"{less.where}: without {less.rule} this was written: {written}" if written else ""


def optional_rights(path: Path) -> set[Right]:
    """Return what a plan asks the server about without insisting on it."""
    steps = json.loads(path.read_text(encoding="utf-8"))["steps"]
    needs = next(step["needs"] for step in steps if step["action"] == "CheckAccess")
    return {Right(need["verb"], need["group"], need["resource"]) for need in needs if need["optional"]}


def test_the_whole_way_with_exactly_these_rights(stage: RealStage) -> None:
    printed = rights.roles_for(stage, "apply", "mover")
    rights.bind(stage, "mover", printed)
    mover = rights.as_account(stage, "mover")
    until(lambda: may(mover, "patch", "maastenantconfigs/default-tenant"))

    plan = mover.plan(*FORCE)
    run = mover.apply(plan["id"], wanted=20)["id"]
    stage.approve_upgrade()
    assert mover.cli("resume", *GO).document["state"] == "succeeded"
    so_far = len(mover.told())
    mover.cli("verify", run)
    mover.cli("status", run)
    mover.cli("check", wanted=2)
    assert mover.writes(so_far) == []
    mover.cli("rollback", run, "--yes")
    stage.until("IPP is back", lambda: cluster.on_ipp(stage))

    had, used = rights.rights_of(printed), rights.used(stage.plane, "mover")
    assert rights.shown(used - had) == "[]"
    assert rights.shown(had - used - {FIRST_LEASE}) == rights.shown(FOR_OTHER_DAYS)


def may(stage: RealStage, verb: str, what: str) -> bool:
    """Whether the server says that the stage's user may do that in the tenant's namespace."""
    resource, _, name = what.partition("/")
    attributes = {"namespace": cluster.TENANT_NAMESPACE, "verb": verb, "group": "maas.opendatahub.io"}
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {**attributes, "resource": resource, "name": name}},
    }
    return bool(
        stage.api.call("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body)["status"]["allowed"]
    )
