"""``plan``: everything that a run would do, fixed; saved in the state dir, and nothing written to the cluster."""

from migrate.commands.context import Context
from migrate.commands.part_two import part_two_plan
from migrate.commands.planning import PlanFlags, plan_from, read_cluster
from migrate.commands.runs import read_run
from migrate.errors import BadInputError, ExitCode, StoreError
from migrate.records.plan import Plan
from migrate.records.snapshot import Snapshot
from migrate.store import plans
from migrate.store.atomic import is_there


def make_saved_plan(context: Context, flags: PlanFlags, *, out: str, run: str, detailed: bool) -> tuple[Plan, ExitCode]:
    """Return the plan, saved under its id, and the exit code. Raises BadInputError."""
    if run and flags.runbook:
        raise BadInputError(
            "plan --run goes on with the runbook of part one.",
            resolution="Leave --runbook out, or leave --run out for a plan of its own.",
        )
    if out:
        plans.must_take_a_plan(context.cwd / out)
    snapshot = read_cluster(context, flags.snapshot)
    if run:
        opened = read_run(context, run)
        plan = part_two_plan(context, opened, snapshot, flags)
    else:
        plan = plan_from(context, flags, snapshot)
    save_plan(context, plan, snapshot)
    if out:
        plans.write_plan(context.cwd / out, plan)
    return plan, _code(plan, detailed=detailed)


def save_plan(context: Context, plan: Plan, snapshot: Snapshot) -> None:
    """Save *plan* in the state dir under its id; where that cannot be, say so: the plan itself is still shown."""
    path = context.state().path / "plans" / f"{plan.id}.json"
    try:
        if not is_there(path):
            path = plans.save_plan(context.state(), plan, snapshot)
    except StoreError as error:
        context.warn(f"the plan was not saved in the state dir: {error.message}; maas-migrate plan --out FILE keeps it")
        return
    if context.keeps:
        context.say(f"plan saved as {path}")


def _code(plan: Plan, *, detailed: bool) -> ExitCode:
    code = ExitCode(plan.exit_code)
    if code is not ExitCode.OK or not detailed:
        return code
    if plan.steps:
        return ExitCode.CHANGES
    advisory = any(finding.impact in {"risk", "advisory"} for finding in plan.findings)
    return ExitCode.ADVISORY if advisory else ExitCode.OK
