"""Discovery: which groups, versions and resources there are."""

from typing import Final

from migrate.sandbox.apiserver.protocol.values import Document
from migrate.sandbox.apiserver.resources.catalogue import Catalogue
from migrate.sandbox.apiserver.resources.resource import Resource

AGGREGATED: Final = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_REVIEW_VERBS: Final = ("create",)
_SUBRESOURCE_VERBS: Final = ("get", "patch", "update")


def core_versions() -> Document:
    """Return the document at ``/api``."""
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1"}],
    }


def group_list(catalogue: Catalogue) -> Document:
    """Return the document at ``/apis``."""
    return catalogue.page("/apis", lambda: _group_list(catalogue))


def _group_list(catalogue: Catalogue) -> Document:
    groups = [_group(name, versions) for name, versions in catalogue.groups().items() if name]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def group(catalogue: Catalogue, name: str) -> Document | None:
    """Return the document of one group, or None where there is no such group."""
    return catalogue.page(("/apis", name), lambda: _one_group(catalogue, name))


def _one_group(catalogue: Catalogue, name: str) -> Document | None:
    versions = catalogue.groups().get(name)
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, versions)} if name and versions else None


def _group(name: str, versions: list[str]) -> Document:
    told = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": told, "preferredVersion": told[0]}


def resource_list(catalogue: Catalogue, group_name: str, version: str) -> Document | None:
    """Return the resources of one group and version, or None where nothing is served."""
    return catalogue.page(("resources", group_name, version), lambda: _resource_list(catalogue, group_name, version))


def _resource_list(catalogue: Catalogue, group_name: str, version: str) -> Document | None:
    served = _served(catalogue, group_name, version)
    if not served:
        return None
    told = []
    for resource in served:
        told.append(_resource(resource))
        told += [_subresource(resource, name) for name in resource.subresources]
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": f"{group_name}/{version}" if group_name else version,
        "resources": told,
    }


def _served(catalogue: Catalogue, group_name: str, version: str) -> list[Resource]:
    found = [each for each in catalogue.all() if (each.group, each.version) == (group_name, version)]
    return sorted(found, key=lambda each: each.plural)


def _resource(resource: Resource) -> Document:
    told: Document = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        told["shortNames"] = list(resource.short_names)
    if resource.categories:
        told["categories"] = list(resource.categories)
    return told


def _subresource(resource: Resource, name: str) -> Document:
    told: Document = {
        "name": f"{resource.plural}/{name}",
        "singularName": "",
        "namespaced": resource.namespaced,
        "kind": "Scale" if name == "scale" else resource.kind,
        "verbs": ["update"] if name == "finalize" else list(_SUBRESOURCE_VERBS),
    }
    if name == "scale":
        told |= {"group": "autoscaling", "version": "v1"}
    return told


def aggregated(catalogue: Catalogue, *, core_only: bool) -> Document:
    """Return all of discovery in one document, of the core group or of the others."""
    return catalogue.page(("aggregated", core_only), lambda: _aggregated(catalogue, core_only=core_only))


def _aggregated(catalogue: Catalogue, *, core_only: bool) -> Document:
    items = [
        {
            "metadata": {"name": name, "creationTimestamp": None} if name else {"creationTimestamp": None},
            "versions": [_aggregated_version(catalogue, name, version) for version in versions],
        }
        for name, versions in catalogue.groups().items()
        if bool(name) is not core_only
    ]
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}


def _aggregated_version(catalogue: Catalogue, name: str, version: str) -> Document:
    served = _served(catalogue, name, version)
    return {
        "version": version,
        "freshness": "Current",
        "resources": [_aggregated_resource(resource) for resource in served],
    }


def _aggregated_resource(resource: Resource) -> Document:
    told = _resource(resource)
    made: Document = {
        "resource": resource.plural,
        "responseKind": _kind(resource),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": told["verbs"],
    }
    for field in ("shortNames", "categories"):
        if field in told:
            made[field] = told[field]
    if resource.subresources:
        made["subresources"] = [_aggregated_subresource(resource, name) for name in resource.subresources]
    return made


def _aggregated_subresource(resource: Resource, name: str) -> Document:
    scale = {"group": "autoscaling", "version": "v1", "kind": "Scale"}
    verbs = _subresource(resource, name)["verbs"]
    return {"subresource": name, "responseKind": scale if name == "scale" else _kind(resource), "verbs": verbs}


def _kind(resource: Resource) -> Document:
    return {"group": resource.group, "version": resource.version, "kind": resource.kind}
