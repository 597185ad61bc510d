"""``maas-migrate runs``."""

import click

from migrate.cli.output import check_format, emit
from migrate.cli.settings import common, settings_of
from migrate.cli.wiring import context_of
from migrate.commands.status import runs
from migrate.render.run_text import runs_text


@click.command(name="runs")
@common
@click.pass_context
def command(context: click.Context) -> int:
    """Which runs there are, oldest first."""
    settings = settings_of(context)
    check_format(settings)
    document = runs(context_of(settings))
    emit(settings, document, lambda _: runs_text(document.runs), names=[entry.id for entry in document.runs])
    return 0
