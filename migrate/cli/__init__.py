"""The command line: click, one file a verb; ``wiring.py`` puts the real parts together."""

from collections.abc import Sequence


def run(arguments: Sequence[str]) -> int:
    """Run the command line with *arguments* and return the exit code."""
    from migrate.cli.program import run_program  # noqa: PLC0415 - click is imported only when it runs

    return run_program(arguments)
