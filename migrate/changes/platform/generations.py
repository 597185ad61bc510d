"""Which generation of the hand-over and of the rate-limit identity a build speaks, as far as a reading can tell."""

import re
from typing import Final

from migrate.changes.platform.reading import found, listed
from migrate.changes.platform.versions import Platform
from migrate.maas import annotations, naming, rate_limits, resources, versions
from migrate.records.objects import KubeObject
from migrate.records.snapshot import Snapshot

HASHED_LIMIT: Final = r"rl-[0-9a-f]{16}"
"""Limit names of identity generation V1. Source: contract §0.2."""


def generation_of(snapshot: Snapshot, platform: Platform) -> str:
    """
    Return both generations in words, such as ``handshake C or D, identity V5``.

    On 3.5 there is no hand-over yet and limits are V0. Source: contract §0.2.
    """
    if platform == "3.5":
        return "handshake none (3.5), identity V0"
    return f"handshake {handshake_of(snapshot)}, identity {identity_generation_of(snapshot)}"


def handshake_of(snapshot: Snapshot) -> str:
    """Return ``A``, ``B``, ``C``, ``D``, ``C or D`` or ``unknown``: the objects tell one from another only at times."""
    configs = listed(snapshot, resources.MAAS_TENANT_CONFIG)
    if any(has_generation_b_marker(config) for config in configs):
        return "B"
    if any(
        annotations.PAYLOAD_PROCESSING_TYPE in tenant.annotations for tenant in listed(snapshot, resources.AI_TENANT)
    ):
        return "A, or an annotation that newer builds ignore"
    steady = [config for config in configs if annotations.PAYLOAD_PROCESSING_STATUS in config.annotations]
    if any(
        _type_of(config) not in {annotations.TYPE_PRAXIS, annotations.TYPE_IPP}
        for config in steady
        if _is_steady(config)
    ):
        return "D"
    return "C or D" if configs else "unknown"


def identity_generation_of(snapshot: Snapshot) -> str:
    """Return ``V0`` to ``V5``, or ``unknown``."""
    crd = found(snapshot, resources.CRD, "", resources.MAAS_SUBSCRIPTION.crd_name)
    if crd is not None and versions.crd_has_field(crd, "status", versions.RATE_LIMIT_IDENTITY_FIELD):
        return "V5"
    subscriptions = listed(snapshot, resources.MAAS_SUBSCRIPTION)
    if any(annotations.RATE_LIMIT_IDENTITY in thing.annotations for thing in subscriptions):
        return "V4"
    if any(thing.get("status", versions.RATE_LIMIT_IDENTITY_FIELD) for thing in subscriptions):
        return "V5"
    return _by_limits(snapshot)


def _by_limits(snapshot: Snapshot) -> str:
    policies = [
        policy
        for policy in listed(snapshot, resources.TOKEN_RATE_LIMIT_POLICY)
        if policy.name.startswith(naming.TRLP_PREFIX) and not annotations.is_opted_out(policy.annotations)
    ]
    names = {name for policy in policies for name in rate_limits.limits_of(policy)}
    if any(re.fullmatch(HASHED_LIMIT, name) for name in names):
        return "V1"
    if names and all(name.endswith(rate_limits.LEGACY_SUFFIX) for name in names):
        return "V0"
    return "V2 or V3" if names else "unknown"


def has_generation_b_marker(config: KubeObject) -> bool:
    """Return whether an annotation of handshake generation B stands on a MaasTenantConfig. Source: contract §2.1."""
    return any(key.endswith(annotations.GENERATION_B_MARKER_SUFFIX) for key in config.annotations)


def _is_steady(config: KubeObject) -> bool:
    return config.annotations.get(annotations.PAYLOAD_PROCESSING_STATUS) == annotations.STATUS_STEADY


def _type_of(config: KubeObject) -> str:
    return config.annotations.get(annotations.PAYLOAD_PROCESSING_TYPE, "")
