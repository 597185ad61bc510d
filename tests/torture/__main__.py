"""``python -m tests.torture``: play seeds, one after the other, and name each that breaks an invariant."""

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterator

from tests.torture.results import record
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


def _results(seeds: range, jobs: int) -> Iterator[Result]:
    if jobs == 1:
        yield from map(run_seed, seeds)
        return
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        yield from pool.imap(run_seed, seeds, chunksize=4)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed")
    parser.add_argument("-v", action="store_true", help="tell every step")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--record", action="store_true", help="keep the result for docs/reliability.md")
    given = parser.parse_args(arguments)
    began, bad, ends = time.monotonic(), 0, Counter[str]()
    seeds = range(given.first, given.first + given.seeds)
    for result in _results(seeds, given.jobs):
        tell(result, every_step=given.v)
        ends[result.end] += 1
        bad += bool(result.violations)
    took = time.monotonic() - began
    said = f"seeds {seeds[0]} to {seeds[-1]}: {len(seeds)} in {took:.0f} s, {len(seeds) / took:.1f} seeds/s, "
    said += f"{bad} with a violated invariant; ended {dict(ends)}"
    show(said)
    if given.record:
        record("seeds", command=f"make torture SEEDS={given.seeds}", said=said, violations=bad, seeds=len(seeds))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
