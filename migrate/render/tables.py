"""Columns of text, as kubectl prints them."""

import textwrap
from collections.abc import Sequence
from typing import Final

from migrate.render.escape import escaped

_TYPED: Final = ("maas-migrate ", "kubectl ", "oc ")


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return *rows* under *head*, columns three spaces apart, no trailing blanks; ``""`` without rows."""
    if not rows:
        return ""
    cells = [list(head), *[[escaped(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = ["   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join(lines) + "\n"


def indented(text: str, by: str = "  ") -> str:
    """Return every line of *text* behind *by*."""
    return "".join(by + line if line.strip() else line for line in text.splitlines(keepends=True))


def folded(text: str, width: int) -> str:
    """
    Return *text* with long prose folded at *width* columns, what follows standing under its beginning.

    Rows of tables, coloured lines, and lines that are to be copied into a shell stay whole.
    """
    return "".join(_folded(line, width) for line in text.splitlines(keepends=True))


def _folded(line: str, width: int) -> str:
    words = line.strip()
    if len(line) <= width or "   " in words or "\x1b" in words or any(mark in words for mark in _TYPED):
        return line
    margin = line[: len(line) - len(line.lstrip())]
    hanging = margin + ("   " if words.startswith("-> ") else "  " if words.startswith("- ") else "")
    end = "\n" if line.endswith("\n") else ""
    lines = textwrap.wrap(
        words, width, initial_indent=margin, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines) + end


def duration(seconds: float) -> str:
    """Return seconds as people say them: ``45s``, ``12m``, ``1h05m``."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole}s"
    minutes = round(whole / 60)
    return f"{minutes}m" if minutes < 120 else f"{minutes // 60}h{minutes % 60:02d}m"
