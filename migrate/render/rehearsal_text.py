"""A rehearsal as text."""

from collections.abc import Sequence
from typing import Protocol

from migrate.render.escape import escaped
from migrate.render.style import Paint, plain
from migrate.render.tables import duration, indented, table


class StepLike(Protocol):
    """What is shown of a rehearsed step."""

    @property
    def id(self) -> str:
        """The step's id."""

    @property
    def title(self) -> str:
        """One line."""

    @property
    def outcome(self) -> str:
        """What became of it."""

    @property
    def message(self) -> str:
        """What it said."""

    @property
    def estimate_seconds(self) -> int:
        """By the runbook."""


def rehearsal_text(  # noqa: PLR0913 - what a document holds
    *,
    head: Sequence[str],
    steps: Sequence[StepLike],
    way_back: Sequence[StepLike],
    outcome: str,
    rolled_back: str,
    verified: bool | None,
    unexpected: Sequence[str],
    assumptions: Sequence[str],
    not_proved: Sequence[str],
    paint: Paint = plain,
) -> str:
    """Return what the real run will do, and what that rests on."""
    verdict = {True: "verified", False: "not verified", None: "no verdict"}[verified]
    total = sum(step.estimate_seconds for step in steps if step.outcome != "skipped")
    parts = [
        "".join(f"{escaped(line)}\n" for line in head),
        paint(f"The real run will do this, in about {duration(total)}", "bold") + "\n" + _steps(steps),
        f"Ends    {outcome or 'before it begins'}, {verdict}\n" + _lines("Found   ", unexpected),
        (paint("The way back", "bold") + "\n" + _steps(way_back) + f"Ends    {rolled_back}\n") if rolled_back else "",
        paint("This rests on", "bold") + "\n" + indented(_lines("", assumptions)),
        _lines("Not proved: ", not_proved),
    ]
    return "\n".join(part for part in parts if part)


def _steps(steps: Sequence[StepLike]) -> str:
    rows = [(step.id, step.outcome, duration(step.estimate_seconds), step.message or step.title) for step in steps]
    return indented(table(("STEP", "OUTCOME", "ESTIMATE", "WHAT"), rows) or "nothing\n")


def _lines(label: str, texts: Sequence[str]) -> str:
    return "".join(f"{label}{escaped(text)}\n" for text in texts)
