"""``python -m tests.torture``: play seeds and name each that breaks an invariant, and how to play it again."""

import argparse
import gc
import itertools
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager, nullcontext
from typing import Final

from tests.torture.results import record_span
from tests.torture.scenario import Result, run_seed
from tests.torture.trunk import Told, bundles, play_all, told_of

STRETCH: Final = 2000
"""So many seeds are told and recorded together: what is stopped halfway has lost no more than these."""

Play = Callable[[Iterable[int]], Iterable[list[Told]]]


def show(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - this is a program on a terminal


def tell_every_step(result: Result) -> None:
    """Say what happened in a story."""
    show(f"seed {result.seed}: {result.story}")
    for line in (*result.disturbances, *result.struck):
        show(f"  {line}")
    for outcome in result.outcomes:
        state = outcome.state.state if outcome.state else "-"
        show(f"  {outcome.from_s:9.1f} {outcome.verb:9} {outcome.code:4} {state:20} {outcome.message[:200]}")
    if result.trace:
        show(result.trace)


def tell_violations(told: Told) -> None:
    """Say what a seed broke, and the command that shows it again."""
    for violation in told.violations:
        show(f"VIOLATION seed {told.seed}: {violation}")
    if told.violations:
        show(f"  replay: PYTHONHASHSEED=0 python -m tests.torture --from {told.seed} --seeds 1 -v")


def _one_by_one(seeds: Iterable[int]) -> Iterator[list[Told]]:
    for seed in seeds:
        result = run_seed(seed)
        tell_every_step(result)
        yield [told_of(result, seed)]


@contextmanager
def _bundled(jobs: int) -> Iterator[Play]:
    """Yield what plays seeds in bundles, by so many processes, which keep what they have worked out."""
    if jobs == 1:
        _collect_seldom()
        yield lambda seeds: map(play_all, bundles(seeds))
        return
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, mp_context=fork, initializer=_collect_seldom) as pool:
        yield lambda seeds: _as_they_end([pool.submit(play_all, some) for some in bundles(seeds)])


def _as_they_end(playing: list[Future[list[Told]]]) -> Iterator[list[Told]]:
    """Yield what became of each bundle. Raises where a process died: what it had played is not known."""
    try:
        for future in as_completed(playing):
            yield future.result()
    finally:
        for future in playing:
            future.cancel()


def _collect_seldom() -> None:
    """Look for garbage seldom: little of what a story leaves behind is in circles."""
    gc.set_threshold(50_000, 20, 100)


def _stretches(first: int, end: int) -> Iterator[range]:
    while first < end:
        seeds = range(first, min(end, (first // STRETCH + 1) * STRETCH))
        yield seeds
        first = seeds[-1] + 1


def _at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        found = int(text)
        if found < least:
            raise argparse.ArgumentTypeError(f"{found} is less than {least}")
        return found

    return number


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--seeds", type=_at_least(1), default=100, help="how many")
    parser.add_argument("--from", type=_at_least(0), default=0, dest="first", help="the first seed")
    parser.add_argument("-v", action="store_true", help="tell every step, one seed after the other")
    parser.add_argument("--jobs", type=_at_least(1), default=1, help="how many processes")
    parser.add_argument("--record", action="store_true", help="keep the result for docs/reliability.md")
    given = parser.parse_args(arguments)
    bad, done, began = 0, 0, time.monotonic()
    with nullcontext(_one_by_one) if given.v else _bundled(given.jobs) as play:
        for seeds in _stretches(given.first, given.first + given.seeds):
            told = []
            for one in itertools.chain.from_iterable(play(seeds)):
                tell_violations(one)
                told.append(one)
            if sorted(one.seed for one in told) != list(seeds):
                show(f"seeds {seeds[0]} to {seeds[-1]}: not every one was told of; nothing is recorded of them")
                return 1
            ends = Counter(one.end for one in told)
            met, violations = sum(one.met for one in told), sum(bool(one.violations) for one in told)
            bad, done = bad + violations, done + len(told)
            said = f"seeds {seeds[0]} to {seeds[-1]}: {len(told)}, {met} of them disturbed; "
            said += f"{violations} with a violated invariant; ended {dict(ends.most_common())}"
            show(f"{said}; {done / (time.monotonic() - began):.1f} seeds/s")
            if given.record:
                span = {"first": seeds[0], "last": seeds[-1], "count": len(told), "met": met, "tally": dict(ends)}
                record_span("seeds", violations=violations, **span)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
