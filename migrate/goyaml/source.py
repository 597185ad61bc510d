"""
The text before it is scanned: bounds, byte order mark, forbidden characters.

The Go reader takes its input in pieces of 512 bytes and judges a piece as a
whole when its first character is asked for. A forbidden character is therefore
an error only when the scanner gets as far as the piece that holds it; what lies
behind the end of the first document may stay unseen.
"""

import re
from typing import Final, NamedTuple

from migrate.goyaml.errors import GoYamlError, TooLargeError

SIZE_LIMIT: Final = 4 * 1024 * 1024
"""
Characters that are read at most.

A ConfigMap holds at most 1 MiB of data, so a longer text never comes from a cluster.

Source: Kubernetes API reference, ConfigMap, "The total size must be less than 1 MiB".
"""

PIECE_BYTES: Final = 512
"""
Bytes that the Go reader takes in at once.

Source: go.yaml.in/yaml/v2 2.4.4, ``yamlprivateh.go``, size of the raw input buffer.
"""

END: Final = "\0"
"""Stands behind the text; a NUL in the text itself is refused before."""

_FORBIDDEN = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BOM = "\ufeff"


class Source(NamedTuple):
    """
    A text ready for the scanner.

    Attributes:
        text: The text up to the first refused piece, and some END behind it.

        length: Its length without END.

        refusal: The error to raise when the scanner needs more than *length*
            characters; None when the text is whole.

        doubled_bom: Number of characters at the start during which the Go
            reader takes every line start for a byte order mark; usually 0.
    """

    text: str
    length: int
    refusal: GoYamlError | None
    doubled_bom: int


def open_source(text: str) -> Source:
    """
    Check and cut *text* as the Go reader would see it.

    Raises:
        TooLargeError: The text has more than SIZE_LIMIT characters.
    """
    if len(text) > SIZE_LIMIT:
        raise TooLargeError(f"the text has {len(text)} characters, more than the {SIZE_LIMIT} that are read")
    # A JSON string with half a surrogate pair reaches the controller as U+FFFD.
    text = _SURROGATE.sub("\ufffd", text)
    start = 1 if text.startswith(_BOM) else 0
    bad = _FORBIDDEN.search(text)
    refusal = None
    end = len(text)
    if bad is not None:
        end = max(_piece_start(text, bad.start()), start)
        refusal = _refuse(text, bad)
    body = text[start:end]
    doubled = _piece_end(text, 0) - start if body.startswith(_BOM) else 0
    return Source(body + END * 8, len(body), refusal, doubled)


def _refuse(text: str, bad: re.Match[str]) -> GoYamlError:
    line_start = text.rfind("\n", 0, bad.start()) + 1
    return GoYamlError(
        f"control characters are not allowed (U+{ord(bad.group()):04X})",
        line=text.count("\n", 0, bad.start()) + 1,
        column=bad.start() - line_start + 1,
    )


def _piece_end(text: str, start: int) -> int:
    """Return where the piece that begins with character *start* ends; a split character is left to the next."""
    piece = text[start : start + PIECE_BYTES].encode()[:PIECE_BYTES]
    return start + len(piece.decode(errors="ignore"))


def _piece_start(text: str, position: int) -> int:
    start = 0
    while (end := _piece_end(text, start)) <= position:
        start = end
    return start
