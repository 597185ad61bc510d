"""The screen: data on stdout, everything else on stderr; colour and questions only where they belong."""

import os
import shutil
import sys
from contextlib import suppress
from typing import Any, Final

import click

from migrate.cli.settings import Settings
from migrate.render.style import Paint, ansi, plain
from migrate.render.tables import folded

_state: dict[str, Any] = {"settings": Settings()}
_NARROWEST: Final = 60
OFF: Final = {"0", "", "false", "no"}


def use(settings: Settings) -> None:
    """Take the flags of this call for everything that is said from now on."""
    _state["settings"] = settings


def say(text: str, *, always: bool = False, level: int = 0) -> None:
    """
    Write one line to stderr.

    Args:
        text: Already escaped where it comes from a cluster.

        always: Also with ``-q``.

        level: Only with at least as many ``-v``.
    """
    settings: Settings = _state["settings"]
    if (settings.quiet and not always) or settings.verbose < level:
        return
    try:
        click.echo(text, err=True)
    except (OSError, ValueError):
        leave(sys.stderr)  # The run goes on though nobody listens: the terminal is gone, or the disk full.


def leave(stream: Any) -> None:
    """Write no more to *stream*, so that the end of the program does not stumble over what it still holds."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def has_colour(stream: Any, settings: Settings) -> bool:
    """Return whether *stream* gets colour: the flag decides, then the environment, then the terminal."""
    if settings.color != "auto":
        return settings.color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "") not in OFF:
        return True
    return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"


def paint(settings: Settings) -> Paint:
    """Return how stdout is coloured."""
    return ansi if has_colour(sys.stdout, settings) else plain


def on_screen(text: str) -> str:
    """Return *text* folded to the terminal that stdout is; as it is where it goes to a pipe or a file."""
    if not sys.stdout.isatty():
        return text
    return folded(text, max(shutil.get_terminal_size().columns, _NARROWEST))


def can_ask(settings: Settings) -> bool:
    """Return whether somebody can be asked: a terminal on both sides and no ``--no-input``."""
    return not settings.no_input and sys.stdin.isatty() and sys.stderr.isatty()


def ask_yes(question: str) -> bool:
    """Ask on stderr and return whether the answer was yes; an end of input is a no."""
    try:
        return click.confirm(question, default=False, err=True)
    except click.Abort:
        return False
