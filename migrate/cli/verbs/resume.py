"""``maas-migrate resume``."""

import click

from migrate.cli.output import check_format
from migrate.cli.running import end_run
from migrate.cli.settings import common, settings_of
from migrate.cli.window_options import window_options
from migrate.cli.wiring import running_context
from migrate.commands.resume import resume
from migrate.commands.windows import WindowFlags


@click.command(name="resume")
@click.argument("run", required=False, default="")
@window_options
@click.option("--plan", metavar="PLAN", default="", help="Go on with this plan for part two.")
@click.option("--accept", multiple=True, metavar="RISK=REASON", help="Only no-maintenance-window can be accepted here.")
@click.option("--lock-namespace", metavar="NS", default="", help="Where the lease lives.")
@click.option("--yes", is_flag=True, help="Answer the ordinary question; never accepts a risk.")
@common
@click.pass_context
def command(  # noqa: PLR0913 - one parameter a flag
    context: click.Context,
    run: str,
    window: WindowFlags,
    plan: str,
    accept: tuple[str, ...],
    lock_namespace: str,
    *,
    yes: bool,
) -> int:
    """Go on where RUN stopped; without RUN the one unfinished run of this cluster."""
    settings = settings_of(context)
    check_format(settings)
    with running_context(settings, yes=yes, lock_namespace=lock_namespace) as running:
        return end_run(settings, resume(running, run, plan, window, accept))
