"""``python -m tests.torture.branches``: every branch of engine, store, journal and restore is taken by a test."""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from tests.torture.results import ROOT, record

TESTS: Final = ("tests/unit/engine", "tests/unit/store", "tests/unit/records")
"""The tests of the rooms themselves: what is taken only by chance, from far away, is not held by anybody."""


def main(arguments: list[str]) -> int:
    """Run the tests of the rooms, and fail where a branch of the measured files (pyproject.toml) is not taken."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture.branches", description=__doc__)
    parser.add_argument("--command", default="python -m tests.torture.branches", help="for the page")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        measured = [sys.executable, "-m", "coverage"]
        tests = ["-m", "pytest", "-q", "-p", "no:xdist", "--targets", "embedded", *TESTS]
        done = subprocess.run([*measured, "run", f"--data-file={data}", *tests], cwd=ROOT, check=False)
        if done.returncode:
            return done.returncode
        subprocess.run([*measured, "report", f"--data-file={data}"], cwd=ROOT, check=False)
        out = Path(folder) / "out.json"
        words = [*measured, "json", "-q", f"--data-file={data}", "-o", str(out)]
        subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
        report = json.loads(out.read_text())
    return _told(report, given.command)


def _told(report: Any, command: str) -> int:
    totals = report["totals"]
    missed = sorted(
        f"{name}: lines {found['missing_lines']}, branches {found['missing_branches']}"
        for name, found in report["files"].items()
        if found["missing_lines"] or found["missing_branches"]
    )
    branches, taken = int(totals["num_branches"]), int(totals["covered_branches"])
    lines, run = int(totals["num_statements"]), int(totals["covered_lines"])
    said = f"{taken} of {branches} branches and {run} of {lines} statements in {len(report['files'])} files"
    record("coverage", command=command, said=said, missed=missed)
    sys.stdout.write("".join(f"NOT TAKEN: {line}\n" for line in missed) + f"{said}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
