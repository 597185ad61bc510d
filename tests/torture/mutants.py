"""
Mutants: one small change at a time in engine, journal or store; the tests of those rooms must fail.

``python -m tests.torture.mutants --number N`` takes N of all possible ones by chance (``--all`` takes each). The tests
are imported and run once, and who runs which function is remembered. Every mutant then lives in a forked process of
its own, in which the code of one function is another, and meets the tests that run that function, the quickest first.
What runs on import (tables, types, constants) is not mutated.
"""

import argparse
import ast
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TextIO

import pytest
from _pytest.runner import runtestprotocol

from tests.torture.mutating import Mutant, places, swap_code
from tests.torture.results import ROOT, record

ROOMS: Final = ("migrate/engine", "migrate/store", "migrate/records/journal.py", "migrate/records/progress.py")
TESTS: Final = (
    *("tests/unit/engine", "tests/unit/store", "tests/unit/records", "tests/unit/commands"),
    *("tests/properties/test_journal_fold.py", "tests/properties/test_engine_crash.py"),
    *("tests/properties/test_engine_on_disk.py", "tests/properties/test_store_damage.py"),
)
QUIET: Final = ("-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", "--targets", "embedded")
SHORTEST_CPU_S: Final = 2.0
LONGEST_S: Final = 300.0
BAR: Final = 90.0
KILLED, SURVIVED, OUT_OF_TIME, UNSEEN = "killed", "SURVIVED", "killed (out of time)", "SURVIVED (no test runs it)"


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: its place, the change, and how it ended; *excuse* says why one that lives may."""

    file: str
    what: str
    end: str
    excuse: str = ""

    def __str__(self) -> str:
        return f"{self.end}: {self.file} {self.what}{f' [{self.excuse}]' if self.excuse else ''}"


@dataclass(kw_only=True)
class Hunt:
    """
    A plugin of pytest that runs the mutants in the place of the tests.

    Attributes:
        runs: By file and function, the numbers of the tests that run it.

        took_s: How long each test took.
    """

    chosen: Sequence[tuple[str, int]]
    jobs: int
    verdicts: list[Verdict] = field(default_factory=list)
    runs: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    took_s: list[float] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    out: TextIO = sys.stdout

    def pytest_configure(self) -> None:
        """See that every mutant meets the same examples, and that what hypothesis finds in one is not kept."""
        from hypothesis import settings  # noqa: PLC0415 - pytest wants to import it first

        settings.register_profile("mutants", database=None, derandomize=True)
        settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = session.items
        for number, item in enumerate(items):
            self._watch(number, item, items[number + 1] if number + 1 < len(items) else None)
        if not self.broken:
            self._hunt(items)
        return True

    def _watch(self, number: int, item: pytest.Item, following: pytest.Item | None) -> None:
        """Run a test without a mutant, and remember what it runs."""
        seen: set[Any] = set()

        def look(frame: Any, event: str, _: Any) -> None:
            if event == "call":
                seen.add(frame.f_code)

        began = time.process_time()
        sys.settrace(look)
        try:
            reports = runtestprotocol(item, nextitem=following, log=False)
        finally:
            sys.settrace(None)
        self.took_s.append(time.process_time() - began)
        self.broken += [item.nodeid for report in reports if report.failed]
        for code in seen:
            if code.co_filename.startswith(f"{ROOT}/migrate/"):
                place = (str(Path(code.co_filename).relative_to(ROOT)), code.co_qualname.partition(".<locals>")[0])
                self.runs.setdefault(place, set()).add(number)

    def _hunt(self, items: Sequence[pytest.Item]) -> None:
        living: dict[int, tuple[Verdict, float]] = {}
        for verdict in self._each(items, living):
            self.verdicts.append(verdict)
            self.out.write(f"{len(self.verdicts):4} {verdict}\n")
            self.out.flush()

    def _each(self, items: Sequence[pytest.Item], living: dict[int, tuple[Verdict, float]]) -> Iterator[Verdict]:
        for file, place in self.chosen:
            mutant, source = Mutant(place), (ROOT / file).read_text()
            changed = ast.fix_missing_locations(mutant.visit(ast.parse(source)))
            tests = sorted(self.runs.get((file, mutant.where), ()), key=self.took_s.__getitem__)
            survivor = Verdict(file, mutant.what, SURVIVED if tests else UNSEEN, mutant.excuse(source))
            if not tests:
                yield survivor
                continue
            while len(living) >= self.jobs:
                yield from self._ended(living)
            child = os.fork()
            if child == 0:
                self._live(file, changed, [(items[number], self.took_s[number]) for number in tests])
            living[child] = (survivor, time.monotonic())
        while living:
            yield from self._ended(living)

    @staticmethod
    def _fails(item: pytest.Item, took_s: float) -> bool:
        """Return whether a test fails; the process is ended where it takes ten times as long as without a mutant."""
        signal.setitimer(signal.ITIMER_VIRTUAL, SHORTEST_CPU_S + 10 * took_s)
        return any(report.failed for report in runtestprotocol(item, nextitem=None, log=False))

    def _live(self, file: str, changed: ast.Module, tests: Sequence[tuple[pytest.Item, float]]) -> None:
        """Be the mutant: ends with 0 when every test passes."""
        os.setpgid(0, 0)
        code = 1
        with suppress(BaseException):
            swap_code(file, compile(changed, str(ROOT / file), "exec"))
            code = int(any(self._fails(item, took_s) for item, took_s in tests))
        os._exit(code)

    def _ended(self, living: dict[int, tuple[Verdict, float]]) -> Iterator[Verdict]:
        time.sleep(0.01)  # noqa: TID251 - the machine's own time, outside of any simulation
        for child, (verdict, since) in list(living.items()):
            done, status = os.waitpid(child, os.WNOHANG)
            if not done and time.monotonic() - since < LONGEST_S:
                continue
            end = OUT_OF_TIME
            if done:
                code = os.waitstatus_to_exitcode(status)
                end = SURVIVED if code == 0 else OUT_OF_TIME if code == -signal.SIGVTALRM else KILLED
            else:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
            del living[child]
            yield verdict if end == SURVIVED else Verdict(verdict.file, verdict.what, end)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture.mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=400)
    parser.add_argument("--all", action="store_true", help="every mutant there is")
    parser.add_argument("--only", default="", help="only in files whose path holds this; leaves no result")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--command", default="")
    given = parser.parse_args(arguments)
    everywhere = [place for room in ROOMS for place in places(room) if given.only in place[0]]
    number = len(everywhere) if given.all else min(given.number, len(everywhere))
    chosen = sorted(random.Random(given.seed).sample(everywhere, number))
    hunt = Hunt(chosen=chosen, jobs=given.jobs, out=os.fdopen(os.dup(1), "w"))
    code = int(pytest.main([*QUIET, *TESTS], plugins=[hunt]))
    if code or hunt.broken:
        show = "\n".join(hunt.broken)
        raise SystemExit(f"the tests fail without a mutant ({code}):\n{show}")
    return _told(hunt.verdicts, len(everywhere), given)


def _told(verdicts: list[Verdict], among: int, given: argparse.Namespace) -> int:
    counted = [verdict for verdict in verdicts if not verdict.excuse]
    survivors = sorted(f"{each.file} {each.what}" for each in counted if each.end.startswith(SURVIVED))
    score = 100 * (len(counted) - len(survivors)) / max(1, len(counted))
    chance = "all there are" if len(verdicts) == among else f"by chance, seed {given.seed}"
    said = f"{len(counted)} of {among} mutants ({chance}), {score:.1f} % killed"
    said += f"; {len(verdicts) - len(counted)} more are equivalent by rule"
    sys.stdout.write(f"{said}\n")
    if not given.only:
        numbers = {"mutants": len(counted), "among": among, "score": round(score, 1), "survivors": survivors}
        record("mutants", command=given.command or "python -m tests.torture.mutants", said=said, **numbers)
    return 0 if score >= BAR else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
