"""What an answer of the API, or a file that holds one, says about a plugins ConfigMap."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

_NOT_FOUND: Final = 404


class NotAPluginsConfigMapError(ValueError):
    """The document is no ConfigMap, no Status and no list with exactly one ConfigMap."""


class Unreadable(msgspec.Struct, frozen=True):
    """
    The API gave no object and did not say that there is none.

    Attributes:
        message: Why, as the API says it, unusual characters escaped.

        code: ``not-readable``, or ``malformed-object`` when the object is no ConfigMap's shape.
    """

    message: str
    code: str = "not-readable"


Answer = Mapping[str, Any] | None | Unreadable
"""A ConfigMap; None when the API says that there is none; else why it is not known."""


def read_answer(document: object) -> Answer:
    """
    Return the ConfigMap in *document*: an object, a Status, or a list of one.

    Raises:
        NotAPluginsConfigMapError: It holds another kind, or not exactly one ConfigMap.
    """
    if not isinstance(document, Mapping):
        raise NotAPluginsConfigMapError(f"expected a ConfigMap, found {_name_of_type(document)}")
    kind = document.get("kind")
    if kind == "Status":
        return _read_status(document)
    if kind in ("List", "ConfigMapList"):
        return _only_item(document, default_kind="ConfigMap" if kind == "ConfigMapList" else None)
    return _must_be_config_map(document)


def _only_item(document: Mapping[str, Any], default_kind: str | None) -> Mapping[str, Any]:
    items = document.get("items")
    if not isinstance(items, list) or len(items) != 1:
        count = len(items) if isinstance(items, list) else 0
        raise NotAPluginsConfigMapError(f"expected exactly one ConfigMap in the list, found {count} objects")
    if not isinstance(items[0], Mapping):
        raise NotAPluginsConfigMapError(f"expected a ConfigMap in the list, found {_name_of_type(items[0])}")
    item = {"kind": default_kind, "apiVersion": "v1", **items[0]} if default_kind else items[0]
    return _must_be_config_map(item)


def _must_be_config_map(document: Mapping[str, Any]) -> Mapping[str, Any]:
    kind = document.get("kind")
    version = document.get("apiVersion", "v1")
    if kind != "ConfigMap" or version != "v1":
        found = f"kind {kind!a}" if kind else "an object without kind"
        of_version = f" of {version!a}" if version != "v1" else ""
        raise NotAPluginsConfigMapError(f"expected a ConfigMap of v1, found {found}{of_version}")
    return document


def _read_status(status: Mapping[str, Any]) -> Answer:
    message = str(status.get("message") or status.get("reason") or "the API gave no reason")
    if status.get("code") == _NOT_FOUND and status.get("reason") == "NotFound" and _is_about_config_maps(status):
        return None
    code = status.get("code")
    prefix = f"{code}: " if isinstance(code, int) else ""
    return Unreadable(prefix + ascii(message)[1:-1])


def _is_about_config_maps(status: Mapping[str, Any]) -> bool:
    """Tell whether a 404 is about the object; a missing path or namespace says nothing about it."""
    details = status.get("details")
    if not isinstance(details, Mapping) or not details.get("name"):
        return False
    return str(details.get("kind", "configmaps")).lower() in {"configmaps", "configmap"}


def _name_of_type(value: object) -> str:
    return {list: "a list", str: "a text", bool: "a boolean", type(None): "nothing"}.get(type(value), "a number")
