"""``verify``: read again and compare with what was promised; or is the cluster consistent in itself?"""

from typing import Final

from migrate.changes.verify import needs_another_look, verify_cluster
from migrate.changes.verify import verify as judge
from migrate.commands.context import Context
from migrate.commands.planning import read_cluster
from migrate.commands.runs import read_run
from migrate.errors import ExitCode
from migrate.records.plan import Plan
from migrate.records.snapshot import Snapshot
from migrate.records.verification import Verification

LOOK_AGAIN_S: Final = (2.0, 5.0, 10.0)
"""After how long the cluster is read again while all that failed may pass by itself. Source: contract §1.3."""


def verify(context: Context, run_id: str, snapshot_file: str) -> tuple[Verification, ExitCode]:
    """Return the verdict and the exit code. Writes nothing. Raises BadInputError, StoreError."""
    run = read_run(context, run_id) if run_id else None
    plan = run.promised() if run else None
    if run and not snapshot_file:
        run.must_be_of_this_cluster()
    snapshot = read_cluster(context, snapshot_file)
    verification = _judged(context, plan, snapshot, run_id)
    for pause_s in () if snapshot_file else LOOK_AGAIN_S:
        if not needs_another_look(verification):
            break
        context.say(f"something failed that may pass by itself; reading again in {pause_s:.0f} s")
        context.clock.sleep(pause_s)
        snapshot = read_cluster(context, "")
        verification = _judged(context, plan, snapshot, run_id)
    refused = any(gap.reason in {"forbidden", "unauthorised"} for gap in snapshot.gaps)
    if refused and not verification.passed:
        return verification, ExitCode.NOT_AUTHORISED
    return verification, ExitCode.OK if verification.passed else ExitCode.NOT_VERIFIED


def _judged(context: Context, plan: Plan | None, snapshot: Snapshot, run_id: str) -> Verification:
    at = context.clock.now()
    return judge(plan, snapshot, at, run=run_id) if plan else verify_cluster(snapshot, at)
