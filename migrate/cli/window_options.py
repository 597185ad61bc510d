"""The flags of the maintenance window."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from migrate.commands.windows import WindowFlags


def window_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the window's flags to a command, which gets them as ``window: WindowFlags``."""

    @wraps(command)
    def with_window(*arguments: Any, **named: Any) -> Any:
        flags = WindowFlags(
            window=named.pop("window") or "",
            timezone=named.pop("timezone") or "",
            cutoff=named.pop("cutoff") or "15m",
        )
        return command(*arguments, window=flags, **named)

    options = (
        click.option(
            "--window", metavar="START/END", help="When steps may start; now+90m, or none with an acceptance."
        ),
        click.option("--timezone", metavar="ZONE", help="Zone of times without an offset, such as Europe/Prague."),
        click.option("--cutoff", metavar="TIME", help="Everything is over this long before the end; default 15m."),
    )
    for option in reversed(options):
        with_window = option(with_window)
    return with_window
