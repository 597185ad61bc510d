"""What was said on the command line that holds for every verb, before or after it."""

import dataclasses
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar, cast

import click
from click.core import ParameterSource

_META: Final = "migrate.settings"
_HEAR: Final = "migrate.settings.hear"
_F = TypeVar("_F", bound=Callable[..., Any])


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """
    The flags that stand everywhere.

    Attributes:
        request_timeout: As kubectl takes it (``10s``), ``""`` for the default.

        qps: Requests a second that a collection may send, 0 for no limit, None for the default.

        output: ``table``, ``wide``, ``json``, ``yaml``, ``name``, or what a verb adds.

        tenant: Tenants to narrow to; none means all.
    """

    kubeconfig: str = ""
    context: str = ""
    as_user: str = ""
    as_group: tuple[str, ...] = ()
    request_timeout: str = ""
    qps: float | None = None
    output: str = "table"
    verbose: int = 0
    quiet: bool = False
    log_file: str = ""
    log_format: str = "console"
    color: str = "auto"
    no_input: bool = False
    state_dir: str = ""
    tenant: tuple[str, ...] = ()


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value is None or value == () or (value == 0 and not isinstance(value, float)):
        return
    said = context.meta.setdefault(_META, {})
    name = str(parameter.name)
    if name in said and context.get_parameter_source(name) is ParameterSource.ENVIRONMENT:
        return  # The verb asks the environment too, after what was said before it.
    said[name] = (*said.get(name, ()), *value) if isinstance(value, tuple) else value


def settings_of(context: click.Context) -> Settings:
    """Return what was said so far."""
    return Settings(**context.meta.get(_META, {}))


def hear(context: click.Context, listener: Callable[[Settings], None]) -> None:
    """Have *listener* called with what was said before each command that runs within *context*."""
    context.meta[_HEAR] = listener


def _announced(command: _F) -> _F:
    @wraps(command)
    def announcing(*arguments: Any, **named: Any) -> Any:
        # Only now the flags after the verb are known as well as those before it.
        context = click.get_current_context()
        if listener := context.meta.get(_HEAR):
            listener(settings_of(context))
        return command(*arguments, **named)

    return cast("_F", announcing)


def _option(*declarations: str, **attributes: Any) -> Callable[[_F], _F]:
    return click.option(*declarations, expose_value=False, callback=_remember, **attributes)


_COMMON: Final = {
    "kubeconfig": _option(
        "--kubeconfig", metavar="FILE", help="The kubeconfig to use; else KUBECONFIG, else in-cluster."
    ),
    "context": _option("--context", metavar="NAME", help="The kubeconfig's context."),
    "as_user": _option("--as", "as_user", metavar="USER", help="Impersonate this user."),
    "as_group": _option("--as-group", multiple=True, metavar="GROUP", help="Impersonate this group; repeatable."),
    "request_timeout": _option("--request-timeout", metavar="TIME", help="Longest time for one request, such as 10s."),
    "qps": _option(
        "--qps",
        type=click.FloatRange(min=0),
        metavar="NUMBER",
        envvar="MAAS_MIGRATE_QPS",
        help="Requests a second while the cluster is read; 20 by default, 0 for no limit.",
    ),
    "output": _option("-o", "--output", metavar="FORMAT", help="table, wide, json, yaml or name."),
    "verbose": _option("-v", "--verbose", count=True, help="Log to stderr; -vv with every request."),
    "quiet": _option("-q", "--quiet", is_flag=True, default=None, help="Say less on stderr; results and errors stay."),
    "log_file": _option("--log-file", metavar="FILE", help="Append the whole log to this file."),
    "log_format": _option("--log-format", type=click.Choice(["console", "json"]), help="Form of the log."),
    "color": _option("--color", type=click.Choice(["auto", "always", "never"]), help="Colour on a terminal."),
    "no_input": _option(
        "--no-input", is_flag=True, default=None, help="Never ask; what would be asked counts as not confirmed."
    ),
    "state_dir": _option(
        "--state-dir", metavar="DIR", envvar="MAAS_MIGRATE_STATE_DIR", help="Where runs and backups live."
    ),
    "tenant": _option("--tenant", multiple=True, metavar="NAME", help="Narrow to this tenant; repeatable."),
}


def common(command: _F) -> _F:
    """Add the flags that stand everywhere."""
    return common_but()(command)


def common_but(*without: str) -> Callable[[_F], _F]:
    """Add the flags that stand everywhere but those, by parameter name, that mean something else in this command."""

    def decorate(command: _F) -> _F:
        command = _announced(command)
        for name, option in reversed(_COMMON.items()):
            if name not in without:
                command = option(command)
        return command

    return decorate
