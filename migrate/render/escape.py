"""Text from the cluster made safe for a screen, a log or a report."""

import unicodedata

_KEPT = {"\n", "\t"}
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def escaped(text: object, *, keep_lines: bool = False) -> str:
    """
    Return *text* with control characters, bidirectional marks and surrogates written out.

    Args:
        text: Anything; ``str()`` of it is used.

        keep_lines: Keep line breaks and tabs as they are.
    """
    plain = str(text)
    if plain.isprintable():
        return plain  # Whatever is written out below is not printable.
    return "".join(_escaped(character, keep_lines=keep_lines) for character in plain)


def _escaped(character: str, *, keep_lines: bool) -> str:
    if keep_lines and character in _KEPT:
        return character
    hidden = unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    if not hidden and character not in _BIDI:
        return character
    return character.encode("unicode_escape").decode("ascii")


def markdown_safe(text: object) -> str:
    """Return *text* escaped for a cell of a Markdown table: no HTML, no cell or code marks."""
    safe = escaped(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in "\\|`*_[]":
        safe = safe.replace(mark, "\\" + mark)
    return safe
