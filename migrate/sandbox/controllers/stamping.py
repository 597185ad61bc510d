"""
The rate-limit identity that maas-controller 3.6 gives to a subscription, and keeps.

Pure. Source: contract 6.4, 4.8; Upgrade to 3.6, "Existing subscriptions keep their live quotas".
"""

from typing import Final, Literal

from migrate.maas import annotations
from migrate.records.objects import KubeObject
from migrate.sandbox.controllers.build_36 import Build

Stamp = Literal["legacy", "short"]
_LEGAL: Final[dict[str, Stamp]] = {"legacy": "legacy", "short": "short"}


def identity_of(subscription: KubeObject, build: Build) -> Stamp:
    """
    Return the identity of *subscription*: what its spec says, else its stamp, else by its history.

    Without a stamp it counts as one from before the upgrade exactly when its
    status has a phase or any condition.
    """
    if build.identity == "none":
        return "short"
    asked = _asked(subscription, build) or stamp_of(subscription, build)
    if asked:
        return asked
    existed = bool(subscription.get("status", "phase")) or bool(subscription.get("status", "conditions"))
    return "legacy" if existed else "short"


def stamp_of(subscription: KubeObject, build: Build) -> Stamp | None:
    """Return the stamp that *subscription* carries, or None."""
    if build.identity == "V4":
        return _LEGAL.get(subscription.annotations.get(annotations.RATE_LIMIT_IDENTITY, ""))
    value = subscription.get("status", "rateLimitIdentity")
    return _LEGAL.get(value) if isinstance(value, str) else None


def _asked(subscription: KubeObject, build: Build) -> Stamp | None:
    value = subscription.get("spec", "rateLimitIdentity") if build.identity == "V5" else None
    return _LEGAL.get(value) if isinstance(value, str) else None
