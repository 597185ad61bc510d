"""The policies as they are: accepted, complete, opted out, sharing a route. All of it was so before the migration."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from migrate.changes.findings import finding
from migrate.changes.platform.capacity import assess_size
from migrate.changes.platform.health import condition_state
from migrate.changes.platform.reading import found, listed, maps, text, unread
from migrate.changes.platform.tenants import TenantView
from migrate.maas import annotations, naming, rate_limits, resources
from migrate.records.assessment import Finding
from migrate.records.objects import Json, KubeObject, ObjectRef
from migrate.records.snapshot import Snapshot

POLICY_CONDITIONS: Final = ("Accepted", "Enforced")
"""Source: contract §7.2, 6."""


def assess_policies(snapshot: Snapshot, tenants: tuple[TenantView, ...]) -> tuple[Finding, ...]:
    """Return what is to be said of the policies, the model references and the size of the configuration."""
    policies = tuple(
        policy
        for policy in listed(snapshot, resources.TOKEN_RATE_LIMIT_POLICY)
        if policy.name.startswith((naming.TRLP_PREFIX, naming.GATEWAY_DEFAULT_DENY))
    )
    auth = tuple(_auth_policies(snapshot, tenants))
    return (
        *(one for policy in (*policies, *auth) for one in _state(policy)),
        *(one for policy in (*policies, *auth) for one in _opted_out(policy)),
        *_missing_auth(snapshot, tenants),
        *_shared_routes(policies),
        *_members(snapshot, policies),
        *_models(snapshot),
        *assess_size(snapshot, _gateways(tenants), members_by_route(snapshot)),
    )


def _gateways(tenants: tuple[TenantView, ...]) -> tuple[ObjectRef, ...]:
    return tuple(sorted({tenant.gateway for tenant in tenants if tenant.gateway is not None}))


def _auth_policies(snapshot: Snapshot, tenants: tuple[TenantView, ...]) -> Iterator[KubeObject]:
    for gateway in _gateways(tenants):
        name = naming.auth_policy_name(gateway.name)
        policy = found(snapshot, resources.AUTH_POLICY, gateway.namespace, name)
        if policy is not None:
            yield policy


def _missing_auth(snapshot: Snapshot, tenants: tuple[TenantView, ...]) -> Iterator[Finding]:
    for gateway in _gateways(tenants):
        name = naming.auth_policy_name(gateway.name)
        policy = found(snapshot, resources.AUTH_POLICY, gateway.namespace, name)
        if policy is None and unread(snapshot, resources.AUTH_POLICY, gateway.namespace, name) is None:
            yield finding(
                "AuthPolicyMissing",
                f"there is no AuthPolicy {gateway.namespace}/{name} for {gateway}",
                resolution="Nothing to do when no model is published there; else look at the MaaSAuthPolicies.",
                about=resources.AUTH_POLICY.ref(gateway.namespace, name),
            )


def _state(policy: KubeObject) -> Iterator[Finding]:
    for condition in POLICY_CONDITIONS:
        state, seen = condition_state(policy, condition)
        if state not in {"true", "unreported"}:
            yield finding(
                "PolicyNotAccepted",
                f"{policy.ref} is not {condition}: {seen}; it was so before the migration",
                resolution="Mend it, or expect it to stay so; nothing waits for it.",
                about=policy.ref,
                path="status.conditions",
            )


def _opted_out(policy: KubeObject) -> Iterator[Finding]:
    if annotations.is_opted_out(policy.annotations):
        kind = "its identity fields" if policy.kind == resources.AUTH_POLICY.kind else "its limits"
        yield finding(
            "PolicyOptedOut",
            f"{policy.ref} carries {annotations.MANAGED}=false: 3.6 leaves {kind} on the old contract, and limits of "
            "new subscriptions do not work there",
            resolution="Remove the annotation before the upgrade, or bring the object to the new contract by hand.",
            about=policy.ref,
            path=f"metadata.annotations.{annotations.MANAGED}",
        )


def _shared_routes(policies: tuple[KubeObject, ...]) -> Iterator[Finding]:
    by_route: dict[tuple[str, str, str], list[KubeObject]] = defaultdict(list)
    for policy in policies:
        target = policy.get("spec", "targetRef", default={})
        if isinstance(target, dict) and policy.name.startswith(naming.TRLP_PREFIX):
            by_route[policy.namespace, str(target.get("kind")), str(target.get("name"))].append(policy)
    for (namespace, kind, name), sharing in sorted(by_route.items()):
        if len(sharing) > 1:
            names = " and ".join(sorted(policy.name for policy in sharing))
            yield finding(
                "PoliciesShareARoute",
                f"{names} all target {kind} {namespace}/{name}; only one of them is effective; it was so before the "
                "migration",
                resolution="Give each model a route of its own; verification takes the state as it is.",
                about=sharing[0].ref,
                path="spec.targetRef",
            )


@dataclass(frozen=True, slots=True)
class _Contents:
    """Who is in a policy: by its annotation, and by the keys and ids that its predicates compare with."""

    policy: KubeObject
    listed: frozenset[str]
    compared: frozenset[str]


def _contents(policy: KubeObject) -> _Contents:
    names = policy.annotations.get(annotations.SUBSCRIPTIONS, "").split(",")
    predicates = [
        text(when.get("predicate"))
        for limit in rate_limits.limits_of(policy).values()
        for when in maps(limit.get("when") if isinstance(limit, dict) else None)
    ]
    compared = {literal for predicate in predicates for literal in re.findall(r'"([^"]*)"', predicate)}
    return _Contents(policy=policy, listed=frozenset(name.strip() for name in names), compared=frozenset(compared))


def _members(snapshot: Snapshot, policies: tuple[KubeObject, ...]) -> Iterator[Finding]:
    """Compare every subscription with the policy of each model that it names. Source: contract §1.3."""
    if unread(snapshot, resources.TOKEN_RATE_LIMIT_POLICY) is not None:
        return
    by_model = {
        (policy.labels.get(annotations.MODEL_NAMESPACE, ""), policy.labels.get(annotations.MODEL, "")): _contents(
            policy
        )
        for policy in policies
        if policy.name.startswith(naming.TRLP_PREFIX)
    }
    missing: dict[tuple[str, str], int] = defaultdict(int)
    for thing in listed(snapshot, resources.MAAS_SUBSCRIPTION):
        for model_ref in rate_limits.model_refs_of(thing):
            model = (text(model_ref.get("namespace")), text(model_ref.get("name")))
            contents = by_model.get(model)
            if contents is None:
                missing[model] += 1
            elif not thing.is_deleting:
                yield from _member(thing, model_ref, contents)
    for (namespace, name), count in sorted(missing.items()):
        yield finding(
            "PolicyMissing",
            f"model {namespace}/{name} has no TokenRateLimitPolicy though {count} subscriptions name it",
            resolution="Look at the status of those subscriptions and of the MaaSModelRef.",
            about=resources.MAAS_MODEL_REF.ref(namespace, name),
        )


def _member(thing: KubeObject, model_ref: Json, contents: _Contents) -> Iterator[Finding]:
    member = rate_limits.member_of(thing, model_ref, rate_limits.identity_of(thing).identity)
    is_listed = member.subscription in contents.listed
    is_compared = bool({member.key, rate_limits.short_id(member.key)} & contents.compared)
    if is_listed and is_compared:
        return
    places = [*([] if is_listed else ["its annotation"]), *([] if is_compared else ["its limits"])]
    yield finding(
        "SubscriptionNotInPolicy",
        f"{thing.ref} names model {member.model} and is missing in {' and '.join(places)} of {contents.policy.ref}: "
        "no limit of its own applies there",
        resolution="Check its windows (up to 8784h) and its status; look at the log of maas-controller.",
        about=thing.ref,
        path="spec.modelRefs",
    )


def _models(snapshot: Snapshot) -> Iterator[Finding]:
    for thing in listed(snapshot, resources.MAAS_MODEL_REF):
        phase = thing.get("status", "phase")
        if phase != "Ready":
            yield finding(
                "ModelNotReady",
                f"{thing.ref} is {phase or 'without a phase'}, not Ready; it was so before the migration",
                resolution="Mend it, or expect it to stay so.",
                about=thing.ref,
                path="status.phase",
            )


def members_by_route(snapshot: Snapshot) -> Mapping[ObjectRef, tuple[rate_limits.Member, ...]]:
    """Return the subscriptions that each model route's policy will hold after the run."""
    routes: dict[tuple[str, str], ObjectRef] = {}
    for model in listed(snapshot, resources.MAAS_MODEL_REF):
        name = str(model.get("status", "httpRouteName") or "")
        namespace = str(model.get("status", "httpRouteNamespace") or model.namespace)
        route = found(snapshot, resources.HTTP_ROUTE, namespace, name)
        if route is not None:
            routes[model.namespace, model.name] = route.ref
    members: dict[ObjectRef, list[rate_limits.Member]] = defaultdict(list)
    for thing in listed(snapshot, resources.MAAS_SUBSCRIPTION):
        for model_ref in rate_limits.model_refs_of(thing):
            ref = routes.get((str(model_ref.get("namespace", "")), str(model_ref.get("name", ""))))
            if ref is not None:
                members[ref].append(rate_limits.member_of(thing, model_ref, rate_limits.identity_of(thing).identity))
    return {ref: tuple(found_members) for ref, found_members in members.items()}
