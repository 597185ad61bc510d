"""``maas-migrate verify``."""

import click

from migrate.cli.output import check_format, emit
from migrate.cli.settings import common, settings_of
from migrate.cli.wiring import context_of
from migrate.commands.rehearsed import LATEST, compare_with_rehearsal
from migrate.commands.verify import verify
from migrate.render.run_text import verification_text


@click.command(name="verify")
@click.argument("run", required=False, default="")
@click.option("--snapshot", metavar="PATH", default="", help="Saved files instead of the live cluster.")
@click.option(
    "--against-rehearsal",
    "rehearsal",
    metavar="[ID]",
    is_flag=False,
    flag_value=LATEST,
    default="",
    help="Compare RUN with what a rehearsal foretold; without ID the latest for this cluster.",
)
@common
@click.pass_context
def command(context: click.Context, run: str, snapshot: str, rehearsal: str) -> int:
    """Read again and compare with what RUN's plan promised; without RUN: is the cluster consistent in itself?"""
    settings = settings_of(context)
    check_format(settings)
    running = context_of(settings)
    document, code = verify(running, run, snapshot)
    if rehearsal:
        document, code = compare_with_rehearsal(running, run, rehearsal, document, code)
    emit(settings, document, lambda paint: verification_text(document, paint), names=[c.code for c in document.checks])
    return code
