"""``docs/likeness.md`` and what the tests insist on say the same, row by row."""

import re
from pathlib import Path

import pytest

from tests.contract.differences import EMBEDDED_DIFFERS, RECORDING_DIFFERS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "likeness.md"
TABLES = {"case": EMBEDDED_DIFFERS, "what the players write": RECORDING_DIFFERS}


def rows_under(head: str) -> list[list[str]]:
    """Return the cells of every row of the table whose first column is called *head*."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"| {head} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


@pytest.mark.parametrize("head", TABLES)
def test_every_difference_has_its_row_and_every_row_its_difference(head: str) -> None:
    told = [cells[0].strip("`") for cells in rows_under(head)]

    assert sorted(told) == sorted(TABLES[head])
    assert all(len(cell) > 10 for cells in rows_under(head) for cell in cells[1:])


def test_every_case_of_the_ledger_is_a_case() -> None:
    found = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "contract").glob("test_likeness_*.py")
    )

    assert [name for name in EMBEDDED_DIFFERS if f"def {name}(" not in found] == []


def test_every_file_that_the_page_names_is_there() -> None:
    named = re.findall(r"`((?:tests|migrate|docs)/[\w./*-]+)`", PAGE.read_text(encoding="utf-8"))

    assert len(named) > 4
    assert [name for name in named if not list(ROOT.glob(name))] == []
