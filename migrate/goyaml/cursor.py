"""A place that moves through the text, and what counts as blank or as a line break."""

import re
from typing import Final, NoReturn

from migrate.goyaml.errors import GoYamlError
from migrate.goyaml.source import END, Source
from migrate.goyaml.tokens import Mark

BREAKS: Final = frozenset("\r\n\x85\u2028\u2029")
"""Line breaks as YAML 1.1 has them."""

BREAKS_OR_END: Final = BREAKS | {END}
BLANKS: Final = frozenset(" \t")
BLANK_OR_END: Final = BLANKS | BREAKS_OR_END

_SPACES = re.compile(" *+")
_BLANKS = re.compile("[ \t]*+")
_TO_LINE_END = re.compile("[^\r\n\x85\u2028\u2029\0]*+")


class Cursor:
    """
    The reading position.

    Attributes:
        text: The text with END behind it.

        pos: Index of the next character.

        line: Line of the next character, from 0.

        line_start: Index of the first character of that line.
    """

    __slots__ = ("line", "line_start", "pos", "source", "text")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.pos = 0
        self.line = 0
        self.line_start = 0

    @property
    def column(self) -> int:
        """Column of the next character, from 0."""
        return self.pos - self.line_start

    def mark(self) -> Mark:
        """Return the place of the next character."""
        return Mark(self.pos, self.line, self.pos - self.line_start)

    def read_break(self) -> str:
        """Step over one line break; return what it means inside a scalar, ``""`` where there is none."""
        char = self.text[self.pos]
        if char not in BREAKS:
            return ""
        self.pos += 2 if char == "\r" and self.text[self.pos + 1] == "\n" else 1
        self.line += 1
        self.line_start = self.pos
        return char if char in "\u2028\u2029" else "\n"

    def skip_spaces(self) -> None:
        """Step over spaces."""
        match = _SPACES.match(self.text, self.pos)
        if match:
            self.pos = match.end()

    def skip_blanks(self) -> None:
        """Step over spaces and tabs."""
        match = _BLANKS.match(self.text, self.pos)
        if match:
            self.pos = match.end()

    def skip_comment(self) -> None:
        """Step to the end of the line when a comment begins here."""
        if self.text[self.pos] == "#":
            self.rest_of_line()

    def rest_of_line(self) -> str:
        """Step to the end of the line and return what was passed."""
        match = _TO_LINE_END.match(self.text, self.pos)
        if match is None:  # pragma: no cover - the pattern matches the empty text
            return ""
        self.pos = match.end()
        return match.group()

    def at_document_indicator(self) -> bool:
        """Tell whether ``---`` or ``...`` stands here at the start of a line."""
        return (
            self.pos == self.line_start
            and self.text.startswith(("---", "..."), self.pos)
            and self.text[self.pos + 3] in BLANK_OR_END
        )

    def fail(self, problem: str, mark: Mark | None = None) -> NoReturn:
        """Refuse the text at *mark*, or here."""
        line, column = (mark.line, mark.column) if mark else (self.line, self.column)
        raise GoYamlError(problem, line=line + 1, column=column + 1)
