"""
How large the configuration of a gateway will be, as a forecast.

Kuadrant copies every limit into every route match; the object that holds them may not outgrow 1.5 MiB.
Source: the product page "Subscription Cardinality"; contract §7.5, whose numbers are conclusions, not measurements.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from migrate.changes.findings import finding
from migrate.changes.platform.reading import found, listed
from migrate.maas import rate_limits, resources
from migrate.records.assessment import Finding
from migrate.records.objects import KubeObject, ObjectRef, get_in
from migrate.records.snapshot import Snapshot

LIMIT_COPY_BYTES: Final = 728
"""One limit in one copy: 27 KB over 19 matches and two actions."""
CLAUSE_COPY_BYTES: Final = 81
"""One more clause in one copy: 3 KB over 19 matches and two actions."""
ACTIONS: Final = 2
"""Copies for each match."""
SHORT_ID_LENGTH: Final = 16
"""Characters of a short id; a key of n characters costs n - 15 more, ``_key`` against ``_id`` one of them."""
MOST_BYTES: Final = 1_572_864
"""1.5 MiB, the default of etcd."""
NEAR: Final = 0.8
"""From this part of it on the forecast is worth a word."""


def forecast_bytes(
    routes: Iterable[KubeObject],
    members_by_route: Mapping[ObjectRef, tuple[rate_limits.Member, ...]],
    gateway: KubeObject,
) -> int:
    """
    Return the expected size of a gateway's configuration.

    Args:
        routes: The HTTPRoutes attached to it.

        members_by_route: The subscriptions that each route's policy will hold.

        gateway: The Gateway; its listeners count.
    """
    total = 0
    for route in routes:
        members = members_by_route.get(route.ref, ())
        limits = rate_limits.group_limits(members)
        copies = _matches(route) * _hostnames(route) * _listeners(route, gateway) * ACTIONS
        clauses = len(members)
        saved = sum(
            max(0, len(member.key) - SHORT_ID_LENGTH + 1) for member in members if member.identity == rate_limits.SHORT
        )
        extra = max(0, clauses - len(limits))
        total += copies * max(0, len(limits) * LIMIT_COPY_BYTES + extra * CLAUSE_COPY_BYTES - saved)
    return total


def assess_size(
    snapshot: Snapshot,
    gateways: Iterable[ObjectRef],
    members_by_route: Mapping[ObjectRef, tuple[rate_limits.Member, ...]],
) -> tuple[Finding, ...]:
    """Return a finding for each gateway whose configuration is expected to come near the limit."""
    findings = []
    routes = listed(snapshot, resources.HTTP_ROUTE)
    for ref in sorted(set(gateways)):
        gateway = found(snapshot, resources.GATEWAY, ref.namespace, ref.name)
        if gateway is None:
            continue
        attached = [route for route in routes if _parents(route, gateway)]
        size = forecast_bytes(attached, members_by_route, gateway)
        if size >= NEAR * MOST_BYTES:
            findings.append(_near(gateway, size))
    return tuple(findings)


def _near(gateway: KubeObject, size: int) -> Finding:
    return finding(
        "LimitsNearSize",
        f"the limits of {gateway.ref} are expected to take about {size // 1024} KiB of {MOST_BYTES // 1024} KiB; "
        "beyond that Kuadrant cannot write them and no limit is enforced",
        resolution="Use fewer rate sets, fewer route matches, or several gateways.",
        about=gateway.ref,
    )


def _matches(route: KubeObject) -> int:
    return sum(max(1, len(_list(get_in(rule, "matches")))) for rule in _list(route.get("spec", "rules"))) or 1


def _hostnames(route: KubeObject) -> int:
    return max(1, len(_list(route.get("spec", "hostnames"))))


def _parents(route: KubeObject, gateway: KubeObject) -> list[Any]:
    return [
        parent
        for parent in _list(route.get("spec", "parentRefs"))
        if get_in(parent, "name") == gateway.name
        and (get_in(parent, "namespace") or route.namespace) == gateway.namespace
    ]


def _listeners(route: KubeObject, gateway: KubeObject) -> int:
    """Return how many listeners a route attaches to: those it names, all when it names none."""
    parents = _parents(route, gateway)
    named = {get_in(parent, "sectionName") for parent in parents if get_in(parent, "sectionName")}
    return len(named) if named and len(named) == len(parents) else max(1, len(_list(gateway.get("spec", "listeners"))))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
