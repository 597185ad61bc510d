"""``python -m migrate`` and the console scripts."""

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    from migrate.cli import run  # noqa: PLC0415 - a light start: nothing is imported that is not needed

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
