"""A tenant as the controllers see it when they render its objects. Used by 3.5 and 3.6 alike."""

from dataclasses import dataclass
from typing import Final

from migrate.maas import annotations, naming, resources
from migrate.maas.gateways import GatewayError, gateway_of
from migrate.maas.resources import AI_TENANT, CONFIG, DEPLOYMENT, MAAS_TENANT_CONFIG, TENANT
from migrate.records.objects import Json, KubeObject
from migrate.sandbox.controllers.view import View

INFRA_LABEL: Final = "maas.opendatahub.io/gateway-access"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenancy:
    """
    One tenant, with all that names and fills its objects.

    Attributes:
        id: ``""`` for the default names.

        config: The MaasTenantConfig as read.

        config_owner: The Config ``default`` as read, owner of what is rendered.

        release: ``3.5`` or ``3.6``, the tag of the images.
    """

    id: str
    name: str
    namespace: str
    gateway_name: str
    gateway_namespace: str
    infra_namespace: str
    config: Json
    config_owner: Json
    release: str

    @property
    def labels(self) -> dict[str, str]:
        """The labels that name the tenant."""
        return {annotations.TENANT_NAME: self.name, annotations.TENANT_NAMESPACE: self.namespace}

    def named(self, base: str) -> str:
        """Return the tenant's name for *base*."""
        return naming.suffixed(base, self.id)

    @property
    def owner(self) -> Json:
        """The owner reference of what is rendered."""
        metadata = self.config_owner["metadata"]
        return {
            "apiVersion": CONFIG.api_version,
            "kind": CONFIG.kind,
            "name": metadata["name"],
            "uid": metadata["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }


def controller_deployment(view: View) -> Json | None:
    """Return the Deployment of maas-controller, in whichever applications namespace it runs."""
    for namespace in resources.APPLICATIONS_NAMESPACES:
        found = view.get(DEPLOYMENT, namespace, resources.MAAS_CONTROLLER_DEPLOYMENT)
        if found is not None:
            return found
    return None


def applications_namespace(view: View) -> str:
    """Return the namespace of maas-controller."""
    found = controller_deployment(view)
    return str(found["metadata"]["namespace"]) if found else resources.APPLICATIONS_NAMESPACE


def infra_namespace(view: View) -> str:
    """Return the namespace of maas-api."""
    own = applications_namespace(view)
    return resources.INFRA_NAMESPACES.get(own, own)


def monitoring_namespace(view: View) -> str:
    """Return the namespace of the dashboards."""
    own = applications_namespace(view)
    return resources.MONITORING_NAMESPACES.get(own, own)


def tenancy_of(view: View, config: Json, owner: Json, release: str) -> Tenancy:
    """
    Return the tenant behind a MaasTenantConfig.

    Raises:
        TenantIdentityError: Its labels contradict themselves.

        GatewayError: Its gateway cannot be told.
    """
    known = KubeObject(config)
    tenant_id = naming.tenant_id_of(known)
    gateway = gateway_of(known, _object(view, AI_TENANT, known), _legacy(view, known), _controller(view)).gateway
    return Tenancy(
        id=tenant_id,
        name=naming.tenant_name_of(known),
        namespace=known.namespace,
        gateway_name=gateway.name,
        gateway_namespace=gateway.namespace,
        infra_namespace=infra_namespace(view),
        config=config,
        config_owner=owner,
        release=release,
    )


def tenant_configs(view: View) -> list[Json]:
    """Return every MaasTenantConfig, by namespace."""
    return view.list(MAAS_TENANT_CONFIG)


def _object(view: View, kind: resources.Kind, config: KubeObject) -> KubeObject | None:
    namespace = config.annotations.get(annotations.AITENANT_NAMESPACE, "")
    found = view.get(kind, namespace, config.annotations.get(annotations.AITENANT_NAME, ""))
    return KubeObject(found) if found else None


def _legacy(view: View, config: KubeObject) -> KubeObject | None:
    found = view.get(TENANT, config.namespace, resources.TENANT_CONFIG_NAME)
    return KubeObject(found) if found else None


def _controller(view: View) -> KubeObject | None:
    found = controller_deployment(view)
    return KubeObject(found) if found else None


__all__ = [
    "GatewayError",
    "Tenancy",
    "applications_namespace",
    "controller_deployment",
    "infra_namespace",
    "monitoring_namespace",
    "tenancy_of",
    "tenant_configs",
]
