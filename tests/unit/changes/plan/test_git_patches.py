"""For what a GitOps tool owns the plan prints what belongs into git, before anybody accepts the risk."""

import msgspec
import pytest
import yaml

from migrate.changes.assess import assess
from migrate.changes.plan import make_plan
from migrate.records.assessment import Options
from migrate.records.plan import Plan
from migrate.render.git_text import git_text
from migrate.render.kubectl import kubectl_script
from migrate.render.plan_text import plan_text
from tests import builders as b
from tests.unit.changes.plan import stories as s

TRACKED = {"metadata": {"annotations": {"argocd.argoproj.io/tracking-id": "maas:x"}}}
TYPE = "maas.opendatahub.io/payload-processing-type"


def plan(platform: str, *, owned: str = "MaasTenantConfig", accepted: bool = False) -> Plan:
    things = [b.changed(thing, TRACKED) if thing["kind"] == owned else thing for thing in s.cluster(platform)]
    snapshot = b.a_snapshot(*things)
    options = Options(accepted={"gitops-managed-object": "sync is paused"} if accepted else {})
    runbook = s.runbook(s.UPGRADE if platform == "3.5" else s.MOVE)
    return make_plan(snapshot, assess(snapshot, options), runbook, options)


@pytest.mark.parametrize("accepted", [False, True])
def test_ch_19_the_patch_for_git_stands_in_the_plan_whether_or_not_the_risk_is_accepted(*, accepted: bool) -> None:
    made = plan("3.5", accepted=accepted)

    assert bool(made.steps) is accepted
    assert [(patch.step, patch.when, patch.patch["metadata"]["annotations"]) for patch in made.git] == [
        ("pin:models-as-a-service", "", {TYPE: "ipp"}),
        ("flip:models-as-a-service", "after the operator upgrade", {TYPE: "praxis"}),
    ]


def test_ch_19_it_is_yaml_that_a_person_can_paste() -> None:
    made = plan("3.6")

    [document] = yaml.safe_load_all(git_text(made.git))

    assert document == {
        "apiVersion": "maas.opendatahub.io/v1alpha1",
        "kind": "MaasTenantConfig",
        "metadata": {
            "name": "default-tenant",
            "namespace": "models-as-a-service",
            "annotations": {TYPE: "praxis"},
        },
    }
    assert git_text(made.git).splitlines()[2] in plan_text(made)
    assert f"#       {TYPE}: praxis" in kubectl_script(made) or f"#     {TYPE}: praxis" in kubectl_script(made)


def test_what_only_a_rollback_writes_and_what_nobody_owns_need_no_patch() -> None:
    assert plan("3.6", owned="ConfigMap").git == ()
    assert plan("3.6", owned="Nothing").git == ()


def test_what_is_to_be_taken_out_is_said_and_odd_values_stay_what_they_are() -> None:
    [one] = plan("3.6").git
    odd = {"metadata": {"annotations": {"a": None, "on": "off", "x:y": "1", "é": "\x1b"}}, "spec": {"enabled": True}}

    text = git_text((msgspec.structs.replace(one, patch=odd),))

    assert "# take out: metadata.annotations.a" in text
    assert "\x1b" not in text
    document = yaml.safe_load(text)
    assert document["metadata"]["annotations"] == {"on": "off", "x:y": "1", "é": "\x1b"}
    assert document["spec"] == {"enabled": True}
