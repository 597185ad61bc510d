"""Rules of ConfigMap, Secret and Lease."""

import base64
import re
from typing import Final

from migrate.sandbox.apiserver.protocol.statuses import Cause
from migrate.sandbox.apiserver.protocol.values import Document, dig

_KEY: Final = re.compile(r"^[-._a-zA-Z0-9]+$")
_KEY_WORDS: Final = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' "
    "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
_MAX_DATA_BYTES: Final = 1024 * 1024


def check_config_map(document: Document, old: Document | None) -> list[Cause]:
    """Return what is wrong with a ConfigMap."""
    causes = _check_keys(document, ("data", "binaryData"))
    both = sorted((document.get("data") or {}).keys() & (document.get("binaryData") or {}).keys())
    causes += [Cause.invalid(f"binaryData[{key}]", key, "duplicate of key present in data") for key in both]
    return causes + _check_size(document) + _check_immutable(document, old, ("data", "binaryData"))


def check_secret(document: Document, old: Document | None) -> list[Cause]:
    """Return what is wrong with a Secret."""
    causes = _check_keys(document, ("data",)) + _check_size(document)
    if old is not None and document.get("type") != old.get("type"):
        causes.append(Cause.invalid("type", document.get("type"), "field is immutable"))
    return causes + _check_immutable(document, old, ("data",))


def fill_secret(document: Document) -> None:
    """Turn ``stringData`` into ``data`` and name the type."""
    plain = document.pop("stringData", None)
    if plain:
        coded = {key: base64.b64encode(value.encode()).decode() for key, value in plain.items()}
        document["data"] = {**(document.get("data") or {}), **coded}
    document.setdefault("type", "Opaque")


def _check_keys(document: Document, fields: tuple[str, ...]) -> list[Cause]:
    return [
        Cause.invalid(f"{field}[{key}]", key, _KEY_WORDS)
        for field in fields
        for key in document.get(field) or {}
        if not _KEY.match(key)
    ]


def _check_size(document: Document) -> list[Cause]:
    texts = [*(document.get("data") or {}).values(), *(document.get("binaryData") or {}).values()]
    if sum(len(text.encode()) for text in texts) > _MAX_DATA_BYTES:
        return [Cause.too_long("", _MAX_DATA_BYTES)]
    return []


def _check_immutable(document: Document, old: Document | None, fields: tuple[str, ...]) -> list[Cause]:
    if old is None or not old.get("immutable"):
        return []
    causes = []
    if not document.get("immutable"):
        causes.append(Cause.forbidden("immutable", "field is immutable when `immutable` is set"))
    changed = [field for field in fields if (document.get(field) or {}) != (old.get(field) or {})]
    return causes + [Cause.forbidden(field, "field is immutable when `immutable` is set") for field in changed]


def check_lease(document: Document, old: Document | None) -> list[Cause]:
    """Return what is wrong with a Lease."""
    del old
    duration = dig(document, "spec", "leaseDurationSeconds")
    if duration is not None and duration <= 0:
        return [Cause.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0")]
    transitions = dig(document, "spec", "leaseTransitions")
    if transitions is not None and transitions < 0:
        return [Cause.invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0")]
    return []
