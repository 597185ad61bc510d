"""
How other readers take a plain scalar: PyYAML (YAML 1.1) and the core schema of YAML 1.2.

Source: PyYAML 6 ``resolver.py`` and ``constructor.py``; YAML 1.2.2, chapter 10.3.2.
"""

import re
from typing import Final

from migrate.goyaml.resolve import BOOL_TAG, FLOAT_TAG, INT_TAG, NULL_TAG, STR_TAG, TIMESTAMP_TAG, Scalar

_SUSPECT: Final = frozenset("0123456789+-.yYnNtTfFoO=<~")
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE: Final = frozenset({"true", "True", "TRUE"})
_FALSE: Final = frozenset({"false", "False", "FALSE"})
_TRUE_1_1: Final = _TRUE | {"yes", "Yes", "YES", "on", "On", "ON"}
_FALSE_1_1: Final = _FALSE | {"no", "No", "NO", "off", "Off", "OFF"}

_FLOAT_1_1 = re.compile(
    r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_INT_1_1 = re.compile(
    r"[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+"
)
_TIMESTAMP_1_1 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?"
    r"(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?"
)
_FLOAT_1_2 = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_INT_1_2 = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_EXACT_LIMIT: Final = 2**53


def is_read_differently(text: str, value: Scalar) -> bool:
    """Tell whether a common reader takes the plain scalar *text* for something else than *value*."""
    if text and text[0] not in _SUSPECT:
        return False
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _EXACT_LIMIT:
        return True
    ours = _type_of(value)
    return ours != _type_1_1(text) or ours != _type_1_2(text) or (ours == INT_TAG and _is_octal_or_decimal(text, value))


def _is_octal_or_decimal(text: str, value: Scalar) -> bool:
    """Tell whether a leading zero means base 8 to one reader and base 10 to another."""
    digits = text.lstrip("+-")
    return isinstance(value, int) and value != 0 and digits[0] == "0" and digits.isdigit()


def _type_of(value: Scalar) -> str:
    if value is None:
        return NULL_TAG
    return {bool: BOOL_TAG, int: INT_TAG, float: FLOAT_TAG}.get(type(value), STR_TAG)


def _type_1_1(text: str) -> str:
    if text in _NULLS:
        return NULL_TAG
    if text in _TRUE_1_1 or text in _FALSE_1_1:
        return BOOL_TAG
    if _INT_1_1.fullmatch(text):
        return INT_TAG
    if _FLOAT_1_1.fullmatch(text):
        return FLOAT_TAG
    return TIMESTAMP_TAG if _TIMESTAMP_1_1.fullmatch(text) or text == "=" else STR_TAG


def _type_1_2(text: str) -> str:
    if text in _NULLS:
        return NULL_TAG
    if text in _TRUE or text in _FALSE:
        return BOOL_TAG
    if _INT_1_2.fullmatch(text):
        return INT_TAG
    return FLOAT_TAG if _FLOAT_1_2.fullmatch(text) else STR_TAG
