"""
The times of a Lease: MicroTime, RFC 3339 with exactly six fractional digits.

An API server refuses others with 400; Python leaves the fraction out when it is zero.
"""

import re
from datetime import UTC, datetime
from typing import Any

_SHAPE = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)")


def micro_time(moment: datetime) -> str:
    """Return *moment* as MicroTime in UTC, always with six digits."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"


def parse_micro_time(value: Any) -> datetime | None:
    """Return the moment; None for null and for anything that is no time. Any number of digits, any offset."""
    match = _SHAPE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    date, clock, fraction, offset = match.groups()
    digits = (fraction or "").ljust(6, "0")[:6]
    try:
        return datetime.fromisoformat(f"{date}T{clock}.{digits}{offset.upper()}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None
