"""Part two of a run: planned anew after the gate, with the choices of part one."""

import msgspec

from migrate.commands.context import Context
from migrate.commands.planning import plan_with
from migrate.commands.runs import Run
from migrate.errors import BadInputError
from migrate.records.assessment import Options
from migrate.records.plan import Plan
from migrate.records.snapshot import Snapshot


def part_two_plan(context: Context, run: Run, snapshot: Snapshot) -> Plan:
    """Return part two of *run*, planned on *snapshot* with the operator's choices of part one."""
    first = run.plans()[0]
    if not first.forecast:
        raise BadInputError(f"Run {run.id} has no part two.", resolution="Make a plan without --run.")
    options = msgspec.convert(first.options, Options)
    return plan_with(context, snapshot, options, first.runbook.name, run=run.id)
