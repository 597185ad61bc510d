"""
Small CustomResourceDefinitions of our own, for 3.5 and for 3.6.

Names, scope, short names, the status subresource, and of the product's kinds
the fields, enums, patterns and rules that decide what a server takes. Kinds of
others keep whatever they are given. Source: contract 1.
"""

from typing import Any, Final, Literal

from migrate.sandbox.crds.maas import inference_kinds, maas_kinds
from migrate.sandbox.crds.others import OTHERS
from migrate.sandbox.crds.schema import CustomKind

Release = Literal["3.5", "3.6"]
RELEASES: Final[tuple[Release, ...]] = ("3.5", "3.6")


def crds_of(release: str) -> list[dict[str, Any]]:
    """Return every CRD of a cluster with *release* of the product, ready to be created."""
    is_new = release == "3.6"
    return [*maas_kinds(is_new=is_new), *inference_kinds(is_new=is_new), *(row.to_crd() for row in OTHERS)]


def permissive_crd(group: str, version: str, kind: str, plural: str, *, namespaced: bool) -> dict[str, Any]:
    """Return a CRD that takes anything of *kind*, with a status subresource."""
    return CustomKind(group, (version,), kind, plural, namespaced=namespaced).to_crd()
