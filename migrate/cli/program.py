"""The click group: verbs are imported when they run, every error ends in one message and one exit code."""

import importlib
import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import click
import msgspec

from migrate import __version__
from migrate.cli.logs import start_logging, stop_logging, write_trace
from migrate.cli.output import begin, put, said
from migrate.cli.settings import Settings, common, hear
from migrate.cli.terminal import say, use
from migrate.errors import (
    BadInputError,
    ExitCode,
    InternalError,
    MigrateError,
    NotConfirmedError,
    OutputError,
    StoppedBySignalError,
)
from migrate.render.escape import escaped

VERBS: Final = {
    "apply": "Run a plan inside its window; without PLAN it plans, shows and asks first.",
    "backups": "List, show, verify or export saved backups.",
    "check": "Read the cluster and print findings.",
    "completion": "Print the completion script of a shell.",
    "explain": "What a code means, why it matters and what to do.",
    "fingerprint": "Judge one plugins ConfigMap.",
    "plan": "Show findings, decisions and every step; change nothing.",
    "rbac": "The least Roles that a verb needs, as YAML.",
    "rehearse": "Run everything on a sandbox, and say what the real run will do.",
    "report": "The record of a run for the change ticket.",
    "resume": "Go on where a run stopped.",
    "rollback": "Plan and run the way back from a run's backups.",
    "runbook": "List, show or validate the order of work.",
    "runs": "Which runs there are.",
    "sandbox": "Serve a sandbox cluster until stopped.",
    "snapshot": "Save what plan would read, as one file.",
    "status": "Where a run stands.",
    "unlock": "Take the lock from a run that is dead.",
    "verify": "Read again and compare with what the plan promised.",
    "version": "Versions of this program and of what it runs on.",
}


class LazyGroup(click.Group):
    """A group that imports a verb's module only when the verb is used."""

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        # Stand-ins: the list of verbs and the near matches of a misspelt one need no import.
        self.commands = {name: click.Command(name, help=text) for name, text in VERBS.items()}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the verb's command, or None when there is none."""
        del ctx
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"migrate.cli.verbs.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(sorted(VERBS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="maas-migrate", message="%(prog)s %(version)s")
@common
def program() -> None:
    """Migrate Models-as-a-Service on OpenShift AI from 3.5 to 3.6 (IPP to Praxis), and back."""


def run_program(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code; nothing is raised."""
    if _completing():
        return ExitCode.OK
    output = _wanted_output(arguments)
    begin()
    use(Settings())
    stop_logging()
    try:
        return _run(arguments)
    except click.exceptions.NoArgsIsHelpError as error:
        put(error.format_message() + "\n")
        return ExitCode.OK
    except click.ClickException as error:
        return _usage(error, output)
    except MigrateError as error:
        return _fail(output, error)
    except BrokenPipeError:
        return ExitCode.OK
    except Exception as error:  # noqa: BLE001 - the last net: the trace goes to a file, not to the screen
        return _internal(output, error)


def _completing() -> bool:
    if "_MAAS_MIGRATE_COMPLETE" not in os.environ:
        return False
    from migrate.cli.completing import answered  # noqa: PLC0415 - only when a shell asks

    return answered(program)


def _run(arguments: Sequence[str]) -> int:
    try:
        with program.make_context("maas-migrate", list(arguments)) as context:
            hear(context, _take)
            result = program.invoke(context)
            return int(result) if isinstance(result, int) else ExitCode.OK
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.Abort as error:
        raise NotConfirmedError("Nobody answered.", resolution="Answer, or add --yes.") from error
    except KeyboardInterrupt as error:
        raise StoppedBySignalError("Stopped by Ctrl-C.", resolution="Run the command again.") from error


def _take(settings: Settings) -> None:
    """Let the flags hold from here on."""
    use(settings)
    start_logging(settings)


def _wanted_output(arguments: Sequence[str]) -> str:
    """Return the ``-o`` of a command line that may be wrong elsewhere, for the form of the error."""
    following = [*arguments[1:], ""]
    for flag, value in zip(arguments, following, strict=False):
        if flag in {"-o", "--output"}:
            return value
        if flag.startswith("--output="):
            return flag.partition("=")[2]
        if flag.startswith("-o") and len(flag) > 2:
            return flag[2:].removeprefix("=")
    return "table"


def _usage(error: click.ClickException, output: str) -> int:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "maas-migrate"
    return _fail(
        output, BadInputError(escaped(" ".join(error.format_message().split())), resolution=f"See {path} --help.")
    )


def _fail(output: str, error: MigrateError) -> int:
    from migrate.commands.documents import ErrorDocument  # noqa: PLC0415 - only when something went wrong

    document = ErrorDocument(
        exit_code=int(error.exit_code),
        reason=error.reason,
        message=error.message,
        resolution=error.resolution,
        object=error.object or None,
        run=error.run or None,
    )
    if output == "json" and not said():
        with suppress(OutputError):  # The error that is told below came first.
            put(msgspec.json.format(msgspec.json.encode(document)).decode() + "\n")
    logging.getLogger(__name__).debug(
        "program.failed", extra={"exit_code": int(error.exit_code), "reason": error.reason, "words": error.message}
    )
    say(f"error: {escaped(error.message, keep_lines=True)}", always=True)
    say(f"  next: {escaped(error.resolution, keep_lines=True)}", always=True)
    return int(error.exit_code)


def _internal(output: str, error: Exception) -> int:
    message = f"A fault of this tool: {type(error).__name__}. The trace is in {write_trace(error)}."
    resolution = "Look at maas-migrate runs for a run that was cut off, resume it, and report the trace."
    return _fail(output, InternalError(message, resolution=resolution))
