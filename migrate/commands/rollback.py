"""``rollback``: plan and run the way back from a run's backups."""

from migrate.commands.context import Context, must_confirm
from migrate.commands.going_back import go_back, plan_way_back, show
from migrate.commands.reporting import ROLLBACK_PLAN
from migrate.commands.runs import Ended, open_run
from migrate.commands.stale import must_be_applicable
from migrate.commands.windows import WindowFlags, maybe_window


def rollback(context: Context, run_id: str, window_flags: WindowFlags) -> Ended:
    """
    Take a run back. A closed window never stops it.

    Raises:
        MigrateError: Refused; nothing was written by this call.
    """
    window = maybe_window(window_flags, context.clock.now())
    with open_run(context, run_id) as run:
        if not run.directory.events():
            context.say(f"run {run.id} ended before it began; there is nothing to take back")
            return Ended(state=run.state, code=0)
        run.must_be_of_this_cluster()
        if run.in_rollback and run.directory.has(ROLLBACK_PLAN) and run.state.state == "rolling-back":
            must_confirm(context, f"Go on with the way back of run {run.id}?")
            return go_back(context, run, window)
        plan = plan_way_back(context, run)
        show(context, plan)
        must_be_applicable(plan)
        if not plan.steps:
            context.say(f"run {run.id} has nothing to take back on the cluster")
        else:
            must_confirm(context, f"Take run {run.id} back with these {len(plan.steps)} steps?")
        return go_back(context, run, window, plan)
