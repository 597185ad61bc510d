"""``verify``: read again and compare with what was promised; or is the cluster consistent in itself?"""

from migrate.changes.verify import verify as judge
from migrate.changes.verify import verify_cluster
from migrate.commands.context import Context
from migrate.commands.planning import read_cluster
from migrate.commands.runs import read_run
from migrate.errors import ExitCode
from migrate.records.verification import Verification


def verify(context: Context, run_id: str, snapshot_file: str) -> tuple[Verification, ExitCode]:
    """Return the verdict and the exit code. Writes nothing. Raises BadInputError, StoreError."""
    run = read_run(context, run_id) if run_id else None
    plan = run.promised() if run else None
    if run and not snapshot_file:
        run.must_be_of_this_cluster()
    snapshot = read_cluster(context, snapshot_file)
    at = context.clock.now()
    verification = judge(plan, snapshot, at, run=run_id) if plan else verify_cluster(snapshot, at)
    refused = any(gap.reason in {"forbidden", "unauthorised"} for gap in snapshot.gaps)
    if refused and not verification.passed:
        return verification, ExitCode.NOT_AUTHORISED
    return verification, ExitCode.OK if verification.passed else ExitCode.NOT_VERIFIED
