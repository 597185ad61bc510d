"""Somebody who approves the InstallPlan of the upgrade after a while, as an administrator would."""

from typing import ClassVar

from migrate.maas.resources import INSTALL_PLAN, Kind
from migrate.maas.versions import RHOAI_36, release_of
from migrate.records.objects import Json
from migrate.sandbox.controllers.player import Player, PlayerContext


class Approver(Player):
    """Approves every InstallPlan for 3.6 *after_s* seconds after it joined; the speed does not divide them."""

    name = "approver"
    manager = "kubectl-patch"
    kinds: ClassVar[tuple[Kind, ...]] = (INSTALL_PLAN,)

    def __init__(self, context: PlayerContext, after_s: float) -> None:
        super().__init__(context)
        self._after_s = after_s * context.speed

    def reconcile(self) -> None:
        """Look at every InstallPlan."""
        self.each(self.view.list(INSTALL_PLAN), self._approve)

    def _approve(self, plan: Json) -> None:
        names = (plan.get("spec") or {}).get("clusterServiceVersionNames") or []
        waits = plan["spec"].get("approved") is not True and any(release_of(name) == RHOAI_36 for name in names)
        if waits and self.timers.elapsed(plan["metadata"]["uid"], self._after_s):
            self.ensure_patched(INSTALL_PLAN, plan, {"spec": {"approved": True}})
