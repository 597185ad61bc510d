"""Every failure case of this part of the work is named by a test: in its name, or in the id of a row."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
CASES = (1, 2, *range(4, 12), *range(15, 32))
_NAME = re.compile(r"ch[-_](\d\d)(?!\d)", re.IGNORECASE)


def _names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name
        if isinstance(node, ast.keyword) and node.arg == "id" and isinstance(node.value, ast.Constant):
            yield str(node.value.value)


@pytest.fixture(scope="module")
def named() -> dict[int, set[str]]:
    """Which files name which case."""
    found: dict[int, set[str]] = {}
    for path in TESTS.rglob("test_*.py"):
        for name in _names(ast.parse(path.read_text(encoding="utf-8"))):
            for number in _NAME.findall(name):
                found.setdefault(int(number), set()).add(path.name)
    return found


@pytest.mark.parametrize("case", CASES, ids=[f"case-{number}" for number in CASES])
def test_a_test_is_named_by_the_case(named: dict[int, set[str]], case: int) -> None:
    assert named.get(case), f"no test is named ch_{case:02}"
