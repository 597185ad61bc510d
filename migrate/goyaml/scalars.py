"""How the text of a scalar is gathered: plain, quoted, literal and folded."""

import re
from typing import Final

from migrate.goyaml.cursor import BLANKS, BREAKS, BREAKS_OR_END, Cursor
from migrate.goyaml.source import END

_STOP = " \t\r\n\x85\u2028\u2029\0"
# Only single characters are repeated possessively: before 3.11.5 Python matches possessive groups wrongly.
_BLOCK_RUN = rf"(?:[^{_STOP}:]++|:(?![{_STOP}]))+"
_FLOW_RUN = rf"(?:[^{_STOP}:,?\[\]{{}}]++|:(?![{_STOP}]))+"
_PLAIN_LINE = {
    False: re.compile(rf"{_BLOCK_RUN}(?:[ \t]++(?!#){_BLOCK_RUN})*"),
    True: re.compile(rf"{_FLOW_RUN}(?:[ \t]++(?!#){_FLOW_RUN})*"),
}
_QUOTED_RUN = {"'": re.compile(rf"[^'{_STOP}]++"), '"': re.compile(rf'[^"\\{_STOP}]++')}
_ON_ONE_LINE = {
    "'": re.compile("'([^'\r\n\x85\u2028\u2029\0]*+)'(?!')"),
    '"': re.compile('"([^"\\\\\r\n\x85\u2028\u2029\0]*+)"'),
}
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_ESCAPES: Final = {
    "0": "\0", "a": "\x07", "b": "\x08", "t": "\t", "\t": "\t", "n": "\n", "v": "\x0b", "f": "\x0c", "r": "\r",
    "e": "\x1b", " ": " ", '"': '"', "'": "'", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_CODE_LENGTHS: Final = {"x": 2, "u": 4, "U": 8}


def fold(first: str, more: str) -> str:
    """Return what the line breaks *first* and *more* become between two pieces of a flow scalar."""
    if first.startswith("\n"):
        return more or " "
    return first + more


def scan_plain(cursor: Cursor, indent: int, *, in_flow: bool) -> tuple[str, bool]:
    """Return the text of a plain scalar, and whether the cursor has come to another line."""
    line = _PLAIN_LINE[in_flow]
    pieces: list[str] = []
    between = ""
    while match := line.match(cursor.text, cursor.pos):
        pieces += (between, match.group())
        cursor.pos = match.end()
        cursor.skip_blanks()
        if cursor.text[cursor.pos] not in BREAKS:
            return "".join(pieces), False
        between = _line_breaks(cursor, indent)
        if (not in_flow and cursor.column < indent) or cursor.at_document_indicator():
            break
        if cursor.text[cursor.pos] == "#":
            break
    return "".join(pieces), True


def _line_breaks(cursor: Cursor, indent: int) -> str:
    first = cursor.read_break()
    more: list[str] = []
    while True:
        cursor.skip_spaces()
        if cursor.text[cursor.pos] == "\t":
            if cursor.column < indent:
                cursor.fail("found a tab character that violates indentation")
            cursor.skip_blanks()
        if cursor.text[cursor.pos] not in BREAKS:
            return fold(first, "".join(more))
        more.append(cursor.read_break())


def scan_quoted(cursor: Cursor, quote: str) -> str:
    """Return the text between two quotes."""
    match = _ON_ONE_LINE[quote].match(cursor.text, cursor.pos)
    if match:
        cursor.pos = match.end()
        return match.group(1)
    start = cursor.mark()
    cursor.pos += 1
    pieces: list[str] = []
    while True:
        if cursor.at_document_indicator():
            cursor.fail("found unexpected document indicator in a quoted scalar")
        if cursor.text[cursor.pos] == END:
            cursor.fail("found unexpected end of stream in a quoted scalar", start)
        joined = _scan_words(cursor, quote, pieces)
        if cursor.text[cursor.pos] == quote:
            cursor.pos += 1
            return "".join(pieces)
        pieces.append(_scan_gap(cursor, joined=joined))


def _scan_words(cursor: Cursor, quote: str, pieces: list[str]) -> bool:
    """Gather up to a blank, a break or the quote; return whether an escaped line break ended it."""
    run = _QUOTED_RUN[quote]
    while True:
        if match := run.match(cursor.text, cursor.pos):
            pieces.append(match.group())
            cursor.pos = match.end()
        char = cursor.text[cursor.pos]
        if quote == "'" and char == "'" and cursor.text[cursor.pos + 1] == "'":
            pieces.append("'")
            cursor.pos += 2
        elif char == "\\" and quote == '"':
            cursor.pos += 1
            if cursor.text[cursor.pos] in BREAKS:
                cursor.read_break()
                return True
            pieces.append(_scan_escape(cursor))
        else:
            return False


def _scan_gap(cursor: Cursor, *, joined: bool) -> str:
    """Return what the blanks and breaks here mean; blanks after a break mean nothing."""
    start = cursor.pos
    cursor.skip_blanks()
    blanks = "" if joined else cursor.text[start : cursor.pos]
    first = ""
    more: list[str] = []
    seen = joined
    while cursor.text[cursor.pos] in BREAKS:
        if seen:
            more.append(cursor.read_break())
        else:
            first = cursor.read_break()
            seen = True
        cursor.skip_blanks()
    return fold(first, "".join(more)) if seen else blanks


def _scan_escape(cursor: Cursor) -> str:
    char = cursor.text[cursor.pos]
    length = _CODE_LENGTHS.get(char)
    if length is None:
        if char not in _ESCAPES:
            cursor.fail("found unknown escape character")
        cursor.pos += 1
        return _ESCAPES[char]
    digits = cursor.text[cursor.pos + 1 : cursor.pos + 1 + length]
    if len(digits) < length or not _HEX.issuperset(digits):
        cursor.fail("did not find expected hexadecimal number")
    value = int(digits, 16)
    if 0xD800 <= value <= 0xDFFF or value > 0x10FFFF:
        cursor.fail("found invalid Unicode character escape code")
    cursor.pos += 1 + length
    return chr(value)


def scan_block(cursor: Cursor, parent: int, *, literal: bool) -> str:
    """Return the text of a block scalar inside a collection indented by *parent* (-1 at the top)."""
    cursor.pos += 1
    chomping, increment = _scan_header(cursor)
    indent = max(parent, 0) + increment if increment else 0
    more, indent = _scan_breaks(cursor, indent, parent)
    pieces: list[str] = []
    last_break = ""
    was_blank = False
    while cursor.column == indent and cursor.text[cursor.pos] != END:
        is_blank = cursor.text[cursor.pos] in BLANKS
        if literal or was_blank or is_blank or not last_break.startswith("\n"):
            pieces.append(last_break)
        elif not more:
            pieces.append(" ")
        pieces += (more, cursor.rest_of_line())
        was_blank = is_blank
        last_break = cursor.read_break()
        more, indent = _scan_breaks(cursor, indent, parent)
    if chomping != "-":
        pieces.append(last_break)
    if chomping == "+":
        pieces.append(more)
    return "".join(pieces)


def _scan_header(cursor: Cursor) -> tuple[str, int]:
    """Read the chomping and the indentation indicator, in either order, and the rest of the line."""
    chomping = _scan_chomping(cursor)
    increment = 0
    if cursor.text[cursor.pos] in "0123456789":
        increment = int(cursor.text[cursor.pos])
        if increment == 0:
            cursor.fail("found an indentation indicator equal to 0")
        cursor.pos += 1
        chomping = chomping or _scan_chomping(cursor)
    cursor.skip_blanks()
    cursor.skip_comment()
    if cursor.text[cursor.pos] not in BREAKS_OR_END:
        cursor.fail("did not find expected comment or line break")
    cursor.read_break()
    return chomping, increment


def _scan_chomping(cursor: Cursor) -> str:
    char = cursor.text[cursor.pos]
    if char not in "+-":
        return ""
    cursor.pos += 1
    return char


def _scan_breaks(cursor: Cursor, indent: int, parent: int) -> tuple[str, int]:
    """Step over indentation and empty lines; return the breaks, and the indentation once it is known."""
    breaks: list[str] = []
    widest = 0
    while True:
        start = cursor.pos
        cursor.skip_spaces()
        if indent:
            cursor.pos = max(start, min(cursor.pos, cursor.line_start + indent))
        column = cursor.column
        widest = max(widest, column)
        if (not indent or column < indent) and cursor.text[cursor.pos] == "\t":
            cursor.fail("found a tab character where an indentation space is expected")
        if cursor.text[cursor.pos] not in BREAKS:
            return "".join(breaks), indent or max(widest, parent + 1, 1)
        breaks.append(cursor.read_break())
