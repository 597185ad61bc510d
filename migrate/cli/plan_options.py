"""The flags that decide a plan, shared by check, plan and apply."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from migrate.commands.planning import PlanFlags


def plan_options(*, choices: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """
    Add the flags of a plan to a command, which gets them as ``flags: PlanFlags``.

    Args:
        choices: Also those that decide steps: ``--api-translation`` and ``--accept``.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_flags(*arguments: Any, **named: Any) -> Any:
            flags = PlanFlags(
                runbook=named.pop("runbook") or "",
                snapshot=named.pop("snapshot") or "",
                api_translation=named.pop("api_translation", ()),
                accept=named.pop("accept", ()),
            )
            return command(*arguments, flags=flags, **named)

        options = [
            click.option("--runbook", metavar="NAME|FILE", help="The order of work; else the one for the version."),
            click.option(
                "--snapshot",
                metavar="PATH",
                help="Instead of the live cluster: a saved snapshot, kubectl get output, or a must-gather folder.",
            ),
        ]
        if choices:
            options += [
                click.option(
                    "--api-translation",
                    multiple=True,
                    metavar="[TENANT=]true|false",
                    help="Set spec.apiTranslation.enabled; else it is left as it is.",
                ),
                click.option(
                    "--accept", multiple=True, metavar="RISK=REASON", help="Accept a named risk, with a reason."
                ),
            ]
        for option in reversed(options):
            with_flags = option(with_flags)
        return with_flags

    return decorate
