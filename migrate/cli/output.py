"""A document and its text, in the form that was asked for."""

from collections.abc import Callable, Sequence
from typing import Any

import click
import msgspec

from migrate.cli.settings import Settings
from migrate.cli.terminal import paint
from migrate.errors import BadInputError
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
        click.echo(more[settings.output](), nl=False)
    elif settings.output in {"json", "yaml"}:
        click.echo(_encoded(document, settings.output), nl=False)
    elif settings.output == "name":
        click.echo("".join(f"{name}\n" for name in names), nl=False)
    else:
        click.echo(text(paint(settings)), nl=False)


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
            f"-o {settings.output!r} is no output format.", resolution=f"Use one of {', '.join(known)}."
        )


def _encoded(document: Any, form: str) -> str:
    plain = msgspec.to_builtins(document, str_keys=True)
    if form == "json":
        return msgspec.json.format(msgspec.json.encode(plain), indent=2).decode() + "\n"
    import yaml  # noqa: PLC0415 - only when YAML is asked for

    return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True)
