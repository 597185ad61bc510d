"""
Do limits, predicates and counters agree with the stamps and with each other?

Every policy is worked out anew from the subscriptions and compared: what a limit is called, its rates, who it
matches and by which field, what it counts by. Sources: contract §6.2, §6.3; case CH-06.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from migrate.changes.plan_parts import counted_subscriptions, model_of
from migrate.changes.platform.generations import COUNTED_AS
from migrate.changes.rate_limit_identity.verify import STAMPING, stamp_of
from migrate.changes.verify_parts import Look, said
from migrate.maas import annotations, naming, rate_limits, resources
from migrate.maas.rate_limits import Generation, Member
from migrate.records.objects import Json, KubeObject, ObjectRef
from migrate.records.verification import CheckResult

Model = tuple[str, str]
Clause = tuple[str, str]

CLAUSE: Final = re.compile(r'(auth\.identity\.selected_subscription_(?:key|id))\s*==\s*"([^"]*)"')
"""One comparison of a predicate. Source: contract §6.2, §6.3."""
_SHOWN: Final = 20


def check_limits(look: Look) -> Iterator[CheckResult]:
    """Yield one check for each model that a subscription of the scope names, and one for each split group."""
    members = members_by_model(look)
    policies = {model_of(policy): policy for policy in look.snapshot.of_kind(*resources.TOKEN_RATE_LIMIT_POLICY.key)}
    for model in sorted(members):
        if any(look.covers(member.subscription.partition("/")[0]) for member in members[model]):
            yield from _of_model(look, model, members[model], policies.get(model))


def members_by_model(look: Look) -> dict[Model, tuple[Member, ...]]:
    """Return who is in the policy of which model, with the identity that each is stamped with."""
    found: dict[Model, list[Member]] = defaultdict(list)
    for subscription in counted_subscriptions(look.snapshot):
        if subscription.is_deleting:
            continue
        identity = _identity(subscription, look.generation)
        for entry in rate_limits.model_refs_of(subscription):
            model = (str(entry.get("namespace")), str(entry.get("name")))
            found[model].append(rate_limits.member_of(subscription, entry, identity))
    return {model: tuple(entries) for model, entries in found.items()}


def _identity(subscription: KubeObject, generation: str) -> Generation:
    counted_as = COUNTED_AS.get(generation)
    if counted_as is not None:
        return "short" if counted_as == rate_limits.SHORT else "legacy"
    stamp = stamp_of(subscription)
    if stamp == rate_limits.SHORT:
        return "short"
    return "legacy" if stamp else rate_limits.identity_of(subscription).identity


def _of_model(
    look: Look, model: Model, members: tuple[Member, ...], policy: KubeObject | None
) -> Iterator[CheckResult]:
    wanted = (rate_limits.legacy_limits if look.generation == "V0" else rate_limits.group_limits)(members)
    expected = f"limits {', '.join(wanted) or 'none'}"
    ref = policy.ref if policy else _ref_of(look, model)
    if policy is None:
        yield _without_policy(look, model, ref, expected, needed=bool(wanted))
    elif annotations.is_opted_out(policy.annotations):
        observed = f"opted out by {annotations.MANAGED}=false: nobody rewrites it"
        yield said("LimitsMatchStamps", ref, expected, observed, "pre-existing")
    elif look.generation not in {*STAMPING, *COUNTED_AS, "V0"}:
        observed = f"identity generation {look.generation}: how its limits must be is in no source"
        yield said("LimitsMatchStamps", ref, expected, observed, "unknown")
    else:
        found = tuple(deviations(rate_limits.limits_of(policy), wanted, members))
        found += _left_out(policy, wanted, members)
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        observed = "; ".join(found[:_SHOWN]) + more if found else "as worked out from the subscriptions"
        yield said("LimitsMatchStamps", ref, expected, observed, "failed" if found else "passed")
        yield from _splits(ref, wanted, members)


def _ref_of(look: Look, model: Model) -> ObjectRef:
    reference = look.work.found(resources.MAAS_MODEL_REF, *model)
    namespace = str(reference.get("status", "httpRouteNamespace", default="")) if reference else ""
    return look.work.ref(resources.TOKEN_RATE_LIMIT_POLICY, namespace or model[0], naming.trlp_name(model[1]))


def _without_policy(look: Look, model: Model, ref: ObjectRef, expected: str, *, needed: bool) -> CheckResult:
    if look.is_unread(ref):
        return said("LimitsMatchStamps", ref, expected, "not read", "unknown")
    if not needed:
        return said("LimitsMatchStamps", ref, expected, "no policy, and none is needed", "passed")
    if model in look.lost_models:
        observed = "no policy: the model's only providers were given up as an accepted risk"
        return said("LimitsMatchStamps", ref, expected, observed, "passed")
    reference = resources.MAAS_MODEL_REF.ref(*model)
    before = look.known_before(ref, "PolicyMissing") or look.known_before(reference, "PolicyMissing", "ModelNotReady")
    orphan = look.work.found(resources.MAAS_MODEL_REF, *model) is None
    observed = "no policy" + (", and no MaaSModelRef either" if orphan else "")
    return said("LimitsMatchStamps", ref, expected, observed, "pre-existing" if before or orphan else "failed")


def deviations(live: Mapping[str, Any], wanted: Mapping[str, Json], members: tuple[Member, ...]) -> Iterator[str]:
    """Yield in words each point in which *live* limits differ from those worked out; none means they agree."""
    names = _names(members)
    for limit in sorted(set(wanted) | set(live)):
        if limit not in live:
            yield f"limit {limit} is missing: {_must_match(wanted[limit], names)}"
            continue
        yield from _mixes(limit, live[limit])
        if limit not in wanted:
            yield f"limit {limit} is not one of them, it matches {_who(clauses_of(live[limit]), names)}"
        else:
            yield from _differs(limit, live[limit], wanted[limit], names)


def _names(members: tuple[Member, ...]) -> dict[Clause, str]:
    """Return whom each comparison stands for, whether or not it is the one that is due."""
    names: dict[Clause, str] = {}
    for member in members:
        names[rate_limits.KEY_FIELD, member.key] = member.subscription
        names[rate_limits.ID_FIELD, rate_limits.short_id(member.key)] = member.subscription
    return names


def clauses_of(limit: Any) -> frozenset[Clause]:
    """Return the comparisons of a limit's predicates."""
    return frozenset(
        (match[1], match[2]) for predicate in _texts(limit, "when", "predicate") for match in CLAUSE.finditer(predicate)
    )


def _texts(limit: Any, section: str, key: str) -> list[str]:
    return [str(entry.get(key, "")) for entry in _entries(limit, section)]


def _entries(limit: Any, section: str) -> list[Mapping[str, Any]]:
    """Return the entries of a section of a limit, whatever shape a person may have given it."""
    entries = limit.get(section) if isinstance(limit, Mapping) else None
    return [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else []


def _differs(limit: str, live: Any, wanted: Json, names: Mapping[Clause, str]) -> Iterator[str]:
    seen, due = clauses_of(live), clauses_of(wanted)
    for clause in sorted(due - seen):
        yield f"limit {limit} does not match {_one(clause, names)}"
    for clause in sorted(seen - due):
        yield f"limit {limit} matches {_one(clause, names)}, which does not belong there"
    if any(rate_limits.NOT_MODELS not in text for text in _texts(live, "when", "predicate")):
        yield f"limit {limit} also counts requests for the list of models"
    counts, due_counts = set(_texts(live, "counters", "expression")), set(_texts(wanted, "counters", "expression"))
    if counts != due_counts:
        yield f"limit {limit} counts by {_joined(counts)}, not by {_joined(due_counts)}"
    if _rates(live) != _rates(wanted):
        yield f"limit {limit} has the rates {_joined(_rates(live))}, not {_joined(_rates(wanted))}"


def _mixes(limit: str, live: Any) -> Iterator[str]:
    """Yield that a limit matches by one field and counts by the other: a failure of its own."""
    by = {rate_limits.KEY_FIELD, rate_limits.ID_FIELD}
    matched = {field for field, _ in clauses_of(live)}
    counted = by & set(_texts(live, "counters", "expression"))
    if len(matched) > 1 and limit != rate_limits.UNLIMITED:  # Both generations share that one.
        yield f"limit {limit} matches by key and by id"
    if counted and matched and counted != matched:
        yield f"limit {limit} matches by {_joined(matched)} and counts by {_joined(counted)}"


def _rates(limit: Any) -> set[str]:
    return {f"{entry.get('limit')}-per-{entry.get('window')}" for entry in _entries(limit, "rates")}


def _must_match(limit: Json, names: Mapping[Clause, str]) -> str:
    return ", ".join(_one(clause, names) for clause in sorted(clauses_of(limit))) or "nobody"


def _who(clauses: frozenset[Clause], names: Mapping[Clause, str]) -> str:
    return ", ".join(_one(clause, names) for clause in sorted(clauses)) or "nobody by key or id"


def _one(clause: Clause, names: Mapping[Clause, str]) -> str:
    field, value = clause
    return f'{names.get(clause, "no subscription there is")} by {field.rpartition(".")[2]} == "{value}"'


def _joined(values: set[str]) -> str:
    return " and ".join(sorted(values)) or "nothing"


def _left_out(policy: KubeObject, wanted: Mapping[str, Json], members: tuple[Member, ...]) -> tuple[str, ...]:
    """Return the subscriptions that have a limit here and are missing in the policy's own list of them. §1.3."""
    listed = {entry.strip() for entry in policy.annotations.get(annotations.SUBSCRIPTIONS, "").split(",")}
    due = {clause for limit in wanted.values() for clause in clauses_of(limit)}
    names = _names(members)
    missing = {names[clause] for clause in due} - listed
    return tuple(f"{name} is missing in {annotations.SUBSCRIPTIONS}" for name in sorted(missing))


def _splits(ref: ObjectRef, wanted: Mapping[str, Json], members: tuple[Member, ...]) -> Iterator[CheckResult]:
    """Yield a line for each rate set whose members are of both generations: it is split in two. Source: §6.3."""
    names = _names(members)
    for limit in sorted(wanted):
        short = limit + rate_limits.SHORT_SUFFIX
        if short in wanted:
            observed = f"legacy: {_members(wanted[limit], names)}; short: {_members(wanted[short], names)}"
            yield said("MixedGroupSplit", ref, f"{limit} and {short}", observed, "passed")


def _members(limit: Json, names: Mapping[Clause, str]) -> str:
    return ", ".join(sorted({names[clause] for clause in clauses_of(limit)}))
