"""The click group."""

from collections.abc import Sequence


def run_program(arguments: Sequence[str]) -> int:
    """Run the group; placeholder until the verbs stand."""
    del arguments
    return 70
