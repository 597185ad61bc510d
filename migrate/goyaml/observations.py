"""What a reader notices on the way that does not change what the controllers read."""

from collections.abc import Iterable
from typing import Final, NamedTuple

DUPLICATE_KEY: Final = "duplicate-key"
"""A key of one mapping occurs twice; the last one counts."""

MERGE_KEY: Final = "merge-key"
"""``<<`` is used."""

MERGE_OVERLAP: Final = "merge-overlap"
"""``<<`` brings a key that the mapping has as well; the later one in the text counts."""

TAG: Final = "tag"
"""A tag makes other readers see another value."""

MORE_DOCUMENTS: Final = "more-documents"
"""Text stands behind the first document; it is not read."""

OTHER_READING: Final = "other-reading"
"""A plain scalar that other YAML readers take for something else."""

Path = tuple[str | int, ...]
"""Keys and positions from the top of the document down."""


class Observation(NamedTuple):
    """
    One thing noticed.

    Attributes:
        code: One of the constants of this module.

        message: A sentence for a person.

        path: Where in the document.

        line: The line in the text, from 1.
    """

    code: str
    message: str
    path: Path
    line: int


def path_text(path: Iterable[str | int]) -> str:
    """Return *path* as text, ``plugins[0].parameters.mode``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.isidentifier():
            text += f".{step}" if text else step
        else:
            text += f"[{step!r}]" if step.isascii() else f"[{step!a}]"
    return text
