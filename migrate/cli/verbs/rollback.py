"""``maas-migrate rollback``."""

import click

from migrate.cli.output import check_format
from migrate.cli.running import end_run
from migrate.cli.settings import common, settings_of
from migrate.cli.window_options import window_options
from migrate.cli.wiring import running_context
from migrate.commands.rollback import rollback
from migrate.commands.windows import WindowFlags


@click.command(name="rollback")
@click.argument("run")
@window_options
@click.option("--lock-namespace", metavar="NS", default="", help="Where the lease lives.")
@click.option("--yes", is_flag=True, help="Answer the ordinary question; never accepts a risk.")
@common
@click.pass_context
def command(context: click.Context, run: str, window: WindowFlags, lock_namespace: str, *, yes: bool) -> int:
    """Plan and run the way back from RUN's backups. A closed window never stops it."""
    settings = settings_of(context)
    check_format(settings)
    with running_context(settings, yes=yes, lock_namespace=lock_namespace) as running:
        return end_run(settings, rollback(running, run, window))
