"""The essence of an object: what people and controllers declare in it, without what servers write."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NewType

import msgspec

from migrate.records.objects import Json, KubeObject, walk

Fingerprint = NewType("Fingerprint", str)

_LONG_TEXT = 120
_TEXTS = frozenset({"data", "binaryData", "stringData"})
_LAST_APPLIED = ("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
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
    """
    Return the leaves of the essence by dotted path.

    A long text stands as its length and digest; so does any text of a ConfigMap and a copy of the whole object,
    which may hold anything: plans and journals are shown around, backups are not.
    """
    return {
        ".".join(path): _digested(value) if may_hold_anything(path) else _shortened(value)
        for path, value in walk(essence(thing, ignore))
        if path
    }


def may_hold_anything(path: tuple[str, ...]) -> bool:
    """Return whether the value at *path* is free text, which no plan and no journal shows."""
    return path[:1] != () and (path[0] in _TEXTS or path == _LAST_APPLIED)


def veiled(value: Any, path: tuple[str, ...] = ()) -> Any:
    """Return an object, or a patch of one, with its free texts as length and digest."""
    if isinstance(value, Mapping):
        return {key: veiled(inner, (*path, key)) for key, inner in value.items()}
    return _digested(value) if may_hold_anything(path) else value


def has_veiled(patch: Any) -> bool:
    """Return whether *patch*, out of a journal, is not whole: what it would write stands in it as digests."""
    return any(may_hold_anything(path) and value is not None for path, value in walk(patch))


def _digested(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    encoded = value.encode("utf-8", "surrogatepass")
    return f"sha256:{hashlib.sha256(encoded).hexdigest()} ({len(encoded)} bytes)"


def _shortened(value: Any) -> Any:
    if isinstance(value, (list, dict)) and value:
        encoded = canonical_json(value)
        return (
            f"sha256:{hashlib.sha256(encoded).hexdigest()} ({len(encoded)} bytes)"
            if len(encoded) > _LONG_TEXT
            else value
        )
    return _digested(value) if isinstance(value, str) and len(value) > _LONG_TEXT else value


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
