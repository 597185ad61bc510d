"""``python -m tests.torture.levels LEVEL``: the longer levels, each of which leaves its result for the page."""

import argparse
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from tests.torture.kills import stage
from tests.torture.museum import EXHIBITS, follow, shown
from tests.torture.pairs import covering, live_through, many
from tests.torture.results import record
from tests.torture.sweep import COURSES, POWER_LOSS, SWEPT, Sweep


def show(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def side_by_side(work: Callable[[Any], Any], items: Sequence[Any], jobs: int) -> list[Any]:
    """Return what *work* makes of *items*, in order, by *jobs* processes."""
    if jobs == 1:
        return [work(item) for item in items]
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        return pool.map(work, items, chunksize=max(1, min(20, len(items) // (jobs * 4))))


def sweep(given: argparse.Namespace) -> int:
    """Sweep all courses."""
    return _swept(given, "sweep", dict(SWEPT))


def disk(given: argparse.Namespace) -> int:
    """Sweep all courses with losses of power."""
    return _swept(given, "disk", dict(POWER_LOSS))


def _swept(given: argparse.Namespace, level: str, faults: dict[str, tuple[str, ...]]) -> int:
    bad, cases, points, began = 0, 0, 0, time.monotonic()
    for course in COURSES:
        found = Sweep(course=course, faults=faults)
        for case in found.run():
            bad += 1
            show(f"VIOLATION {course.name}: {case}")
        cases, points = cases + len(found.cases), points + len(found.points)
        show(f"{course.name}: {len(found.points)} places, {len(found.cases)} cases, {time.monotonic() - began:.0f} s")
    said = f"{len(COURSES)} courses, {points} places, {cases} cases, {bad} violations"
    record(level, command=given.command, said=said, cases=cases, violations=bad)
    return 1 if bad else 0


def pairs(given: argparse.Namespace) -> int:
    """Live through pairs of faults."""
    chosen = [*covering(), *many(given.number, given.first)]
    began = time.monotonic()
    results = side_by_side(live_through, chosen, given.jobs)
    bad = [(pair, found) for pair, found in zip(chosen, results, strict=True) if found]
    for pair, found in bad:
        show(f"VIOLATION {pair}: {'; '.join(found)[:600]}")
    show(f"{len(chosen)} pairs in {time.monotonic() - began:.0f} s, {len(bad)} with a violated invariant")
    record("pairs", command=given.command, said=f"{len(chosen)} pairs, {len(bad)} violations", violations=len(bad))
    return 1 if bad else 0


def kills(given: argparse.Namespace) -> int:
    """Kill the installed program."""
    with stage(given.first) as at:
        while at.killed < given.number and not at.found:
            at.go(kills=4)
        for line in at.found:
            show(f"LOST: {line}")
        said = f"{at.killed} kills in {len(at.calls)} calls, {len(at.found)} lost backups or unreadable journals"
        show(said)
        record("kills", command=given.command, said=said, violations=len(at.found))
        return 1 if at.found else 0


def museum(given: argparse.Namespace) -> int:
    """Show every exhibit, and name those that nobody found."""
    missed = []
    for exhibit in EXHIBITS:
        with shown(exhibit.planting):
            found = follow(exhibit.lead)
        show(f"{exhibit.name}: {found[0][:120] if found else 'NOT FOUND'}")
        missed += [exhibit.name] if not found else []
    said = f"{len(EXHIBITS) - len(missed)} of {len(EXHIBITS)} planted bugs found"
    record("museum", command=given.command, said=said, missed=missed)
    return 1 if missed else 0


LEVELS = {"sweep": sweep, "disk": disk, "pairs": pairs, "kills": kills, "museum": museum}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture.levels", description=__doc__)
    parser.add_argument("level", choices=sorted(LEVELS))
    parser.add_argument("--number", type=int, default=0, help="how many, beyond what belongs to the level anyway")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--command", default="", help="how the level was asked for, for the page")
    given = parser.parse_args(arguments)
    given.command = given.command or f"python -m tests.torture.levels {' '.join(arguments)}"
    return LEVELS[given.level](given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
