"""
What a scalar means: the types of YAML 1.1 as the Go reader knows them.

Source: go.yaml.in/yaml/v2 2.4.4, ``resolve.go``; Go ``strconv`` and ``time.Parse``.
"""

import base64
import calendar
import math
import re
from typing import Final

from migrate.goyaml.errors import GoYamlError

CORE: Final = "tag:yaml.org,2002:"
"""What ``!!`` stands for."""

STR_TAG: Final = "tag:yaml.org,2002:str"
BOOL_TAG: Final = "tag:yaml.org,2002:bool"
INT_TAG: Final = "tag:yaml.org,2002:int"
FLOAT_TAG: Final = "tag:yaml.org,2002:float"
NULL_TAG: Final = "tag:yaml.org,2002:null"
TIMESTAMP_TAG: Final = "tag:yaml.org,2002:timestamp"
BINARY_TAG: Final = "tag:yaml.org,2002:binary"
MERGE_TAG: Final = "tag:yaml.org,2002:merge"

Scalar = str | bool | int | float | None

INT64_MAX: Final = 2**63 - 1
UINT64_MAX: Final = 2**64 - 1

_SHOWN: Final = 60
"""Characters of a text that an error quotes."""

_CONSTANTS: Final[dict[str, tuple[str, Scalar]]] = {
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], (BOOL_TAG, True)),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], (BOOL_TAG, False)),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), (NULL_TAG, None)),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), (FLOAT_TAG, math.nan)),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), (FLOAT_TAG, math.inf)),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), (FLOAT_TAG, -math.inf)),
}
_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))", re.ASCII)
_SIGNED_BINARY = re.compile(r"0b([-+])([01]+)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_POINT_FLOAT = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")
_NUMBER_START: Final = frozenset("0123456789+-")
_DATE = r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
_CLOCK = r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?"
_ZONE = r"(?:Z|[-+]([0-9]{2}):([0-9]{2}))"
_TIMESTAMPS = tuple(re.compile(pattern) for pattern in (f"{_DATE}[Tt]{_CLOCK}{_ZONE}", f"{_DATE} +{_CLOCK}", _DATE))
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_LONE_BYTE = re.compile("[\udc80-\udcff]")
_LINE_ENDS = str.maketrans("", "", "\r\n")


def resolve(tag: str, text: str) -> Scalar:
    """
    Return the value of a scalar with *tag* (``""``: find out) and *text*.

    Raises:
        GoYamlError: The text does not fit the tag.
    """
    if tag == BINARY_TAG:
        return _decode_binary(text)
    if tag == STR_TAG:
        return text
    if tag and tag not in {BOOL_TAG, INT_TAG, FLOAT_TAG, NULL_TAG, TIMESTAMP_TAG}:
        return text
    found, value = _find_type(text, timestamp=tag == TIMESTAMP_TAG)
    if not tag or tag == found:
        return value
    if tag == FLOAT_TAG and found == INT_TAG and isinstance(value, int) and value <= INT64_MAX:
        return float(value)
    shown = ascii(text[:_SHOWN])
    raise GoYamlError(f"cannot decode {found.removeprefix(CORE)} {shown} as a {tag.removeprefix(CORE)}")


def _find_type(text: str, *, timestamp: bool) -> tuple[str, Scalar]:
    constant = _CONSTANTS.get(text)
    if constant is not None:
        return constant
    first = text[0]
    if first == ".":
        return _as_float(text) if _POINT_FLOAT.fullmatch(text) else (STR_TAG, text)
    if first not in _NUMBER_START:
        return STR_TAG, text
    # Dates stay strings; only a tag makes it matter whether the text is one.
    if timestamp and is_timestamp(text):
        return TIMESTAMP_TAG, text
    return _as_number(text)


def _as_number(text: str) -> tuple[str, Scalar]:
    plain = text.replace("_", "")
    number = _as_integer(plain)
    if number is not None:
        return INT_TAG, number
    if _FLOAT.fullmatch(plain):
        tag, value = _as_float(plain)
        if tag == FLOAT_TAG:
            return tag, value
    return STR_TAG, text


def _as_integer(plain: str) -> int | None:
    match = _INTEGER.fullmatch(plain)
    if match:
        sign, hexadecimal, binary, octal, decimal = match.groups()
        for digits, base in ((hexadecimal, 16), (binary, 2), (octal, 8), (decimal, 10)):
            if digits is not None:
                return _in_range(sign, digits, base)
    match = _SIGNED_BINARY.fullmatch(plain)
    if match:
        return _in_range(match.group(1), match.group(2), 2)
    return None


def _in_range(sign: str, digits: str, base: int, *, unsigned: bool = True) -> int | None:
    # Longer texts are no number for Go either, and Python refuses to convert very long ones.
    significant = digits.lstrip("0")
    if len(significant) > len(f"{UINT64_MAX:b}"):
        return None
    number = int(significant or "0", base)
    if sign == "-":
        return -number if number <= INT64_MAX + 1 else None
    # A sign keeps the number out of the unsigned range.
    limit = UINT64_MAX if unsigned and not sign else INT64_MAX
    return number if number <= limit else None


def _as_float(plain: str) -> tuple[str, Scalar]:
    value = float(plain)
    return (STR_TAG, plain) if math.isinf(value) else (FLOAT_TAG, value)


def _decode_binary(text: str) -> str:
    data = text.translate(_LINE_ENDS)
    if not _BASE64.fullmatch(data):
        raise GoYamlError("!!binary value contains invalid base64 data")
    # Go writes every byte that is no UTF-8 as one U+FFFD when it makes JSON of the text.
    return _LONE_BYTE.sub("\ufffd", base64.b64decode(data).decode(errors="surrogateescape"))


def is_timestamp(text: str) -> bool:
    """Tell whether the Go reader takes *text* for a date or an instant."""
    for pattern in _TIMESTAMPS:
        match = pattern.fullmatch(text)
        if match and _is_instant([int(group) for group in match.groups() if group]):
            return True
    return False


def _is_instant(parts: list[int]) -> bool:
    year, month, day, *clock = parts
    if not 1 <= month <= 12 or day < 1:
        return False
    # Python's calendar ends before the year 0, which Go has as a leap year.
    days = calendar.monthrange(year or 2000, month)[1]
    limits = (23, 59, 59, 24, 60)
    return day <= days and all(part <= limit for part, limit in zip(clock, limits, strict=False))
