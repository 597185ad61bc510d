"""From a CustomResourceDefinition to the resources it defines."""

from typing import Any, Final

from migrate.sandbox.apiserver.protocol.values import Document, dig
from migrate.sandbox.apiserver.resources.definitions import object_meta
from migrate.sandbox.apiserver.resources.resource import COMMON_FIELDS, Column, Resource
from migrate.sandbox.apiserver.schemas.cel_rules import find_rules
from migrate.sandbox.apiserver.storage.store import StorageKey

CRD_KEY: Final = StorageKey("apiextensions.k8s.io", "customresourcedefinitions")
_AGE: Final = Column(name="Age", path=".metadata.creationTimestamp", type="date")


def resources_of(crd: Document) -> list[Resource]:
    """Return one resource for each served version of *crd*."""
    return [_resource(crd["spec"], version) for version in crd["spec"]["versions"] if version.get("served")]


def _resource(spec: Document, version: Document) -> Resource:
    names = spec["names"]
    subresources = version.get("subresources") or {}
    schema = _root_schema(version)
    return Resource(
        group=spec["group"],
        version=version["name"],
        plural=names["plural"],
        singular=names.get("singular") or names["kind"].lower(),
        kind=names["kind"],
        list_kind=names.get("listKind") or names["kind"] + "List",
        namespaced=spec["scope"] == "Namespaced",
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        subresources=tuple(name for name in ("scale", "status") if subresources.get(name) is not None),
        schema=schema,
        rules=find_rules(schema),
        custom=True,
        generation="spec" if subresources.get("status") is not None else "all",
        fields={**COMMON_FIELDS, **_selectable(version)},
        columns=tuple(_columns(version)),
        unconditional=False,
        scale=subresources.get("scale") or {},
    )


def _root_schema(version: Document) -> Document:
    given: Document = dig(version, "schema", "openAPIV3Schema", default={})
    if given.get("x-kubernetes-preserve-unknown-fields") and "properties" not in given:
        return {**given, "type": "object", "properties": _type_and_metadata({})}
    return {**given, "type": "object", "properties": _type_and_metadata(given.get("properties") or {})}


def _type_and_metadata(properties: Document) -> Document:
    text = {"type": "string"}
    return {**properties, "apiVersion": text, "kind": text, "metadata": object_meta()}


def _selectable(version: Document) -> dict[str, tuple[str, ...]]:
    paths = [field["jsonPath"].removeprefix(".") for field in version.get("selectableFields") or ()]
    return {path: tuple(path.split(".")) for path in paths}


def _columns(version: Document) -> list[Column]:
    given: list[Any] = version.get("additionalPrinterColumns") or []
    return [
        Column(
            name=column["name"],
            path=column["jsonPath"],
            type=column["type"],
            format=column.get("format", ""),
            priority=column.get("priority", 0),
            description=column.get("description", ""),
        )
        for column in given
    ] or [_AGE]
