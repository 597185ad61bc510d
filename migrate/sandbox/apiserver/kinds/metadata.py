"""Rules of ``metadata`` that hold for every kind."""

import re
from typing import Any, Final

from migrate.sandbox.apiserver.protocol.statuses import Cause
from migrate.sandbox.apiserver.protocol.values import Document, metadata_of

_LABEL: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = _LABEL + r"(\." + _LABEL + ")*"
_QUALIFIED: Final = re.compile(r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)$")
_LABEL_VALUE: Final = re.compile(r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$")
_LABEL_NAMED: Final = frozenset({"Namespace"})
_SERVICE_NAMED: Final = frozenset({"Service"})
_PATH_NAMED: Final = frozenset({"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"})

MAX_ANNOTATIONS_BYTES: Final = 262_144
"""All keys and values of the annotations together."""

_SUBDOMAIN_WORDS: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    f"'{_LABEL}(\\.{_LABEL})*')"
)
_LABEL_WORDS: Final = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
    f"regex used for validation is '{_LABEL}')"
)
_SERVICE_WORDS: Final = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
    "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
_LABEL_VALUE_WORDS: Final = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
    "regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
_KEY_WORDS: Final = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_FIXED: Final = ("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")


def check_metadata(document: Document, kind: str) -> list[Cause]:
    """Return what is wrong with the metadata of *document*."""
    metadata = metadata_of(document)
    causes = _check_name(metadata, kind)
    for key, value in (metadata.get("labels") or {}).items():
        causes += _check_key("metadata.labels", key)
        if len(value) > 63:
            causes.append(Cause.invalid("metadata.labels", value, "must be no more than 63 characters"))
        elif not _LABEL_VALUE.match(value):
            causes.append(Cause.invalid("metadata.labels", value, _LABEL_VALUE_WORDS))
    causes += _check_annotations(metadata.get("annotations") or {})
    for name in metadata.get("finalizers") or ():
        if not _QUALIFIED.match(name):
            causes.append(Cause.invalid("metadata.finalizers", name, _KEY_WORDS))
    return causes + _check_owners(metadata.get("ownerReferences") or [])


def _check_name(metadata: Document, kind: str) -> list[Cause]:
    name = metadata.get("name") or ""
    if not name:
        return [Cause.required("metadata.name", "name or generateName is required")]
    if kind in _PATH_NAMED:
        bad = name in {".", ".."} or "/" in name or "%" in name
        return [Cause.invalid("metadata.name", name, "may not contain '/' or '%'")] if bad else []
    if kind in _SERVICE_NAMED:
        return _check_pattern(name, r"[a-z]([-a-z0-9]*[a-z0-9])?", 63, _SERVICE_WORDS)
    if kind in _LABEL_NAMED:
        return _check_pattern(name, _LABEL, 63, _LABEL_WORDS)
    return _check_pattern(name, _SUBDOMAIN, 253, _SUBDOMAIN_WORDS)


def _check_pattern(name: str, pattern: str, limit: int, words: str) -> list[Cause]:
    causes = []
    if len(name) > limit:
        causes.append(Cause.invalid("metadata.name", name, f"must be no more than {limit} characters"))
    if not re.fullmatch(pattern, name):
        causes.append(Cause.invalid("metadata.name", name, words))
    return causes


def _check_key(path: str, key: str) -> list[Cause]:
    if _QUALIFIED.match(key) and len(key.rsplit("/", 1)[-1]) <= 63:
        return []
    return [Cause.invalid(path, key, _KEY_WORDS)]


def _check_annotations(annotations: dict[str, str]) -> list[Cause]:
    causes = []
    for key in annotations:
        causes += _check_key("metadata.annotations", key.lower())
    size = sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items())
    if size > MAX_ANNOTATIONS_BYTES:
        causes.append(Cause.too_long("metadata.annotations", MAX_ANNOTATIONS_BYTES))
    return causes


def _check_owners(owners: list[Document]) -> list[Cause]:
    causes = []
    for owner in owners:
        for field in ("apiVersion", "kind", "name", "uid"):
            if not owner.get(field):
                where = f"metadata.ownerReferences.{field}"
                causes.append(Cause.invalid(where, owner.get(field) or "", "must not be empty"))
    if sum(bool(owner.get("controller")) for owner in owners) > 1:
        detail = "Only one reference can have Controller set to true"
        causes.append(Cause.invalid("metadata.ownerReferences", owners, detail))
    return causes


def carry_system_fields(old: Document, new: Document) -> None:
    """Fill into *new*, in place, what only the server sets and the caller left out."""
    was, metadata = metadata_of(old), metadata_of(new)
    for field in ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"):
        if metadata.get(field) is None and field in was:
            metadata[field] = was[field]
    for field in ("generation", "generateName", "selfLink"):
        _carry(was, metadata, field)


def _carry(was: Document, metadata: Document, field: str) -> None:
    if field in was:
        metadata[field] = was[field]
    else:
        metadata.pop(field, None)


def check_metadata_update(old: Document, new: Document) -> list[Cause]:
    """Return the changes of metadata that nobody may make."""
    was, metadata = metadata_of(old), metadata_of(new)
    causes = [
        Cause.invalid(f"metadata.{field}", metadata.get(field), "field is immutable")
        for field in _FIXED
        if metadata.get(field) != was.get(field)
    ]
    if was.get("deletionTimestamp"):
        added = sorted(set(metadata.get("finalizers") or ()) - set(was.get("finalizers") or ()))
        if added:
            told = ", ".join(f'"{name}"' for name in added)
            detail = f"no new finalizers can be added if the object is being deleted, found new finalizers [{told}]"
            causes.append(Cause.forbidden("metadata.finalizers", detail))
    return causes


def is_same(old: Document, new: Document) -> bool:
    """Whether *new* says what *old* says; who owns what does not count unless owners changed."""
    was, metadata = metadata_of(old), metadata_of(new)
    if {key: value for key, value in old.items() if key != "metadata"} != {
        key: value for key, value in new.items() if key != "metadata"
    }:
        return False
    return _plain(was) == _plain(metadata)


def _plain(metadata: Document) -> dict[str, Any]:
    made = {key: value for key, value in metadata.items() if key != "resourceVersion"}
    made["managedFields"] = [
        {key: value for key, value in entry.items() if key != "time"} for entry in metadata.get("managedFields") or ()
    ]
    return {key: value for key, value in made.items() if value not in ({}, [], None)}
