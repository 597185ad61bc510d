"""The way back: planned from the run's own folder and the cluster as it is, shown, and run."""

from migrate.changes.rollback import plan_rollback
from migrate.commands.context import Context
from migrate.commands.reporting import ROLLBACK_PLAN
from migrate.commands.runs import Ended, Run, nothing_written
from migrate.commands.stale import must_be_applicable
from migrate.records.plan import Plan
from migrate.records.window import Window
from migrate.render.plan_text import plan_text


def plan_way_back(context: Context, run: Run) -> Plan:
    """
    Return the plan of the way back. Every byte of the backups is checked first.

    Raises:
        StoreError: A backup or the journal is damaged.
    """
    sets = run.directory.backups()
    entries = sets.verify()
    objects = {entry.file: sets.load(entry.file, entry.sha256) for entry in entries}
    snapshot = context.live().collect()
    return plan_rollback(
        state=run.state,
        events=run.directory.events(),
        plans=run.plans(),
        backups=entries,
        objects=objects,
        snapshot=snapshot,
    )


def go_back(context: Context, run: Run, window: Window, plan: Plan | None = None) -> Ended:
    """Run the way back; one that was interrupted goes on with the plan it had."""
    if plan is None and run.in_rollback and run.directory.has(ROLLBACK_PLAN):
        plan = run.directory.load(ROLLBACK_PLAN, Plan)
    if plan is None:
        plan = plan_way_back(context, run)
        must_be_applicable(plan)
    with nothing_written():
        run.directory.save(ROLLBACK_PLAN, plan, replace=True)
    return run.go(plan, window, phase="rollback")


def show(context: Context, plan: Plan) -> None:
    """Show the way back before it is asked for."""
    context.say(plan_text(plan, asks=True))
