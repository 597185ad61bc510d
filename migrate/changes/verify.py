"""What was promised against what is: one verdict over all headings. Unknown is never passed."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from migrate.changes.payload_processing import verify as engines
from migrate.changes.plan_parts import applications_namespace
from migrate.changes.platform.generations import generation_of, identity_generation_of
from migrate.changes.rate_limit_identity import verify as identities
from migrate.changes.rate_limit_identity.verify_limits import check_limits
from migrate.changes.standing import recorded_risk
from migrate.changes.usage_dashboard.verify import check_dashboard
from migrate.changes.verify_parts import Look, counted, live_tenants, planned_tenants, said
from migrate.maas import resources
from migrate.records.plan import Plan
from migrate.records.predicates import ConditionIs, RolledOut
from migrate.records.snapshot import Snapshot
from migrate.records.verification import CheckResult, Verification, passes

TRANSIENT: Final = frozenset(
    {
        "SubscriptionPhase",
        "SubscriptionStamped",
        "PolicyAccepted",
        "PolicyEnforced",
        "LimitsMatchStamps",
        "TenantReady",
        "PraxisDeployment",
        "IppDeployment",
        "MaasApiRolledOut",
        "ControllerRolledOut",
        "UsageDashboard",
    }
)
"""Checks that fail for moments while many subscriptions of one model change: look again first. Contract §1.3."""


def verify(plan: Plan, snapshot: Snapshot, now: datetime, run: str = "", tenants: Sequence[str] = ()) -> Verification:
    """
    Return the verdict on *plan*; on some of its tenants when *tenants* names them, else on all and the platform.

    Args:
        plan: What was promised.

        snapshot: Read after the fact.

        now: For the document.

        run: The run's id, for the document.

        tenants: Narrows the look to these tenants, their subscriptions and their policies.
    """
    served = planned_tenants(plan, snapshot, tenants)
    narrowed = bool(tenants or plan.narrowed_to)
    look = Look(
        snapshot=snapshot,
        plan=plan,
        tenants=served,
        scope=frozenset(tenant.facts.namespace for tenant in served) if narrowed else None,
        generation=identity_generation_of(snapshot),
    )
    checks = [check for tenant in served for check in engines.check_tenant(look, tenant, final=not tenants)]
    checks += _common(look)
    return _verdict(look, tuple(checks), now, run=run)


def verify_cluster(snapshot: Snapshot, now: datetime) -> Verification:
    """Return whether the cluster is consistent in itself; nothing was promised."""
    tenants = live_tenants(snapshot)
    look = Look(snapshot=snapshot, plan=None, tenants=tenants, scope=None, generation=identity_generation_of(snapshot))
    checks = [check for tenant in tenants for check in engines.check_itself(look, tenant)]
    checks += _untold(look)
    checks += _common(look)
    return _verdict(look, tuple(checks), now)


def needs_another_look(verification: Verification) -> bool:
    """
    Return whether what failed may pass by itself, so that one reading is no verdict.

    The caller reads again after a few seconds; two readings that say the same are stable.
    """
    failed = [check for check in verification.checks if check.result == "failed"]
    return bool(failed) and all(check.code in TRANSIENT for check in failed)


def _common(look: Look) -> Iterator[CheckResult]:
    yield from _controllers(look)
    yield from engines.platform_checks(look)
    yield from identities.check_subscriptions(look)
    yield from check_limits(look)
    yield from identities.check_auth_policies(look)
    yield from identities.check_header_denied(look)
    yield from identities.check_conditions(look)
    if look.scope is None:
        yield from check_dashboard(look)
    yield from _unread_lists(look)


def _controllers(look: Look) -> Iterator[CheckResult]:
    """Yield that the controllers are rolled out, and that the platform says so where it says anything. §7.7."""
    namespace = applications_namespace(look.snapshot)
    names = [resources.MAAS_CONTROLLER_DEPLOYMENT]
    if look.generation not in {"V0", "unknown"}:
        names.append(resources.AI_GATEWAY_CONTROLLER_DEPLOYMENT)
    for name in names:
        yield look.judge("ControllerRolledOut", RolledOut(object=look.work.ref(resources.DEPLOYMENT, namespace, name)))
    for gateway in look.snapshot.of_kind(*resources.AI_GATEWAY.key):
        if gateway.condition("ModelsAsAServiceReady") is not None:
            must = ConditionIs(object=gateway.ref, type="ModelsAsAServiceReady", status="True")
            yield look.judge("PlatformSaysReady", must)


def _untold(look: Look) -> Iterator[CheckResult]:
    """Yield each tenant whose names or Gateway cannot be told: nothing of it was looked at."""
    seen = {tenant.config.ref for tenant in look.tenants}
    for config in look.snapshot.of_kind(*resources.MAAS_TENANT_CONFIG.key):
        if config.ref not in seen:
            observed = "which objects are its own, or which Gateway serves it, cannot be told"
            yield said("TenantKnown", config.ref, "a tenant that can be told", observed, "unknown")


def _unread_lists(look: Look) -> Iterator[CheckResult]:
    """Yield each list without which "all" means nothing."""
    for kind in (resources.MAAS_SUBSCRIPTION, resources.TOKEN_RATE_LIMIT_POLICY, resources.MAAS_TENANT_CONFIG):
        gap = look.snapshot.gap_for(*kind.key)
        served = look.snapshot.kind_info(*kind.key) is not None
        if gap is not None and (served or not look.snapshot.kinds):
            yield said("ListRead", None, f"all {kind.plural}", f"{gap.reason} {gap.message}".strip(), "unknown")


def _verdict(look: Look, checks: tuple[CheckResult, ...], now: datetime, *, run: str = "") -> Verification:
    return Verification(
        at=now.isoformat(timespec="seconds"),
        run=run,
        plan=look.plan.id if look.plan else "",
        generation=generation_of(look.snapshot, "3.5" if look.generation == "V0" else "3.6"),
        checks=checks,
        identity=identities.identities(look, checks),
        not_proved=(*engines.NOT_PROVED, *identities.NOT_PROVED),
        recorded_risks=tuple(text for tenant in look.tenants for text in recorded_risk(tenant.config)),
        seen=counted(look.snapshot),
        passed=passes(checks),
    )
