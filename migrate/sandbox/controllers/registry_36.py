"""maas-controller and ai-gateway-controller of 3.6."""

from migrate.sandbox.controllers.access_36 import Access36
from migrate.sandbox.controllers.ai_gateway_36 import AiGatewayController
from migrate.sandbox.controllers.aitenants_36 import AITenants36, ConfigStatus36, UsageDashboards36
from migrate.sandbox.controllers.maas_tenants_36 import Tenants36
from migrate.sandbox.controllers.model_refs import ModelRefs, OldExternalModels
from migrate.sandbox.controllers.player import Player, PlayerContext
from migrate.sandbox.controllers.subscriptions_36 import Subscriptions36


def cast(context: PlayerContext) -> list[Player]:
    """Return the players of 3.6, in the generation that the context's build names."""
    return [
        AITenants36(context),
        Tenants36(context),
        UsageDashboards36(context),
        OldExternalModels(context),
        ModelRefs(context),
        Access36(context),
        Subscriptions36(context),
        AiGatewayController(context),
        ConfigStatus36(context),
    ]
