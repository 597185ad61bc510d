"""
What maas-controller deletes of IPP when a tenant moves to Praxis, in which order, and what it leaves alone.

Pure. Source: contract 4.3, 4.8.
"""

from typing import Final

from migrate.maas import annotations, naming, resources
from migrate.maas.resources import Kind
from migrate.records.objects import KubeObject, ObjectRef

_STAGES: Final = (naming.PAYLOAD_PROCESSING, naming.PAYLOAD_PRE_PROCESSING)

_ORDER: Final[tuple[tuple[Kind, tuple[str, ...]], ...]] = (
    (resources.HPA, _STAGES),
    (resources.DEPLOYMENT, _STAGES),
    (resources.SERVICE, _STAGES),
    (resources.ENVOY_FILTER, _STAGES[:1]),
    (resources.NETWORK_POLICY, _STAGES[:1]),
    (resources.DESTINATION_RULE, _STAGES),
    (resources.SERVICE_ACCOUNT, _STAGES[:1]),
    (resources.CONFIG_MAP, (naming.PLUGINS_CONFIG_MAP,)),
    (resources.CLUSTER_ROLE_BINDING, (naming.PAYLOAD_PROCESSING_READER,)),
)


def ipp_resources(tenant_id: str, gateway_namespace: str) -> tuple[tuple[Kind, ObjectRef], ...]:
    """Return every IPP object of a tenant, in the order in which the clean-up deletes them."""
    return tuple(
        (kind, kind.ref(gateway_namespace if kind.namespaced else "", naming.suffixed(base, tenant_id)))
        for kind, bases in _ORDER
        for base in bases
    )


def propagation_of(kind: Kind) -> str:
    """Return the propagation policy with which an object of *kind* is deleted."""
    return "Foreground" if kind == resources.DEPLOYMENT else "Background"


def is_maas_owned(thing: KubeObject) -> bool:
    """
    Return whether the clean-up may delete *thing*.

    ai-gateway-controller must not be among its field managers, and one mark of
    ownership must be there: ``managed: "false"`` (it protects from being
    applied, not from being cleaned), the Config as controller, the field
    manager maas-controller, or the label of a tenant.
    """
    if annotations.AI_GATEWAY_CONTROLLER in thing.managers:
        return False
    return (
        annotations.is_opted_out(thing.annotations)
        or any(owner.get("kind") == resources.CONFIG.kind and owner.get("controller") is True for owner in thing.owners)
        or annotations.MAAS_CONTROLLER in thing.managers
        or annotations.TENANT_NAME in thing.labels
    )


def is_payload_pod(pod: KubeObject, tenant_id: str) -> bool:
    """Return whether *pod* belongs to one of the tenant's two payload Deployments."""
    names = {naming.suffixed(stage, tenant_id) for stage in _STAGES}
    instance = pod.labels.get(annotations.TENANT_INSTANCE, "")
    return instance in names if instance else not tenant_id and pod.labels.get(annotations.APP, "") in _STAGES


def is_ipp_route(route: KubeObject, models: "dict[tuple[str, str], KubeObject]") -> bool:
    """
    Return whether *route* was made by IPP for one of *models* (by namespace and name).

    Two labels, a controller reference to an existing inference ExternalModel
    with the same UID, and no field of ai-gateway-controller.
    """
    name = route.labels.get(annotations.INFERENCE_EXTERNAL_MODEL, "")
    if route.labels.get(annotations.MANAGED_BY) != annotations.IPP_EXTERNAL_MODEL_RECONCILER or not name:
        return False
    model = models.get((route.namespace, name))
    if model is None or annotations.AI_GATEWAY_CONTROLLER in route.managers:
        return False
    return any(
        owner.get("controller") is True
        and owner.get("kind") == resources.EXTERNAL_MODEL.kind
        and str(owner.get("apiVersion", "")).startswith(f"{resources.EXTERNAL_MODEL.group}/")
        and owner.get("uid") == model.uid
        for owner in route.owners
    )
