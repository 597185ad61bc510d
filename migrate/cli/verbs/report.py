"""``maas-migrate report``."""

import click

from migrate.cli.output import check_format, emit
from migrate.cli.settings import common, settings_of
from migrate.cli.wiring import context_of
from migrate.commands.report import report
from migrate.render.report_html import report_html
from migrate.render.report_markdown import report_markdown


@click.command(name="report")
@click.argument("run")
@common
@click.pass_context
def command(context: click.Context, run: str) -> int:
    """Write the record of RUN for the change ticket, as markdown (the default), html or json."""
    settings = settings_of(context)
    check_format(settings, ("markdown", "html"))
    document = report(context_of(settings), run)

    def text() -> str:
        return report_markdown(document)

    more = {"markdown": text, "html": lambda: report_html(document)}
    emit(settings, document, lambda _: text(), names=[run], more=more)
    return 0
