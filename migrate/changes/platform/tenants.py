"""The tenants of a cluster: which they are, what their objects are called, which Gateway serves them."""

from dataclasses import dataclass

from migrate.changes.platform.reading import controller_of, found, listed, unread
from migrate.maas import gateways, naming, resources
from migrate.maas.resources import Kind
from migrate.records.objects import KubeObject, ObjectRef
from migrate.records.snapshot import Gap, Snapshot


@dataclass(frozen=True, slots=True)
class TenantView:
    """
    One tenant as its MaasTenantConfig tells it.

    Attributes:
        name: As for ``--tenant``; for the screen only when *tenant_id* is None.

        tenant_id: The suffix of its objects' names, None when the labels do not say.

        identity_error: Why *tenant_id* is None.

        aitenant: Its AITenant, None when there is none or it was not read.

        gateway: Its Gateway, None when it cannot be told.

        gateway_error: Why *gateway* is None.

        gateway_gap: The read that failed, when that is why.

        infra_namespace: Where its maas-api runs, ``""`` when nothing says.
    """

    config: KubeObject
    name: str
    tenant_id: str | None
    identity_error: str = ""
    aitenant: KubeObject | None = None
    gateway: ObjectRef | None = None
    gateway_error: str = ""
    gateway_gap: Gap | None = None
    infra_namespace: str = ""

    @property
    def namespace(self) -> str:
        """Where the tenant lives."""
        return self.config.namespace

    def at_gateway(self, kind: Kind, base: str) -> ObjectRef | None:
        """Return its object of that base name in the gateway's namespace, None when a part of the name is unknown."""
        if self.tenant_id is None or self.gateway is None:
            return None
        return kind.ref(self.gateway.namespace, naming.suffixed(base, self.tenant_id))


def tenants_of(snapshot: Snapshot) -> tuple[TenantView, ...]:
    """Return every tenant of the cluster, by name."""
    configs = listed(snapshot, resources.MAAS_TENANT_CONFIG)
    return tuple(sorted((_view(snapshot, config) for config in configs), key=lambda view: (view.name, view.namespace)))


def _view(snapshot: Snapshot, config: KubeObject) -> TenantView:
    tenant_id: str | None = None
    identity_error = ""
    try:
        tenant_id = naming.tenant_id_of(config)
    except naming.TenantIdentityError as error:
        identity_error = str(error)
    named = gateways.aitenant_ref(config)
    aitenant = found(snapshot, resources.AI_TENANT, named.namespace, named.name) if named else None
    gateway, gateway_error, gap = _gateway(snapshot, config, aitenant)
    return TenantView(
        config=config,
        name=naming.tenant_name_of(config),
        tenant_id=tenant_id,
        identity_error=identity_error,
        aitenant=aitenant,
        gateway=gateway,
        gateway_error=gateway_error,
        gateway_gap=gap,
        infra_namespace=_infra_namespace(snapshot, config),
    )


def _infra_namespace(snapshot: Snapshot, config: KubeObject) -> str:
    """Return what the status says, else what follows from where the controller runs. Source: contract §1.2."""
    stated = config.get("status", "infraNamespace")
    if isinstance(stated, str) and stated:
        return stated
    controller = controller_of(snapshot)
    if controller is None:
        return ""
    return resources.INFRA_NAMESPACES.get(controller.namespace, controller.namespace)


def _gateway(
    snapshot: Snapshot, config: KubeObject, aitenant: KubeObject | None
) -> tuple[ObjectRef | None, str, Gap | None]:
    named = gateways.aitenant_ref(config)
    gap: Gap | None = None
    if gateways.is_managed_by_aitenant(config):
        gap = unread(snapshot, resources.AI_TENANT, named.namespace, named.name) if named else None
    else:
        gap = unread(snapshot, resources.TENANT, config.namespace, resources.TENANT_CONFIG_NAME)
    if gap is not None:
        return None, f"{gap.query} was not read, so the gateway of {config.ref} cannot be told", gap
    legacy = found(snapshot, resources.TENANT, config.namespace, resources.TENANT_CONFIG_NAME)
    try:
        choice = gateways.gateway_of(config, aitenant, legacy, controller_of(snapshot))
    except gateways.GatewayError as error:
        return None, str(error), None
    return choice.gateway, "", None
