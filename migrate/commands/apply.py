"""``apply``: run a plan inside its window."""

from contextlib import ExitStack

from migrate.changes.plan_runbook import RISKS
from migrate.changes.plan_stale import added_subscriptions
from migrate.commands.context import Context, must_confirm
from migrate.commands.dry_run import try_dry
from migrate.commands.locked import lock_goes_first
from migrate.commands.plan import save_plan
from migrate.commands.planning import PlanFlags, accepted_risks, plan_from
from migrate.commands.runs import (
    Ended,
    begin_run,
    load_any_plan,
    must_have_no_unfinished_run,
    nothing_written,
    run_of_plan,
)
from migrate.commands.stale import already_done, must_be_applicable, must_be_fresh
from migrate.commands.windows import NO_WINDOW_RISK, WindowFlags, must_have_window
from migrate.errors import BadInputError, OutsideWindowError
from migrate.records.plan import Plan
from migrate.records.snapshot import Snapshot
from migrate.records.window import Window
from migrate.render.plan_text import plan_text


def apply(context: Context, named: str, flags: PlanFlags, window_flags: WindowFlags, *, dry_run: bool) -> Ended:
    """
    Run the plan called *named*, or the one that *flags* make.

    Raises:
        MigrateError: Refused before the first write; nothing was written.
    """
    accepted = accepted_risks(flags.accept)
    window = None if dry_run else must_have_window(window_flags, accepted, context.clock.now())
    if named:
        _must_decide_nothing(flags, accepted)
    plan = load_any_plan(context, named) if named else None
    if plan is not None and plan.part > 1 and plan.run:
        raise BadInputError(
            f"Plan {plan.id} is part two of run {plan.run}; nothing was written.",
            resolution=f"Run maas-migrate resume {plan.run} --plan {named} --window START/END.",
        )
    if flags.snapshot:
        raise BadInputError("apply works on the live cluster.", resolution="Leave --snapshot out.")
    live = context.live()
    with nothing_written():
        must_have_no_unfinished_run(context, live.identity.id)
    snapshot = live.collect()
    if plan is None:
        plan = plan_from(context, flags, snapshot)
        save_plan(context, plan, snapshot)
        context.say(plan_text(plan, asks=True))
    return _start(context, plan, snapshot, window)


def _must_decide_nothing(flags: PlanFlags, accepted: dict[str, str]) -> None:
    more = sorted(set(accepted) & RISKS - {NO_WINDOW_RISK})
    if more or flags.api_translation or flags.runbook:
        what = (
            f"--accept {more[0]}=REASON"
            if more
            else "--api-translation true|false"
            if flags.api_translation
            else "--runbook NAME"
        )
        raise BadInputError(
            f"{what} decides the steps and cannot be said to apply PLAN; nothing was written.",
            resolution=f"Plan again with maas-migrate plan {what}, and apply that plan.",
        )


def _start(context: Context, plan: Plan, snapshot: Snapshot, window: Window | None) -> Ended:
    done = run_of_plan(context, plan.id)
    if done is not None and done.state == "succeeded":
        context.say(f"plan {plan.id} was applied by run {done.id}; nothing to do")
        return Ended(state=done, code=0)
    with lock_goes_first(context):
        must_be_applicable(plan)
    if plan.cluster.id == context.live().identity.id and already_done(plan, context.live()):
        context.say("everything that the plan does holds already; nothing to do")
        return Ended(plan=plan, code=0)
    with lock_goes_first(context):
        must_be_fresh(plan, snapshot)
    for added in added_subscriptions(plan, snapshot):
        context.say(f"since the plan was made came {added}; no identity was promised to it")
    if window is None:
        return try_dry(context, plan)
    _must_fit(context, plan, window)
    must_confirm(context, _question(context, plan, window))
    with ExitStack() as held:
        with nothing_written(), context.state().beginning():
            # Another apply may have begun since the first look: while the question stood, or at the same moment.
            must_have_no_unfinished_run(context, plan.cluster.id)
            run = begin_run(context, plan, snapshot)
            held.enter_context(run.directory.lock())
        # The question, or the lock, may have taken long: the engine looks at the clock again before each step.
        return run.go(plan, window)


def _must_fit(context: Context, plan: Plan, window: Window) -> None:
    """Raise unless the window is open and what the plan needs at least fits before its cutoff."""
    now = context.clock.now()
    needed = plan.window.minimum_seconds if plan.window else 0
    if not window.is_open(now):
        raise OutsideWindowError(
            f"It is {now.isoformat(timespec='seconds')}; the window is {window.text()}. Nothing was written.",
            resolution="Come back inside the window.",
        )
    if not window.fits(now, needed):
        left = round(window.left_s(now) or 0)
        raise OutsideWindowError(
            f"The plan needs {needed} s with the way back, and {left} s are left before the cutoff. "
            "Nothing was written.",
            resolution="Give a longer window, or come back when it opens.",
        )


def _question(context: Context, plan: Plan, window: Window) -> str:
    cluster = plan.cluster
    return (
        f"Apply plan {plan.id[:12]} with {len(plan.steps)} steps\n"
        f"  to {cluster.server} (cluster {cluster.id}, context {cluster.context})\n"
        f"  as {context.user}, window {window.text()}\n"
        f"  backups go to {context.state().path}\n"
        "Go on?"
    )
