"""Columns of text, as kubectl prints them."""

from collections.abc import Sequence

from migrate.render.escape import escaped


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


def duration(seconds: float) -> str:
    """Return seconds as people say them: ``45s``, ``12m``, ``1h05m``."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole}s"
    minutes = round(whole / 60)
    return f"{minutes}m" if minutes < 120 else f"{minutes // 60}h{minutes % 60:02d}m"
