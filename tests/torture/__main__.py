"""``python -m tests.torture``: play seeds, one after the other, and name each that breaks an invariant."""

import argparse
import sys
import time
from collections import Counter

from tests.torture.scenario import Result, run_seed


def show(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - this is a program on a terminal


def tell(result: Result, *, every_step: bool) -> None:
    """Say what a seed came to."""
    if every_step:
        show(f"seed {result.seed}: {result.story}")
        for line in (*result.disturbances, *result.struck):
            show(f"  {line}")
        for outcome in result.outcomes:
            state = outcome.state.state if outcome.state else "-"
            show(f"  {outcome.from_s:9.1f} {outcome.verb:9} {outcome.code:4} {state:20} {outcome.message[:200]}")
    for violation in result.violations:
        show(f"VIOLATION seed {result.seed}: {violation}")
    if result.violations:
        show(f"  replay: PYTHONHASHSEED=0 python -m tests.torture --from {result.seed} --seeds 1 -v")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed")
    parser.add_argument("-v", action="store_true", help="tell every step")
    given = parser.parse_args(arguments)
    began, bad, ends = time.monotonic(), 0, Counter[str]()
    for seed in range(given.first, given.first + given.seeds):
        result = run_seed(seed)
        tell(result, every_step=given.v)
        ends[result.end] += 1
        bad += bool(result.violations)
    took = time.monotonic() - began
    show(
        f"seeds {given.first} to {given.first + given.seeds - 1}: {given.seeds} in {took:.0f} s, "
        f"{given.seeds / took:.1f} seeds/s, {bad} with a violated invariant; ended {dict(ends)}"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
