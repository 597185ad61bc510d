"""
What the place of a file says about its content: the layouts of ``oc adm inspect`` and of ``kubectl get``.

``oc adm inspect`` (a must-gather is one, below a folder named after an image) writes, below ``namespaces/<ns>/``:
``<group>/<plural>.yaml``, a List of all of them there; ``<group>/<plural>/<name>.yaml``, one custom object each;
``pods/<pod>/<pod>.yaml``; ``<ns>.yaml``, the namespace itself; and ``cluster-scoped-resources/<group>/<plural>/…``.
A folder of ``kubectl get`` output has names of its owner's choice; ``<plural>.<group>.yaml`` names a kind.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from migrate.maas import resources
from migrate.maas.resources import Kind
from migrate.records.source import Place

KINDS: Final = tuple(value for value in vars(resources).values() if isinstance(value, Kind))
"""Every kind that the facts name."""
BUILT_IN: Final = frozenset({
    "",
    "apps",
    "autoscaling",
    "batch",
    "networking.k8s.io",
    "rbac.authorization.k8s.io",
    "coordination.k8s.io",
    "apiextensions.k8s.io",
})  # fmt: skip
"""Groups that every API server has. Of these an inspect of a namespace writes all; of others what was asked for."""

_BY_RESOURCE: Final = {(kind.group, kind.plural): kind for kind in KINDS}
_NAMESPACES: Final = "namespaces"
_CLUSTER: Final = "cluster-scoped-resources"


class Spot(msgspec.Struct, frozen=True, kw_only=True):
    """
    One file of an ``oc adm inspect``.

    Attributes:
        kind: None for one that the facts do not name.

        namespace: ``""`` for a cluster-scoped kind.

        is_list: Whether the file holds all objects of its kind there, as opposed to one.
    """

    kind: Kind | None
    namespace: str
    is_list: bool


def spot_of(place: Place) -> Spot | None:
    """Return what the place says in the layout of ``oc adm inspect``, None for a file outside it."""
    *folders, name = place
    stem = name.rpartition(".")[0]
    for start in range(len(folders) - 1, -1, -1):
        inner = (*folders[start + 1 :], stem)
        found = None
        if folders[start] == _NAMESPACES:
            found = _namespaced(inner)
        elif folders[start] == _CLUSTER:
            found = _of_kind("", inner)
        if found is not None:
            return found
    return None


def _namespaced(inner: tuple[str, ...]) -> Spot | None:
    match inner:
        case (namespace, name) if namespace == name:
            return Spot(kind=resources.NAMESPACE, namespace="", is_list=False)
        case (namespace, "pods", pod, name) if pod == name:
            return Spot(kind=resources.POD, namespace=namespace, is_list=False)
        case (_, "pods", *_):
            return None
        case (namespace, *rest):
            return _of_kind(namespace, tuple(rest))
        case _:
            return None


def _of_kind(namespace: str, inner: tuple[str, ...]) -> Spot | None:
    match inner:
        case (group, plural):
            return Spot(kind=_kind(group, plural), namespace=namespace, is_list=True)
        case (group, plural, _):
            return Spot(kind=_kind(group, plural), namespace=namespace, is_list=False)
        case _:
            return None


def _kind(group: str, plural: str) -> Kind | None:
    return _BY_RESOURCE.get(("" if group == "core" else group, plural))


def kind_by_name(place: Place) -> Kind | None:
    """Return the kind that a file called ``<plural>.<group>.yaml`` or ``<plural>.yaml`` (core) is called after."""
    plural, _, group = place[-1].rpartition(".")[0].partition(".")
    return _BY_RESOURCE.get((group, plural))


def choose(places: Sequence[Place]) -> tuple[Place, ...]:
    """
    Return the files that are worth reading.

    In the layout of ``oc adm inspect`` those of known kinds, less Secrets: events, logs and the rest are not opened.
    Elsewhere all.
    """
    spots = [(place, spot_of(place)) for place in places]
    inspected = [(place, spot) for place, spot in spots if spot is not None]
    if not inspected:
        return tuple(places)
    return tuple(place for place, spot in inspected if spot.kind is not None)
