"""``maas-migrate apply``."""

import click

from migrate.cli.output import check_format
from migrate.cli.plan_options import plan_options
from migrate.cli.running import end_run
from migrate.cli.settings import common, settings_of
from migrate.cli.window_options import window_options
from migrate.cli.wiring import running_context
from migrate.commands.apply import apply
from migrate.commands.planning import PlanFlags
from migrate.commands.windows import WindowFlags


@click.command(name="apply")
@click.argument("plan", required=False, default="")
@plan_options(choices=True)
@window_options
@click.option("--dry-run", type=click.Choice(["server"]), help="Send every write with dryRun=All, and stop.")
@click.option("--lock-namespace", metavar="NS", default="", help="Where the lease lives.")
@click.option("--yes", is_flag=True, help="Answer the ordinary question; never accepts a risk.")
@common
@click.pass_context
def command(  # noqa: PLR0913 - one parameter a flag
    context: click.Context,
    plan: str,
    flags: PlanFlags,
    window: WindowFlags,
    dry_run: str | None,
    lock_namespace: str,
    *,
    yes: bool,
) -> int:
    """Run PLAN (a file, or the id of a saved plan) inside its window; without PLAN plan, show and ask first."""
    settings = settings_of(context)
    check_format(settings)
    with running_context(settings, yes=yes, lock_namespace=lock_namespace) as running:
        return end_run(settings, apply(running, plan, flags, window, dry_run=dry_run is not None))
