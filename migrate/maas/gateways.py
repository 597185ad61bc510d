"""
Which Gateway serves a tenant.

Source: contract §2.5. The plugins ConfigMap lives in the gateway's namespace, not in the tenant's.
"""

from typing import Final, Literal

from migrate.maas import annotations, resources
from migrate.records.objects import KubeObject, ObjectRef, Record

How = Literal["aitenant", "legacy-tenant", "controller-flags"]

GATEWAY_NAME_FLAG: Final = "--gateway-name"
"""Flag of maas-controller. Source: contract §1.2."""
GATEWAY_NAMESPACE_FLAG: Final = "--gateway-namespace"
"""Flag of maas-controller. Source: contract §1.2."""
GATEWAY_NAME_ENV: Final = "GATEWAY_NAME"
"""Environment variable of maas-controller. Source: contract §1.2."""
GATEWAY_NAMESPACE_ENV: Final = "GATEWAY_NAMESPACE"
"""Environment variable of maas-controller. Source: contract §1.2."""


class GatewayError(ValueError):
    """The Gateway of a tenant cannot be told; the controller says ``InvalidGateway``."""


class GatewayChoice(Record, kw_only=True):
    """The Gateway of a tenant, and what named it."""

    gateway: ObjectRef
    how: How


def aitenant_ref(config: KubeObject) -> ObjectRef | None:
    """Return the AITenant that the annotations of a MaasTenantConfig name, or None when none does."""
    name = config.annotations.get(annotations.AITENANT_NAME, "")
    namespace = config.annotations.get(annotations.AITENANT_NAMESPACE, "")
    return resources.AI_TENANT.ref(namespace, name) if name and namespace else None


def is_managed_by_aitenant(config: KubeObject) -> bool:
    """Return whether the gateway is named by an AITenant."""
    return config.labels.get(annotations.MANAGED_BY_AITENANT) == "true"


def gateway_of(
    config: KubeObject, aitenant: KubeObject | None, legacy_tenant: KubeObject | None, controller: KubeObject | None
) -> GatewayChoice:
    """
    Return the Gateway of *config*.

    Args:
        config: The MaasTenantConfig.

        aitenant: The object that ``aitenant_ref`` names, None when it is absent.

        legacy_tenant: The Tenant of the same namespace, None when it is absent.

        controller: The Deployment of maas-controller, None takes the defaults of its flags.

    Raises:
        GatewayError: The reference is missing or only half of it is there.
    """
    if is_managed_by_aitenant(config):
        return _from_aitenant(config, aitenant)
    reference = legacy_tenant.get("spec", "gatewayRef") if legacy_tenant is not None else None
    if legacy_tenant is not None and reference:
        return GatewayChoice(
            gateway=_reference(legacy_tenant, "spec", "gatewayRef"),
            how="legacy-tenant",
        )
    name = flag_of(controller, GATEWAY_NAME_FLAG, GATEWAY_NAME_ENV) or resources.DEFAULT_GATEWAY
    namespace = flag_of(controller, GATEWAY_NAMESPACE_FLAG, GATEWAY_NAMESPACE_ENV) or resources.GATEWAY_NAMESPACE
    return GatewayChoice(gateway=resources.GATEWAY.ref(namespace, name), how="controller-flags")


def _from_aitenant(config: KubeObject, aitenant: KubeObject | None) -> GatewayChoice:
    if aitenant is None:
        named = aitenant_ref(config)
        raise GatewayError(f"{named} is not there" if named else f"{config.ref} does not name its AITenant")
    return GatewayChoice(gateway=_reference(aitenant, "status", "gatewayRef"), how="aitenant")


def _reference(thing: KubeObject, *path: str) -> ObjectRef:
    name, namespace = thing.get(*path, "name"), thing.get(*path, "namespace")
    if not (isinstance(name, str) and name and isinstance(namespace, str) and namespace):
        raise GatewayError(f"{thing.ref} does not give both name and namespace in {'.'.join(path)}")
    return resources.GATEWAY.ref(namespace, name)


def flag_of(deployment: KubeObject | None, flag: str, env: str) -> str:
    """
    Return a flag's value from the args, else from the environment, of a Deployment's containers; ``""`` for neither.

    An argument that reads ``$(NAME)`` stands for that environment variable. Source: contract §1.2.
    """
    for container in _containers(deployment):
        variables = {str(entry.get("name")): str(entry.get("value") or "") for entry in _dicts(container.get("env"))}
        for value in _values(container, flag):
            inner = value[2:-1] if value.startswith("$(") and value.endswith(")") else ""
            return variables.get(inner, "") if inner else value
        if variables.get(env):
            return variables[env]
    return ""


def _values(container: dict[str, object], flag: str) -> list[str]:
    words = [str(word) for key in ("command", "args") for word in _list(container.get(key))]
    given = [word.partition("=")[2] for word in words if word.startswith(f"{flag}=")]
    given += [words[place + 1] for place, word in enumerate(words[:-1]) if word == flag]
    return given


def _containers(deployment: KubeObject | None) -> list[dict[str, object]]:
    return _dicts(deployment.get("spec", "template", "spec", "containers")) if deployment is not None else []


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _dicts(value: object) -> list[dict[str, object]]:
    return [entry for entry in _list(value) if isinstance(entry, dict)]
