"""``maas-migrate explain``."""

import click

from migrate.cli.output import check_format, emit
from migrate.cli.settings import common, settings_of
from migrate.commands.explain import explain
from migrate.render.explain_text import list_text, pages_text


def _begun(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    del context, parameter
    return [page.code for page in explain("").pages if page.code.lower().startswith(begun.lower())]


@click.command(name="explain")
@click.argument("code", required=False, default="", shell_complete=_begun)
@common
@click.pass_context
def command(context: click.Context, code: str) -> int:
    """What CODE means: a finding, risk, exit code, check, step, state or reason. Without CODE: all of them."""
    settings = settings_of(context)
    check_format(settings)
    document = explain(code)
    pages = document.pages
    names = [page.code for page in pages]
    emit(settings, document, lambda paint: pages_text(pages, paint) if code else list_text(pages), names=names)
    return 0
