"""What becomes of each subscription's identity, and of everybody's counters. Source: contract §6."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from migrate.changes.findings import finding, not_read
from migrate.changes.platform.generations import COUNTED_AS, identity_generation_of
from migrate.changes.platform.reading import listed, text, unread
from migrate.maas import rate_limits, resources
from migrate.records.assessment import Finding, Identity, SubscriptionExpectation
from migrate.records.objects import KubeObject, shown
from migrate.records.snapshot import Snapshot

HEALTHY: Final = frozenset({"Active", "Ready"})
"""Phases of a healthy subscription; 3.5 says Active. Source: contract §1.3, §10 row 11."""
UNSTAMPED: Final = frozenset({"V1", "V2", "V2 or V3", "V3", "V3b"})
"""Identity generations that leave no mark on a subscription. Source: contract §0.2."""
_WHY: Final = {
    "spec": "spec.rateLimitIdentity says so",
    "stamp": "it is stamped so already",
    "annotation": "a build of generation V4 annotated it so",
    "existing": "it has a status, so it existed before 3.6",
    "without-status": "it has no status, so the controller takes it for new",
}


@dataclass(frozen=True, slots=True)
class SubscriptionsAssessment:
    """What each subscription will be, and what is to be said of them."""

    expected: tuple[SubscriptionExpectation, ...]
    findings: tuple[Finding, ...]


def assess(snapshot: Snapshot, platform: str) -> SubscriptionsAssessment:
    """Return the identity that each subscription must have after the run, and what is to be known of them."""
    gap = unread(snapshot, resources.MAAS_SUBSCRIPTION)
    if gap is not None:
        why = "no subscription's identity could be promised"
        return SubscriptionsAssessment(expected=(), findings=(not_read(gap, why),))
    subscriptions = listed(snapshot, resources.MAAS_SUBSCRIPTION)
    spaces = tenant_namespaces(snapshot)
    generation = identity_generation_of(snapshot) if platform == "3.6" else ""
    return SubscriptionsAssessment(
        expected=tuple(expectation_of(thing, spaces, generation) for thing in subscriptions),
        findings=(
            *_restart(subscriptions, platform),
            *_unstamped(subscriptions, generation),
            *(one for thing in subscriptions for one in _findings(thing, spaces, platform)),
        ),
    )


def tenant_namespaces(snapshot: Snapshot) -> frozenset[str]:
    """Return the namespaces in which the controller looks at subscriptions. Source: contract §1.3."""
    kinds = (resources.MAAS_TENANT_CONFIG, resources.TENANT)
    return frozenset(thing.namespace for kind in kinds for thing in listed(snapshot, kind))


def expectation_of(subscription: KubeObject, spaces: frozenset[str], generation: str = "") -> SubscriptionExpectation:
    """
    Return the identity that one subscription will have: spec, else stamp, else by its status. Contract §6.4.

    A build whose identity *generation* stamps nothing counts all by the same. Source: contract §0.2.
    """
    fact = rate_limits.identity_of(subscription)
    expected: Identity = fact.identity
    why = _WHY[fact.why]
    if fact.why in {"existing", "without-status"}:
        if subscription.namespace not in spaces:
            expected, why = "unknown", "no tenant lives in its namespace, so no controller stamps it"
        elif generation in COUNTED_AS:
            expected = COUNTED_AS[generation]
            field = "key" if expected == rate_limits.LEGACY else "id"
            why = f"this build (identity {generation}) stamps nothing and counts everybody by {field}"
        elif generation in UNSTAMPED:
            expected, why = "unknown", "this build of 3.6 stamps no identities"
    return SubscriptionExpectation(
        namespace=subscription.namespace, name=subscription.name, uid=subscription.uid, expected=expected, why=why
    )


def _unstamped(subscriptions: tuple[KubeObject, ...], generation: str) -> Iterator[Finding]:
    if generation in UNSTAMPED and subscriptions:
        by = {"V2": ": it counts everybody by key", "V3": ": it counts everybody by id, as new ones"}.get(
            generation, ""
        )
        yield finding(
            "IdentityUnknown",
            f"this build speaks identity generation {generation}, which stamps none of {len(subscriptions)} "
            f"subscriptions{by}; a build that stamps decides anew for each, and its counters may start again then",
            resolution="Update to a build of 3.6 that stamps status.rateLimitIdentity.",
        )


def _restart(subscriptions: tuple[KubeObject, ...], platform: str) -> Iterator[Finding]:
    """Yield the one word about everybody's counters; said once, and only where limits still have 3.5 names."""
    windows = [
        (seconds, rate.window)
        for thing in subscriptions
        for model_ref in rate_limits.model_refs_of(thing)
        for rate in rate_limits.rates_of(model_ref)
        if (seconds := rate_limits.window_seconds(rate.window)) is not None and rate_limits.is_enforced(rate)
    ]
    if platform != "3.5" or not subscriptions:
        return
    longest = f"; the longest window in use is {max(windows)[1]}" if windows else ""
    yield finding(
        "CountersRestart",
        "the operator upgrade renames every limit and counts by key and user instead of user alone: in-window "
        f"counters may start again for everybody, once, whatever identity a subscription has{longest}. "
        "Usage history is not affected: it is labelled by the subscription's name",
        resolution="Nothing prevents it; choose the time of the upgrade with that window in mind.",
    )


def _findings(thing: KubeObject, spaces: frozenset[str], platform: str) -> Iterator[Finding]:
    if thing.namespace not in spaces:
        yield finding(
            "SubscriptionOrphaned",
            f"{thing.ref}: no tenant lives in namespace {thing.namespace}, so the controller ignores it",
            resolution="Move it to the namespace of a tenant, or remove it.",
            about=thing.ref,
        )
    if thing.is_deleting:
        yield finding(
            "SubscriptionTerminating",
            f"{thing.ref} is being deleted since {thing.get('metadata', 'deletionTimestamp')}",
            resolution="Wait until it is gone, or find out what holds it.",
            about=thing.ref,
        )
    yield from _identity(thing, platform)
    yield from _phase(thing)
    yield from _windows(thing)


def _identity(thing: KubeObject, platform: str) -> Iterator[Finding]:
    asked = thing.get("spec", "rateLimitIdentity")
    if asked is not None and asked not in (rate_limits.LEGACY, rate_limits.SHORT):
        yield finding(
            "IdentitySpecInvalid",
            f"{thing.ref} has spec.rateLimitIdentity = {shown(asked)}; only legacy and short are known",
            resolution="Set it to legacy or short, or remove it.",
            about=thing.ref,
            path="spec.rateLimitIdentity",
        )
    if rate_limits.identity_of(thing).why == "without-status":
        when = "at the upgrade" if platform == "3.5" else "when it next looks"
        yield finding(
            "SubscriptionWithoutStatus",
            f"{thing.ref} has neither a phase nor a condition: the controller takes it for new {when}, stamps it "
            "short, and its quota starts from zero",
            resolution="Find out why the controller never gave it a status, before the upgrade.",
            about=thing.ref,
            path="status",
        )


def _phase(thing: KubeObject) -> Iterator[Finding]:
    phase = text(thing.get("status", "phase"))
    if phase and phase not in HEALTHY:
        yield finding(
            "SubscriptionNotActive",
            f"{thing.ref} is {phase}, not Active; it was so before the migration",
            resolution="Mend it, or expect it to stay so.",
            about=thing.ref,
            path="status.phase",
        )


def _windows(thing: KubeObject) -> Iterator[Finding]:
    for model_ref in rate_limits.model_refs_of(thing):
        wrong = [rate for rate in rate_limits.rates_of(model_ref) if not rate_limits.is_enforced(rate)]
        if wrong:
            model = f"{model_ref.get('namespace')}/{model_ref.get('name')}"
            yield finding(
                "WindowNotEnforced",
                f"{thing.ref} asks for {', '.join(rate.name for rate in wrong)} on model {model}; the controller takes "
                "windows of up to 366 days and leaves it out of the policy without a word, in 3.5 and in 3.6",
                resolution="Choose a window of 8784h or less.",
                about=thing.ref,
                path="spec.modelRefs",
            )
