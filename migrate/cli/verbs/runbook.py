"""``maas-migrate runbook``."""

import click

from migrate.cli.output import check_format, emit
from migrate.cli.settings import common, settings_of
from migrate.cli.wiring import context_of
from migrate.commands.runbooks import list_runbooks, show_runbook
from migrate.render.runbook_text import runbook_text
from migrate.render.tables import table


@click.group(name="runbook")
@common
def command() -> None:
    """List, show or validate the order of work."""


@command.command(name="list")
@common
@click.pass_context
def list_command(context: click.Context) -> int:
    """List the shipped runbooks and those in ./runbooks."""
    settings = settings_of(context)
    check_format(settings)
    document = list_runbooks(context_of(settings))
    rows = [(entry.name, entry.digest[:12], entry.source) for entry in document.runbooks]
    names = [entry.name for entry in document.runbooks]
    emit(settings, document, lambda _: table(("RUNBOOK", "DIGEST", "SOURCE"), rows), names=names)
    return 0


@command.command(name="show")
@click.argument("name", metavar="NAME|FILE")
@common
@click.pass_context
def show_command(context: click.Context, name: str) -> int:
    """Show one runbook."""
    settings = settings_of(context)
    check_format(settings)
    runbook = show_runbook(context_of(settings), name)
    emit(settings, runbook, lambda _: runbook_text(runbook), names=[runbook.name])
    return 0


@command.command(name="validate")
@click.argument("name", metavar="NAME|FILE")
@common
@click.pass_context
def validate_command(context: click.Context, name: str) -> int:
    """Check a runbook; what is wrong is named by file, line and field."""
    settings = settings_of(context)
    check_format(settings)
    runbook = show_runbook(context_of(settings), name)
    emit(settings, runbook, lambda _: f"{runbook.name} is valid\n", names=[runbook.name])
    return 0
