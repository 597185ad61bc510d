"""Which of the known generations of 3.6 the controllers play."""

import copy
import difflib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, Self

from migrate.errors import BadInputError
from migrate.maas import annotations, resources, versions
from migrate.records.objects import Json, get_in

_ON: Final = frozenset({"on", "true", "yes"})
_OFF: Final = frozenset({"off", "false", "no"})
_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "handshake": ("A", "B", "C", "D"),
    "identity": ("V5", "V4", "none"),
    "force-covers": ("fingerprint", "everything"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """
    One generation of the 3.6 controllers.

    Attributes:
        handshake: ``C``: only ``praxis`` selects Praxis; ``D``: everything but ``ipp`` does. Of the older ones only
            their signals are known, the rest is played as C: ``A`` takes the type from the AITenant and mirrors it,
            absence too; ``B`` frees the names by a marker that the claimer deletes, and knows no status annotation.

        gate: Whether maas-controller judges the plugins ConfigMap before it cleans up.

        compatibility: Whether it judges the external models. One that does not is from before the product page,
            and its CRDs do not know ``spec.apiTranslation`` either.

        identity: ``V5``: stamped in the status; ``V4``: stamped in an annotation; ``none``: short for all, stamped
            nowhere (V3). The CRDs of both older ones do not know the fields.

        force_covers: ``fingerprint`` (the annotation stands for the ConfigMap only) or ``everything``.

        overlay_hang: Whether one unqualified reference keeps the routing overlay from being ready.

        aigc_gate: Whether ai-gateway-controller looks for IPP keys before it applies.

    Source: contract 0.2, 3.5, 3.6, 4.8.
    """

    handshake: Literal["A", "B", "C", "D"] = "C"
    gate: bool = True
    compatibility: bool = True
    identity: Literal["V5", "V4", "none"] = "V5"
    force_covers: Literal["fingerprint", "everything"] = "fingerprint"
    overlay_hang: bool = False
    aigc_gate: bool = True

    @classmethod
    def parse(cls, text: str) -> Self:
        """
        Return the build that *text* describes: ``handshake=D,gate=off``, the rest as by default.

        Raises:
            BadInputError: A name or a value that is not known.
        """
        chosen: dict[str, Any] = {}
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            name, _, value = part.partition("=")
            name = _known(name.strip(), [field.name.replace("_", "-") for field in fields(cls)], "option")
            chosen[name.replace("-", "_")] = _value(name, value.strip())
        return cls(**chosen)


def as_built(definitions: Iterable[Json], build: Build) -> list[Json]:
    """Return the CRDs of 3.6 with the fields that *build* knows. Source: contract 0.2, 10 rows 3 and 9."""
    gone: dict[str, list[tuple[str, str]]] = {}
    if build.identity != "V5":
        paths = [(part, versions.RATE_LIMIT_IDENTITY_FIELD) for part in ("spec", "status")]
        gone[resources.MAAS_SUBSCRIPTION.crd_name] = paths
    if not build.compatibility:
        gone[resources.MAAS_TENANT_CONFIG.crd_name] = [("spec", versions.API_TRANSLATION_FIELD)]
    return [_without(crd, gone.get(crd["metadata"]["name"], [])) for crd in definitions]


def _without(crd: Json, paths: list[tuple[str, str]]) -> Json:
    if not paths:
        return crd
    crd = copy.deepcopy(crd)
    for version in crd["spec"]["versions"]:
        for part, name in paths:
            get_in(version, "schema", "openAPIV3Schema", "properties", part, "properties", default={}).pop(name, None)
    return crd


def as_stamped(objects: Iterable[Json], build: Build) -> list[Json]:
    """Return the objects of a cluster of 3.6, its subscriptions stamped as *build* does it."""
    return [
        _stamped(thing, build) if thing.get("kind") == resources.MAAS_SUBSCRIPTION.kind else thing for thing in objects
    ]


def _stamped(subscription: Json, build: Build) -> Json:
    stamp = get_in(subscription, "status", versions.RATE_LIMIT_IDENTITY_FIELD)
    if build.identity == "V5" or stamp is None:
        return subscription
    subscription = copy.deepcopy(subscription)
    del subscription["status"][versions.RATE_LIMIT_IDENTITY_FIELD]
    if build.identity == "V4":
        subscription["metadata"].setdefault("annotations", {})[annotations.RATE_LIMIT_IDENTITY] = stamp
    return subscription


def _value(name: str, text: str) -> str | bool:
    if name in _WORDS:
        return _known(text, _WORDS[name], f"value of {name}")
    return _known(text or "on", sorted(_ON | _OFF), f"value of {name}") in _ON


def _known(word: str, legal: "list[str] | tuple[str, ...]", what: str) -> str:
    if word in legal:
        return word
    near = difflib.get_close_matches(word, legal, n=1, cutoff=0.5)
    raise BadInputError(
        f"--build: unknown {what} {word!r}.",
        resolution=f"Did you mean {near[0]!r}?" if near else f"Use --build with one of {', '.join(legal)}.",
    )
