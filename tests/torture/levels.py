"""``python -m tests.torture.levels LEVEL``: the longer levels, each of which leaves its result for the page."""

import argparse
import multiprocessing
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.torture.every_pair import EveryPair
from tests.torture.kills import stage
from tests.torture.museum import EXHIBITS, follow, shown
from tests.torture.pairs import covering, live_through, many
from tests.torture.results import LOST, record, record_span
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


def every_pair(given: argparse.Namespace) -> int:
    """Live through every pair of kills of the forward course, or through one share of them in each hundred."""
    began, shares = time.monotonic(), range(given.first, given.first + (given.number or SHARES))
    results = side_by_side(_pairs_of, list(shares), given.jobs)
    bad = [line for _, found in results for line in found]
    for line in bad:
        show(f"VIOLATION {line[:600]}")
    count = sum(number for number, _ in results)
    said = f"shares {shares[0]} to {shares[-1]} of {SHARES}: {count} pairs of kills, {len(bad)} violations"
    show(f"{said}, {time.monotonic() - began:.0f} s")
    record_span("every-pair", first=shares[0], last=shares[-1], count=count, violations=len(bad))
    return 1 if bad else 0


def _pairs_of(share: int) -> tuple[int, list[str]]:
    sweep = EveryPair(course=COURSES[0], share=share, of=SHARES)
    found = [str(case) for case in sweep.run()]
    return sweep.pairs, [*found, *sweep.bad]


def kills(given: argparse.Namespace) -> int:
    """Kill the installed program; every other seed has its state on a tmpfs, every other one on a disk."""
    began, lost, killed, seed = time.monotonic(), 0, 0, given.first
    level = "kills" if given.target == "embedded" else "kills-real"
    while killed < given.number:
        name, disk = _disks()[seed % 2]
        with stage(seed, target=given.target, disk=disk) as at:
            while at.killed < KILLS and not at.found:
                at.go(kills=4)
        for line in at.found:
            show(f"LOST: seed {seed}: {line}")
        lost, killed = lost + len(at.found), killed + at.killed
        show(f"seed {seed}: {at.killed} kills in {len(at.calls)} calls on {name}, {time.monotonic() - began:.0f} s")
        tally = {f"on {name}": at.killed}
        record_span(level, first=seed, last=seed, count=at.killed, violations=len(at.found), tally=tally)
        seed += 1
    show(f"{given.target} server, seeds {given.first} to {seed - 1}: {killed} kills, {lost} {LOST}")
    return 1 if lost else 0


def _disks() -> tuple[tuple[str, Path], ...]:
    """Return a tmpfs and a disk, by the kind of their file systems."""
    memory, disk = Path("/dev/shm"), Path(tempfile.gettempdir())
    return tuple((_file_system(place), place) for place in (memory if memory.is_dir() else disk, disk))


def _file_system(place: Path) -> str:
    words = ["stat", "--file-system", "--format=%T", str(place)]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip() or str(place)


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


SHARES = 100
KILLS = 20
"""So many on one cluster."""
LEVELS = {"sweep": sweep, "disk": disk, "pairs": pairs, "every-pair": every_pair, "kills": kills, "museum": museum}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture.levels", description=__doc__)
    parser.add_argument("level", choices=sorted(LEVELS))
    parser.add_argument("--number", type=int, default=0, help="how many, beyond what belongs to the level anyway")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--target", choices=("embedded", "real"), default="embedded", help="which server, for kills")
    parser.add_argument("--command", default="", help="how the level was asked for, for the page")
    given = parser.parse_args(arguments)
    given.command = given.command or f"python -m tests.torture.levels {' '.join(arguments)}"
    return LEVELS[given.level](given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
