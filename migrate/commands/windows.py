"""The window of a run: what was said, and whether it may be none."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from migrate.errors import BadInputError, RiskNotAcceptedError
from migrate.records.window import NO_WINDOW, Window, WindowError, parse_window

NO_WINDOW_RISK: Final = "no-maintenance-window"
_WRITTEN_LIKE: Final = {
    "--window": "Write it like --window now+90m, or --window 2026-12-01T22:00+01:00/2026-12-02T00:00+01:00.",
    "--timezone": "Write it like --timezone Europe/Prague.",
    "--cutoff": "Give a longer window, or a shorter cutoff such as --cutoff 5m.",
}


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
    window = _parsed(flags.window, flags, now)
    if flags.window == NO_WINDOW and NO_WINDOW_RISK not in accepted:
        raise RiskNotAcceptedError(
            "--window none needs an acceptance; nothing was written.",
            resolution=f"Add --accept {NO_WINDOW_RISK}=REASON, or give a window.",
        )
    return msgspec.structs.replace(window, reason=accepted[NO_WINDOW_RISK]) if flags.window == NO_WINDOW else window


def maybe_window(flags: WindowFlags, now: datetime) -> Window:
    """Return the window of a rollback, which needs none and is never stopped by one. Raises BadInputError."""
    return _parsed(flags.window or NO_WINDOW, flags, now)


def _parsed(window: str, flags: WindowFlags, now: datetime) -> Window:
    try:
        return parse_window(window, now=now, timezone=flags.timezone, cutoff=flags.cutoff)
    except WindowError as error:
        raise BadInputError(
            f"{error.flag}: {error}; nothing was written.", resolution=_WRITTEN_LIKE[error.flag]
        ) from error
