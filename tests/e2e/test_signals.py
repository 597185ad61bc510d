"""Ctrl-C and SIGTERM in a wait, and two runs that meet: one stops at a safe point, the other never starts."""

import signal
import subprocess
import time

import pytest

from tests.e2e import cluster
from tests.e2e.api import PLAYERS
from tests.e2e.stage import GO, Stage

pytestmark = pytest.mark.slow

WAIT = f"praxis:{cluster.TENANT_NAMESPACE}"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/{cluster.TENANT_NAMESPACE}/leases/maas-migrate"
AT_ONCE_S = 2.0
REQUEST_S = 4.0
"""What the request in flight, the withdrawal and the end of the process may take beside that on a busy machine."""


def _waiting(stage: Stage) -> "subprocess.Popen[str]":
    """Start an apply whose tenant neither moves nor is refused, and return once it waits."""
    stage.api.fault(user=PLAYERS, verb="delete", code=500, times=None)
    applying = stage.start("apply", stage.plan()["id"], *GO)
    stage.until_step(WAIT)
    return applying


@pytest.mark.story
@pytest.mark.parametrize(
    ("number", "code"), [pytest.param(signal.SIGINT, 130, id="ctrl-c"), pytest.param(signal.SIGTERM, 143, id="sigterm")]
)
def test_a_signal_in_a_wait_ends_at_a_safe_point_and_resume_goes_on(stage: Stage, number: int, code: int) -> None:
    applying = _waiting(stage)
    uids = cluster.ipp_uids(stage)
    begun = time.monotonic()
    applying.send_signal(number)

    run = stage.finish(applying, code).document

    assert time.monotonic() - begun < AT_ONCE_S + REQUEST_S
    assert "resume" in run["resolution"]
    assert cluster.annotations(stage)[cluster.TYPE] == "ipp"
    assert cluster.ipp_uids(stage) == uids
    stage.api.clear_faults()
    assert stage.cli("resume", *GO).document["state"] == "succeeded"
    assert cluster.on_praxis(stage)


@pytest.mark.story
def test_a_second_ctrl_c_ends_at_once_and_the_journal_is_intact(stage: Stage) -> None:
    applying = _waiting(stage)
    # The first signal meets a server that does not answer: the withdrawal hangs.
    stage.api.fault(verb="get,patch", resource="maastenantconfigs", user="admin", delay_s=20.0, times=None)
    applying.send_signal(signal.SIGINT)
    stage.until("the first one is taken", lambda: stage.api.struck()[-1])
    applying.send_signal(signal.SIGINT)
    applying.communicate(timeout=10)

    assert applying.returncode == 130
    stage.api.clear_faults()
    assert stage.cli("resume", *GO).document["state"] == "succeeded"


@pytest.mark.story
def test_two_runs_never_work_at_once(stage: Stage) -> None:
    plan = stage.plan()["id"]
    elsewhere = ("--state-dir", str(stage.place / "elsewhere"))
    other = stage.plan(*elsewhere)["id"]
    # The first one is held in its dry run: it has the lock and has written nothing.
    stage.api.fault(verb="patch", resource="maastenantconfigs", user="admin", dry_run=True, delay_s=14.0)
    applying = stage.start("apply", plan, *GO)
    stage.until_step("dry-run")
    holder = stage.api.get(LEASE)["spec"]["holderIdentity"]

    here = stage.cli("apply", plan, *GO, wanted=14).document
    assert (here["reason"], here["run"]) == ("RunLocked", stage.run_id())
    assert stage.cli("resume", stage.run_id(), *GO, wanted=14).document["reason"] == "RunLocked"
    assert stage.cli("status").document["lock"]["holder"] == holder
    there = stage.cli("apply", other, *GO, *elsewhere, wanted=14).document
    assert (there["reason"], holder in there["message"]) == ("RunLocked", True)

    assert stage.finish(applying).document["state"] == "succeeded"


@pytest.mark.story
def test_ch_31_a_lock_that_somebody_takes_stops_every_write(stage: Stage) -> None:
    applying = _waiting(stage)
    stage.api.forget_requests()
    stage.api.merge(LEASE, {"spec": {"holderIdentity": "ops-ws-9/990/c0de"}}, "somebody")

    run = stage.finish(applying, 21).document

    assert (run["state"], "ops-ws-9/990/c0de" in run["message"]) == ("needs-person", True)
    assert stage.api.writes_of_the_tool() == []
    assert stage.api.get(LEASE)["spec"]["holderIdentity"] == "ops-ws-9/990/c0de"
