"""
Mutants: one small change at a time in engine, journal or store; the tests of those rooms must fail.

``python -m tests.torture.mutants --number N`` takes N of all possible ones by chance, each in a copy of the tree.
"""

import argparse
import ast
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.torture.results import ROOT, record

ROOMS: Final = ("migrate/engine", "migrate/store", "migrate/records/journal.py", "migrate/records/progress.py")
TESTS: Final = (
    *("tests/unit/engine", "tests/unit/store", "tests/unit/records", "tests/properties/test_journal_fold.py"),
    *("tests/properties/test_engine_crash.py", "tests/properties/test_engine_on_disk.py"),
    *("tests/properties/test_store_damage.py", "tests/properties/test_torture_museum.py"),
)
LONGEST_S: Final = 600
_SWAPS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


class Mutant(ast.NodeTransformer):
    """Changes the *number*-th place that can be changed; *what* says how, ``""`` when there are fewer."""

    def __init__(self, number: int) -> None:
        self.left = number
        self.what = ""

    def _is_it(self, node: ast.AST, what: str) -> bool:
        self.left -= 1
        if self.left == -1:
            self.what = f"line {getattr(node, 'lineno', 0)}: {what}"
            return True
        return False

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        swap = _SWAPS.get(type(node.ops[0]))
        if len(node.ops) == 1 and swap and self._is_it(node, f"{type(node.ops[0]).__name__} becomes {swap.__name__}"):
            node.ops = [swap()]
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if self._is_it(node, "and becomes or, or the other way round"):
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return node.operand if isinstance(node.op, ast.Not) and self._is_it(node, "not is left out") else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        is_call = isinstance(node.value, ast.Call)
        return ast.Pass() if is_call and self._is_it(node, f"{ast.unparse(node)[:60]} is left out") else node


def places() -> Iterator[tuple[Path, int]]:
    """Yield every place that can be changed."""
    for room in ROOMS:
        path = ROOT / room
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            counter = Mutant(10**9)
            counter.visit(ast.parse(file.read_text()))
            yield from ((file, number) for number in range(10**9 - counter.left))


def is_killed(tree: Path, file: Path, number: int) -> tuple[bool, str]:
    """Return whether the tests notice the mutant, and what it is."""
    mutant = Mutant(number)
    changed = ast.unparse(mutant.visit(ast.parse(file.read_text())))
    target = tree / file.relative_to(ROOT)
    target.write_text(changed)
    words = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", *TESTS]
    try:
        done = subprocess.run(words, cwd=tree, capture_output=True, timeout=LONGEST_S, check=False)
        killed = done.returncode != 0
    except subprocess.TimeoutExpired:
        killed = True
    finally:
        shutil.copy(file, target)
    return killed, f"{file.relative_to(ROOT)} {mutant.what}"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture.mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    everywhere = list(places())
    chosen = random.Random(given.seed).sample(everywhere, min(given.number, len(everywhere)))
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".demo", ".hypothesis")
        shutil.copytree(ROOT, tree, ignore=ignored)
        for number, (file, place) in enumerate(chosen, start=1):
            killed, what = is_killed(tree, file, place)
            sys.stdout.write(f"{number:4} {'killed' if killed else 'SURVIVED'}: {what}\n")
            sys.stdout.flush()
            survivors += [] if killed else [what]
    score = 100 * (len(chosen) - len(survivors)) / len(chosen)
    said = f"{len(chosen)} of {len(everywhere)} mutants, {score:.0f} % killed"
    record("mutants", command=f"make mutants N={given.number}", said=said, survivors=survivors)
    sys.stdout.write(f"{said}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
