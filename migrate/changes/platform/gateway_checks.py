"""The Gateway of a tenant, and its namespace: where alone an absent ConfigMap may be believed."""

from collections.abc import Iterator

from migrate.changes.findings import finding, not_read
from migrate.changes.platform.health import condition_state
from migrate.changes.platform.reading import found, maps, text, unread
from migrate.changes.platform.tenants import TenantView
from migrate.maas import resources
from migrate.records.assessment import Finding
from migrate.records.objects import KubeObject, get_in
from migrate.records.snapshot import Snapshot

PROGRAMMED = ("Accepted", "Programmed")
"""Conditions that a Gateway must have. Source: contract §7.2, 4."""


def assess_gateway(snapshot: Snapshot, tenant: TenantView) -> tuple[Finding, ...]:
    """Return what is wrong with the tenant's Gateway, its listeners or its namespace."""
    if tenant.gateway is None:
        return tuple(_unresolved(tenant))
    return (*_namespace(snapshot, tenant), *_gateway(snapshot, tenant))


def gateway_namespace_exists(snapshot: Snapshot, tenant: TenantView) -> bool:
    """Return whether a read has shown the namespace of the tenant's Gateway. Source: case CH-09."""
    if tenant.gateway is None:
        return False
    return found(snapshot, resources.NAMESPACE, "", tenant.gateway.namespace) is not None


def _unresolved(tenant: TenantView) -> Iterator[Finding]:
    if tenant.gateway_gap is not None:
        yield not_read(tenant.gateway_gap, f"it gives the gateway of tenant {tenant.name}", tenant=tenant.name)
    elif tenant.gateway_error:
        yield finding(
            "InvalidGateway",
            f"the Gateway of tenant {tenant.name} cannot be told: {tenant.gateway_error}",
            resolution="Give the AITenant a gateway that exists, and wait until its status names it.",
            about=tenant.aitenant.ref if tenant.aitenant else tenant.config.ref,
            tenant=tenant.name,
            path="status.gatewayRef",
        )


def _namespace(snapshot: Snapshot, tenant: TenantView) -> Iterator[Finding]:
    if tenant.gateway is None:
        return
    name = tenant.gateway.namespace
    there = found(snapshot, resources.NAMESPACE, "", name)
    if there is not None:
        if there.is_deleting:
            yield finding(
                "ObjectTerminating",
                f"{there.ref}, in which all payload processing of tenant {tenant.name} lives, is being deleted since "
                f"{there.get('metadata', 'deletionTimestamp')}: nothing new can be created in it",
                resolution="Find out who deletes it; nothing is migrated while it goes.",
                about=there.ref,
                tenant=tenant.name,
            )
        return
    gap = unread(snapshot, resources.NAMESPACE, "", name)
    if gap is not None:
        yield not_read(gap, "an absent ConfigMap in it would prove nothing", tenant=tenant.name)
        return
    yield finding(
        "GatewayNamespaceMissing",
        f"the namespace {name}, in which the Gateway of tenant {tenant.name} is said to be, is not there",
        resolution="Correct the gateway reference of the AITenant.",
        about=resources.NAMESPACE.ref("", name),
        tenant=tenant.name,
    )


def _gateway(snapshot: Snapshot, tenant: TenantView) -> Iterator[Finding]:
    if tenant.gateway is None:
        return
    gateway = found(snapshot, resources.GATEWAY, tenant.gateway.namespace, tenant.gateway.name)
    if gateway is None:
        gap = unread(snapshot, resources.GATEWAY, tenant.gateway.namespace, tenant.gateway.name)
        if gap is not None:
            yield not_read(gap, f"it serves tenant {tenant.name}", tenant=tenant.name)
            return
        yield finding(
            "GatewayMissing",
            f"{tenant.gateway}, the Gateway of tenant {tenant.name}, is not there",
            resolution="Create the Gateway, or correct the gateway reference of the AITenant.",
            about=tenant.gateway,
            tenant=tenant.name,
        )
        return
    wrong = [*_conditions(gateway), *_listeners(gateway)]
    if gateway.is_deleting:
        wrong.insert(0, f"it is being deleted since {gateway.get('metadata', 'deletionTimestamp')}")
    if wrong:
        yield finding(
            "GatewayNotProgrammed",
            f"{gateway.ref} does not serve: {'; '.join(wrong)}",
            resolution="Mend the Gateway before the migration; Praxis would not be reached either.",
            about=gateway.ref,
            tenant=tenant.name,
            path="status.conditions",
        )


def _conditions(gateway: KubeObject) -> Iterator[str]:
    for name in PROGRAMMED:
        state, seen = condition_state(gateway, name)
        if state not in {"true", "unreported"}:
            yield f"{name}: {seen}"


def _listeners(gateway: KubeObject) -> Iterator[str]:
    for listener in maps(gateway.get("status", "listeners")):
        states = {text(entry.get("type")): entry.get("status") for entry in maps(listener.get("conditions"))}
        # A listener that reports nothing of the kind is judged by the Gateway's own condition.
        if states.get("Programmed", "True") != "True":
            yield f"listener {get_in(listener, 'name')} is not Programmed"
