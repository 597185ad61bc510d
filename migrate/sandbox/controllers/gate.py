"""
May this tenant leave IPP? The two judgements of maas-controller before it cleans up.

Pure. The first looks at the plugins ConfigMap, the second at the external
models. Source: contract 3.3, 3.5, 4.8, 5.3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from migrate.maas import annotations
from migrate.maas.plugins_baselines import IPP_KEYS, PRAXIS_KEYS
from migrate.maas.plugins_config import judge
from migrate.maas.providers import Binding, qualify
from migrate.records.objects import KubeObject
from migrate.sandbox.controllers.build_36 import Build

FORCE: Final = "force"
ABSENT: Final = "absent"
PRAXIS: Final = "praxis"
TRANSLATED: Final = "default+response-api-translation"
UNJUDGED: Final = "unjudged"
"""The baseline of what a build without a gate lets pass although it does not know it."""

_HINT: Final = (
    f"To migrate all the same, annotate MaasTenantConfig with {annotations.FORCE_PAYLOAD_PROCESSING_MIGRATION}=true."
)
FORCED: Final = (
    f"migration was forced by {annotations.FORCE_PAYLOAD_PROCESSING_MIGRATION}: it does not establish IPP parity"
)
_NO_HINT: Final = "unrecognized data keys"
"""The one refusal whose message does not name the force annotation. Source: contract 3.3, 10 row 6."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """
    Whether the way is open.

    Attributes:
        open: Whether the clean-up may begin.

        baseline: What the ConfigMap was taken for, ``""`` when it blocks.

        message: Why not, for the Ready condition; ``""`` when open.

        accepted: The risk that an operator accepted, for the Degraded condition; ``""`` when none is at stake.
    """

    open: bool
    baseline: str = ""
    message: str = ""
    accepted: str = ""


def judge_config_map(config: KubeObject, name: str, config_map: KubeObject | None, build: Build) -> Passage:
    """
    Judge the plugins ConfigMap *name* (``namespace/name``); None is "the server said 404".

    A forced tenant's ConfigMap is not even looked at.
    """
    if not build.gate:
        verdict = judge(config_map.raw) if config_map is not None else None
        known = verdict is not None and verdict.controller == "allow"
        return Passage(open=True, baseline=verdict.verdict if verdict and known else UNJUDGED)
    if annotations.is_forced(config.annotations):
        return Passage(open=True, baseline=FORCE, accepted=FORCED)
    if config_map is None:
        return Passage(open=True, baseline=ABSENT)
    data = config_map.get("data")
    keys = set(data) if isinstance(data, dict) else set()
    if keys & set(PRAXIS_KEYS):
        return Passage(open=True, baseline=PRAXIS)
    if not keys >= set(IPP_KEYS):
        return Passage(open=False, message=f"plugins ConfigMap {name} cannot be migrated: {_NO_HINT}")
    verdict = judge(config_map.raw)
    if verdict.controller == "allow":
        return Passage(open=True, baseline=verdict.verdict)
    detail = "; ".join(reason.message for reason in verdict.reasons) or verdict.verdict
    return Passage(open=False, message=f"plugins ConfigMap {name} cannot be migrated: {detail}. {_HINT}")


def judge_models(passage: Passage, bindings: Sequence[Binding], build: Build, *, translation: bool | None) -> Passage:
    """
    Judge the active external models of a tenant whose ConfigMap let it pass.

    Args:
        passage: What :func:`judge_config_map` said; it is open.

        bindings: The provider references of the tenant's external models.

        build: The build that is played.

        translation: ``spec.apiTranslation.enabled`` as it stands after step 2; None is absent.
    """
    if not build.compatibility or (passage.baseline == FORCE and build.force_covers == "everything"):
        return passage
    affected = affected_models(bindings, translation=translation)
    if not affected:
        return passage
    named = ", ".join(affected)
    if translation is False:
        told = f"accepted by spec.apiTranslation.enabled=false: no parity for {named}"
        return Passage(open=True, baseline=passage.baseline, accepted=" ".join(filter(None, (passage.accepted, told))))
    return Passage(
        open=False,
        message=f"Praxis is not qualified for active external models: {named}. "
        "Set spec.apiTranslation.enabled to false to accept the loss. " + _HINT,
    )


def affected_models(bindings: Sequence[Binding], *, translation: bool | None) -> list[str]:
    """Return the ExternalModels with an active reference that Praxis does not serve as IPP did."""
    return sorted({str(binding.model) for binding in bindings if _is_affected(binding, translation=translation)})


def _is_affected(binding: Binding, *, translation: bool | None) -> bool:
    """Return whether Praxis does not serve an active binding as IPP did."""
    verdict = qualify(binding).verdict
    served = verdict == "qualified" or (verdict == "needs-translation" and translation is True)
    return binding.active and not served


def writes_translation(passage: Passage, build: Build, *, translation: bool | None) -> bool:
    """
    Return whether step 2 writes ``spec.apiTranslation.enabled: true``: recognised #2, and no operator's value.

    A build without the compatibility check does not know the field.
    """
    return build.compatibility and passage.open and passage.baseline == TRANSLATED and translation is None


def holds_ipp_keys(config_map: KubeObject | None) -> bool:
    """Return whether the second gate, ai-gateway-controller's, refuses this ConfigMap: either IPP key suffices."""
    data = config_map.get("data") if config_map is not None else None
    return isinstance(data, dict) and any(key in data for key in IPP_KEYS)
