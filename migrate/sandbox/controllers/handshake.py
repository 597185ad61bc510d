"""
Whose turn it is: the hand-over between maas-controller and ai-gateway-controller.

Pure. Both players ask here what they may do next, given a MaasTenantConfig.
Source: contract 2.1, 4.2, 4.6.
"""

from enum import Enum
from typing import Final

from migrate.maas import annotations
from migrate.records.objects import KubeObject
from migrate.sandbox.controllers.build_36 import Build


class Engine(Enum):
    """The two engines of payload processing."""

    IPP = "ipp"
    PRAXIS = "praxis"


class PlatformMove(Enum):
    """What maas-controller does about payload processing in one pass."""

    DEPLOY_IPP = "the names are ours: apply IPP"
    TAKE_BACK = "nobody holds the names: remove the marker, then apply IPP"
    WAIT_FOR_RELEASE = "Praxis holds the names, or a marker we do not know: touch nothing of it"
    HAND_OVER = "IPP holds the names and Praxis is wanted: gate, clean up, give them free"
    LEAVE_TO_PRAXIS = "the names are given away: apply the rest, then look at the EnvoyFilter"


class GatewayMove(Enum):
    """What ai-gateway-controller does about a tenant in one pass."""

    NOTHING = "not wanted, and nothing of ours is there"
    CLAIM = "the names are free and Praxis is wanted"
    APPLY = "the names are ours"
    RELEASE = "the names are ours and Praxis is no longer wanted: delete, give free"


_FREE: Final = annotations.STATUS_CLEANUP_COMPLETE
_PRAXIS: Final = annotations.STATUS_STEADY


def engine_of(config: KubeObject, build: Build) -> Engine:
    """Return the engine that the type annotation of *config* selects in *build*."""
    asked = config.annotations.get(annotations.PAYLOAD_PROCESSING_TYPE, "")
    if build.handshake == "D":
        return Engine.IPP if asked == annotations.TYPE_IPP else Engine.PRAXIS
    return Engine.PRAXIS if asked == annotations.TYPE_PRAXIS else Engine.IPP


def claim_of(config: KubeObject, build: Build) -> str:
    """
    Return who holds the names, in the words of the status annotation; ``""`` where IPP does.

    In B the marker says that they are free, and the finalizer of the claimer that they are Praxis'.
    """
    if build.handshake != "B":
        return config.annotations.get(annotations.PAYLOAD_PROCESSING_STATUS, "")
    if any(key.endswith(annotations.GENERATION_B_MARKER_SUFFIX) for key in config.annotations):
        return _FREE
    held = config.get("metadata", "finalizers") or []
    return _PRAXIS if annotations.PRAXIS_CLEANUP_FINALIZER in held else ""


def claim_marks(claim: str, build: Build) -> dict[str, str | None]:
    """Return the annotations that say *claim*; ``""`` gives the names to IPP."""
    if build.handshake == "B":
        return {annotations.GENERATION_B_MARKER: "true" if claim == _FREE else None}
    return {annotations.PAYLOAD_PROCESSING_STATUS: claim or None}


def platform_move(config: KubeObject, build: Build) -> PlatformMove:
    """Return what maas-controller does next."""
    claim = claim_of(config, build)
    if engine_of(config, build) is Engine.PRAXIS:
        return PlatformMove.HAND_OVER if claim == "" else PlatformMove.LEAVE_TO_PRAXIS
    if claim == "":
        return PlatformMove.DEPLOY_IPP
    return PlatformMove.TAKE_BACK if claim == _FREE else PlatformMove.WAIT_FOR_RELEASE


def gateway_move(config: KubeObject, build: Build) -> GatewayMove:
    """Return what ai-gateway-controller does next."""
    claim = claim_of(config, build)
    if engine_of(config, build) is Engine.IPP or config.is_deleting:
        return GatewayMove.RELEASE if claim == _PRAXIS else GatewayMove.NOTHING
    if claim == _FREE:
        return GatewayMove.CLAIM
    return GatewayMove.APPLY if claim == _PRAXIS else GatewayMove.NOTHING
