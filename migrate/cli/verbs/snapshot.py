"""``maas-migrate snapshot``."""

import click

from migrate.cli.output import check_format, emit, no_stdout
from migrate.cli.settings import common, settings_of
from migrate.cli.wiring import context_of
from migrate.commands.snapshot import take_snapshot
from migrate.render.snapshot_text import snapshot_text


@click.command(name="snapshot")
@click.option(
    "--out",
    required=True,
    callback=no_stdout,
    metavar="FILE",
    help="Where to write it; an existing file is not overwritten.",
)
@common
@click.pass_context
def command(context: click.Context, out: str) -> int:
    """Save what plan would read, as one file. No Secret is read."""
    settings = settings_of(context)
    check_format(settings)
    snapshot, code = take_snapshot(context_of(settings), out)
    emit(settings, snapshot, lambda _: snapshot_text(snapshot, out), names=[out])
    return code
