"""The lock from the command line: who holds it, whom it is taken from, and where it lives."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from tests.e2e.cluster import TENANT_NAMESPACE
from tests.e2e.stage import GO, Stage

pytestmark = pytest.mark.slow

LEASES = "/apis/coordination.k8s.io/v1/namespaces/{}/leases"
FOREIGN = "20261003t220000z-abcdef"
HOLDER = f"sre@elsewhere/1/{FOREIGN}"
SHORT_S = 3
"""How long the foreign holder's lease lasts."""


def hold(stage: Stage, namespace: str) -> str:
    """Let another machine's run take the lock of *namespace*; return the Lease's path."""
    spec = {"holderIdentity": HOLDER, "leaseDurationSeconds": SHORT_S, "renewTime": now()}
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "maas-migrate"}}
    stage.api.call("POST", LEASES.format(namespace), {**lease, "spec": spec})
    return f"{LEASES.format(namespace)}/maas-migrate"


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")  # noqa: TID251 - another machine's clock


@contextmanager
def renewed(stage: Stage, lease: str) -> Iterator[None]:
    """Let the holder of *lease* live while the block lasts."""
    over = threading.Event()

    def live() -> None:
        while not over.wait(SHORT_S / 10):
            stage.api.merge(lease, {"spec": {"renewTime": now()}}, "elsewhere")

    thread = threading.Thread(target=live)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.story
def test_the_lock_of_another_machines_run_is_taken_only_when_that_is_silent(stage: Stage) -> None:
    assert stage.cli("unlock").document["unlocked"] is False
    lease = hold(stage, TENANT_NAMESPACE)
    with renewed(stage, lease):
        alive = stage.cli("unlock", FOREIGN, wanted=14).document
        held = stage.cli("status").document["lock"]
        kept_out = stage.cli("apply", stage.plan()["id"], *GO, wanted=14).document
    assert (alive["reason"], held["holder"], HOLDER in kept_out["message"]) == ("RunLocked", HOLDER, True)
    asked = stage.cli("unlock", wanted=16).document
    assert f"maas-migrate unlock {FOREIGN}" in asked["resolution"]
    other = stage.cli("unlock", "20261003t220000z-zzzzzz", wanted=14).document
    assert HOLDER in other["message"]
    assert stage.api.get(lease)["spec"]["holderIdentity"] == HOLDER

    taken = stage.cli("unlock", FOREIGN).document

    assert (taken["unlocked"], taken["was"]["holder"]) == (True, HOLDER)
    assert stage.cli("status").document["lock"]["state"] == "free"
    assert stage.api.writes_of_the_tool() == []


@pytest.mark.story
def test_the_lock_of_a_run_that_works_here_is_never_taken_and_that_of_a_dead_one_is_its_own(stage: Stage) -> None:
    stage.api.fault(verb="patch", resource="maastenantconfigs", user="admin", dry_run=True, delay_s=25.0)
    applying = stage.start("apply", stage.plan()["id"], *GO)
    stage.until_step("dry-run")
    run = stage.run_id()

    refused = stage.cli("unlock", run, wanted=14).document
    applying.kill()
    applying.communicate()

    assert (refused["reason"], refused["run"]) == ("RunLocked", run)
    assert f"maas-migrate unlock {run}" in stage.cli("unlock", wanted=16).document["resolution"]
    stage.api.clear_faults()
    # The dead run itself needs no unlock: its own lock is its own again.
    assert stage.cli("resume", run, *GO).document["state"] == "succeeded"


@pytest.mark.story
def test_the_lock_lives_where_lock_namespace_says(stage: Stage) -> None:
    elsewhere = ("--lock-namespace", "llm")
    hold(stage, "llm")

    assert stage.cli("status").document["lock"]["state"] == "free"
    assert stage.cli("status", *elsewhere).document["lock"]["holder"] == HOLDER
    assert stage.cli("unlock").document["unlocked"] is False
    assert stage.cli("unlock", FOREIGN, *elsewhere).document["unlocked"] is True
    assert stage.cli("status", *elsewhere).document["lock"]["state"] == "free"
