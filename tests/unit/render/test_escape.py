"""Text from the cluster never reaches a screen raw."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.render.escape import escaped, markdown_safe
from migrate.render.tables import duration, table


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    assert all(unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in escaped(text))


def test_a_terminal_escape_is_written_out() -> None:
    assert escaped("a\x1b[2Jb\n") == "a\\x1b[2Jb\\n"


def test_lines_can_be_kept() -> None:
    assert escaped("a\nb\x07", keep_lines=True) == "a\nb\\x07"


def test_markdown_holds_neither_html_nor_cells() -> None:
    assert markdown_safe("<b>|`x`") == "&lt;b&gt;\\|\\`x\\`"


def test_a_table_lines_up_and_ends_without_blanks() -> None:
    assert table(("A", "LONG"), [("xxx", "y")]) == "A     LONG\nxxx   y\n"


def test_a_table_without_rows_is_nothing() -> None:
    assert table(("A",), []) == ""


@pytest.mark.parametrize(("seconds", "text"), [(5, "5s"), (119, "119s"), (720, "12m"), (3900, "65m"), (7500, "2h05m")])
def test_durations(seconds: int, text: str) -> None:
    assert duration(seconds) == text
