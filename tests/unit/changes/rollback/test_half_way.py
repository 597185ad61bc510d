"""A way back that was begun is gone to its end, also where the cluster looks as if it were over."""

from typing import Any

from migrate.records.plan import Plan
from migrate.records.progress import fold
from tests import builders as b
from tests.unit.changes.plan import stories as s
from tests.unit.changes.rollback.runs import Journal
from tests.unit.changes.rollback.test_rollback import TYPE, T, a_run, cluster, steady


def given_back() -> list[Any]:
    """Return the cluster on which IPP has the tenant again, its customised ConfigMap included."""
    return cluster(b.annotated(b.a_tenant_config(), **{TYPE: "ipp"}), custom=True)


def put_back(run: Journal, plan: Plan) -> Journal:
    """Go back by *plan* as far as the ConfigMap."""
    run.add("rollback.started", plan=plan.id, steps=s.ids(plan.steps)).add("lock.acquired")
    run.add("step.started", f"restore:{T}")
    intent = {"object": s.step(plan, f"restore:{T}").object, "verb": "patch", "patch": {}, "uid": "u"}
    return run.add("write.intended", f"restore:{T}", intent=intent)


def test_a_way_back_that_stopped_before_its_restarts_is_gone_to_its_end() -> None:
    run = a_run(custom=True)
    first = run.back(steady())
    put_back(run, first).add("write.applied", f"restore:{T}", uid="u", resourceVersion="9")
    run.add("step.succeeded", f"restore:{T}").add("run.stopped", exitCode=130)

    again = run.back(given_back())

    assert s.ids(again.steps) == s.ids(first.steps)
    run.add("rollback.started", plan=again.id, steps=[]).add("run.ended", exitCode=0)
    assert run.back(given_back()).steps == ()


def test_a_way_back_whose_last_reply_was_lost_is_gone_to_its_end() -> None:
    run = a_run(custom=True)
    put_back(run, run.back(steady())).add("run.stopped", exitCode=22)

    assert f"restarted:{T}" in s.ids(run.back(given_back()).steps)
    assert fold("r1", tuple(run.events)).phase == "rollback"
