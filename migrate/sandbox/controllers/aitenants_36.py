"""
maas-controller 3.6: new tenants have nothing to clean up, the usage dashboard is opt-in, the Config has a status.

Source: contract 1.8, 2.1, 7.6.
"""

from typing import ClassVar, Final

from migrate.maas import annotations, resources
from migrate.maas.resources import AI_TENANT, CONFIG, MAAS_TENANT_CONFIG, Kind
from migrate.records.objects import Json, KubeObject, get_in
from migrate.sandbox.controllers.aitenants import AITenants, UsageDashboards
from migrate.sandbox.controllers.handshake import claim_marks
from migrate.sandbox.controllers.player import Player
from migrate.sandbox.controllers.shapes import condition, is_true, merged_conditions

_TYPE: Final = annotations.PAYLOAD_PROCESSING_TYPE


class AITenants36(AITenants):
    """AITenants of 3.6."""

    name: ClassVar[str] = "maas-aitenants-3.6"

    def seed_annotations(self) -> Json:
        """Return the marker of a new MaasTenantConfig: its names are free to claim."""
        return dict(claim_marks(annotations.STATUS_CLEANUP_COMPLETE, self.context.build))

    def mirrored(self, tenant: Json) -> Json:
        """Return the type of the AITenant, null where it has none: handshake A. Source: contract 0.2."""
        if self.context.build.handshake != "A":
            return {}
        return {_TYPE: KubeObject(tenant).annotations.get(_TYPE)}


class UsageDashboards36(UsageDashboards):
    """The Prometheus usage dashboard, only where somebody asked for it; a copy that is not ours is never removed."""

    name: ClassVar[str] = "maas-dashboards-3.6"

    def is_wanted(self, config: Json) -> bool:
        """Whether ``Config.spec.usageMetricsDashboard`` says so."""
        return get_in(config, "spec", "usageMetricsDashboard", default=False) is True


class ConfigStatus36(Player):
    """The conditions of the Config: the default tenant's readiness, and how all tenants are."""

    name: ClassVar[str] = "maas-config-status-3.6"
    manager: ClassVar[str] = annotations.MAAS_MANAGER
    kinds: ClassVar[tuple[Kind, ...]] = (CONFIG, AI_TENANT, MAAS_TENANT_CONFIG)

    def reconcile(self) -> None:
        """Tell the conditions of the Config."""
        self.each(self.view.list(CONFIG), self._tell)

    def _tell(self, config: Json) -> None:
        default = (
            self.view.get(AI_TENANT, resources.AITENANT_NAMESPACE, resources.DEFAULT_TENANT_NAME),
            self.view.get(MAAS_TENANT_CONFIG, resources.DEFAULT_TENANT_NAMESPACE, resources.TENANT_CONFIG_NAME),
        )
        ready = all(is_true(thing, "Ready") for thing in default)
        health = _worst([KubeObject(thing) for thing in self.view.list(MAAS_TENANT_CONFIG)])
        generation = KubeObject(config).generation
        conditions = [
            condition("Ready", "True" if ready else "False", "Ready" if ready else "NotReady", generation=generation),
            condition("TenantsHealthy", "True" if health == "Healthy" else "False", health, generation=generation),
        ]
        old = get_in(config, "status", "conditions")
        self.ensure_status(CONFIG, config, {"conditions": merged_conditions(old, conditions, self.now())})


def _worst(tenants: list[KubeObject]) -> str:
    """Return ``Blocked``, ``Degraded`` or ``Healthy``, whichever is worst among *tenants*."""
    troubled = [tenant for tenant in tenants if not is_true(dict(tenant.raw), "Ready")]
    if any(annotations.PAYLOAD_PROCESSING_MIGRATION in tenant.annotations for tenant in troubled):
        return "Blocked"
    degraded = any(is_true(dict(tenant.raw), "Degraded") for tenant in tenants)
    return "Degraded" if troubled or degraded else "Healthy"
