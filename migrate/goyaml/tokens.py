"""The words of the token stream, shared by scanner and parser."""

from typing import Final, NamedTuple

STREAM_START: Final = 0
STREAM_END: Final = 1
VERSION_DIRECTIVE: Final = 2
TAG_DIRECTIVE: Final = 3
DOCUMENT_START: Final = 4
DOCUMENT_END: Final = 5
BLOCK_SEQUENCE_START: Final = 6
BLOCK_MAPPING_START: Final = 7
BLOCK_END: Final = 8
FLOW_SEQUENCE_START: Final = 9
FLOW_SEQUENCE_END: Final = 10
FLOW_MAPPING_START: Final = 11
FLOW_MAPPING_END: Final = 12
BLOCK_ENTRY: Final = 13
FLOW_ENTRY: Final = 14
KEY: Final = 15
VALUE: Final = 16
ALIAS: Final = 17
ANCHOR: Final = 18
TAG: Final = 19
SCALAR: Final = 20


class Mark(NamedTuple):
    """A place in the text; all three count from 0."""

    position: int
    line: int
    column: int


class Token(NamedTuple):
    """
    One token.

    Attributes:
        kind: One of the constants of this module.

        mark: Where it starts.

        value: Text of a scalar, name of an anchor or alias, handle of a tag,
            handle of a tag directive, version of a version directive.

        extra: Suffix of a tag, prefix of a tag directive.

        plain: Whether a scalar stands without quotes and indicators.
    """

    kind: int
    mark: Mark
    value: str = ""
    extra: str = ""
    plain: bool = False
