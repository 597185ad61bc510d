"""``maas-migrate plan``."""

import click

from migrate.changes.hand_checks import hand_checks
from migrate.cli.output import check_format, emit, no_stdout
from migrate.cli.plan_options import plan_options
from migrate.cli.settings import common, settings_of
from migrate.cli.wiring import context_of
from migrate.commands.plan import make_saved_plan
from migrate.commands.planning import PlanFlags
from migrate.render.kubectl import kubectl_script
from migrate.render.plan_text import plan_text


@click.command(name="plan")
@plan_options(choices=True)
@click.option("--out", callback=no_stdout, metavar="PLAN", default="", help="Also write the plan to this file.")
@click.option("--run", metavar="RUN", default="", help="Plan part two of a run at its gate; --accept adds.")
@click.option("--detailed-exitcode", is_flag=True, help="10 when there are changes to make, 2 for advisories only.")
@common
@click.pass_context
def command(context: click.Context, flags: PlanFlags, out: str, run: str, *, detailed_exitcode: bool) -> int:
    """Show findings, decisions and every step, fixed; -o kubectl gives a script. Writes nothing to the cluster."""
    settings = settings_of(context)
    check_format(settings, ("kubectl",))
    plan, code = make_saved_plan(context_of(settings), flags, out=out, run=run, detailed=detailed_exitcode)
    wide = settings.output == "wide"
    more = {"kubectl": lambda: kubectl_script(plan, hand_checks(plan))}
    emit(settings, plan, lambda paint: plan_text(plan, paint, wide=wide), names=[plan.id], more=more)
    return code
