"""What is sent to put an object back: pure functions from a saved object to a request body."""

from collections.abc import Mapping
from typing import Any

from migrate.records.merging import difference
from migrate.records.objects import Json, KubeObject
from migrate.records.plan import Restore

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
ANNOTATIONS_LIMIT_BYTES = 262_144
"""What the API server allows for all annotations of an object together."""

_SERVER_FIELDS = frozenset({"status"})


def differs(backup: KubeObject, live: KubeObject, sections: tuple[str, ...]) -> bool:
    """Return whether a byte of *sections* is not as saved; an empty section is an absent one."""
    return any((backup.raw.get(name) or None) != (live.raw.get(name) or None) for name in sections)


def restore_patch(step: Restore, backup: KubeObject, live: KubeObject) -> Json:
    """
    Return the one merge patch that puts *backup* over *live*.

    A merge patch keeps what it does not name, so a key that the backup lacks is null in it. Labels and
    annotations that the live object has besides the saved ones stay; so do its owners.
    """
    patch: Json = {}
    for name in step.sections:
        patch |= _section(name, backup.raw.get(name), live.raw.get(name))
    metadata: Json = {}
    labels = {key: value for key, value in backup.labels.items() if live.labels.get(key) != value}
    wanted = _annotations(step, backup, live.annotations)
    annotations = {key: value for key, value in wanted.items() if live.annotations.get(key) != value}
    if labels:
        metadata["labels"] = labels
    if annotations:
        metadata["annotations"] = annotations
    return patch | ({"metadata": metadata} if metadata else {})


def _section(name: str, saved: Any, live: Any) -> Json:
    if (saved or None) == (live or None):
        return {}
    if not saved:
        return {name: None}
    if isinstance(saved, Mapping):
        return {name: difference(live, saved)}
    return {name: saved}


def _annotations(step: Restore, backup: KubeObject, live: Mapping[str, str]) -> dict[str, str]:
    kept = {key: value for key, value in backup.annotations.items() if key not in step.drop_annotations}
    wanted = {**kept, **step.set_annotations}
    size = sum(len(key.encode()) + len(str(value).encode()) for key, value in {**live, **wanted}.items())
    if size > ANNOTATIONS_LIMIT_BYTES:
        wanted.pop(LAST_APPLIED, None)
    return wanted


def create_body(step: Restore, backup: KubeObject, owners: tuple[Mapping[str, Any], ...]) -> Json:
    """
    Return *backup* as the body of a create: nothing that a server writes, and *owners* in place of its own.

    An owner's UID in a backup may be of an owner that is gone; the garbage collector would take the object at once.
    """
    body: Json = {
        name: value for name, value in backup.raw.items() if name not in _SERVER_FIELDS and name != "metadata"
    }
    metadata: Json = {"name": backup.name}
    if backup.namespace:
        metadata["namespace"] = backup.namespace
    if backup.labels:
        metadata["labels"] = dict(backup.labels)
    annotations = _annotations(step, backup, {})
    if annotations:
        metadata["annotations"] = annotations
    if owners:
        metadata["ownerReferences"] = [dict(owner) for owner in owners]
    return body | {"metadata": metadata}
