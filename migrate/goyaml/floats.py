"""Numbers as text: Go's shortest form of a 32-bit float, which sigs.k8s.io/yaml uses."""

import math
import struct
from typing import Final

_FLOAT32_DIGITS: Final = 9
"""Decimal digits that tell every 32-bit float from every other."""

_SMALLEST_PLAIN_EXPONENT: Final = -4
_PLAIN_EXPONENT_LIMIT: Final = 6
"""
From this exponent on ``%g`` without a precision has an exponent part.

Source: Go ``strconv/ftoa.go``, the shortest form of format ``g``.
"""


def format_float32(value: float) -> str:
    """Return *value*, rounded to 32 bits, as Go's ``FormatFloat(value, 'g', -1, 32)`` writes it."""
    rounded = _round32(value)
    if math.isnan(rounded):
        return "NaN"
    if math.isinf(rounded):
        return "+Inf" if rounded > 0 else "-Inf"
    mantissa, _, exponent_text = _shortest(rounded).partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    digits = mantissa.lstrip("-").replace(".", "").rstrip("0") or "0"
    exponent = int(exponent_text)
    if exponent < _SMALLEST_PLAIN_EXPONENT or exponent >= _PLAIN_EXPONENT_LIMIT:
        point = "." if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{point}{digits[1:]}e{exponent:+03d}"
    return sign + _plain(digits, exponent)


def _plain(digits: str, exponent: int) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    if len(digits) <= exponent + 1:
        return digits.ljust(exponent + 1, "0")
    return f"{digits[: exponent + 1]}.{digits[exponent + 1 :]}"


def _round32(value: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _shortest(value: float) -> str:
    for precision in range(_FLOAT32_DIGITS):
        text = f"{value:.{precision}e}"
        if _round32(float(text)) == value:
            return text
    return f"{value:.{_FLOAT32_DIGITS}e}"
