"""What must hold of the cluster as a whole before anything is planned. Source: contract §7.1, §7.2."""

from collections.abc import Iterator

from migrate.changes.findings import finding
from migrate.changes.platform.health import assess_deployment, condition_state
from migrate.changes.platform.reading import (
    application_namespaces,
    controller_of,
    found,
    kuadrant_namespaces,
    listed,
    served,
    unread,
)
from migrate.changes.platform.versions import Platform
from migrate.maas import resources
from migrate.maas.resources import Kind
from migrate.records.assessment import Finding
from migrate.records.objects import KubeObject, get_in
from migrate.records.snapshot import Snapshot

MONITORING_CONDITIONS = ("MonitoringReady", "MonitoringStackAvailable", "PersesAvailable")
"""Of DSCInitialization; maas-controller warns when one is not True. Source: contract §7.1."""
MANAGED = "Managed"
"""Management state of a component. Source: contract §1.10."""


def assess_cluster(snapshot: Snapshot, platform: Platform) -> tuple[Finding, ...]:
    """Return what stands in the way of every tenant."""
    return (
        *_identity(snapshot),
        *_kinds(snapshot),
        *_config(snapshot),
        *_data_science_cluster(snapshot),
        *_controllers(snapshot, platform),
        *_components(snapshot),
        *_monitoring(snapshot),
        *_tenants_exist(snapshot),
    )


def _identity(snapshot: Snapshot) -> Iterator[Finding]:
    if not snapshot.cluster.id and found(snapshot, resources.NAMESPACE, "", resources.KUBE_SYSTEM) is None:
        yield finding(
            "ClusterIdentityUnknown",
            "the UID of Namespace kube-system is not known, so a plan could not be bound to this cluster",
            resolution="Allow the read of Namespace kube-system (maas-migrate rbac --for plan prints the Roles), "
            "then run this again.",
            about=resources.NAMESPACE.ref("", resources.KUBE_SYSTEM),
        )


def _kinds(snapshot: Snapshot) -> Iterator[Finding]:
    for kind in resources.REQUIRED:
        if served(snapshot, kind) or unread(snapshot, kind) is not None or _vouched_for(snapshot, kind):
            continue
        yield finding(
            "RequiredKindMissing",
            f"the API server does not know {kind.kind} of {kind.group}",
            resolution="Install what brings this kind (MaaS, Kuadrant, Gateway API or Istio), then run this again.",
            about=resources.CRD.ref("", kind.crd_name),
        )


def _vouched_for(snapshot: Snapshot, kind: Kind) -> bool:
    """Return whether maas-controller itself says that the kind is there, as it does for AuthConfig."""
    if kind is not resources.AUTH_CONFIG:
        return False
    configs = listed(snapshot, resources.MAAS_TENANT_CONFIG)
    return bool(configs) and all(condition_state(config, "DependenciesAvailable")[0] == "true" for config in configs)


def _config(snapshot: Snapshot) -> Iterator[Finding]:
    config = found(snapshot, resources.CONFIG, "", resources.CONFIG_NAME)
    about = resources.CONFIG.ref("", resources.CONFIG_NAME)
    if config is None:
        if unread(snapshot, resources.CONFIG, "", resources.CONFIG_NAME) is None:
            yield finding(
                "ConfigMissing",
                "there is no Config called default; maas-controller waits for it",
                resolution="Enable Models-as-a-Service in the DataScienceCluster, and wait for the Config.",
                about=about,
            )
    elif config.is_deleting:
        yield finding(
            "ObjectTerminating",
            f"{config.ref} is being deleted since {config.get('metadata', 'deletionTimestamp')}",
            resolution="Find out who deletes it; nothing is migrated while it goes.",
            about=config.ref,
        )


def _data_science_cluster(snapshot: Snapshot) -> Iterator[Finding]:
    for thing in listed(snapshot, resources.DATA_SCIENCE_CLUSTER):
        components = thing.get("spec", "components", default={})
        new = (
            get_in(components, "aigateway", "managementState"),
            get_in(components, "aigateway", "modelsAsAService", "managementState"),
        )
        old = get_in(components, "kserve", "modelsAsService", "managementState")
        if new == (MANAGED, MANAGED) or old == MANAGED:
            continue
        yield finding(
            "MaaSNotManaged",
            f"{thing.ref} does not manage Models-as-a-Service (aigateway: {new[0]}, modelsAsAService: {new[1]}, "
            f"kserve.modelsAsService: {old})",
            resolution="Set spec.components.aigateway.modelsAsAService.managementState to Managed.",
            about=thing.ref,
            path="spec.components.aigateway.modelsAsAService.managementState",
        )


def _controllers(snapshot: Snapshot, platform: Platform) -> Iterator[Finding]:
    names = [resources.MAAS_CONTROLLER_DEPLOYMENT]
    if platform == "3.6":
        names.append(resources.AI_GATEWAY_CONTROLLER_DEPLOYMENT)
    for name in names:
        deployment = controller_of(snapshot, name)
        if deployment is not None:
            yield from assess_deployment(deployment)
            continue
        spaces = application_namespaces(snapshot)
        if all(unread(snapshot, resources.DEPLOYMENT, namespace, name) is None for namespace in spaces):
            yield _missing(name, spaces)


def _missing(name: str, namespaces: tuple[str, ...]) -> Finding:
    return finding(
        "DeploymentMissing",
        f"there is no Deployment {name} in {' or '.join(namespaces)}",
        resolution="Find out why it is not there; nothing is migrated without it.",
        about=resources.DEPLOYMENT.ref(namespaces[0], name),
    )


def _components(snapshot: Snapshot) -> Iterator[Finding]:
    for kind in (resources.KUADRANT, resources.AUTHORINO, resources.LIMITADOR):
        things = listed(snapshot, kind)
        if not things and unread(snapshot, kind) is None:
            yield finding(
                "ComponentNotReady",
                f"there is no {kind.kind}: nothing enforces policies",
                resolution="Install Red Hat Connectivity Link (or Kuadrant) and create its instance.",
                about=None,
            )
        for thing in things:
            yield from _component(thing)
    for namespace in kuadrant_namespaces(snapshot):
        yield from _component_deployments(snapshot, namespace)


def _component(thing: KubeObject) -> Iterator[Finding]:
    state, seen = condition_state(thing, "Ready")
    if state not in {"true", "unreported"}:
        yield finding(
            "ComponentNotReady",
            f"{thing.ref} does not say Ready: {seen}",
            resolution="Mend it before the migration; policies would not be enforced.",
            about=thing.ref,
            path="status.conditions",
        )
    if thing.kind == resources.AUTHORINO.kind and not (
        thing.get("spec", "listener", "tls", "enabled") is True
        and thing.get("spec", "listener", "tls", "certSecretRef", "name")
    ):
        yield finding(
            "AuthorinoWithoutTls",
            f"{thing.ref} has no TLS on its listener, or names no certificate",
            resolution="Set spec.listener.tls.enabled and certSecretRef; maas-controller warns until then.",
            about=thing.ref,
            path="spec.listener.tls",
        )
    if thing.kind == resources.LIMITADOR.kind and _in_memory(thing):
        yield finding(
            "LimitadorInMemory",
            f"{thing.ref} keeps its counters in memory: when its Pod restarts, in the upgrade or at any other time, "
            "every quota starts again, whatever identity a subscription has",
            resolution="Give Limitador a Redis storage where that matters; else expect it and say so.",
            about=thing.ref,
            path="spec.storage",
        )


def _in_memory(limitador: KubeObject) -> bool:
    storage = limitador.get("spec", "storage")
    return not isinstance(storage, dict) or not (set(storage) - {"memory", "in-memory"})


def _component_deployments(snapshot: Snapshot, namespace: str) -> Iterator[Finding]:
    owners = {
        kind
        for kind in (resources.AUTHORINO, resources.LIMITADOR, resources.KUADRANT)
        if listed(snapshot, kind, namespace)
    }
    for kind, names in (
        (resources.AUTHORINO, (resources.AUTHORINO_DEPLOYMENT,)),
        (resources.LIMITADOR, resources.LIMITADOR_DEPLOYMENTS),
        (resources.KUADRANT, resources.KUADRANT_OPERATOR_DEPLOYMENTS),
    ):
        if kind not in owners:
            continue
        things = [found(snapshot, resources.DEPLOYMENT, namespace, name) for name in names]
        there = [thing for thing in things if thing is not None]
        for thing in there:
            yield from assess_deployment(thing)
        # Kuadrant's operator may run in a namespace of OLM's: its absence here proves nothing.
        if not there and kind is not resources.KUADRANT and _all_read(snapshot, namespace, names):
            yield _missing(names[0], (namespace,))


def _all_read(snapshot: Snapshot, namespace: str, names: tuple[str, ...]) -> bool:
    return all(unread(snapshot, resources.DEPLOYMENT, namespace, name) is None for name in names)


def _monitoring(snapshot: Snapshot) -> Iterator[Finding]:
    for thing in listed(snapshot, resources.DSC_INITIALIZATION):
        for name in MONITORING_CONDITIONS:
            condition = thing.condition(name)
            if condition is not None and condition.get("status") != "True":
                yield finding(
                    "MonitoringNotReady",
                    f"{thing.ref} says {name}={condition.get('status')}: {condition.get('message', '')}",
                    resolution="Mend monitoring; usage is not recorded until then.",
                    about=thing.ref,
                    path="status.conditions",
                )


def _tenants_exist(snapshot: Snapshot) -> Iterator[Finding]:
    kind = resources.MAAS_TENANT_CONFIG
    if served(snapshot, kind) and unread(snapshot, kind) is None and not listed(snapshot, kind):
        yield finding(
            "NoTenants",
            "there is no MaasTenantConfig in this cluster",
            resolution="Wait until maas-controller has made the default tenant, or check the cluster.",
        )
