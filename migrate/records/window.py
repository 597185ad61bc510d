"""The maintenance window: when a step may start, and how it is written on a command line."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from migrate.records.objects import Record

NO_WINDOW: Final = "none"
_DURATION: Final = re.compile(
    r"(?:(?P<d>\d{1,9})d)?(?:(?P<h>\d{1,9})h)?(?:(?P<m>\d{1,9})m)?(?:(?P<s>\d{1,9})s)?", re.ASCII
)
_LONGEST_S: Final = 366 * 86400
_MIDDLE_YEAR: Final = 2100
_YEARS: Final = 200
_RELATIVE: Final = re.compile(r"now\+(?P<length>\w+)")


class WindowError(ValueError):
    """
    A window, a time zone or a duration that cannot be used; the message names the part.

    Attributes:
        flag: The flag that it was said with.
    """

    def __init__(self, message: str, *, flag: str = "--window") -> None:
        super().__init__(message)
        self.flag = flag


class Window(Record, kw_only=True):
    """
    From when until when mutating steps may start.

    Attributes:
        start: UTC; None together with *end* None is ``--window none``.

        end: UTC.

        cutoff_s: Seconds before *end* by which a step and the way back from it must be over.

        zone: The zone it was written in, to show times in both.

        reason: Why there is none, in the operator's words.
    """

    start: datetime | None = None
    end: datetime | None = None
    cutoff_s: int = 900
    zone: str = "UTC"
    reason: str = ""

    def is_open(self, now: datetime) -> bool:
        """Return whether *now* lies inside, the cutoff not counted."""
        return (self.start is None or self.start <= now) and (self.end is None or now < self.end)

    def fits(self, now: datetime, needed_s: float) -> bool:
        """Return whether *needed_s* seconds from *now* on end before the cutoff, inside the window."""
        if not self.is_open(now):
            return False
        left = self.left_s(now)
        return left is None or needed_s <= left

    def left_s(self, now: datetime) -> float | None:
        """Return the seconds left until the cutoff, None when there is no end."""
        if self.end is None:
            return None
        return (self.end - timedelta(seconds=self.cutoff_s) - now).total_seconds()

    def text(self) -> str:
        """Return both ends in UTC and in the window's zone, each with its offset."""
        if self.start is None or self.end is None:
            return f"none (accepted: {self.reason})" if self.reason else "none"
        zone = _zone(self.zone)
        there = f"{self.start.astimezone(zone).isoformat()} to {self.end.astimezone(zone).isoformat()}"
        here = f"{self.start.isoformat()} to {self.end.isoformat()}"
        return here if self.zone == "UTC" else f"{here} UTC ({there} {self.zone})"


def parse_duration(text: str) -> int:
    """Return the seconds of a duration such as ``90m``, ``1h30m``, ``45s`` or ``0``."""
    match = _DURATION.fullmatch(text)
    if text == "0":
        return 0
    if not text or match is None:
        msg = f"{text!r} is no duration; write it like 90m, 1h30m or 45s"
        raise WindowError(msg)
    days, hours, minutes, seconds = (int(match[part] or 0) for part in "dhms")
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def parse_window(text: str, *, now: datetime, timezone: str = "", cutoff: str = "15m") -> Window:
    """
    Return the window that *text* writes.

    Args:
        text: ``START/END`` in ISO 8601, each with an offset or, with *timezone*, local;
            ``now+90m``; or ``none``.

        now: UTC.

        timezone: An IANA name for times without an offset.

        cutoff: A duration.

    Raises:
        WindowError: It cannot be used; nothing is guessed.
    """
    try:
        cutoff_s = parse_duration(cutoff)
    except WindowError as error:
        raise WindowError(str(error), flag="--cutoff") from error
    now = now.replace(microsecond=0)
    _zone(timezone or "UTC")
    if text == NO_WINDOW:
        return Window(cutoff_s=cutoff_s, zone=timezone or "UTC")
    relative = _RELATIVE.fullmatch(text)
    if relative:
        return _checked(now, _later(now, parse_duration(relative["length"])), cutoff_s, timezone or "UTC")
    start, slash, end = text.partition("/")
    if not slash:
        msg = f"{text!r} is no window; write START/END, now+90m or none"
        raise WindowError(msg)
    return _checked(_instant(start, timezone), _instant(end, timezone), cutoff_s, timezone or "UTC")


def _later(now: datetime, seconds: int) -> datetime:
    if seconds > _LONGEST_S:
        msg = f"a window of {seconds} s is longer than any maintenance; the longest is {_LONGEST_S // 86400} days"
        raise WindowError(msg)
    return now + timedelta(seconds=seconds)


def _checked(start: datetime, end: datetime, cutoff_s: int, zone: str) -> Window:
    if end <= start:
        ends, starts = (moment.isoformat(timespec="seconds") for moment in (end, start))
        msg = f"the window ends ({ends}) before it starts ({starts})"
        raise WindowError(msg)
    if cutoff_s >= (end - start).total_seconds():
        msg = f"the cutoff of {cutoff_s} s leaves nothing of a window of {int((end - start).total_seconds())} s"
        raise WindowError(msg, flag="--cutoff")
    return Window(start=start, end=end, cutoff_s=cutoff_s, zone=zone)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        msg = f"{name!r} is no time zone; write an IANA name such as Europe/Prague"
        raise WindowError(msg, flag="--timezone") from error


def _instant(text: str, timezone: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        msg = f"{text!r} is no ISO 8601 time"
        raise WindowError(msg) from error
    if abs(moment.year - _MIDDLE_YEAR) > _YEARS:
        msg = f"{text!r} lies in no year of this program's life"
        raise WindowError(msg)
    if moment.tzinfo is not None:
        return moment.astimezone(UTC)
    if not timezone:
        msg = f"{text!r} has no offset; add one (like +02:00 or Z), or say --timezone"
        raise WindowError(msg)
    return _local_instant(moment, _zone(timezone), text)


def _local_instant(moment: datetime, zone: ZoneInfo, text: str) -> datetime:
    """Return the one instant that a local time means; refuse one that exists twice or not at all."""
    first, second = (moment.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if first == second:
        return first
    if first.astimezone(zone).replace(tzinfo=None) != moment:
        msg = f"{text!r} does not exist in {zone.key}: the clocks go forward over it; write it with an offset"
        raise WindowError(msg)
    msg = f"{text!r} exists twice in {zone.key}: the clocks go back over it; write it with an offset"
    raise WindowError(msg)
