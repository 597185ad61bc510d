"""A document and its text, in the form that was asked for."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import click
import msgspec

from migrate.cli.settings import Settings
from migrate.cli.terminal import leave, on_screen, paint
from migrate.errors import BadInputError, OutputError
from migrate.render.style import Paint

_written: list[bool] = []
COMMON_FORMATS = ("table", "wide", "json", "yaml", "name")


def emit(
    settings: Settings,
    document: Any,
    text: Callable[[Paint], str],
    *,
    names: Sequence[str] = (),
    more: dict[str, Callable[[], str]] | None = None,
) -> None:
    """
    Write exactly one document, or its text, to stdout.

    Args:
        settings: Says which form.

        document: A record or plain JSON.

        text: Gives the table, given how to colour it.

        names: What ``-o name`` prints.

        more: Further forms of this verb.

    Raises:
        BadInputError: The form is none that this verb has.
    """
    check_format(settings, tuple(more or ()))
    _written.append(True)
    if more and settings.output in more:
        put(more[settings.output]())
    elif settings.output in {"json", "yaml"}:
        put(_encoded(document, settings.output))
    elif settings.output == "name":
        put("".join(f"{name}\n" for name in names))
    else:
        put(on_screen(text(paint(settings))))


def put(text: str) -> None:
    """Write to stdout; whoever reads it may stop before the end. Raises OutputError when it cannot be written."""
    try:
        click.echo(text, nl=False, color=True)  # Colour was decided where the text was made.
        sys.stdout.flush()
    except BrokenPipeError:
        leave(sys.stdout)
    except (OSError, ValueError, AttributeError) as error:
        leave(sys.stdout)
        why = error.strerror if isinstance(error, OSError) else "it is closed"
        raise OutputError(
            f"stdout cannot be written: {why}.", resolution="Give it room; a run that was made is in maas-migrate runs."
        ) from error


def said() -> bool:
    """Return whether this call has written its document: stdout holds exactly one."""
    return bool(_written)


def begin() -> None:
    """Forget what an earlier call in this process wrote."""
    _written.clear()


def check_format(settings: Settings, more: Sequence[str] = ()) -> None:
    """Raise BadInputError when ``-o`` names no form of this verb; called before any work."""
    known = (*COMMON_FORMATS, *more)
    if settings.output not in known:
        raise BadInputError(
            f"-o {settings.output!r} is no output format.", resolution=f"Use -o with one of {', '.join(known)}."
        )


def _encoded(document: Any, form: str) -> str:
    plain = msgspec.to_builtins(document, str_keys=True)
    if form == "json":
        return msgspec.json.format(msgspec.json.encode(plain), indent=2).decode() + "\n"
    import yaml  # noqa: PLC0415 - only when YAML is asked for

    return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True)


def no_stdout(context: click.Context, parameter: click.Parameter, named: str) -> str:
    """Return the name of a new file, for ``callback``; a file called ``-`` would surprise whoever means stdout."""
    del context, parameter
    if named == "-":
        raise click.BadParameter("'-' is no name of a file here; -o json prints the document on stdout.")
    return named
