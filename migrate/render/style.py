"""Colour as an extra: every mark can be read without it."""

from collections.abc import Callable

Paint = Callable[[str, str], str]

MARKS = {"blocking": "x", "risk": "!", "advisory": "-", "info": "i"}
COLOURS = {
    "blocking": "31", "risk": "33", "advisory": "36", "info": "2",
    "passed": "32", "failed": "31", "unknown": "33", "pre-existing": "36", "good": "32", "bold": "1",
}  # fmt: skip


def plain(text: str, style: str) -> str:
    """Return *text* as it is."""
    del style
    return text


def ansi(text: str, style: str) -> str:
    """Return *text* in the colour of *style*."""
    code = COLOURS.get(style)
    return f"\x1b[{code}m{text}\x1b[0m" if code else text
