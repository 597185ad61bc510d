"""Directives, anchors and tags: the small print in front of a node."""

from typing import Final

from migrate.goyaml.cursor import BLANK_OR_END, BLANKS, BREAKS_OR_END, Cursor
from migrate.goyaml.tokens import TAG_DIRECTIVE, VERSION_DIRECTIVE, Mark, Token

_DIGITS: Final = frozenset("0123456789")
_WORD: Final = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-")
_URI: Final = _WORD | frozenset(";/?:@&=+$,.!~*'()[]%")
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_AFTER_ANCHOR: Final = BLANK_OR_END | frozenset("?:,]}%@`")
_LONGEST_NUMBER: Final = 2


def scan_anchor(cursor: Cursor) -> str:
    """Return the name behind ``&`` or ``*``."""
    cursor.pos += 1
    name = _take(cursor, _WORD)
    if not name or cursor.text[cursor.pos] not in _AFTER_ANCHOR:
        cursor.fail("did not find expected alphabetic or numeric character in the name of an anchor or alias")
    return name


def scan_tag(cursor: Cursor) -> tuple[str, str]:
    """Return handle and suffix of a tag."""
    handle = ""
    if cursor.text[cursor.pos + 1] == "<":
        cursor.pos += 2
        suffix = _scan_uri(cursor, "")
        if cursor.text[cursor.pos] != ">":
            cursor.fail("did not find the expected '>' of a tag")
        cursor.pos += 1
    else:
        handle = _scan_handle(cursor, directive=False)
        if len(handle) > 1 and handle.endswith("!"):
            suffix = _scan_uri(cursor, "")
        else:
            suffix = _scan_uri(cursor, handle)
            # The tag "!" alone has no handle.
            handle, suffix = ("!", suffix) if suffix else ("", "!")
    if cursor.text[cursor.pos] not in BLANK_OR_END:
        cursor.fail("did not find expected whitespace or line break after a tag")
    return handle, suffix


def scan_directive(cursor: Cursor) -> Token:
    """Read one directive with its line break."""
    start = cursor.mark()
    cursor.pos += 1
    name = _take(cursor, _WORD)
    if not name:
        cursor.fail("could not find expected directive name", start)
    if cursor.text[cursor.pos] not in BLANK_OR_END:
        cursor.fail("found unexpected non-alphabetical character in the name of a directive", start)
    if name == "YAML":
        token = _scan_version(cursor, start)
    elif name == "TAG":
        token = _scan_tag_directive(cursor, start)
    else:
        cursor.fail("found unknown directive name", start)
    cursor.skip_blanks()
    cursor.skip_comment()
    if cursor.text[cursor.pos] not in BREAKS_OR_END:
        cursor.fail("did not find expected comment or line break after a directive", start)
    cursor.read_break()
    return token


def _scan_version(cursor: Cursor, start: Mark) -> Token:
    cursor.skip_blanks()
    major = _scan_number(cursor, start)
    if cursor.text[cursor.pos] != ".":
        cursor.fail("did not find expected digit or '.' character", start)
    cursor.pos += 1
    minor = _scan_number(cursor, start)
    return Token(VERSION_DIRECTIVE, start, f"{major}.{minor}")


def _scan_number(cursor: Cursor, start: Mark) -> int:
    digits = _take(cursor, _DIGITS)
    if not digits:
        cursor.fail("did not find expected version number", start)
    if len(digits) > _LONGEST_NUMBER:
        cursor.fail("found extremely long version number", start)
    return int(digits)


def _scan_tag_directive(cursor: Cursor, start: Mark) -> Token:
    cursor.skip_blanks()
    handle = _scan_handle(cursor, directive=True)
    if cursor.text[cursor.pos] not in BLANKS:
        cursor.fail("did not find expected whitespace in a %TAG directive", start)
    cursor.skip_blanks()
    prefix = _scan_uri(cursor, "")
    if cursor.text[cursor.pos] not in BLANK_OR_END:
        cursor.fail("did not find expected whitespace or line break in a %TAG directive", start)
    return Token(TAG_DIRECTIVE, start, handle, prefix)


def _scan_handle(cursor: Cursor, *, directive: bool) -> str:
    if cursor.text[cursor.pos] != "!":
        cursor.fail("did not find expected '!'")
    cursor.pos += 1
    handle = "!" + _take(cursor, _WORD)
    if cursor.text[cursor.pos] == "!":
        cursor.pos += 1
        return handle + "!"
    if directive and handle != "!":
        cursor.fail("did not find expected '!'")
    return handle


def _scan_uri(cursor: Cursor, head: str) -> str:
    pieces = [head[1:]]
    found = bool(head)
    while (char := cursor.text[cursor.pos]) in _URI:
        found = True
        if char == "%":
            pieces.append(_scan_escaped_octets(cursor))
        else:
            pieces.append(char)
            cursor.pos += 1
    if not found:
        cursor.fail("did not find expected tag URI")
    return "".join(pieces)


def _scan_escaped_octets(cursor: Cursor) -> str:
    """Read the escapes of one UTF-8 character; bytes that form none are kept as they are."""
    octets = bytearray()
    left = 1
    while left:
        digits = cursor.text[cursor.pos + 1 : cursor.pos + 3]
        if cursor.text[cursor.pos] != "%" or len(digits) < len("00") or not _HEX.issuperset(digits):
            cursor.fail("did not find URI escaped octet")
        octet = int(digits, 16)
        if not octets:
            left = _width(octet)
            if not left:
                cursor.fail("found an incorrect leading UTF-8 octet")
        elif octet & 0xC0 != 0x80:
            cursor.fail("found an incorrect trailing UTF-8 octet")
        octets.append(octet)
        cursor.pos += 3
        left -= 1
    return octets.decode(errors="surrogateescape")


def _width(octet: int) -> int:
    for mask, lead, width in ((0x80, 0x00, 1), (0xE0, 0xC0, 2), (0xF0, 0xE0, 3), (0xF8, 0xF0, 4)):
        if octet & mask == lead:
            return width
    return 0


def _take(cursor: Cursor, allowed: frozenset[str]) -> str:
    start = cursor.pos
    while cursor.text[cursor.pos] in allowed:
        cursor.pos += 1
    return cursor.text[start : cursor.pos]
