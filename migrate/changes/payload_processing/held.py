"""
What has to go when a tenant changes engines and may not go at once: finalizers, and deletions that hang already.

The clean-up deletes by name; an object that a finalizer holds keeps its name, and the other engine waits on it.
Source: contract §4.2 steps 5 and 11, §4.3.
"""

from collections.abc import Iterable, Iterator

from migrate.changes.findings import finding
from migrate.changes.payload_processing.assess_running import is_maas_owned, is_praxis
from migrate.changes.payload_processing.assess_states import is_pod_of
from migrate.changes.platform.reading import found, listed
from migrate.changes.platform.tenants import TenantView
from migrate.maas import annotations, naming, resources
from migrate.records.assessment import Finding
from migrate.records.objects import KubeObject
from migrate.records.plan import Hint
from migrate.records.predicates import FieldPresent
from migrate.records.snapshot import Snapshot

_DELETED = ("metadata", "deletionTimestamp")


def objects_that_go(snapshot: Snapshot, gateway_namespace: str, tenant_id: str) -> Iterator[KubeObject]:
    """Yield what the engine of a tenant has in the gateway namespace, its Pods, and its binding for the cluster."""
    named = [
        found(snapshot, kind, gateway_namespace, naming.suffixed(base, tenant_id))
        for kind, base in naming.GATEWAY_KINDS
    ]
    reader = naming.suffixed(naming.PAYLOAD_PROCESSING_READER, tenant_id)
    named.append(found(snapshot, resources.CLUSTER_ROLE_BINDING, "", reader))
    for thing in named:
        if thing is not None and (is_maas_owned(thing) or is_praxis(thing)):
            yield thing
    for pod in listed(snapshot, resources.POD, gateway_namespace):
        if is_pod_of(pod, tenant_id):
            yield pod


def assess_held(snapshot: Snapshot, tenant: TenantView, models: Iterable[KubeObject]) -> Iterator[Finding]:
    """Yield a finding for each object that goes with IPP and that a finalizer holds, or that is going already."""
    if tenant.tenant_id is None or tenant.gateway is None:
        return
    for thing in objects_that_go(snapshot, tenant.gateway.namespace, tenant.tenant_id):
        yield from _held(thing, tenant.name)
    named = {(model.namespace, model.name) for model in models}
    for route in listed(snapshot, resources.HTTP_ROUTE):
        is_ipp = route.labels.get(annotations.MANAGED_BY) == annotations.IPP_EXTERNAL_MODEL_RECONCILER
        if is_ipp and (route.namespace, route.labels.get(annotations.INFERENCE_EXTERNAL_MODEL, "")) in named:
            yield from _held(route, tenant.name)


def _held(thing: KubeObject, tenant: str) -> Iterator[Finding]:
    by = ", ".join(thing.finalizers)
    if thing.is_deleting:
        if thing.kind == resources.CONFIG_MAP.kind:
            return  # That one is no advice: PluginsConfigMapTerminating.
        yield finding(
            "PayloadObjectTerminating",
            f"{thing.ref} is being deleted since {thing.get(*_DELETED)} and is "
            f"{f'held by {by}' if by else 'on its way'}: the clean-up of IPP has to see it go",
            resolution="Look whether it goes; whoever serves its finalizer has to let it go, this program never does.",
            about=thing.ref,
            tenant=tenant,
            path="metadata.deletionTimestamp",
        )
    elif by:
        yield finding(
            "HeldByFinalizer",
            f"{thing.ref} carries the finalizer {by}: the clean-up of IPP deletes it, and it goes only when somebody "
            "takes that away; Praxis waits on it until then",
            resolution="Make sure that whoever serves the finalizer is at work, or have it taken off before the flip.",
            about=thing.ref,
            tenant=tenant,
            path="metadata.finalizers",
        )


def hints_held(snapshot: Snapshot, gateway_namespace: str, tenant_id: str) -> tuple[Hint, ...]:
    """Return what a wait says while an object that somebody may hold does not go; by whom, it sees itself."""
    return tuple(
        Hint(when=FieldPresent(object=thing.ref, path=_DELETED), says=f"it waits for {thing.ref} to go")
        for thing in objects_that_go(snapshot, gateway_namespace, tenant_id)
        if thing.finalizers
    )
