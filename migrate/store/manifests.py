"""A saved object as a file that ``kubectl create`` and ``kubectl replace`` take as it is."""

from collections.abc import Mapping
from typing import Any

import yaml

from migrate.records.objects import Json, KubeObject

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

_DROPPED = frozenset(
    {
        "uid",
        "resourceVersion",
        "creationTimestamp",
        "generation",
        "managedFields",
        "selfLink",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "ownerReferences",
    }
)


def re_appliable(thing: KubeObject) -> Json:
    """
    Return the object without what a server writes, without owners, and without kubectl's copy of it.

    An owner's UID may be of an owner that is gone, and the copy may be over the limit for annotations.
    """
    metadata = {key: value for key, value in thing.raw.get("metadata", {}).items() if key not in _DROPPED}
    annotations = metadata.get("annotations")
    if isinstance(annotations, Mapping):
        kept = {key: value for key, value in annotations.items() if key != LAST_APPLIED}
        metadata = {**{key: value for key, value in metadata.items() if key != "annotations"}}
        metadata |= {"annotations": kept} if kept else {}
    body = {key: value for key, value in thing.raw.items() if key not in {"status", "metadata"}}
    return {**body, "metadata": metadata}


class _Plain:
    """Quotes every string, so that no YAML reader takes one for a number; long texts stand as blocks."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  the signature is PyYAML's
        return True


class _Dumper(_Plain, yaml.SafeDumper):
    """Writes whatever a JSON text can hold."""


_BY_LIBYAML: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _QuickDumper(_Plain, _BY_LIBYAML):  # type: ignore[misc]  # PyYAML may have been built without it
    """Writes the same by libyaml, five times as fast, but no lone surrogates."""


def _text(dumper: Any, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else '"'
    node: yaml.ScalarNode = dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)
    return node


_Dumper.add_representer(str, _text)
_QuickDumper.add_representer(str, _text)


def to_yaml(body: Json) -> bytes:
    """Return *body* as YAML that every reader, of 1.1 or 1.2, reads alike."""
    try:
        return _dumped(body, _QuickDumper)
    except UnicodeEncodeError:
        return _dumped(body, _Dumper)


def _dumped(body: Json, dumper: Any) -> bytes:
    text: str = yaml.dump(
        body, Dumper=dumper, sort_keys=True, allow_unicode=False, default_flow_style=False, width=2**31 - 1
    )
    return text.encode()
