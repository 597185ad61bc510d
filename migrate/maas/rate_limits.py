"""
Token rate limits: identities, keys, short ids, limit names, and the limits of a policy in 3.5 and in 3.6.

Sources: the product page "Upgrade to 3.6"; contract §6.1 (key, id), §6.2
(3.5), §6.3 (3.6), §6.4 (identity), §1.3 (windows).
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, NewType

from migrate.maas import annotations
from migrate.records.objects import Json, KubeObject, Record, get_in

SubscriptionKey = NewType("SubscriptionKey", str)
ShortId = NewType("ShortId", str)
Generation = Literal["legacy", "short"]

LEGACY: Final = "legacy"
"""The subscription is matched by its key. Source: Upgrade to 3.6."""
SHORT: Final = "short"
"""The subscription is matched by its 16-hex id. Source: Upgrade to 3.6."""

KEY_FIELD: Final = "auth.identity.selected_subscription_key"
"""Identity field of legacy members. Source: contract §6.3."""
ID_FIELD: Final = "auth.identity.selected_subscription_id"
"""Identity field of short members. Source: contract §6.3."""
USER_FIELD: Final = "auth.identity.userid"
"""The other counter of each limit, the only one in 3.5. Source: contract §6.2, §6.3."""
KEY_PROPERTY: Final = "selected_subscription_key"
"""Identity property in the gateway's AuthPolicy. Source: contract §6.5."""
ID_PROPERTY: Final = "selected_subscription_id"
"""Identity property in the gateway's AuthPolicy, 3.6 only. Source: contract §6.5."""
IDENTITY_PROPERTIES: Final = (
    "spec",
    "defaults",
    "rules",
    "response",
    "success",
    "filters",
    "identity",
    "json",
    "properties",
)
"""Where the identity properties stand in an AuthPolicy. Source: contract §1.11."""
NOT_MODELS: Final = '!request.path.endsWith("/v1/models")'
"""The part of each predicate that leaves the list of models free. Source: contract §6.2."""

UNLIMITED: Final = "tokens-unlimited"
"""The limit of unlimited references: ``when`` only; both generations share it. Source: contract §6.3."""
SHORT_SUFFIX: Final = "-id"
"""On the limit of the short members of a mixed rate set. Source: Upgrade to 3.6; contract §6.3."""
LEGACY_SUFFIX: Final = "-tokens"
"""Every limit of 3.5 ends so. Source: contract §6.2."""
GROUPED_PREFIX: Final = "tokens-"
"""Every limit of 3.6 begins so. Source: contract §6.3, §6.5."""
DEFAULT_RATE: Final = (100, "1m")
"""What 3.5 takes when a reference has no rates. Source: contract §6.2."""

WINDOW_PATTERN: Final = r"[1-9]\d{0,3}[smh]"
"""A window as the CRD allows it. Source: contract §1.3."""
MAX_WINDOW_S: Final = 366 * 24 * 3600
"""The controller's cap: a longer window is silently left out of the policy. Source: contract §1.3."""
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600}


class Rate(Record, kw_only=True):
    """So many tokens in such a window; the window is text: ``1m`` and ``60s`` are different sets."""

    limit: int
    window: str

    @property
    def name(self) -> str:
        """``1000-per-1h``."""
        return f"{self.limit}-per-{self.window}"


class Member(Record, kw_only=True):
    """
    One subscription in the policy of one model.

    Attributes:
        subscription: ``namespace/name``.

        model: ``namespace/name`` of the MaaSModelRef.

        identity: ``legacy`` or ``short``.

        rates: As written in the spec.

        unlimited: ``unlimited: true``; rates win over it.
    """

    subscription: str
    model: str
    identity: Generation
    rates: tuple[Rate, ...] = ()
    unlimited: bool = False

    @property
    def key(self) -> SubscriptionKey:
        """The subscription's key for this model."""
        return SubscriptionKey(f"{self.subscription}@{self.model}")

    @property
    def clause(self) -> str:
        """The comparison that matches this member in a 3.6 predicate."""
        if self.identity == SHORT:
            return f'{ID_FIELD} == "{short_id(self.key)}"'
        return f'{KEY_FIELD} == "{self.key}"'


def subscription_key(
    subscription_namespace: str, subscription_name: str, model_namespace: str, model_name: str
) -> SubscriptionKey:
    """
    Return ``{subNamespace}/{subName}@{modelNamespace}/{modelName}``; the model is the MaaSModelRef.

    Source: contract §6.1.
    """
    return SubscriptionKey(f"{subscription_namespace}/{subscription_name}@{model_namespace}/{model_name}")


def short_id(key: SubscriptionKey | str) -> ShortId:
    """
    Return the first 16 lower-case hex digits of the SHA-256 of *key*; an empty part gives an empty id.

    Source: Upgrade to 3.6; contract §6.1.
    """
    subscription, _, model = key.partition("@")
    parts = [*subscription.partition("/")[::2], *model.partition("/")[::2]]
    if not all(parts):
        return ShortId("")
    return ShortId(hashlib.sha256(key.encode()).hexdigest()[:16])


def window_seconds(window: str) -> int | None:
    """Return the seconds of a window, None when it is not one the CRD allows. Source: contract §1.3."""
    if not re.fullmatch(WINDOW_PATTERN, window):
        return None
    return int(window[:-1]) * _SECONDS[window[-1]]


def is_enforced(rate: Rate) -> bool:
    """Return whether the controller takes the rate into the policy. Source: contract §1.3, §6.2."""
    seconds = window_seconds(rate.window)
    return seconds is not None and seconds <= MAX_WINDOW_S and 1 <= rate.limit <= 1_000_000_000


def limit_name(rates: Iterable[Rate]) -> str:
    """
    Return the 3.6 name of a rate set: sorted as strings, duplicates removed, joined with a dash.

    Source: contract §6.3: ``tokens-1000-per-1h-99999-per-1s``.
    """
    return GROUPED_PREFIX + "-".join(sorted({rate.name for rate in rates}))


def legacy_limit_name(subscription_namespace: str, subscription_name: str, model_name: str) -> str:
    """Return the 3.5 name of a subscription's limit. Source: contract §6.2."""
    return f"{subscription_namespace}-{subscription_name}-{model_name}{LEGACY_SUFFIX}"


def legacy_predicate(key: SubscriptionKey | str) -> str:
    """Return the 3.5 predicate of a subscription. Source: contract §6.2, §8."""
    return f'{KEY_FIELD} == "{key}" && {NOT_MODELS}'


def group_predicate(clauses: Iterable[str]) -> str:
    """Return the 3.6 predicate of a group: sorted clauses, in parentheses when there are several. Contract §6.3."""
    ordered = sorted(set(clauses))
    either = " || ".join(ordered)
    return f"({either}) && {NOT_MODELS}" if len(ordered) > 1 else f"{either} && {NOT_MODELS}"


def legacy_limits(members: Iterable[Member]) -> dict[str, Json]:
    """
    Return ``spec.limits`` of a model's policy as 3.5 renders it, by limit name; empty means no policy.

    One limit a subscription, counted by user only. A member with a rate that the controller does not take is left
    out as a whole. Source: contract §6.2, §1.3.
    """
    limits: dict[str, Json] = {}
    for member in members:
        rates = member.rates or (Rate(limit=DEFAULT_RATE[0], window=DEFAULT_RATE[1]),)
        if not all(is_enforced(rate) for rate in rates):
            continue
        namespace, _, name = member.subscription.partition("/")
        model = member.model.partition("/")[2]
        limits[legacy_limit_name(namespace, name, model)] = {
            "rates": [{"limit": rate.limit, "window": rate.window} for rate in rates],
            "when": [{"predicate": legacy_predicate(member.key)}],
            "counters": [{"expression": USER_FIELD}],
        }
    return dict(sorted(limits.items()))


def group_limits(members: Iterable[Member]) -> dict[str, Json]:
    """
    Return ``spec.limits`` of a model's policy as 3.6 renders it, by limit name; empty means no policy.

    Members with the same rate set share a limit; a set with both generations is split, and the short part is called
    ``…-id``. A reference with neither rates nor ``unlimited`` is skipped, as is one with a rate that the controller
    does not take. Source: contract §6.3.
    """
    groups: dict[str, list[Member]] = defaultdict(list)
    unlimited: list[Member] = []
    for member in members:
        if member.rates:
            if all(is_enforced(rate) for rate in member.rates):
                groups[limit_name(member.rates)].append(member)
        elif member.unlimited:
            unlimited.append(member)
    limits: dict[str, Json] = {}
    for name, group in groups.items():
        generations = {member.identity for member in group}
        for generation in sorted(generations):
            suffix = SHORT_SUFFIX if generation == SHORT and len(generations) > 1 else ""
            limits[name + suffix] = _grouped([member for member in group if member.identity == generation])
    if unlimited:
        limits[UNLIMITED] = {"when": [{"predicate": group_predicate(member.clause for member in unlimited)}]}
    return dict(sorted(limits.items()))


def _grouped(group: Sequence[Member]) -> Json:
    rates = sorted({rate.name: rate for rate in group[0].rates}.values(), key=lambda rate: rate.name)
    identity_field = ID_FIELD if group[0].identity == SHORT else KEY_FIELD
    return {
        "rates": [{"limit": rate.limit, "window": rate.window} for rate in rates],
        "when": [{"predicate": group_predicate(member.clause for member in group)}],
        "counters": [{"expression": identity_field}, {"expression": USER_FIELD}],
    }


def rates_of(model_ref: Json) -> tuple[Rate, ...]:
    """Return the rates of one entry of a subscription's ``spec.modelRefs``; entries that are none are left out."""
    entries = model_ref.get("tokenRateLimits")
    return tuple(
        Rate(limit=entry["limit"], window=entry["window"])
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and isinstance(entry.get("limit"), int) and isinstance(entry.get("window"), str)
    )


def model_refs_of(subscription: KubeObject) -> tuple[Json, ...]:
    """Return the entries of ``spec.modelRefs`` that are maps. Source: contract §1.3."""
    entries = subscription.get("spec", "modelRefs")
    return tuple(entry for entry in entries if isinstance(entry, dict)) if isinstance(entries, list) else ()


def member_of(subscription: KubeObject, model_ref: Json, identity: Generation) -> Member:
    """Return one subscription as a member of the policy of one model that it names."""
    return Member(
        subscription=f"{subscription.namespace}/{subscription.name}",
        model=f"{model_ref.get('namespace', '')}/{model_ref.get('name', '')}",
        identity=identity,
        rates=rates_of(model_ref),
        unlimited=model_ref.get("unlimited") is True,
    )


def has_status(subscription: KubeObject) -> bool:
    """Return whether ``status.phase`` or any condition is there: the controller calls such a one existing. §6.4."""
    conditions = subscription.get("status", "conditions")
    return bool(subscription.get("status", "phase")) or (isinstance(conditions, list) and bool(conditions))


class IdentityFact(Record, kw_only=True):
    """The identity that a subscription has, or gets, and what says so."""

    identity: Generation
    why: Literal["spec", "stamp", "annotation", "existing", "without-status"]


def identity_of(subscription: KubeObject) -> IdentityFact:
    """
    Return the identity that a 3.6 controller gives to *subscription* when it next sees it.

    The spec if set, else its stamp, else the annotation of generation V4, else legacy when ``status.phase`` or any
    condition exists, else short. An unknown value counts as not set: the CRD refuses it. Source: contract §6.4.
    """
    for why, value in (
        ("spec", subscription.get("spec", "rateLimitIdentity")),
        ("stamp", subscription.get("status", "rateLimitIdentity")),
        ("annotation", subscription.annotations.get(annotations.RATE_LIMIT_IDENTITY)),
    ):
        if value in (LEGACY, SHORT):
            return IdentityFact(identity=value, why=why)  # type: ignore[arg-type]  # the tuple's literals, seen as str
    if has_status(subscription):
        return IdentityFact(identity="legacy", why="existing")
    return IdentityFact(identity="short", why="without-status")


def limits_of(policy: KubeObject) -> dict[str, Any]:
    """Return the limits of a TRLP, those under ``spec.defaults`` too; null is none. Contract §1.11, §10 row 16."""
    limits: dict[str, Any] = {}
    for path in (("spec", "defaults", "limits"), ("spec", "limits")):
        found = get_in(policy.raw, *path)
        limits.update(found if isinstance(found, dict) else {})
    return limits
