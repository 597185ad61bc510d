"""``maas-migrate verify``."""

import click

from migrate.cli.output import check_format, emit
from migrate.cli.settings import common, settings_of
from migrate.cli.wiring import context_of
from migrate.commands.verify import verify
from migrate.render.run_text import verification_text


@click.command(name="verify")
@click.argument("run", required=False, default="")
@click.option("--snapshot", metavar="FILE", default="", help="A saved snapshot instead of the live cluster.")
@common
@click.pass_context
def command(context: click.Context, run: str, snapshot: str) -> int:
    """Read again and compare with what RUN's plan promised; without RUN: is the cluster consistent in itself?"""
    settings = settings_of(context)
    check_format(settings)
    document, code = verify(context_of(settings), run, snapshot)
    emit(settings, document, lambda paint: verification_text(document, paint), names=[c.code for c in document.checks])
    return code
