"""A run under a server that is there and says no: a webhook that is down, priority and fairness."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e import cluster
from tests.e2e.stage import GO
from tests.real import rights
from tests.real.stage import Play, RealStage, real_stage
from tests.servers.locate import Programs

pytestmark = [pytest.mark.real, pytest.mark.slow]

HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
FLOWS = "/apis/flowcontrol.apiserver.k8s.io/v1"
HOOK = "vmaastenantconfig.kb.io"
OURS = "request.options.?fieldManager.orValue('') == 'maas-migrate'"
NOT_TRIED = "!request.?dryRun.orValue(false)"


FORCE = ("--accept", "force-custom-plugins-configmap=re-applied by CHG-1042")


@pytest.fixture
def stage(request: pytest.FixtureRequest, programs: Programs, tmp_path: Path) -> Iterator[RealStage]:
    with real_stage(tmp_path, programs, Play(example=getattr(request, "param", "default"), controllers="3.6")) as found:
        yield found


def hook(*conditions: str) -> dict[str, Any]:
    """Return a webhook of ConfigMaps and MaasTenantConfigs at which nobody listens."""
    rule = {"apiVersions": ["*"], "operations": ["*"], "scope": "*"}
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "away"},
        "webhooks": [
            {
                "name": HOOK,
                "clientConfig": {"url": "https://127.0.0.1:9/validate"},
                "rules": [
                    {**rule, "apiGroups": [""], "resources": ["configmaps"]},
                    {**rule, "apiGroups": ["maas.opendatahub.io"], "resources": ["maastenantconfigs"]},
                ],
                "matchConditions": [{"name": f"c{n}", "expression": text} for n, text in enumerate(conditions)],
                "failurePolicy": "Fail",
                "sideEffects": "None",
                "timeoutSeconds": 1,
                "admissionReviewVersions": ["v1"],
            }
        ],
    }


def hurried(place: Path) -> Path:
    """Write the runbook with little patience for its writes; return its path."""
    found = yaml.safe_load((Path(__file__).resolve().parents[2] / "runbooks/ipp-to-praxis.yaml").read_text("utf-8"))
    for phase in found["phases"]:
        for step in phase["steps"]:
            if step["id"] in {"dry-run", "flip"}:
                step |= {"estimateS": 1, "timeoutS": 30 if step["id"] == "dry-run" else 3, "attempts": 1}
    path = place / "hurried.yaml"
    path.write_text(yaml.safe_dump(found), encoding="utf-8")
    return path


@pytest.mark.parametrize("stage", ["customised"], indirect=True)
def test_a_webhook_that_is_down_is_named_and_nothing_is_lost(stage: RealStage) -> None:
    before, data = cluster.content(stage), cluster.data_of(stage)
    plan = stage.plan("--runbook", str(hurried(stage.place)), *FORCE)

    stage.api.call("POST", HOOKS, hook(OURS))
    stage.until("the webhook is known", lambda: _is_known(stage))
    refused = stage.cli("apply", plan["id"], *GO, wanted=20)
    assert f'failed calling webhook "{HOOK}"' in refused.document["message"]
    assert "nothing was written" in refused.document["message"]
    assert cluster.content(stage) == before

    stage.api.merge(f"{HOOKS}/away", {"webhooks": hook(OURS, NOT_TRIED)["webhooks"]}, "test")
    stage.until("dry runs pass it", lambda: not _is_known(stage))
    stopped = stage.cli("resume", *GO, wanted=22)
    assert f'failed calling webhook "{HOOK}"' in stopped.document["message"]
    assert "MaasTenantConfig models-as-a-service/default-tenant" in stopped.document["message"]
    assert cluster.content(stage) == before

    stage.api.call("DELETE", f"{HOOKS}/away")
    assert stage.cli("resume", *GO).document["state"] == "succeeded"
    assert cluster.on_praxis(stage)

    stage.api.call("POST", HOOKS, hook(OURS, NOT_TRIED, "request.resource.resource == 'configmaps'"))
    going = stage.start("rollback", stage.run_id(), "--yes")
    restore = f"restore:{cluster.TENANT_NAMESPACE}"
    stage.until("it is tried", lambda: len(_intents(stage, restore)) > 2)
    assert cluster.data_of(stage) != data
    stage.api.call("DELETE", f"{HOOKS}/away")
    stage.finish(going)
    stage.until("IPP is back", lambda: cluster.on_ipp(stage))
    assert cluster.data_of(stage) == data


def _intents(stage: RealStage, step: str) -> list[dict[str, Any]]:
    return [entry for entry in stage.journal() if (entry["event"], entry.get("step")) == ("write.intended", step)]


def _is_known(stage: RealStage) -> bool:
    call = "annotate maastenantconfig default-tenant a=b --field-manager maas-migrate --dry-run=server -n"
    try:
        stage.kubectl(*call.split(), cluster.TENANT_NAMESPACE)
    except AssertionError as error:
        assert HOOK in str(error)  # noqa: PT017 - the words of kubectl
        return True
    return False


def test_a_server_that_puts_off_costs_time_only(stage: RealStage) -> None:
    rights.bind(stage, "mover", rights.roles_for(stage, "apply", "mover"))
    mover = rights.as_account(stage, "mover")
    stage.until("the roles are known", lambda: mover.finish(mover.start("plan"), None).code == 0)
    plan = mover.plan()
    level, flow = jail("mover")
    stage.api.call("POST", f"{FLOWS}/prioritylevelconfigurations", level)

    running = mover.start("apply", plan["id"], *GO)
    stage.until("the flip is written", lambda: cluster.annotations(stage).get(cluster.TYPE) == "praxis")
    with stage.players_asleep():
        stage.api.call("POST", f"{FLOWS}/flowschemas", flow)
        stage.until("the run is put off", lambda: len(put_off(stage)) > 3)
        stage.api.call("DELETE", f"{FLOWS}/flowschemas/jail")
    done = mover.finish(running)

    assert done.document["state"] == "succeeded"
    assert cluster.on_praxis(stage)
    assert mover.cli("verify", mover.run_id()).document["passed"] is True


def jail(account: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a priority level without a seat, and the flow that puts *account* into it."""
    version = {"apiVersion": "flowcontrol.apiserver.k8s.io/v1"}
    limited = {
        "nominalConcurrencyShares": 0,
        "lendablePercent": 0,
        "borrowingLimitPercent": 0,
        "limitResponse": {"type": "Reject"},
    }
    level = {"kind": "PriorityLevelConfiguration", "metadata": {"name": "jail"}}
    flow = {"kind": "FlowSchema", "metadata": {"name": "jail"}}
    who = {"kind": "ServiceAccount", "serviceAccount": {"name": account, "namespace": rights.HOME}}
    everything = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": True}
    rule = {
        "subjects": [who],
        "resourceRules": [everything],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    }
    spec = {"priorityLevelConfiguration": {"name": "jail"}, "matchingPrecedence": 2, "rules": [rule]}
    return {**version, **level, "spec": {"type": "Limited", "limited": limited}}, {**version, **flow, "spec": spec}


def put_off(stage: RealStage) -> list[dict[str, Any]]:
    """Return the requests of the tool that were answered with 429."""
    return [entry for entry in stage.told() if (entry.get("responseStatus") or {}).get("code") == 429]
