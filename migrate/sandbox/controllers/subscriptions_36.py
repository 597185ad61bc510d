"""
maas-controller 3.6: subscriptions are stamped with a rate-limit identity, and limits are grouped by rate.

Source: contract 6.3, 6.4.
"""

from typing import ClassVar

from migrate.maas import annotations
from migrate.maas.rate_limits import Member, group_limits, member_of
from migrate.maas.resources import MAAS_SUBSCRIPTION
from migrate.records.objects import Json, KubeObject
from migrate.sandbox.controllers.stamping import identity_of, stamp_of
from migrate.sandbox.controllers.subscriptions import Subscriptions


class Subscriptions36(Subscriptions):
    """One policy for each model, one status and one stamp for each subscription."""

    name: ClassVar[str] = "maas-subscriptions-3.6"

    def member(self, subscription: Json, model_ref: Json) -> Member:
        """Return a subscription as a member of a model's policy, with its identity."""
        known = KubeObject(subscription)
        return member_of(known, model_ref, identity_of(known, self.context.build))

    def limits(self, members: list[Member]) -> dict[str, Json]:
        """Return ``spec.limits`` for *members*, one for each rate set and generation."""
        return group_limits(members)

    def takes(self, member: Member) -> bool:
        """Whether a member gets into the policy at all: with rates that can be enforced, or unlimited."""
        return super().takes(member) if member.rates else member.unlimited

    def extra_status(self, subscription: Json) -> Json:
        """Return the stamp; it goes out together with the phase, so that an unstamped status is one of 3.5."""
        if self.context.build.identity != "V5":
            return {}
        return {"rateLimitIdentity": identity_of(KubeObject(subscription), self.context.build)}

    def _hold(self, subscription: Json) -> None:
        known = KubeObject(subscription)
        build = self.context.build
        if build.identity == "V4" and not known.is_deleting and stamp_of(known, build) is None:
            stamp = {annotations.RATE_LIMIT_IDENTITY: identity_of(known, build)}
            subscription = self.ensure_patched(MAAS_SUBSCRIPTION, subscription, {"metadata": {"annotations": stamp}})
        super()._hold(subscription)
