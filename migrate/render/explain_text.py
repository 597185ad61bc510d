"""Pages of ``explain`` as text."""

import textwrap
from collections.abc import Sequence
from typing import Protocol

from migrate.render.style import Paint, plain
from migrate.render.tables import table

_WIDTH = 100
_LABEL = 12


class PageLike(Protocol):
    """What is shown of a page."""

    @property
    def code(self) -> str:
        """As the program prints it."""

    @property
    def kind(self) -> str:
        """Where it is printed."""

    @property
    def meaning(self) -> str:
        """What is the case."""

    @property
    def why(self) -> str:
        """Why that matters."""

    @property
    def todo(self) -> str:
        """The next move."""

    @property
    def source(self) -> str:
        """The document that says so."""


def pages_text(pages: Sequence[PageLike], paint: Paint = plain) -> str:
    """Return each page in full."""
    return "\n".join(_page(page, paint) for page in pages)


def _page(page: PageLike, paint: Paint) -> str:
    lines = [f"{paint(page.code, 'bold')}  ({page.kind})"]
    for label, text in (("Means", page.meaning), ("Matters", page.why), ("Do", page.todo), ("Source", page.source)):
        body = textwrap.wrap(text, _WIDTH - _LABEL, break_long_words=False, break_on_hyphens=False)
        lines += [f"{label if not number else '':<{_LABEL}}{line}" for number, line in enumerate(body)]
    return "\n".join(lines) + "\n"


def list_text(pages: Sequence[PageLike]) -> str:
    """Return one line a page."""
    return table(("CODE", "KIND", "MEANING"), [(page.code, page.kind, page.meaning) for page in pages])
