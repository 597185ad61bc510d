"""One page of ``explain``, and the one way to write it."""

from typing import Literal

from migrate.records.objects import Record

PageKind = Literal[
    "finding",
    "risk",
    "exit code",
    "error",
    "check",
    "step",
    "action",
    "wait failure",
    "fingerprint",
    "run state",
    "decision",
]


class Page(Record, kw_only=True):
    """
    What one code means.

    Attributes:
        code: As the program prints it.

        kind: Where it is printed.

        meaning: What is the case when it is.

        why: Why that matters.

        todo: The next move.

        source: The document that says so.
    """

    code: str
    kind: PageKind
    meaning: str
    why: str
    todo: str
    source: str


def page(kind: PageKind, code: str, *texts: str) -> Page:
    """Return a page from meaning, why, todo and source, in this order."""
    meaning, why, todo, source = texts
    return Page(code=code, kind=kind, meaning=meaning, why=why, todo=todo, source=source)
