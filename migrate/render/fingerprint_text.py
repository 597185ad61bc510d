"""The judgement of one plugins ConfigMap as text."""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from migrate.render.escape import escaped
from migrate.render.style import Paint, plain

_STYLES = {"proceed": "good", "proceed-with-warning": "risk", "stop": "blocking"}


class NoteLine(Protocol):
    """A reason or a warning."""

    @property
    def code(self) -> str:
        """Its code."""

    @property
    def message(self) -> str:
        """Its words."""

    @property
    def path(self) -> str:
        """Where, ``""`` for the object."""


class DifferenceLine(Protocol):
    """One difference."""

    @property
    def path(self) -> str:
        """Where."""

    @property
    def expected(self) -> Any:
        """As the baseline has it."""

    @property
    def found(self) -> Any:
        """As it is."""


def fingerprint_text(  # noqa: PLR0913 - the lines of one page
    *,
    verdict: str,
    controller: str,
    careful: str,
    reasons: Sequence[NoteLine],
    warnings: Sequence[NoteLine],
    differences: Sequence[DifferenceLine],
    digest: str | None,
    paint: Paint = plain,
) -> str:
    """Return verdict, reasons, warnings and differences."""
    lines = [
        f"Verdict     {escaped(verdict)}",
        f"Controller  {controller}",
        f"Careful     {paint(careful, _STYLES.get(careful, ''))}",
        f"Digest      {digest or 'none'}",
    ]
    lines += [f"reason   {_note(note)}" for note in reasons]
    lines += [f"warning  {_note(note)}" for note in warnings]
    lines += [
        f"differs  {escaped(line.path)}: expected {_value(line.expected)}, found {_value(line.found)}"
        for line in differences
    ]
    return "\n".join(lines) + "\n"


def _note(note: NoteLine) -> str:
    where = f" ({escaped(note.path)})" if note.path else ""
    return f"{note.code}{where}: {escaped(note.message)}"


def _value(value: Any) -> str:
    return "nothing" if value is None else escaped(msgspec.json.encode(value).decode())
