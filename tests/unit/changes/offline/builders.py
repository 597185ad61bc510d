"""Sources as ``kubectl get`` and ``oc adm inspect`` write them, made from objects."""

from collections.abc import Iterable, Mapping
from typing import Any

from migrate.changes.offline_layout import BUILT_IN, KINDS
from migrate.maas import resources
from migrate.maas.resources import Kind
from migrate.records.objects import Json, KubeObject
from migrate.records.source import Source, SourceFile

MODIFIED_AT = "2026-01-01T00:00:00+00:00"
IMAGE = "quay-io-openshift-origin-must-gather-sha256-1f2e"
LISTED_BY_INSPECT = {("", "ConfigMap"), ("", "Service"), ("apps", "Deployment"), ("", "ServiceAccount")}
"""Built-in kinds that an inspect writes as one List for each namespace."""


def a_list(items: Iterable[Mapping[str, Any]]) -> Json:
    return {"apiVersion": "v1", "kind": "List", "items": list(items), "metadata": {"resourceVersion": ""}}


def a_source(files: Mapping[str, Any], name: str = "dump") -> Source:
    """Return a source; *files* are documents by path."""
    return Source(
        name=name,
        files=tuple(SourceFile(place=(name, *path.split("/")), documents=(files[path],)) for path in sorted(files)),
        modified_at=MODIFIED_AT,
    )


def by_kind(objects: Iterable[Json]) -> dict[Kind, list[Json]]:
    kinds = {kind.key: kind for kind in KINDS}
    found: dict[Kind, list[Json]] = {}
    for raw in objects:
        thing = KubeObject(raw)
        if kind := kinds.get((thing.group, thing.kind)):
            found.setdefault(kind, []).append(raw)
    return found


def file_name(kind: Kind) -> str:
    return f"{kind.plural}.{kind.group}.yaml" if kind.group else f"{kind.plural}.yaml"


def get_all(objects: Iterable[Json], *, empty: Iterable[Kind] = ()) -> dict[str, Any]:
    """Return what ``kubectl get KIND -A -o yaml > FILE`` gives, one file a kind; *empty* ones too."""
    files = {file_name(kind): a_list([]) for kind in empty}
    return files | {file_name(kind): a_list(items) for kind, items in by_kind(objects).items()}


def inspected(objects: Iterable[Json], spaces: Iterable[str] = ()) -> dict[str, Any]:
    """Return the files of a must-gather; every namespace of *spaces*, or of any object, was gathered."""
    objects = list(objects)
    namespaces = {KubeObject(thing).namespace for thing in objects} - {""} | set(spaces)
    files: dict[str, Any] = {}
    for space in namespaces:
        for plural, group in (("configmaps", "core"), ("services", "core"), ("serviceaccounts", "core")):
            files[f"{IMAGE}/namespaces/{space}/{group}/{plural}.yaml"] = a_list([])
        files[f"{IMAGE}/namespaces/{space}/apps/deployments.yaml"] = a_list([])
    for kind, items in by_kind(objects).items():
        for raw in items:
            _put(files, kind, raw)
    return files


def _put(files: dict[str, Any], kind: Kind, raw: Json) -> None:
    thing = KubeObject(raw)
    group = kind.group or "core"
    if kind is resources.POD:
        files[f"{IMAGE}/namespaces/{thing.namespace}/pods/{thing.name}/{thing.name}.yaml"] = raw
    elif kind.key in LISTED_BY_INSPECT:
        files[f"{IMAGE}/namespaces/{thing.namespace}/{group}/{kind.plural}.yaml"]["items"].append(raw)
    elif kind.namespaced:
        files[f"{IMAGE}/namespaces/{thing.namespace}/{group}/{kind.plural}/{thing.name}.yaml"] = raw
    else:
        files[f"{IMAGE}/cluster-scoped-resources/{group}/{kind.plural}/{thing.name}.yaml"] = raw


__all__ = ["BUILT_IN", "a_list", "a_source", "by_kind", "file_name", "get_all", "inspected"]
