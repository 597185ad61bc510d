"""``maas-migrate status``."""

import click

from migrate.cli.output import check_format, emit
from migrate.cli.settings import common, settings_of
from migrate.cli.wiring import context_of
from migrate.commands.documents import StatusDocument
from migrate.commands.status import run_status, status
from migrate.render.run_text import run_text
from migrate.render.status_text import status_text


@click.command(name="status")
@click.argument("run", required=False, default="")
@click.option("--lock-namespace", metavar="NS", default="", help="Where the lease lives.")
@common
@click.pass_context
def command(context: click.Context, run: str, lock_namespace: str) -> int:
    """Where RUN stands; without RUN: which runs there are, who holds the lock, which accepted risks still show."""
    settings = settings_of(context)
    check_format(settings)
    if run:
        state = run_status(context_of(settings), run)
        emit(settings, state, lambda paint: run_text(state, paint), names=[state.id])
    else:
        document, code = status(context_of(settings, lock_namespace=lock_namespace))
        names = [entry.id for entry in document.runs]
        emit(settings, document, lambda _: _text(document), names=names)
        return code
    return 0


def _text(document: StatusDocument) -> str:
    lock = document.lock
    words = f"held by {lock.holder} (run {lock.run}, renewed {lock.renewed})" if lock.state == "held" else lock.state
    return status_text(
        state_dir=document.state_dir,
        runs=document.runs,
        lock=f"{words}: {lock.message}" if lock.message else words,
        risks=document.accepted_risks,
    )
