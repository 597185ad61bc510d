"""What must hold of one tenant before anything is planned for it. Source: contract §2.4, §2.5, §7.2."""

from collections import Counter
from collections.abc import Iterator

from migrate.changes.findings import finding, not_read
from migrate.changes.platform.gateway_checks import assess_gateway
from migrate.changes.platform.health import assess_deployment, condition_state
from migrate.changes.platform.reading import found, listed, unread
from migrate.changes.platform.tenants import TenantView
from migrate.changes.survey import PAYLOAD_APPS
from migrate.maas import annotations, gateways, naming, resources
from migrate.records.assessment import Finding
from migrate.records.objects import KubeObject
from migrate.records.snapshot import Snapshot

MANAGED_STATES = frozenset({"", "Managed"})
"""Management states under which the controller works; absent is one. Source: contract §2.2."""


def assess_tenant(snapshot: Snapshot, tenant: TenantView, *, has_external_models: bool) -> tuple[Finding, ...]:
    """Return what stands in the way of one tenant, whatever is changed about it."""
    return (
        *_identity(tenant),
        *_alive(tenant),
        *_ready(tenant.config, tenant.name),
        *_aitenant(snapshot, tenant),
        *_legacy(snapshot, tenant),
        *assess_gateway(snapshot, tenant),
        *_deployments(snapshot, tenant),
        *_name_length(tenant, has_external_models=has_external_models),
    )


def assess_names(tenants: tuple[TenantView, ...]) -> tuple[Finding, ...]:
    """Return a finding for each tenant whose objects are called like another's."""
    ids = Counter((tenant.tenant_id, tenant.gateway) for tenant in tenants if tenant.tenant_id is not None)
    return tuple(
        finding(
            "TenantNameTaken",
            f"{tenant.config.ref} and another MaasTenantConfig both call their objects "
            f"{naming.suffixed(naming.PAYLOAD_PROCESSING, tenant.tenant_id)}",
            resolution="Remove the one that is not meant; the labels of both name the same tenant.",
            about=tenant.config.ref,
            tenant=tenant.name,
            path="metadata.labels",
        )
        for tenant in tenants
        if tenant.tenant_id is not None and ids[tenant.tenant_id, tenant.gateway] > 1
    )


def assess_orphaned_legacy(snapshot: Snapshot, tenants: tuple[TenantView, ...]) -> tuple[Finding, ...]:
    """Return a finding for each terminating legacy Tenant in a namespace without a MaasTenantConfig."""
    spaces = {tenant.namespace for tenant in tenants}
    things = [thing for thing in listed(snapshot, resources.TENANT) if thing.namespace not in spaces]
    return tuple(_terminating(thing, "") for thing in things if thing.is_deleting)


def _identity(tenant: TenantView) -> Iterator[Finding]:
    if tenant.tenant_id is None:
        yield finding(
            "TenantIdentityInvalid",
            f"{tenant.identity_error}: the names of its objects cannot be derived, and none is guessed; "
            "no plugins ConfigMap was read or judged for it",
            resolution=f"Find out which AITenant it belongs to, and set the label {annotations.TENANT_NAME}.",
            about=tenant.config.ref,
            tenant=tenant.name,
            path=f"metadata.labels.{annotations.TENANT_NAME}",
        )


def _alive(tenant: TenantView) -> Iterator[Finding]:
    config = tenant.config
    if config.is_deleting:
        yield finding(
            "ObjectTerminating",
            f"{config.ref} is being deleted since {config.get('metadata', 'deletionTimestamp')}",
            resolution="Find out who deletes the tenant; nothing is migrated while it goes.",
            about=config.ref,
            tenant=tenant.name,
        )
    state = config.annotations.get(annotations.MANAGEMENT_STATE, "")
    if state not in MANAGED_STATES:
        yield finding(
            "TenantNotManaged",
            f"{config.ref} has the management state {state}: the controllers do nothing for it",
            resolution="Set the component to Managed in the DataScienceCluster.",
            about=config.ref,
            tenant=tenant.name,
            path=f"metadata.annotations.{annotations.MANAGEMENT_STATE}",
        )


def _ready(config: KubeObject, tenant: str) -> Iterator[Finding]:
    state, seen = condition_state(config, "Ready")
    if state == "stale":
        yield finding(
            "ReadyIsStale",
            f"Ready of {config.ref} speaks of an older generation: {seen}",
            resolution="Wait until maas-controller has seen the last change; look at its log when it does not.",
            about=config.ref,
            tenant=tenant,
            path="status.conditions",
        )
    elif state in {"false", "missing"}:
        yield finding(
            "TenantNotReady",
            f"{config.ref} does not say Ready: {seen}",
            resolution="Mend what the reason names, and wait for Ready=True.",
            about=config.ref,
            tenant=tenant,
            path="status.conditions",
        )
    elif state == "unreported":
        yield finding(
            "GenerationNotReported",
            f"Ready of {config.ref} is taken for good with its Deployments as evidence: {seen}",
            resolution="Nothing to do; the run rests on effects, not on this condition alone.",
            about=config.ref,
            tenant=tenant,
            path="status.conditions",
        )
    degraded = config.condition("Degraded")
    if degraded is not None and degraded.get("status") == "True":
        yield finding(
            "TenantDegraded",
            f"{config.ref} is Degraded: {degraded.get('reason', '')} {degraded.get('message', '')}".rstrip(),
            resolution="Read the warning; it does not stop the migration.",
            about=config.ref,
            tenant=tenant,
            path="status.conditions",
        )


def _aitenant(snapshot: Snapshot, tenant: TenantView) -> Iterator[Finding]:
    named = gateways.aitenant_ref(tenant.config)
    aitenant = tenant.aitenant
    if not gateways.is_managed_by_aitenant(tenant.config) or named is None:
        return
    if aitenant is None:
        gap = unread(snapshot, resources.AI_TENANT, named.namespace, named.name)
        if gap is not None:
            yield not_read(gap, f"it gives the gateway of tenant {tenant.name}", tenant=tenant.name)
            return
        yield finding(
            "AITenantMissing",
            f"{named}, which {tenant.config.ref} names, is not there",
            resolution="Create the AITenant again, or remove the tenant.",
            about=named,
            tenant=tenant.name,
        )
        return
    yield from _aitenant_state(aitenant, tenant.name)
    for key in annotations.MIGRATION_ANNOTATIONS:
        if key in aitenant.annotations:
            yield finding(
                "AnnotationOnAITenant",
                f"{aitenant.ref} carries {key}={aitenant.annotations[key]!r}; it counts on MaasTenantConfig only, "
                "and builds of handshake generation A mirror it from there",
                resolution="Remove it from the AITenant, unless your build needs it there.",
                about=aitenant.ref,
                tenant=tenant.name,
                path=f"metadata.annotations.{key}",
            )


def _aitenant_state(aitenant: KubeObject, tenant: str) -> Iterator[Finding]:
    phase = aitenant.get("status", "phase")
    if aitenant.is_deleting:
        yield finding(
            "ObjectTerminating",
            f"{aitenant.ref} is being deleted since {aitenant.get('metadata', 'deletionTimestamp')}",
            resolution="Find out who deletes the tenant; nothing is migrated while it goes.",
            about=aitenant.ref,
            tenant=tenant,
        )
    elif phase != "Active":
        yield finding(
            "AITenantNotReady",
            f"{aitenant.ref} is {phase or 'without a phase'}, not Active",
            resolution="Mend what its conditions name, and wait for Active.",
            about=aitenant.ref,
            tenant=tenant,
            path="status.phase",
        )


def _legacy(snapshot: Snapshot, tenant: TenantView) -> Iterator[Finding]:
    for thing in listed(snapshot, resources.TENANT, tenant.namespace):
        if thing.is_deleting:
            yield _terminating(thing, tenant.name)
        else:
            yield finding(
                "LegacyTenant",
                f"{thing.ref} from before MaasTenantConfig is still there",
                resolution="Nothing to do.",
                about=thing.ref,
                tenant=tenant.name,
            )


def _terminating(thing: KubeObject, tenant: str) -> Finding:
    finalizers = thing.get("metadata", "finalizers")
    held = ", ".join(map(str, finalizers)) if isinstance(finalizers, list) and finalizers else "no finalizer"
    return finding(
        "LegacyTenantTerminating",
        f"{thing.ref} is being deleted since {thing.get('metadata', 'deletionTimestamp')} and held by {held}",
        resolution="Find out whether anybody still serves that finalizer; this program never removes one.",
        about=thing.ref,
        tenant=tenant,
        path="metadata.finalizers",
    )


def _deployments(snapshot: Snapshot, tenant: TenantView) -> Iterator[Finding]:
    if tenant.tenant_id is None:
        return
    refs = [tenant.at_gateway(resources.DEPLOYMENT, base) for base in PAYLOAD_APPS]
    if tenant.infra_namespace:
        name = naming.suffixed(naming.MAAS_API, tenant.tenant_id)
        refs.append(resources.DEPLOYMENT.ref(tenant.infra_namespace, name))
    for ref in refs:
        if ref is None:
            continue
        deployment = found(snapshot, resources.DEPLOYMENT, ref.namespace, ref.name)
        gap = unread(snapshot, resources.DEPLOYMENT, ref.namespace, ref.name)
        if deployment is not None:
            yield from assess_deployment(deployment, tenant=tenant.name)
        elif gap is not None:
            yield not_read(gap, f"tenant {tenant.name} needs it available", tenant=tenant.name)
        else:
            yield finding(
                "DeploymentMissing",
                f"{ref} of tenant {tenant.name} is not there",
                resolution="Find out why; the tenant's Ready does not look at it.",
                about=ref,
                tenant=tenant.name,
            )


def _name_length(tenant: TenantView, *, has_external_models: bool) -> Iterator[Finding]:
    if tenant.tenant_id is None:
        return
    length = len(tenant.tenant_id)
    longest = naming.MAX_ID_WITH_EXTERNAL_MODELS if has_external_models else naming.MAX_ID_ON_PRAXIS
    if length > longest:
        yield finding(
            "TenantNameTooLong",
            f"the tenant's name has {length} characters; on Praxis {longest} fit"
            f"{' with external models' if has_external_models else ''}; it would hang after its IPP is gone",
            resolution="Move the tenant's models to a tenant with a shorter name; a name cannot be changed.",
            about=tenant.config.ref,
            tenant=tenant.name,
            path=f"metadata.labels.{annotations.TENANT_NAME}",
        )
    elif length > naming.MAX_ID_WITH_EXTERNAL_MODELS:
        yield finding(
            "TenantNameLong",
            f"the tenant's name has {length} characters; with more than {naming.MAX_ID_WITH_EXTERNAL_MODELS} "
            "it can have no external models on Praxis",
            resolution="Remember it when somebody wants to add one.",
            about=tenant.config.ref,
            tenant=tenant.name,
            path=f"metadata.labels.{annotations.TENANT_NAME}",
        )
