"""What the new rate-limit identity asks of a run: policies on the new contract, stamps, old caches run out."""

import re
from typing import Any, Final

from migrate.changes.plan_parts import ANNOTATIONS
from migrate.maas import annotations, gateways, naming, rate_limits, resources, versions
from migrate.records.objects import KubeObject
from migrate.records.plan import Pause
from migrate.records.predicates import AnyOf, Exists, FieldIs, Gone, HasKeys, HasKeyWithin, KeysMatch, Not, Predicate
from migrate.records.snapshot import Snapshot

METADATA_TTL_FLAG: Final = "--metadata-cache-ttl"
"""Flag of maas-controller: seconds that Authorino keeps subscription information. Source: contract §1.2."""
METADATA_TTL_ENV: Final = "METADATA_CACHE_TTL"
"""The variable that the flag may stand for. Source: contract §1.2."""
DEFAULT_TTL_S: Final = 60
"""Source: contract §1.2, §6.7."""
GROUPED_NAMES: Final = rf"{rate_limits.GROUPED_PREFIX}.*(?<!{rate_limits.LEGACY_SUFFIX})"
"""A limit's name on the new contract. Source: contract §6.5."""
STAMPS: Final = (rate_limits.LEGACY, rate_limits.SHORT)


def stamped(subscription: KubeObject, crd: KubeObject | None = None) -> Predicate:
    """
    Return: it has its identity, wherever this build writes it, or it is gone, or this build stamps none.

    Args:
        subscription: As it is on 3.5.

        crd: Its CRD; when the one of 3.6 does not know the stamp either, policies on the new contract show that the
            controller has been here. Source: contract §6.4, §0.2.
    """
    ref = subscription.ref
    field = versions.RATE_LIMIT_IDENTITY_FIELD
    unknown = () if crd is None else (Not(of=HasKeyWithin(object=crd.ref, path=("spec", "versions"), key=field)),)
    return AnyOf(
        of=(
            *unknown,
            FieldIs(object=ref, path=("status", "rateLimitIdentity"), values=STAMPS),
            FieldIs(object=ref, path=(*ANNOTATIONS, annotations.RATE_LIMIT_IDENTITY), values=STAMPS),
            Gone(object=ref, uid=subscription.uid),
        )
    )


def auth_policies(snapshot: Snapshot) -> tuple[KubeObject, ...]:
    """Return the AuthPolicies that MaaS keeps on gateways, those that opted out left out."""
    return tuple(
        policy
        for policy in snapshot.of_kind(*resources.AUTH_POLICY.key)
        if policy.name == naming.auth_policy_name(str(policy.get("spec", "targetRef", "name")))
        and not annotations.is_opted_out(policy.annotations)
    )


def model_policies(snapshot: Snapshot) -> tuple[KubeObject, ...]:
    """Return the TRLPs that MaaS keeps for models, those that opted out left out."""
    return tuple(
        policy
        for policy in snapshot.of_kind(*resources.TOKEN_RATE_LIMIT_POLICY.key)
        if policy.name.startswith(naming.TRLP_PREFIX) and not annotations.is_opted_out(policy.annotations)
    )


def on_new_contract(snapshot: Snapshot) -> tuple[Predicate, ...]:
    """Return, for each policy that the controllers rewrite, that it is rewritten. Source: contract §6.5."""
    auth = tuple(
        HasKeys(
            object=policy.ref,
            path=rate_limits.IDENTITY_PROPERTIES,
            all_of=(rate_limits.ID_PROPERTY, rate_limits.KEY_PROPERTY),
        )
        for policy in auth_policies(snapshot)
    )
    limits = tuple(
        AnyOf(
            of=(
                KeysMatch(object=policy.ref, path=("spec", "limits"), pattern=GROUPED_NAMES),
                Not(of=Exists(object=policy.ref)),
            )
        )
        for policy in model_policies(snapshot)
    )
    return (*auth, *limits)


def metadata_cache_ttl_s(controller: KubeObject | None) -> tuple[int, str]:
    """
    Return the seconds for which Authorino may keep old subscription information, and where that stands.

    The metadata cache alone counts: the longer authorization cache is capped by it. Source: contract §1.2.
    """
    text = gateways.flag_of(controller, METADATA_TTL_FLAG, METADATA_TTL_ENV)
    if re.fullmatch(r"\d{1,7}", text):
        return int(text), f"{METADATA_TTL_FLAG}={text} of {controller.ref if controller else 'maas-controller'}"
    if text:
        return DEFAULT_TTL_S, f"the product's default: {METADATA_TTL_FLAG}={text} is not a number of seconds"
    return DEFAULT_TTL_S, f"the product's default: maas-controller has no {METADATA_TTL_FLAG}"


def make_pause(base: dict[str, Any], controller: KubeObject | None) -> Pause:
    """Wait one metadata cache lifetime after the policies changed. Source: contract §6.7."""
    seconds, where = metadata_cache_ttl_s(controller)
    times = {"estimate_seconds": max(seconds, 1), "timeout_seconds": max(base["timeout_seconds"], seconds + 60)}
    return Pause(**{**base, **times}, seconds=seconds, why=f"Authorino's subscription information expires: {where}")
