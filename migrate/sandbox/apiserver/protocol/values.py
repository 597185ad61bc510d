"""JSON values: reading, copying and finding one's way in them."""

import re
from collections.abc import Iterable
from typing import Any, ClassVar, Final, TypeAlias

import msgspec
import yaml

Document: TypeAlias = dict[str, Any]
"""One JSON object. A stored document is shared by everybody and never changed in place."""

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _JsonLoader(_LOADER):  # type: ignore[misc, valid-type]
    """YAML as Kubernetes reads it: a date stays a string, a bare ``y`` is true and ``n`` is false."""

    bool_values: ClassVar[dict[str, bool]] = {**_LOADER.bool_values, "y": True, "n": False}


_JsonLoader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in _LOADER.yaml_implicit_resolvers.items()
}
_JsonLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^[yYnN]$"), list("yYnN"))


def clone(value: Any) -> Any:
    """Return a deep copy of a JSON *value*."""
    # Most of what lies in a document is text, which needs no call of its own.
    if type(value) is dict:
        return {key: item if type(item) is str else clone(item) for key, item in value.items()}
    if type(value) is list:
        return [item if type(item) is str else clone(item) for item in value]
    return value


def dig(value: Any, *path: str, default: Any = None) -> Any:
    """Return what lies at *path* of nested objects, or *default*."""
    for key in path:
        if type(value) is not dict:
            return default
        value = value.get(key)
    return default if value is None else value


def encode(value: Any) -> bytes:
    """Return *value* as compact JSON."""
    return msgspec.json.encode(value)


def decode(data: bytes) -> Any:
    """
    Return the value that JSON *data* holds.

    Raises:
        ValueError: It is not JSON.
    """
    return msgspec.json.decode(data)


def decode_yaml(data: bytes) -> Any:
    """
    Return the value that JSON or YAML *data* holds.

    Raises:
        ValueError: It is neither.
    """
    try:
        return decode(data)
    except ValueError:
        try:
            return yaml.load(data, Loader=_JsonLoader)  # noqa: S506 - the loader is a safe one
        except yaml.YAMLError as error:
            raise ValueError(str(error)) from error


def without(document: Document, keys: Iterable[str]) -> Document:
    """Return a shallow copy of *document* that lacks *keys*."""
    left_out = keys if isinstance(keys, frozenset) else frozenset(keys)
    return {key: value for key, value in document.items() if key not in left_out}


def metadata_of(document: Document) -> Document:
    """Return the metadata of *document*, an empty object where there is none."""
    found = document.get("metadata")
    return found if isinstance(found, dict) else {}


def name_of(document: Document) -> str:
    """Return the name of *document*, or an empty string."""
    return str(metadata_of(document).get("name") or "")


def namespace_of(document: Document) -> str:
    """Return the namespace of *document*, empty for a cluster-scoped one."""
    return str(metadata_of(document).get("namespace") or "")
