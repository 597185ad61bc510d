"""Numbers as text: Go's shortest form of a 32-bit float, which sigs.k8s.io/yaml uses."""

import math
import struct
from fractions import Fraction
from typing import Final

_FLOAT32_DIGITS: Final = 9
"""Decimal digits that tell every 32-bit float from every other."""

_LARGEST_BITS: Final = 0x7F7FFFFF
"""The largest finite 32-bit float as bits."""

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
    """Return the fewest digits that no other 32-bit float is nearer to, and of those the nearest."""
    if not value:
        return f"{value:e}"
    exact = Fraction(abs(value))
    lower, upper, closed = _interval(value)
    exponent = int(f"{value:e}".partition("e")[2])
    for digits in range(1, _FLOAT32_DIGITS + 1):
        step = Fraction(10) ** (exponent - digits + 1)
        below = exact // step
        inside = [
            number
            for number in (below + 1, below)
            if lower < number * step < upper or (closed and number * step in (lower, upper))
        ]
        if inside:
            # Half-way the even digit wins, but from a power of two, whose lower neighbours are nearer, the upper.
            odd_loses = 0 if math.frexp(value)[0] in {0.5, -0.5} else 1
            number = min(inside, key=lambda candidate: (abs(candidate * step - exact), candidate % 2 * odd_loses))
            text = str(number)
            sign = "-" if value < 0 else ""
            return f"{sign}{text[0]}.{text[1:]}e{exponent - digits + len(text)}"
    return f"{value:.{_FLOAT32_DIGITS}e}"  # pragma: no cover - nine digits always suffice


def _interval(value: float) -> tuple[Fraction, Fraction, bool]:
    """Return the bounds between which every number rounds to *value*, and whether they do so themselves."""
    bits = struct.unpack("<I", struct.pack("<f", abs(value)))[0]
    exact = Fraction(abs(value))
    below = Fraction(_from_bits(bits - 1))
    # Beyond the largest float the distance stays the same, though there is no float.
    above = exact + (exact - below) if bits == _LARGEST_BITS else Fraction(_from_bits(bits + 1))
    return (exact + below) / 2, (exact + above) / 2, bits % 2 == 0


def _from_bits(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])
