"""``maas-migrate fingerprint``."""

import sys
from pathlib import Path

import click

from migrate.cli.output import check_format, emit
from migrate.cli.settings import common, settings_of
from migrate.commands.context import Input
from migrate.commands.fingerprint import fingerprint_file
from migrate.render.fingerprint_text import fingerprint_text
from migrate.render.style import Paint
from migrate.store.atomic import LARGEST_BYTES, load


@click.command(name="fingerprint")
@click.argument("file", metavar="FILE|-")
@common
@click.pass_context
def command(context: click.Context, file: str) -> int:
    """Judge one plugins ConfigMap (YAML or JSON) as the controller would, and more carefully."""
    settings = settings_of(context)
    check_format(settings)
    document, code = fingerprint_file(_input(file))

    def text(paint: Paint) -> str:
        return fingerprint_text(
            verdict=document.verdict,
            controller=document.controller,
            careful=document.careful,
            reasons=document.reasons,
            warnings=document.warnings,
            differences=document.differences,
            digest=document.digest,
            paint=paint,
        )

    emit(settings, document, text, names=[document.verdict])
    return code


def _input(file: str) -> Input:
    if file == "-":
        return Input(name="stdin", data=sys.stdin.buffer.read(LARGEST_BYTES + 1))
    return Input(name=file, data=load(Path(file), by_user=True))
