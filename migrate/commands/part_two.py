"""Part two of a run: planned anew after the gate, with the choices of part one and what is accepted beside them."""

import msgspec

from migrate.commands.context import Context
from migrate.commands.planning import PlanFlags, options_of, plan_with
from migrate.commands.runs import Run
from migrate.commands.stale import missing_risks
from migrate.errors import BadInputError, BlockedError, ExitCode
from migrate.records.assessment import Options
from migrate.records.plan import Plan
from migrate.records.snapshot import Snapshot


def part_two_plan(context: Context, run: Run, snapshot: Snapshot, more: PlanFlags | None = None) -> Plan:
    """
    Return part two of *run*, planned on *snapshot* with the operator's choices and the runbook of part one.

    Args:
        context: Where runbooks are looked for.

        run: The run that waits at its gate.

        snapshot: What was read.

        more: ``--accept`` and ``--api-translation`` of part two, beside those of part one.

    Raises:
        BadInputError: The run has no part two, or is past its gate.

        BlockedError: The cluster is still on 3.5.
    """
    first = run.plans()[0]
    if not first.forecast:
        raise BadInputError(
            f"Run {run.id} has no part two.", resolution="Make a plan without --run: maas-migrate plan."
        )
    state = run.state
    if state.state in {"succeeded", "rolled-back", "rolling-back"} or len(run.plans()) > 1:
        raise BadInputError(
            f"Run {run.id} does not wait at its gate any more: it is {state.state}.",
            resolution=f"Look at maas-migrate status {run.id}.",
        )
    options = _choices(context, first, more or PlanFlags())
    plan = plan_with(context, snapshot, options, first.runbook.document or first.runbook.name, run=run.id)
    if plan.platform == first.platform:
        raise BlockedError(
            f"Run {run.id} waits for the operator upgrade, and the cluster is still on {plan.platform}; "
            "nothing was written.",
            resolution="Plan its part two when the operator is upgraded.",
            run=run.id,
        )
    return plan


def _choices(context: Context, first: Plan, more: PlanFlags) -> Options:
    """Return the choices of part one and *more*; who says more answers for all of them."""
    options = msgspec.convert(first.options, Options)
    if not more.accept and not more.api_translation:
        return options
    said = options_of(context, more)
    return msgspec.structs.replace(
        options,
        accepted=options.accepted | said.accepted,
        by=said.by,
        api_translation=options.api_translation | said.api_translation,
    )


def way_on(plan: Plan, run: str) -> str:
    """Return how to go on with a part two that is not what was foretold."""
    go = f"maas-migrate resume {run} --plan"
    if plan.exit_code == ExitCode.RISK_NOT_ACCEPTED:
        accept = " ".join(f"--accept {risk}=REASON" for risk in missing_risks(plan))
        return (
            f"Look at the risk, and accept it with maas-migrate plan --run {run} {accept}; then go on with the "
            f"plan that this names: {go} PLAN --window START/END. Or go back: maas-migrate rollback {run}."
        )
    if plan.exit_code != ExitCode.OK:
        return (
            f"Look at maas-migrate plan --run {run} for what blocks; when it is mended, run it again and go on with "
            f"{go} PLAN --window START/END. Or go back: maas-migrate rollback {run}."
        )
    return f"Look at maas-migrate plan --run {run}; to go on with it, run {go} {plan.id} --window START/END."
