"""One tenant of an example: its names and where it lives."""

from dataclasses import dataclass
from typing import Final

from migrate.maas import resources
from migrate.sandbox.examples.platform import MODEL_NAMESPACE


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """
    A tenant.

    Attributes:
        gateway_namespace: Where its Gateway and all of its payload processing live.

        model_namespace: Where its models live.
    """

    name: str
    gateway_name: str
    gateway_namespace: str = resources.GATEWAY_NAMESPACE
    model_namespace: str = MODEL_NAMESPACE

    @property
    def tenant_id(self) -> str:
        """The suffix of its objects, none for the default tenant. Source: contract 2.4."""
        return "" if self.name == resources.DEFAULT_TENANT_NAME else self.name

    @property
    def namespace(self) -> str:
        """Where its MaasTenantConfig and its subscriptions live."""
        prefix = resources.TENANT_NAMESPACE_PREFIX
        return f"{prefix}{self.name}" if self.tenant_id else resources.DEFAULT_TENANT_NAMESPACE

    @property
    def host(self) -> str:
        """The hostname of its Gateway."""
        return f"{self.gateway_name}.apps.example.com"


DEFAULT_TENANT: Final = Tenant(name=resources.DEFAULT_TENANT_NAME, gateway_name=resources.DEFAULT_GATEWAY)
"""The tenant that every installation has."""


def a_tenant(name: str, gateway_namespace: str = resources.GATEWAY_NAMESPACE) -> Tenant:
    """Return a tenant with a Gateway and a model namespace of its own, called after it."""
    return Tenant(
        name=name, gateway_name=name, gateway_namespace=gateway_namespace, model_namespace=f"{name[:50]}-models"
    )
