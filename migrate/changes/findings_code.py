"""One line of the catalogue of findings."""

from migrate.records.assessment import Impact
from migrate.records.objects import Record


class Code(Record, kw_only=True):
    """
    What a code means, whenever and wherever it is found.

    Attributes:
        impact: As a rule; a finding may say another where its place asks for it.

        source: The document that it rests on.
    """

    code: str
    meaning: str
    impact: Impact
    source: str


def code(name: str, impact: Impact, meaning: str, source: str) -> Code:
    """Return one line of the catalogue."""
    return Code(code=name, impact=impact, meaning=meaning, source=source)
