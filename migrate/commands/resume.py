"""``resume``: go on where a run stopped."""

from migrate.changes.plan_compare import compare_decisions
from migrate.commands.context import Context, must_confirm
from migrate.commands.going_back import go_back
from migrate.commands.part_two import part_two_plan, way_on
from migrate.commands.planning import accepted_risks
from migrate.commands.runs import Ended, Run, load_any_plan, open_run, read_run, unfinished_runs
from migrate.commands.stale import must_be_applicable, must_be_fresh
from migrate.commands.status import runs
from migrate.commands.windows import NO_WINDOW_RISK, WindowFlags, must_have_window
from migrate.errors import BadInputError, PlanIsStaleError
from migrate.records.journal import RunState
from migrate.records.plan import Plan
from migrate.records.snapshot import Snapshot
from migrate.records.window import Window
from migrate.store import plans
from migrate.store.run_directory import plan_name as plan_name_of_part


def resume(context: Context, run_id: str, plan_name: str, window_flags: WindowFlags, accept: tuple[str, ...]) -> Ended:
    """
    Go on with the run *run_id*, or with the one unfinished run of this cluster.

    Raises:
        MigrateError: Refused before anything was written by this call.
    """
    accepted = accepted_risks(accept)
    if more := sorted(set(accepted) - {NO_WINDOW_RISK}):
        raise BadInputError(
            f"--accept {more[0]} decides the steps and cannot be said to resume; nothing was written.",
            resolution="What part one accepted holds for part two. To accept more at the gate: maas-migrate plan "
            "--run RUN --accept RISK=REASON, then resume RUN --plan PLAN; past it, roll back and make a new plan.",
        )
    window = must_have_window(window_flags, accepted, context.clock.now())
    state = _chosen(context, run_id)
    if state is None:
        context.say("nothing to resume")
        return Ended(code=0, runs=runs(context))
    if state.state in {"succeeded", "rolled-back"}:
        context.say(f"run {state.id} is {state.state}; nothing to resume")
        return Ended(state=state, code=0)
    with open_run(context, state.id) as run:
        if not run.directory.events() and not run.directory.has(plan_name_of_part(1)):
            context.say(f"run {run.id} ended before it began; apply its plan again")
            return Ended(state=run.state, code=0)
        run.must_be_of_this_cluster()
        return go_back(context, run, window) if run.in_rollback else _go_on(context, run, plan_name, window)


def _chosen(context: Context, run_id: str) -> RunState | None:
    if run_id:
        return read_run(context, run_id).state
    found = unfinished_runs(context, context.live().identity.id)
    if len(found) > 1:
        names = ", ".join(state.id for state in found)
        raise BadInputError(
            f"There are {len(found)} unfinished runs: {names}.",
            resolution="Name the one to go on with: maas-migrate resume RUN --window START/END; "
            "maas-migrate status RUN shows where each stands.",
        )
    return found[0] if found else None


def _go_on(context: Context, run: Run, plan_name: str, window: Window) -> Ended:
    plan = run.current_plan()
    if plan_name and plan.part > 1:
        raise BadInputError(
            f"Part two of run {run.id} is under way with plan {plan.id}.",
            resolution=f"Leave --plan out: maas-migrate resume {run.id} --window START/END.",
        )
    ended = run.go(plan, window)
    return _part_two(context, run, plan, plan_name, window) if ended.gate_passed else ended


def _part_two(context: Context, run: Run, forecast: Plan, plan_name: str, window: Window) -> Ended:
    """Read anew, plan part two, and go on when its decisions are those that were foretold or approved."""
    snapshot = context.live().collect()
    if plan_name:
        plan = _approved(context, run, plan_name, snapshot)
    else:
        plan = part_two_plan(context, run, snapshot)
        _must_be_as_foretold(context, run, forecast, plan, snapshot)
    must_be_applicable(plan)
    must_confirm(context, f"Go on with part two of run {run.id}: {len(plan.steps)} steps, window {window.text()}?")
    run.take_part_two(plan, snapshot)
    return run.go(plan, window)


def _approved(context: Context, run: Run, plan_name: str, snapshot: Snapshot) -> Plan:
    plan = load_any_plan(context, plan_name)
    if plan.run != run.id:
        raise BadInputError(
            f"Plan {plan.id} is not part two of run {run.id}; nothing was written.",
            resolution=f"Make it with maas-migrate plan --run {run.id}.",
        )
    must_be_fresh(plan, snapshot)
    return plan


def _must_be_as_foretold(context: Context, run: Run, forecast: Plan, plan: Plan, snapshot: Snapshot) -> None:
    differences = list(compare_decisions(forecast, plan))
    if plan.runbook.digest != forecast.runbook.digest:
        differences.append(f"the runbook {plan.runbook.name} is not the one that part one was planned with")
    if not differences:
        return
    plans.save_plan(context.state(), plan, snapshot)
    raise PlanIsStaleError(
        "Part two is not what the forecast said; nothing was written since the gate. Differences:\n"
        + "\n".join(f"  {line}" for line in differences),
        resolution=way_on(plan, run.id),
        run=run.id,
    )
