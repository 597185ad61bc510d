"""The window of a run: what was said, and whether it may be none."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from migrate.errors import BadInputError, RiskNotAcceptedError
from migrate.records.window import NO_WINDOW, Window, WindowError, parse_window

NO_WINDOW_RISK: Final = "no-maintenance-window"


@dataclass(frozen=True, kw_only=True, slots=True)
class WindowFlags:
    """``--window``, ``--timezone`` and ``--cutoff`` as they were said."""

    window: str = ""
    timezone: str = ""
    cutoff: str = "15m"


def must_have_window(flags: WindowFlags, accepted: dict[str, str], now: datetime) -> Window:
    """
    Return the window of a run.

    Raises:
        BadInputError: None was given, or it cannot be used.

        RiskNotAcceptedError: ``none`` without its acceptance.
    """
    if not flags.window:
        raise BadInputError(
            "No --window was given; nothing was written.",
            resolution="Say when steps may start: --window START/END, or --window now+90m.",
        )
    try:
        window = parse_window(flags.window, now=now, timezone=flags.timezone, cutoff=flags.cutoff)
    except WindowError as error:
        raise BadInputError(f"--window: {error}.", resolution="Mend the window and try again.") from error
    if flags.window == NO_WINDOW and NO_WINDOW_RISK not in accepted:
        raise RiskNotAcceptedError(
            "--window none needs an acceptance; nothing was written.",
            resolution=f"Add --accept {NO_WINDOW_RISK}=REASON, or give a window.",
        )
    return msgspec.structs.replace(window, reason=accepted[NO_WINDOW_RISK]) if flags.window == NO_WINDOW else window


def maybe_window(flags: WindowFlags, now: datetime) -> Window:
    """Return the window of a rollback, which needs none and is never stopped by one. Raises BadInputError."""
    try:
        return parse_window(flags.window or NO_WINDOW, now=now, timezone=flags.timezone, cutoff=flags.cutoff)
    except WindowError as error:
        raise BadInputError(f"--window: {error}.", resolution="Mend the window and try again.") from error
