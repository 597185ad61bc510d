"""Where a tenant stands between IPP and Praxis, by its annotations; and what earlier attempts left behind."""

from collections.abc import Iterator
from dataclasses import dataclass

from migrate.changes.findings import finding
from migrate.changes.platform.generations import has_generation_b_marker
from migrate.changes.platform.health import condition_state
from migrate.changes.platform.reading import listed
from migrate.changes.platform.tenants import TenantView
from migrate.maas import annotations, naming, resources
from migrate.records.assessment import Finding
from migrate.records.objects import KubeObject
from migrate.records.snapshot import Snapshot

_KNOWN_VALUES = {
    annotations.PAYLOAD_PROCESSING_TYPE: (annotations.TYPE_IPP, annotations.TYPE_PRAXIS),
    annotations.PAYLOAD_PROCESSING_MIGRATION: (annotations.MIGRATION_BLOCKED,),
    annotations.FORCE_PAYLOAD_PROCESSING_MIGRATION: (annotations.FORCE_TRUE,),
}
"""The legal values; another value of the status annotation is somebody's claim. Source: contract §2.1."""
_GATE_REASON = "DeploymentsNotReady"
_CLEANUP_REASON = "PlatformReconcileFailed"


@dataclass(frozen=True, slots=True)
class State:
    """
    Where a tenant stands.

    Attributes:
        on_praxis: Praxis serves it: there is nothing to migrate.

        findings: What stands in the way, and what was left behind.
    """

    on_praxis: bool
    findings: tuple[Finding, ...]


def state_of(snapshot: Snapshot, tenant: TenantView, platform: str) -> State:
    """Return where *tenant* stands. Source: contract §2.1, §4.2, §4.4, §4.8."""
    config = tenant.config
    ready, _ = condition_state(config, "Ready")
    on_praxis = (
        platform != "3.5"
        and _status(config) == annotations.STATUS_STEADY
        and _type(config) != annotations.TYPE_IPP
        and ready in {"true", "unreported"}
    )
    if on_praxis:
        return State(on_praxis=True, findings=(*_on_praxis(tenant), *_force(tenant, on_praxis=True)))
    return State(
        on_praxis=False,
        findings=(
            *_transition(snapshot, tenant, platform),
            *_force(tenant, on_praxis=False),
            *_marker(tenant, platform),
            *_unknown_values(tenant),
        ),
    )


def _type(config: KubeObject) -> str:
    return config.annotations.get(annotations.PAYLOAD_PROCESSING_TYPE, "")


def _status(config: KubeObject) -> str:
    return config.annotations.get(annotations.PAYLOAD_PROCESSING_STATUS, "")


def _is_marked_blocked(config: KubeObject) -> bool:
    return config.annotations.get(annotations.PAYLOAD_PROCESSING_MIGRATION) == annotations.MIGRATION_BLOCKED


def _ready_reason(config: KubeObject) -> str:
    condition = config.condition("Ready") or {}
    return str(condition.get("reason", "")) if condition.get("status") == "False" else ""


def _on_praxis(tenant: TenantView) -> Iterator[Finding]:
    yield finding(
        "AlreadyOnPraxis",
        f"tenant {tenant.name} is on Praxis: the status annotation is {annotations.STATUS_STEADY} and it is Ready",
        resolution="Nothing to do.",
        about=tenant.config.ref,
        tenant=tenant.name,
        path=f"metadata.annotations.{annotations.PAYLOAD_PROCESSING_STATUS}",
    )


def _force(tenant: TenantView, *, on_praxis: bool) -> Iterator[Finding]:
    if annotations.is_forced(tenant.config.annotations):
        yield finding(
            "ForceLeftBehind",
            f"{tenant.config.ref} still carries {annotations.FORCE_PAYLOAD_PROCESSING_MIGRATION}=true: "
            "no controller removes it, and the next flip would delete any plugins ConfigMap unasked",
            resolution=f"Remove it: kubectl annotate maastenantconfig {tenant.config.name} -n {tenant.namespace} "
            f"{annotations.FORCE_PAYLOAD_PROCESSING_MIGRATION}-",
            about=tenant.config.ref,
            tenant=tenant.name,
            path=f"metadata.annotations.{annotations.FORCE_PAYLOAD_PROCESSING_MIGRATION}",
            impact="advisory" if on_praxis else "blocking",
        )


def _transition(snapshot: Snapshot, tenant: TenantView, platform: str) -> Iterator[Finding]:
    config = tenant.config
    path = f"metadata.annotations.{annotations.PAYLOAD_PROCESSING_STATUS}"
    if has_generation_b_marker(config):
        yield finding(
            "GenerationBMarker",
            f"{config.ref} carries a marker that ends in {annotations.GENERATION_B_MARKER_SUFFIX}: "
            "a build of handshake generation B is handing the tenant over",
            resolution="Wait until its peer has claimed the tenant; never remove the marker by hand.",
            about=config.ref,
            tenant=tenant.name,
            path="metadata.annotations",
        )
    if annotations.PAYLOAD_PROCESSING_STATUS in config.annotations:
        yield finding(
            "MigrationInTransition",
            f"{config.ref} has {annotations.PAYLOAD_PROCESSING_STATUS}={_status(config)!r} and type {_type(config)!r}: "
            "a hand-over is under way, or one of the controllers still claims the tenant",
            resolution="Wait until the controllers are done; never write or remove that annotation by hand.",
            about=config.ref,
            tenant=tenant.name,
            path=path,
        )
    elif _type(config) == annotations.TYPE_PRAXIS or _blocked_by_default(config, platform):
        yield _asked_for_praxis(snapshot, tenant, platform)


def _blocked_by_default(config: KubeObject, platform: str) -> bool:
    """Return whether the gate of a build whose default is Praxis (D) holds a tenant that says nothing. §0.2."""
    silent = _type(config) != annotations.TYPE_IPP
    return platform == "3.6" and silent and _is_marked_blocked(config) and _ready_reason(config) == _GATE_REASON


def _asked_for_praxis(snapshot: Snapshot, tenant: TenantView, platform: str) -> Finding:
    config = tenant.config
    path = f"metadata.annotations.{annotations.PAYLOAD_PROCESSING_TYPE}"
    said = str((config.condition("Ready") or {}).get("message", ""))
    reason = _ready_reason(config)
    if platform == "3.5":
        return finding(
            "PraxisRequestedEarly",
            f"{config.ref} asks for Praxis already; 3.5 ignores it, and at the upgrade it would migrate by itself",
            resolution="Nothing to do: the planned pin to ipp comes before the upgrade.",
            about=config.ref,
            tenant=tenant.name,
            path=path,
        )
    if reason == _CLEANUP_REASON:
        return finding(
            "CleanupWaits",
            f"the clean-up of IPP of tenant {tenant.name} has begun and waits: {said or reason}"
            f"{_pods(snapshot, tenant)}",
            resolution="Look at the Pod that is named; the clean-up goes on when it is gone. Force does not help here.",
            about=config.ref,
            tenant=tenant.name,
            path="status.conditions",
        )
    if reason == _GATE_REASON and _is_marked_blocked(config):
        return finding(
            "PayloadProcessingBlocked",
            f"the controller refuses to migrate tenant {tenant.name}: {said or reason}; IPP goes on serving",
            resolution=f"Set {annotations.PAYLOAD_PROCESSING_TYPE}=ipp, wait for Ready, and plan again.",
            about=config.ref,
            tenant=tenant.name,
            path=f"metadata.annotations.{annotations.PAYLOAD_PROCESSING_MIGRATION}",
        )
    return finding(
        "MigrationInTransition",
        f"{config.ref} asks for Praxis and is not there yet (Ready reason {reason or 'none'}): "
        "a migration is under way",
        resolution=f"Wait until it is over, or set {annotations.PAYLOAD_PROCESSING_TYPE}=ipp while nothing is deleted.",
        about=config.ref,
        tenant=tenant.name,
        path=path,
    )


def _pods(snapshot: Snapshot, tenant: TenantView) -> str:
    if tenant.gateway is None or tenant.tenant_id is None:
        return ""
    names = sorted(pod.name for pod in pods_of(snapshot, tenant))
    return f"; Pods still there: {', '.join(names)}" if names else ""


def pods_of(snapshot: Snapshot, tenant: TenantView) -> tuple[KubeObject, ...]:
    """Return the Pods of both payload Deployments of a tenant, by their label, else by their name. Contract §2.3."""
    if tenant.gateway is None or tenant.tenant_id is None:
        return ()
    tenant_id = tenant.tenant_id
    pods = listed(snapshot, resources.POD, tenant.gateway.namespace)
    return tuple(pod for pod in pods if is_pod_of(pod, tenant_id))


def is_pod_of(pod: KubeObject, tenant_id: str) -> bool:
    """Return whether a Pod of a gateway namespace belongs to one of a tenant's payload Deployments."""
    bases = (naming.PAYLOAD_PROCESSING, naming.PAYLOAD_PRE_PROCESSING)
    return _deployment_of(pod) in {naming.suffixed(base, tenant_id) for base in bases}


def _deployment_of(pod: KubeObject) -> str:
    """Return the Deployment's name: the label says it; else a Pod is called after its ReplicaSet, two words longer."""
    return pod.labels.get(annotations.TENANT_INSTANCE) or pod.name.rsplit("-", 2)[0]


def _marker(tenant: TenantView, platform: str) -> Iterator[Finding]:
    config = tenant.config
    if not _is_marked_blocked(config) or (_type(config) == annotations.TYPE_PRAXIS and platform != "3.5"):
        return
    yield finding(
        "BlockedMarkerLeft",
        f"{config.ref} still carries {annotations.PAYLOAD_PROCESSING_MIGRATION}=blocked of an earlier attempt; "
        "alone it means nothing, and it goes when a gate passes",
        resolution="Nothing to do; never remove it by hand.",
        about=config.ref,
        tenant=tenant.name,
        path=f"metadata.annotations.{annotations.PAYLOAD_PROCESSING_MIGRATION}",
    )


def _unknown_values(tenant: TenantView) -> Iterator[Finding]:
    config = tenant.config
    for name, known in _KNOWN_VALUES.items():
        value = config.annotations.get(name)
        if value is not None and value not in known:
            yield finding(
                "UnknownAnnotationValue",
                f"{config.ref} has {name}={value!r}; known is {' or '.join(known)}",
                resolution="Find out who wrote it, and correct or remove it.",
                about=config.ref,
                tenant=tenant.name,
                path=f"metadata.annotations.{name}",
            )
