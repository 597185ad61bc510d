"""Part two of a run: planned anew after the gate, with the choices of part one."""

import msgspec

from migrate.commands.context import Context
from migrate.commands.planning import plan_with
from migrate.commands.runs import Run
from migrate.errors import BadInputError, BlockedError
from migrate.records.assessment import Options
from migrate.records.plan import Plan
from migrate.records.snapshot import Snapshot


def part_two_plan(context: Context, run: Run, snapshot: Snapshot) -> Plan:
    """
    Return part two of *run*, planned on *snapshot* with the operator's choices and the runbook of part one.

    Raises:
        BadInputError: The run has no part two, or is past its gate.

        BlockedError: The cluster is still on 3.5.
    """
    first = run.plans()[0]
    if not first.forecast:
        raise BadInputError(f"Run {run.id} has no part two.", resolution="Make a plan without --run.")
    state = run.state
    if state.state in {"succeeded", "rolled-back", "rolling-back"} or len(run.plans()) > 1:
        raise BadInputError(
            f"Run {run.id} does not wait at its gate any more: it is {state.state}.",
            resolution=f"Look at maas-migrate status {run.id}.",
        )
    options = msgspec.convert(first.options, Options)
    plan = plan_with(context, snapshot, options, first.runbook.document or first.runbook.name, run=run.id)
    if plan.platform == first.platform:
        raise BlockedError(
            f"Run {run.id} waits for the operator upgrade, and the cluster is still on {plan.platform}; "
            "nothing was written.",
            resolution="Plan its part two when the operator is upgraded.",
            run=run.id,
        )
    return plan
