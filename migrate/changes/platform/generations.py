"""
Which generation of the hand-over and of the rate-limit identity a build speaks, by what signals.

Upstream changed both several times. C and D, V4 and V5 are planned for and verified; V2 and V3 stamp nothing, so that
every subscription has the one identity by which all are counted. A, B, V1 and V3b are known to have existed: what they
do half-way is in no source, so a cluster that shows them is refused. Source: contract §0.2.
"""

import re
from collections.abc import Iterator
from typing import Final

from migrate.changes.findings import finding
from migrate.changes.platform.reading import found, listed
from migrate.changes.platform.versions import Platform
from migrate.maas import annotations, gateways, naming, rate_limits, resources, versions
from migrate.records.assessment import Finding, Identity
from migrate.records.objects import KubeObject, get_in
from migrate.records.snapshot import Snapshot

HASHED_LIMIT: Final = r"rl-[0-9a-f]{16}"
"""Limit names of identity generation V1. Source: contract §0.2."""
COUNTED_AS: Final[dict[str, Identity]] = {"V2": "legacy", "V3": "short"}
"""The identity of every subscription in generations that stamp none: V2 counts by key, V3 by id."""
REFUSED_HANDSHAKES: Final = frozenset({"A", "B", "A or B"})
REFUSED_IDENTITIES: Final = frozenset({"V1", "V3b"})
_TYPE: Final = annotations.PAYLOAD_PROCESSING_TYPE
_CONTROLLERS: Final = frozenset({annotations.MAAS_MANAGER, annotations.MAAS_CONTROLLER})

Told = tuple[str, str]
"""A generation, and the signal that told it."""


def generation_of(snapshot: Snapshot, platform: Platform) -> str:
    """
    Return both generations in words, such as ``handshake C or D, identity V5``.

    On 3.5 there is no hand-over yet and limits are V0. Source: contract §0.2.
    """
    if platform == "3.5":
        return "handshake none (3.5), identity V0"
    return f"handshake {handshake_of(snapshot)}, identity {identity_generation_of(snapshot)}"


def assess_generation(snapshot: Snapshot, platform: Platform) -> Iterator[Finding]:
    """Yield which generation the build is and what says so; that it is refused where its rules are in no source."""
    if platform != "3.6":
        return
    handshake, identity = _handshake(snapshot), _identity(snapshot)
    yield finding(
        "BuildGeneration",
        f"this build of 3.6 speaks handshake {handshake[0]} ({handshake[1]}) and rate-limit identity {identity[0]} "
        f"({identity[1]})",
        resolution="Nothing to do.",
    )
    if handshake[0] in REFUSED_HANDSHAKES:
        yield finding(
            "HandshakeNotSupported",
            f"an intermediate build runs here, of handshake generation {handshake[0]}: {handshake[1]}. Generation A "
            "takes the type from the AITenant and removes one that stands on MaasTenantConfig alone; B is handed over "
            "by a marker and knows no status annotation. A flip as the product page has it would be undone or hang",
            resolution="Update to a released build of 3.6; leave the annotations as they are until then.",
        )
    if identity[0] in REFUSED_IDENTITIES:
        yield finding(
            "IdentityNotSupported",
            f"an intermediate build runs here, of identity generation {identity[0]}: {identity[1]}. Which counters "
            "start again under it, and how its limits must look, is in no source",
            resolution="Update to a released build of 3.6.",
        )


def handshake_of(snapshot: Snapshot) -> str:
    """Return ``A``, ``B``, ``C``, ``D``, ``C or D`` or ``unknown``: the objects tell one from another only at times."""
    return _handshake(snapshot)[0]


def identity_generation_of(snapshot: Snapshot) -> str:
    """Return ``V0`` to ``V5``, or ``unknown``."""
    return _identity(snapshot)[0]


def _handshake(snapshot: Snapshot) -> Told:
    configs = listed(snapshot, resources.MAAS_TENANT_CONFIG)
    for tell in (_told_b, _told_a, _told_praxis_without_status, _told_d):
        for config in configs:
            signal = tell(snapshot, config)
            if signal:
                return signal
    claimed = [config for config in configs if _status(config)]
    if any(_type(config) == annotations.TYPE_IPP or not _type(config) for config in configs if not _status(config)):
        if any(not _type(config) and not _status(config) and _reconciled(config) for config in configs):
            return "C or D", "D would move a tenant without a type; one without it is on IPP, so C is likelier"
        return "C or D", "every tenant on IPP is pinned to it, so the default of the build does not show"
    if claimed:
        return "C or D", f"{claimed[0].ref} has the status annotation, and every tenant says its type"
    return ("C or D", "no tenant has begun to move") if configs else ("unknown", "no MaasTenantConfig was read")


def _reconciled(config: KubeObject) -> bool:
    condition = config.condition("Ready") or {}
    return condition.get("status") == "True"


def _told_b(_: Snapshot, config: KubeObject) -> Told | None:
    if not has_generation_b_marker(config):
        return None
    return "B", f"{config.ref} has a marker that ends in {annotations.GENERATION_B_MARKER_SUFFIX}"


def _told_a(snapshot: Snapshot, config: KubeObject) -> Told | None:
    """A mirrors the type from the AITenant: both say the same, and no person wrote it on the config."""
    named = gateways.aitenant_ref(config)
    tenant = found(snapshot, resources.AI_TENANT, named.namespace, named.name) if named else None
    asked = tenant.annotations.get(_TYPE) if tenant else None
    if tenant is None or asked is None or _type(config) != asked or not _writers(config) <= _CONTROLLERS:
        return None
    return "A", f"{tenant.ref} has the annotation {_TYPE}={asked}, and {config.ref} mirrors it"


def _writers(config: KubeObject) -> frozenset[str]:
    """Return the field managers of the type annotation; none where managedFields are not there."""
    return frozenset(
        str(entry.get("manager"))
        for entry in config.managed_fields
        if get_in(entry, "fieldsV1", "f:metadata", "f:annotations", f"f:{_TYPE}") is not None
    )


def _told_praxis_without_status(snapshot: Snapshot, config: KubeObject) -> Told | None:
    """In C and D the status annotation is absent only while IPP holds the names."""
    try:
        tenant_id = naming.tenant_id_of(config)
    except naming.TenantIdentityError:
        return None
    name = naming.suffixed(naming.PAYLOAD_PROCESSING, tenant_id)
    for thing in listed(snapshot, resources.DEPLOYMENT):
        is_praxis = annotations.AI_GATEWAY_CONTROLLER in {*thing.managers, thing.labels.get(annotations.MANAGED_BY)}
        if thing.name == name and is_praxis and not _status(config) and _type(config) == annotations.TYPE_PRAXIS:
            return "A or B", f"{thing.ref} is ai-gateway-controller's, and {config.ref} has no status annotation"
    return None


def _told_d(_: Snapshot, config: KubeObject) -> Told | None:
    known = {annotations.TYPE_PRAXIS, annotations.TYPE_IPP}
    if _status(config) != annotations.STATUS_STEADY or _type(config) in known:
        return None
    return "D", f"{config.ref} is on Praxis with the type {_type(config) or 'absent'}"


def _identity(snapshot: Snapshot) -> Told:
    crd = found(snapshot, resources.CRD, "", resources.MAAS_SUBSCRIPTION.crd_name)
    field = versions.RATE_LIMIT_IDENTITY_FIELD
    if crd is not None and versions.crd_has_field(crd, "status", field):
        return "V5", f"the CRD of MaaSSubscription has status.{field}"
    subscriptions = listed(snapshot, resources.MAAS_SUBSCRIPTION)
    for thing in subscriptions:
        if annotations.RATE_LIMIT_IDENTITY in thing.annotations:
            return "V4", f"{thing.ref} has the annotation {annotations.RATE_LIMIT_IDENTITY}"
    for thing in subscriptions:
        if thing.get("status", field):
            return "V5", f"{thing.ref} has status.{field}"
    return _by_limits(snapshot)


def _by_limits(snapshot: Snapshot) -> Told:
    policies = [
        policy
        for policy in listed(snapshot, resources.TOKEN_RATE_LIMIT_POLICY)
        if policy.name.startswith(naming.TRLP_PREFIX) and not annotations.is_opted_out(policy.annotations)
    ]
    limits = {name: limit for policy in policies for name, limit in rate_limits.limits_of(policy).items()}
    hashed = next((name for name in sorted(limits) if re.fullmatch(HASHED_LIMIT, name)), "")
    if hashed:
        return "V1", f"a limit is called {hashed}"
    if limits and all(name.endswith(rate_limits.LEGACY_SUFFIX) for name in limits):
        return "V0", "limits have the names of 3.5"
    texts = [str(limit) for limit in limits.values()]
    by_id = any(rate_limits.ID_FIELD in text for text in texts)
    by_key = any(rate_limits.KEY_FIELD in text for text in texts)
    if by_id and by_key:
        return "V3b", "no subscription is stamped, and limits match by id and by key"
    if by_id:
        return "V3", "no subscription is stamped, and limits match by id"
    if by_key:
        return "V2", "no subscription is stamped, and limits match by key"
    return ("V2 or V3", "limits are grouped, and nothing is stamped") if limits else ("unknown", "no limit tells it")


def has_generation_b_marker(config: KubeObject) -> bool:
    """Return whether an annotation of handshake generation B stands on a MaasTenantConfig. Source: contract §2.1."""
    return any(key.endswith(annotations.GENERATION_B_MARKER_SUFFIX) for key in config.annotations)


def _status(config: KubeObject) -> str:
    return config.annotations.get(annotations.PAYLOAD_PROCESSING_STATUS, "")


def _type(config: KubeObject) -> str:
    return config.annotations.get(_TYPE, "")
