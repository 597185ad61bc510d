"""maas-controller 3.6: new tenants have nothing to clean up, and the usage dashboard is opt-in. Contract 2.1, 7.6."""

from typing import ClassVar

from migrate.maas import annotations
from migrate.records.objects import Json, get_in
from migrate.sandbox.controllers.aitenants import AITenants, UsageDashboards


class AITenants36(AITenants):
    """AITenants of 3.6."""

    name: ClassVar[str] = "maas-aitenants-3.6"

    def seed_annotations(self) -> Json:
        """Return the marker of a new MaasTenantConfig: its names are free to claim."""
        return {annotations.PAYLOAD_PROCESSING_STATUS: annotations.STATUS_CLEANUP_COMPLETE}


class UsageDashboards36(UsageDashboards):
    """The Prometheus usage dashboard, only where somebody asked for it; a copy that is not ours is never removed."""

    name: ClassVar[str] = "maas-dashboards-3.6"

    def is_wanted(self, config: Json) -> bool:
        """Whether ``Config.spec.usageMetricsDashboard`` says so."""
        return get_in(config, "spec", "usageMetricsDashboard", default=False) is True
