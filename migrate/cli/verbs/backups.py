"""``maas-migrate backups``."""

import click

from migrate.cli.output import check_format, emit
from migrate.cli.settings import common, settings_of
from migrate.cli.wiring import context_of
from migrate.commands.backups import export_backups, list_backups, show_backup, verify_backups
from migrate.commands.documents import BackupsDocument
from migrate.render.run_text import backups_text


@click.group(name="backups")
@common
def command() -> None:
    """List, show, verify or export saved backups."""


def _answer(context: click.Context, document: BackupsDocument, *, checked: bool = True) -> int:
    settings, entries = settings_of(context), document.backups
    emit(settings, document, lambda _: backups_text(entries, checked=checked), names=[e.object for e in entries])
    return 0


@command.command(name="list")
@click.argument("run", required=False, default="")
@common
@click.pass_context
def list_command(context: click.Context, run: str) -> int:
    """List the saved objects of RUN, or of all runs, as the journal tells; verify checks them."""
    check_format(settings_of(context))
    return _answer(context, list_backups(context_of(settings_of(context)), run), checked=False)


@command.command(name="verify")
@click.argument("run", required=False, default="")
@common
@click.pass_context
def verify_command(context: click.Context, run: str) -> int:
    """Check every byte of the backups of RUN, or of all runs."""
    check_format(settings_of(context))
    return _answer(context, verify_backups(context_of(settings_of(context)), run))


@command.command(name="show")
@click.argument("run")
@click.argument("object_name", metavar="OBJECT")
@common
@click.pass_context
def show_command(context: click.Context, run: str, object_name: str) -> int:
    """Print one saved object of RUN as it was read; OBJECT is its file, or 'Kind namespace/name'."""
    settings = settings_of(context)
    raw = show_backup(context_of(settings), run, object_name)
    emit(settings, raw.document, lambda _: raw.text, names=[object_name])
    return 0


@command.command(name="export")
@click.argument("run")
@click.option(
    "--out", required=True, metavar="DIR", help="A new folder, in one that is there; an existing one is not touched."
)
@common
@click.pass_context
def export_command(context: click.Context, run: str, out: str) -> int:
    """Write plain manifests of RUN's backups, for kubectl replace or create."""
    check_format(settings_of(context))
    return _answer(context, export_backups(context_of(settings_of(context)), run, out))
