"""``maas-migrate unlock``."""

import click

from migrate.cli.output import check_format, emit
from migrate.cli.settings import common, settings_of
from migrate.cli.wiring import running_context
from migrate.commands.unlock import unlock


@click.command(name="unlock")
@click.argument("run", required=False, default="")
@click.option("--lock-namespace", metavar="NS", default="", help="Where the lease lives.")
@common
@click.pass_context
def command(context: click.Context, run: str, lock_namespace: str) -> int:
    """Take the lock from RUN when that is dead: it is watched until it has been silent for the lock's duration."""
    settings = settings_of(context)
    check_format(settings)
    with running_context(settings, yes=False, lock_namespace=lock_namespace) as running:
        document = unlock(running, run)
    text = f"the lock was taken from run {run}\n" if document.unlocked else "the lock is free\n"
    emit(settings, document, lambda _: text, names=[document.was.run] if document.was.run else [])
    return 0
