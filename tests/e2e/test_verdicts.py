"""Endings that are neither done nor refused: out of time (22), not verified (1), and what could not be read."""

import json
import re

import pytest

from tests.e2e import cluster, models
from tests.e2e.api import PLAYERS, Json
from tests.e2e.stage import GO, ROOT, Stage

pytestmark = [pytest.mark.slow, pytest.mark.story]


def _impatient_runbook(stage: Stage) -> str:
    """Write the shipped runbook with six seconds for the wait that takes longest."""
    text = (ROOT / "runbooks" / "ipp-to-praxis.yaml").read_text(encoding="utf-8")
    path = stage.place / "impatient.yaml"
    text = re.sub(r"stimateS: \d+", "stimateS: 1", text)
    path.write_text(text.replace("timeoutS: 900", "timeoutS: 6"), encoding="utf-8")
    return str(path)


def test_a_wait_out_of_time_withdraws_while_nothing_is_lost_and_resume_goes_on(stage: Stage) -> None:
    plan = stage.plan("--runbook", _impatient_runbook(stage))
    # The players may write nothing at all: the tenant neither moves nor is refused.
    stage.api.fault(user=PLAYERS, verb="delete,patch,update", code=500, times=None)

    run = stage.cli("apply", plan["id"], *GO, wanted=22).document

    assert (run["state"], run["reason"]) == ("halted", "WaitTimedOut")
    assert "nothing was lost" in run["message"]
    assert cluster.annotations(stage)[cluster.TYPE] == "ipp"
    stage.api.clear_faults()
    stage.until("the tenant is ready", lambda: cluster.on_ipp(stage))
    assert stage.cli("resume", run["id"], *GO).document["state"] == "succeeded"


def test_a_subscription_that_was_created_again_since_is_found_by_its_uid(stage: Stage) -> None:
    run = stage.apply(stage.plan()["id"])["id"]
    where = ("maassubscription", "free", "-n", cluster.TENANT_NAMESPACE)
    old = json.loads(stage.kubectl("get", *where, "-o", "json"))
    stage.kubectl("delete", *where, "--timeout=30s")
    models.create(stage, [_bare(old)])
    stage.until(
        "stamped", lambda: "short" in stage.kubectl("get", *where, "-o", "jsonpath={.status.rateLimitIdentity}")
    )

    verified = stage.cli("verify", run, wanted=1).document

    assert (verified["passed"], verified["identity"]["short"]) == (False, 1)
    assert "free" in str(verified["identity"]["unexpected"])
    failed = [check for check in verified["checks"] if check["result"] == "failed"]
    assert any("free" in str(check) for check in failed)


def _bare(thing: Json) -> Json:
    metadata = {key: thing["metadata"][key] for key in ("name", "namespace")}
    return {"apiVersion": thing["apiVersion"], "kind": thing["kind"], "metadata": metadata, "spec": thing["spec"]}


def test_what_could_not_be_read_is_never_passed(stage: Stage) -> None:
    run = stage.apply(stage.plan()["id"])["id"]
    stage.api.fault(user="admin", verb="list", resource="maassubscriptions", code=403, times=None)

    verified = stage.cli("verify", run, wanted=4).document

    assert verified["passed"] is False
    assert any(check["result"] == "unknown" for check in verified["checks"])
