"""What really runs, beside what is judged: old Pods, another ConfigMap, objects that the clean-up would not touch."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from migrate.changes.findings import finding
from migrate.changes.payload_processing.assess_states import pods_of
from migrate.changes.platform.reading import found
from migrate.changes.platform.tenants import TenantView
from migrate.changes.survey import config_maps_of, external_model_queries, other_config_maps, payload_deployments
from migrate.maas import annotations, naming, resources
from migrate.records.assessment import Finding
from migrate.records.objects import KubeObject, ObjectRef, get_in
from migrate.records.snapshot import Snapshot


def parse_instant(text: Any) -> datetime | None:
    """Return an instant with its zone; None for what is none. A time without a zone is UTC, as Kubernetes writes it."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def changed_at(config_map: KubeObject) -> datetime | None:
    """Return when the content of a ConfigMap last changed, None when nothing says. Source: case CH-10."""
    entries = [entry for entry in config_map.managed_fields if _writes_data(entry)]
    times = [parse_instant(entry.get("time")) for entry in entries]
    known = [time for time in times if time is not None]
    # One entry without a time may be the latest of all.
    return max(known) if known and len(known) == len(times) else None


def _writes_data(entry: Any) -> bool:
    fields = get_in(entry, "fieldsV1")
    return not isinstance(fields, dict) or "f:data" in fields or "f:binaryData" in fields


def assess_pods(snapshot: Snapshot, tenant: TenantView, config_map: KubeObject) -> tuple[Finding, ...]:
    """Return a finding for each Pod that started before the ConfigMap last changed. Source: case CH-10."""
    pods = pods_of(snapshot, tenant)
    changed = changed_at(config_map)
    started = [(pod, _started_at(pod)) for pod in pods]
    if pods and (changed is None or any(at is None for _, at in started)):
        return (
            finding(
                "ConfigMapAgeUnknown",
                f"whether the Pods of tenant {tenant.name} run what {config_map.ref} holds is unknown: "
                + ("its last change has no time" if changed is None else "a Pod does not say when it started"),
                resolution="Restart both Deployments when in doubt; the verdict speaks of the ConfigMap only.",
                about=config_map.ref,
                tenant=tenant.name,
                path="metadata.managedFields",
            ),
        )
    return tuple(
        finding(
            "PodOlderThanConfigMap",
            f"{pod.ref} started at {at.isoformat()}, before {config_map.ref} last changed "
            f"({changed.isoformat()}): it runs an older text; the verdict speaks of the ConfigMap only",
            resolution="Restart the Deployment, or find out which text serves, before the migration.",
            about=pod.ref,
            tenant=tenant.name,
            path="status.startTime",
        )
        for pod, at in started
        if at is not None and changed is not None and at < changed
    )


def _started_at(pod: KubeObject) -> datetime | None:
    """Return when its containers started: a restarted one has read the text anew, so the earliest counts."""
    statuses = pod.get("status", "containerStatuses")
    times = [
        parse_instant(get_in(status, "state", "running", "startedAt"))
        for status in (statuses if isinstance(statuses, list) else ())
    ]
    known = [time for time in times if time is not None]
    return min(known) if known and len(known) == len(times) else parse_instant(pod.get("status", "startTime"))


def assess_source(snapshot: Snapshot, tenant: TenantView) -> tuple[tuple[Finding, ...], tuple[ObjectRef, ...]]:
    """
    Return findings for Deployments that run from another ConfigMap, and what is to be backed up because of it.

    Source: case CH-11.
    """
    own = tenant.at_gateway(resources.CONFIG_MAP, naming.PLUGINS_CONFIG_MAP)
    if own is None:
        return (), ()
    others = set(other_config_maps(snapshot, tenant))
    findings: list[Finding] = []
    extra: list[ObjectRef] = []
    for deployment in payload_deployments(snapshot, tenant):
        read = config_maps_of(deployment)
        strange = sorted(read & others)
        if own.name in read and not strange:
            continue
        findings.append(_runs_from(deployment, strange, own, tenant))
        for name in strange:
            thing = found(snapshot, resources.CONFIG_MAP, deployment.namespace, name)
            extra += [thing.ref] if thing is not None else []
        extra.append(deployment.ref)
    return tuple(findings), tuple(dict.fromkeys(extra))


def _runs_from(deployment: KubeObject, strange: list[str], own: ObjectRef, tenant: TenantView) -> Finding:
    names = ", ".join(strange) if strange else "no ConfigMap at all"
    beside = f" beside {own.name}" if own.name in config_maps_of(deployment) else f", not from {own.name}"
    return finding(
        "IppRunsFromAnotherConfigMap",
        f"IPP runs from ConfigMap {names}{beside} ({deployment.ref}, image {', '.join(_images(deployment))}); "
        "the controller's gate does not see it, and the clean-up deletes this Deployment",
        resolution="Find out what it does that Praxis will not do; it and the Deployment are backed up.",
        about=deployment.ref,
        tenant=tenant.name,
        path="spec.template.spec.volumes",
    )


def _images(deployment: KubeObject) -> list[str]:
    containers = deployment.get("spec", "template", "spec", "containers")
    images = [get_in(entry, "image") for entry in (containers if isinstance(containers, list) else ())]
    return [image for image in images if isinstance(image, str)] or ["none"]


def is_praxis(thing: KubeObject) -> bool:
    """Return whether an object is ai-gateway-controller's. Source: contract §2.3."""
    return (
        thing.labels.get(annotations.MANAGED_BY) == annotations.AI_GATEWAY_CONTROLLER
        or annotations.AI_GATEWAY_CONTROLLER in thing.managers
    )


def is_maas_owned(thing: KubeObject) -> bool:
    """Return whether the clean-up of IPP would delete an object. Source: contract §4.3."""
    if annotations.AI_GATEWAY_CONTROLLER in thing.managers:
        return False
    return (
        annotations.is_opted_out(thing.annotations)
        or annotations.MAAS_CONTROLLER in thing.managers
        or annotations.TENANT_NAME in thing.labels
        or any(
            owner.get("kind") == resources.CONFIG.kind
            and owner.get("controller") is True
            and str(owner.get("apiVersion", "")).partition("/")[0] == resources.MAAS_GROUP
            for owner in thing.owners
        )
    )


def assess_ownership(snapshot: Snapshot, tenant: TenantView) -> tuple[Finding, ...]:
    """Return a finding for each object with a name of the tenant's that nobody would clean up. Contract §4.3, §4.8."""
    if tenant.tenant_id is None or tenant.gateway is None:
        return ()
    things = [
        found(snapshot, kind, tenant.gateway.namespace, naming.suffixed(base, tenant.tenant_id))
        for kind, base in naming.GATEWAY_KINDS
    ]
    reader = naming.suffixed(naming.PAYLOAD_PROCESSING_READER, tenant.tenant_id)
    things.append(found(snapshot, resources.CLUSTER_ROLE_BINDING, "", reader))
    strange = [
        snapshot.find(query.group, query.kind, query.namespace, query.name) for query in external_model_queries(tenant)
    ]
    strangers = [
        *(thing for thing in things if thing is not None and not is_maas_owned(thing)),
        *(thing for thing in strange if thing is not None),
    ]
    return tuple(_unowned(thing, tenant) for thing in strangers)


def _unowned(thing: KubeObject, tenant: TenantView) -> Finding:
    if is_praxis(thing):
        return finding(
            "PraxisHoldsNames",
            f"{thing.ref} belongs to ai-gateway-controller though tenant {tenant.name} runs on IPP: "
            "an earlier migration or rollback was not finished",
            resolution="Let ai-gateway-controller clean up, or find out why it does not, before the migration.",
            about=thing.ref,
            tenant=tenant.name,
            path="metadata.managedFields",
        )
    return finding(
        "ObjectWithoutOwnershipMark",
        f"{thing.ref} has a name of tenant {tenant.name}'s and no mark that MaaS made it: the clean-up leaves it, "
        "and Praxis waits on it for ever",
        resolution="Rename or remove it if it is yours; a plugins ConfigMap is adopted on 3.5 within five minutes.",
        about=thing.ref,
        tenant=tenant.name,
        path="metadata",
    )


def assess_opt_outs(snapshot: Snapshot, tenant: TenantView) -> Iterator[Finding]:
    """Yield a finding for each rendered object of a tenant that the controllers leave alone. Source: contract §2.2."""
    if tenant.tenant_id is None or tenant.gateway is None:
        return
    at = tenant.gateway.namespace
    for kind, base in naming.GATEWAY_KINDS:
        thing = found(snapshot, kind, at, naming.suffixed(base, tenant.tenant_id))
        # On the plugins ConfigMap the mark is the product's own.
        if kind is not resources.CONFIG_MAP and thing is not None and annotations.is_opted_out(thing.annotations):
            yield _opted_out(thing, tenant, "it is not protected: the clean-up of IPP deletes it all the same")
    api = naming.suffixed(naming.MAAS_API, tenant.tenant_id)
    thing = found(snapshot, resources.DEPLOYMENT, tenant.infra_namespace, api) if tenant.infra_namespace else None
    if thing is not None and annotations.is_opted_out(thing.annotations):
        yield _opted_out(
            thing, tenant, "the upgrade leaves it on 3.5, and new subscriptions get no rateLimitId from it"
        )


def _opted_out(thing: KubeObject, tenant: TenantView, why: str) -> Finding:
    return finding(
        "ObjectOptedOut",
        f"{thing.ref} carries {annotations.MANAGED}=false: {why}",
        resolution="Find out why it was opted out, and whether that is still wanted on 3.6.",
        about=thing.ref,
        tenant=tenant.name,
        path=f"metadata.annotations.{annotations.MANAGED}",
    )
