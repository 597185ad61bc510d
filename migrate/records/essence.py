"""The essence of an object: what people and controllers declare in it, without what servers write."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NewType

import msgspec

from migrate.records.objects import Json, KubeObject, walk

Fingerprint = NewType("Fingerprint", str)

_LONG_TEXT = 120
_SERVER_FIELDS = frozenset({"apiVersion", "kind", "metadata", "status"})


def canonical_json(value: Any) -> bytes:
    """Return *value* as JSON with sorted keys, UTF-8, no spaces."""
    return msgspec.json.encode(value, order="sorted")


def digest_of(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON of *value*, in hex."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def essence(thing: KubeObject, ignore: Iterable[tuple[str, ...]] = ()) -> Json:
    """
    Return spec, data and other declared sections, labels and annotations of *thing*.

    Args:
        thing: Any object.

        ignore: Paths that count as written by a controller and are left out,
            such as ``("metadata", "annotations", "example.com/status")``.
    """
    body: Json = {key: value for key, value in thing.raw.items() if key not in _SERVER_FIELDS}
    metadata = {"labels": dict(thing.labels), "annotations": dict(thing.annotations)}
    body["metadata"] = {key: value for key, value in metadata.items() if value}
    for path in ignore:
        body = _without(body, path)
    return body


def fingerprint(thing: KubeObject, ignore: Iterable[tuple[str, ...]] = ()) -> Fingerprint:
    """Return the digest of the essence of *thing*."""
    return Fingerprint(digest_of(essence(thing, ignore)))


def outline(thing: KubeObject, ignore: Iterable[tuple[str, ...]] = ()) -> dict[str, Any]:
    """Return the leaves of the essence by dotted path; a long text stands as its length and digest."""
    return {".".join(path): _shortened(value) for path, value in walk(essence(thing, ignore)) if path}


def _shortened(value: Any) -> Any:
    if isinstance(value, (list, dict)) and value:
        encoded = canonical_json(value)
        return (
            f"sha256:{hashlib.sha256(encoded).hexdigest()} ({len(encoded)} bytes)"
            if len(encoded) > _LONG_TEXT
            else value
        )
    if isinstance(value, str) and len(value) > _LONG_TEXT:
        encoded = value.encode("utf-8", "surrogatepass")
        return f"sha256:{hashlib.sha256(encoded).hexdigest()} ({len(encoded)} bytes)"
    return value


def _without(body: Any, path: tuple[str, ...]) -> Any:
    """Return *body* without *path*, and without mappings on the way that are empty then, or were before."""
    if not isinstance(body, Mapping) or path[0] not in body:
        return body
    head, *rest = path
    copy = dict(body)
    inner = _without(copy[head], tuple(rest)) if rest else {}
    if isinstance(inner, Mapping) and not inner:
        del copy[head]
    else:
        copy[head] = inner
    return copy
