"""The string formats that the server checks; any other word is only a hint."""

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import urlsplit

_DATE_TIME: Final = re.compile(r"^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$")
_UUID: Final = re.compile(r"^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$")
_DURATION: Final = re.compile(r"^[-+]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$|^0$")


def _is_address(version: int) -> Callable[[str], bool]:
    def check(value: str) -> bool:
        try:
            return ipaddress.ip_address(value).version == version
        except ValueError:
            return False

    return check


def _is_network(value: str) -> bool:
    try:
        ipaddress.ip_network(value, strict=False)
    except ValueError:
        return False
    return "/" in value


def _is_base64(value: str) -> bool:
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _is_uri(value: str) -> bool:
    try:
        return bool(urlsplit(value).scheme) or value.startswith("/")
    except ValueError:
        return False


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "date-time": lambda value: bool(_DATE_TIME.match(value)),
    "date": lambda value: bool(re.match(r"^\d{4}-\d\d-\d\d$", value)),
    "duration": lambda value: bool(_DURATION.match(value)),
    "uuid": lambda value: bool(_UUID.match(value)),
    "ipv4": _is_address(4),
    "ipv6": _is_address(6),
    "cidr": _is_network,
    "byte": _is_base64,
    "uri": _is_uri,
    "email": lambda value: "@" in value.strip("@"),
}
"""Format to check."""
