"""maas-controller of 3.5. It ignores every migration annotation."""

from migrate.sandbox.controllers.access import Access
from migrate.sandbox.controllers.aitenants import AITenants, UsageDashboards
from migrate.sandbox.controllers.maas_platform import TenantPlatform
from migrate.sandbox.controllers.model_refs import ModelRefs, OldExternalModels
from migrate.sandbox.controllers.player import Player, PlayerContext
from migrate.sandbox.controllers.subscriptions import Subscriptions


def cast(context: PlayerContext) -> list[Player]:
    """Return the players of 3.5."""
    return [
        AITenants(context),
        TenantPlatform(context),
        UsageDashboards(context),
        OldExternalModels(context),
        ModelRefs(context),
        Access(context),
        Subscriptions(context),
    ]
