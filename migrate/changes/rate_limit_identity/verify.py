"""
Has every subscription, by UID, the identity that the plan fixed, and are the policies on the new contract?

Sources: contract §6.4 (stamps), §6.5 (AuthPolicy), §7.7.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from migrate.changes.plan_parts import CONDITIONS_OF_POLICIES, counted_subscriptions, model_of, status_of
from migrate.changes.platform.generations import COUNTED_AS
from migrate.changes.rate_limit_identity import plan as promises
from migrate.changes.verify_parts import Look, said
from migrate.maas import annotations, naming, rate_limits, resources
from migrate.records.assessment import SubscriptionExpectation
from migrate.records.objects import KubeObject, ObjectRef
from migrate.records.plan import Baseline
from migrate.records.predicates import ConditionIs, HasKeys
from migrate.records.verification import CheckResult, IdentityCounts, Result

STAMPING: Final = frozenset({"V4", "V5"})
"""Generations that stamp a subscription, in the annotation or the status. Source: contract §0.2."""
HEALTHY: Final = frozenset({"Active", "Ready"})
"""Source: contract §10 row 11."""
RATE_LIMIT_ID_HEADER: Final = "X-MaaS-Subscription-Rate-Limit-Id"
"""Injected by the gateway's AuthPolicy, 3.6 only. Source: contract §6.5."""

NOT_PROVED: Final = (
    "Whether Limitador has loaded the limits is shown by no API object: Enforced is a claim of another component.",
    "Counters that were running: the renaming of limits at the upgrade can start this window's again for everybody.",
)
"""What no reading can show. Source: contract §6.4; case CH-12."""


def stamp_of(subscription: KubeObject) -> str:
    """Return the identity that the controller stamped, ``""`` for none. Source: contract §6.4, §0.2."""
    for value in (
        subscription.get("status", "rateLimitIdentity"),
        subscription.annotations.get(annotations.RATE_LIMIT_IDENTITY),
    ):
        if value in promises.STAMPS:
            return str(value)
    return ""


def check_subscriptions(look: Look) -> Iterator[CheckResult]:
    """Yield a check for each subscription that was promised something, and for each that came since."""
    promised = look.plan.subscriptions.expected if look.plan else ()
    for entry in promised:
        if look.covers(entry.namespace):
            yield _promised(look, entry)
    known = {(entry.namespace, entry.name) for entry in promised}
    for subscription in counted_subscriptions(look.snapshot):
        if look.covers(subscription.namespace):
            if (subscription.namespace, subscription.name) not in known:
                yield from _unpromised(look, subscription)
            yield _phase(look, subscription)


def identities(look: Look, checks: tuple[CheckResult, ...]) -> IdentityCounts:
    """Return how many subscriptions have which stamp, and which of them have another than promised."""
    stamps = [stamp_of(thing) for thing in counted_subscriptions(look.snapshot) if look.covers(thing.namespace)]
    wrong = (check for check in checks if check.code == "SubscriptionIdentity" and check.result != "passed")
    return IdentityCounts(
        legacy=stamps.count(rate_limits.LEGACY),
        short=stamps.count(rate_limits.SHORT),
        unstamped=stamps.count(""),
        unexpected=tuple(f"{check.object}: {check.observed}" for check in wrong),
    )


def _promised(look: Look, entry: SubscriptionExpectation) -> CheckResult:
    ref = resources.MAAS_SUBSCRIPTION.ref(entry.namespace, entry.name)
    live = look.snapshot.find_ref(ref)
    expected = f"UID {entry.uid}, identity {entry.expected} ({entry.why})"
    observed, result = _identity(look, entry, live)
    if look.is_unread(ref):
        observed, result = "not read", "unknown"
    return said("SubscriptionIdentity", ref, expected, observed, result)


def _identity(look: Look, entry: SubscriptionExpectation, live: KubeObject | None) -> tuple[str, Result]:
    if live is None:
        return "gone since the plan was made", "failed"
    stamp = stamp_of(live)
    if live.uid != entry.uid:
        return f"made anew: UID {live.uid}, stamped {stamp or 'nothing'}; its counters started again", "failed"
    if look.generation == "V0":
        return "there, not stamped yet: 3.5 does not", "passed"
    counted_as = COUNTED_AS.get(look.generation)
    if counted_as is not None and not stamp:
        observed = f"not stamped, as this build does not; counted as {counted_as} (identity {look.generation})"
        return (
            observed,
            "unknown" if entry.expected == "unknown" else "passed" if entry.expected == counted_as else "failed",
        )
    if look.generation not in STAMPING:
        return f"this build does not stamp (identity {look.generation})", "unknown"
    if not stamp:
        return "not stamped", "failed"
    if entry.expected == "unknown":
        return f"stamped {stamp}; what it had to be could not be told", "unknown"
    return f"stamped {stamp}", "passed" if stamp == entry.expected else "failed"


def _unpromised(look: Look, subscription: KubeObject) -> Iterator[CheckResult]:
    """Yield that a subscription nobody promised anything to is stamped, as its spec says where it says something."""
    if look.generation not in STAMPING:
        return
    wanted = subscription.get("spec", "rateLimitIdentity")
    stamp = stamp_of(subscription)
    fits = bool(stamp) and wanted in (None, stamp)
    since = "; it came since the plan was made" if look.plan else ""
    yield said(
        "SubscriptionStamped",
        subscription.ref,
        f"stamped {wanted}" if wanted else "stamped",
        (f"stamped {stamp}" if stamp else "not stamped") + since,
        "passed" if fits else "failed",
    )


def _phase(look: Look, subscription: KubeObject) -> CheckResult:
    phase = str(subscription.get("status", "phase", default="absent"))
    names = {(str(entry.get("namespace")), str(entry.get("name"))) for entry in rate_limits.model_refs_of(subscription)}
    observed = phase
    result: Result = "passed" if phase in HEALTHY else "failed"
    if result == "failed" and names & look.lost_models:
        observed, result = f"{phase}: it names a model whose loss was accepted", "passed"
    elif result == "failed" and look.known_before(subscription.ref, "SubscriptionNotActive"):
        result = "pre-existing"
    return said("SubscriptionPhase", subscription.ref, "Active", observed, result)


def check_auth_policies(look: Look) -> Iterator[CheckResult]:
    """Yield that each gateway's AuthPolicy carries both identities. Source: §6.5."""
    if look.generation == "V0":
        return
    for tenant in look.tenants:
        ref = look.work.ref(
            resources.AUTH_POLICY, tenant.gateway.namespace, naming.auth_policy_name(tenant.gateway.name)
        )
        check = look.judge("AuthPolicyContract", _contract(ref, look.generation), tenant=tenant.name)
        live = look.snapshot.find_ref(ref)
        if check.result == "failed" and live is not None and annotations.is_opted_out(live.annotations):
            observed = f"opted out by {annotations.MANAGED}=false, so 3.6 does not rewrite it: {check.observed}"
            check = msgspec.structs.replace(check, result="pre-existing", observed=observed)
        yield check


def _contract(ref: ObjectRef, generation: str) -> HasKeys:
    """V2 still counted by key alone. Source: contract §0.2."""
    both = (rate_limits.KEY_PROPERTY,) if generation == "V2" else (rate_limits.ID_PROPERTY, rate_limits.KEY_PROPERTY)
    return HasKeys(object=ref, path=rate_limits.IDENTITY_PROPERTIES, all_of=both)


def check_header_denied(look: Look) -> Iterator[CheckResult]:
    """Yield that clients may not send the header themselves. Source: Upgrade to 3.6; contract §6.5."""
    if look.generation == "V0":
        return
    for tenant in look.tenants:
        name = naming.auth_policy_name(tenant.gateway.name)
        policy = look.work.found(resources.AUTH_POLICY, tenant.gateway.namespace, name)
        if policy is None or annotations.is_opted_out(policy.annotations):
            continue  # The check of the contract has said so.
        rules = policy.get("spec", "defaults", "rules", "authorization", default={})
        denied = RATE_LIMIT_ID_HEADER.lower() in msgspec.json.encode(rules).decode().lower()
        yield said(
            "RateLimitHeaderDenied",
            policy.ref,
            f"a rule that rejects inbound {RATE_LIMIT_ID_HEADER}",
            "there" if denied else "no such rule",
            "passed" if denied else "failed",
            tenant.name,
        )


def check_conditions(look: Look) -> Iterator[CheckResult]:
    """Yield that each policy is Accepted and Enforced as it was before, or better."""
    before = {_name(entry.object): entry for entry in look.plan.policies} if look.plan else {}
    for policy in _policies(look):
        for condition in CONDITIONS_OF_POLICIES:
            held = _held(before.get(_name(policy.ref)), condition)
            must = ConditionIs(object=policy.ref, type=condition, status="True")
            yield look.judge(f"Policy{condition}", must, before=held)


def _held(entry: Baseline | None, condition: str) -> bool:
    """Return whether the condition held at plan time; a policy that is new must hold."""
    return entry is None or (entry.accepted if condition == "Accepted" else entry.enforced) == "True"


def _name(ref: ObjectRef) -> tuple[str, str, str]:
    return ref.kind, ref.namespace, ref.name


def _policies(look: Look) -> Iterator[KubeObject]:
    gateways = {(tenant.gateway.namespace, naming.auth_policy_name(tenant.gateway.name)) for tenant in look.tenants}
    for policy in look.snapshot.of_kind(*resources.AUTH_POLICY.key):
        if (policy.namespace, policy.name) in gateways:
            yield policy
    lost = look.lost_models
    for policy in look.snapshot.of_kind(*resources.TOKEN_RATE_LIMIT_POLICY.key):
        named = policy.annotations.get(annotations.SUBSCRIPTIONS, "")
        ours = any(look.covers(entry.partition("/")[0]) for entry in named.split(",")) or look.scope is None
        of_maas = policy.name.startswith((naming.TRLP_PREFIX, naming.GATEWAY_DEFAULT_DENY))
        given_up = model_of(policy) in lost and status_of(policy, "Accepted") != "True"
        if of_maas and ours and not given_up:
            yield policy
