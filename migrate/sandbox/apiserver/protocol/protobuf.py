"""
Bodies in protobuf, for the few kinds that kubectl's typed commands write so.

Answers are always JSON, which every client takes.
"""

import base64
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from migrate.sandbox.apiserver.protocol.values import Document

MEDIA_TYPE: Final = "application/vnd.kubernetes.protobuf"
_MAGIC: Final = b"k8s\x00"

_Message = Mapping[int, tuple[str, str]]
"""
Field number to name and type.

A type is a scalar, a message of the table, a list of either (``*``), or a map
from text (``text>``).
"""

_MESSAGES: Final[Mapping[str, _Message]] = {
    "Unknown": {1: ("type", "TypeMeta"), 2: ("raw", "raw")},
    "TypeMeta": {1: ("apiVersion", "text"), 2: ("kind", "text")},
    "ObjectMeta": {
        1: ("name", "text"),
        2: ("generateName", "text"),
        3: ("namespace", "text"),
        5: ("uid", "text"),
        6: ("resourceVersion", "text"),
        7: ("generation", "int"),
        8: ("creationTimestamp", "time"),
        9: ("deletionTimestamp", "time"),
        10: ("deletionGracePeriodSeconds", "int"),
        11: ("labels", "text>text"),
        12: ("annotations", "text>text"),
        13: ("ownerReferences", "*OwnerReference"),
        14: ("finalizers", "*text"),
    },
    "OwnerReference": {
        1: ("kind", "text"),
        3: ("name", "text"),
        4: ("uid", "text"),
        5: ("apiVersion", "text"),
        6: ("controller", "bool"),
        7: ("blockOwnerDeletion", "bool"),
    },
    "ConfigMap": {
        1: ("metadata", "ObjectMeta"),
        2: ("data", "text>text"),
        3: ("binaryData", "text>bytes"),
        4: ("immutable", "bool"),
    },
    "Secret": {
        1: ("metadata", "ObjectMeta"),
        2: ("data", "text>bytes"),
        3: ("type", "text"),
        4: ("stringData", "text>text"),
        5: ("immutable", "bool"),
    },
    "Namespace": {1: ("metadata", "ObjectMeta"), 2: ("spec", "NamespaceSpec")},
    "NamespaceSpec": {1: ("finalizers", "*text")},
    "ServiceAccount": {1: ("metadata", "ObjectMeta"), 4: ("automountServiceAccountToken", "bool")},
    "Role": {1: ("metadata", "ObjectMeta"), 2: ("rules", "*PolicyRule")},
    "ClusterRole": {1: ("metadata", "ObjectMeta"), 2: ("rules", "*PolicyRule")},
    "PolicyRule": {
        1: ("verbs", "*text"),
        2: ("apiGroups", "*text"),
        3: ("resources", "*text"),
        4: ("resourceNames", "*text"),
        5: ("nonResourceURLs", "*text"),
    },
    "RoleBinding": {1: ("metadata", "ObjectMeta"), 2: ("subjects", "*Subject"), 3: ("roleRef", "RoleRef")},
    "ClusterRoleBinding": {1: ("metadata", "ObjectMeta"), 2: ("subjects", "*Subject"), 3: ("roleRef", "RoleRef")},
    "Subject": {1: ("kind", "text"), 2: ("apiGroup", "text"), 3: ("name", "text"), 4: ("namespace", "text")},
    "RoleRef": {1: ("apiGroup", "text"), 2: ("kind", "text"), 3: ("name", "text")},
    "SelfSubjectAccessReview": {1: ("metadata", "ObjectMeta"), 2: ("spec", "AccessReviewSpec")},
    "AccessReviewSpec": {
        1: ("resourceAttributes", "ResourceAttributes"),
        2: ("nonResourceAttributes", "NonResourceAttributes"),
    },
    "ResourceAttributes": {
        1: ("namespace", "text"),
        2: ("verb", "text"),
        3: ("group", "text"),
        4: ("version", "text"),
        5: ("resource", "text"),
        6: ("subresource", "text"),
        7: ("name", "text"),
    },
    "NonResourceAttributes": {1: ("path", "text"), 2: ("verb", "text")},
    "SelfSubjectRulesReview": {1: ("metadata", "ObjectMeta"), 2: ("spec", "RulesReviewSpec")},
    "RulesReviewSpec": {1: ("namespace", "text")},
    "SelfSubjectReview": {1: ("metadata", "ObjectMeta")},
    "DeleteOptions": {
        1: ("gracePeriodSeconds", "int"),
        2: ("preconditions", "Preconditions"),
        3: ("orphanDependents", "bool"),
        4: ("propagationPolicy", "text"),
        5: ("dryRun", "*text"),
    },
    "Preconditions": {1: ("uid", "text"), 2: ("resourceVersion", "text")},
    "Deployment": {1: ("metadata", "ObjectMeta"), 2: ("spec", "DeploymentSpec")},
    "DeploymentSpec": {
        1: ("replicas", "int"),
        2: ("selector", "LabelSelector"),
        3: ("template", "PodTemplateSpec"),
    },
    "LabelSelector": {1: ("matchLabels", "text>text")},
    "PodTemplateSpec": {1: ("metadata", "ObjectMeta"), 2: ("spec", "PodSpec")},
    "PodSpec": {2: ("containers", "*Container"), 3: ("restartPolicy", "text")},
    "Container": {
        1: ("name", "text"),
        2: ("image", "text"),
        3: ("command", "*text"),
        4: ("args", "*text"),
        6: ("ports", "*ContainerPort"),
    },
    "ContainerPort": {
        1: ("name", "text"),
        2: ("hostPort", "int"),
        3: ("containerPort", "int"),
        4: ("protocol", "text"),
    },
}


class UnknownMessageError(Exception):
    """The table does not hold this kind or a field of it, and nothing may be lost in silence."""


def decode_protobuf(data: bytes) -> Document:
    """
    Return the object in *data*.

    Raises:
        UnknownMessageError: Its kind, or a field that says something, is not in the table.
        ValueError: It is no protobuf of Kubernetes.
    """
    if not data.startswith(_MAGIC):
        raise ValueError("the body does not start as protobuf of Kubernetes does")
    envelope = _message("Unknown", data[len(_MAGIC) :])
    head: Document = envelope.get("type") or {}
    if head.get("kind") not in _MESSAGES:
        raise UnknownMessageError(head.get("kind"))
    return {**head, **_message(head["kind"], envelope.get("raw") or b"")}


def _message(name: str, data: bytes) -> Document:
    made: Document = {}
    for number, value in _fields(data):
        field, kind = _MESSAGES[name].get(number, ("", ""))
        if not field and name != "Unknown" and not _says_nothing(value):
            raise UnknownMessageError(f"{name}, field {number}")
        if not field or (value == b"" and kind == "text"):
            continue  # Go writes its empty strings; as JSON they are absent.
        if kind.startswith("*"):
            made.setdefault(field, []).append(_value(kind[1:], value))
        elif ">" in kind:
            key, item = _pair(kind.partition(">")[2], value)
            made.setdefault(field, {})[key] = item
        else:
            made[field] = _value(kind, value)
    return {field: value for field, value in made.items() if value is not None}


def _says_nothing(value: Any) -> bool:
    # Go writes empty structs with all their zeros; only what says something may not be lost.
    if isinstance(value, int):
        return value == 0
    try:
        return all(_says_nothing(inner) for _, inner in _fields(value))
    except ValueError:
        return False


def _pair(kind: str, data: Any) -> tuple[str, Any]:
    parts = dict(_fields(data))
    return _value("text", parts.get(1, b"")), _value(kind, parts.get(2, b""))


def _value(kind: str, value: Any) -> Any:
    match kind:
        case "text":
            return value.decode()
        case "bytes":
            return base64.b64encode(value).decode()
        case "raw":
            return value
        case "bool":
            return bool(value)
        case "int":
            return value - (1 << 64) if value >> 63 else value
        case "time":
            seconds = dict(_fields(value)).get(1)
            return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        case _:
            return _message(kind, value)


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        match tag & 7:
            case 0:
                value, at = _varint(data, at)
                yield tag >> 3, value
            case 2:
                size, at = _varint(data, at)
                yield tag >> 3, data[at : at + size]
                at += size
            case 1:
                at += 8
            case 5:
                at += 4
            case other:
                raise ValueError(f"wire type {other} is unknown")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data):
            raise ValueError("the body ends in the middle of a number")
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        shift += 7
        if byte < 0x80:
            return value, at
