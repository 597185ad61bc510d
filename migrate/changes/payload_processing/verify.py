"""
Is the engine really the one that was promised?

Sources: contract §4.2 end (Praxis), §4.6 (IPP back), §5.3 (a recorded risk), §7.7.
"""

from collections.abc import Iterator
from typing import Final

from migrate.changes.payload_processing import plan_states as states
from migrate.changes.plan_parts import TRANSLATION, Tenant
from migrate.changes.verify_parts import Look, said
from migrate.maas import annotations as key
from migrate.maas import naming, resources
from migrate.maas.plugins_baselines import IPP_KEYS, PRAXIS_KEYS
from migrate.records.plan import Plan, Restore, SetFields
from migrate.records.predicates import (
    All,
    FieldAbsent,
    FieldIs,
    Gone,
    HasKeys,
    ManagedBy,
    Not,
    Predicate,
    RolledOut,
    SameUid,
)
from migrate.records.verification import CheckResult

WARNINGS: Final = frozenset(
    {
        "PrerequisitesWarning",
        "InvalidReplicaAnnotation",
        "MultipleWarnings",
        "KuadrantDetectionUnverified",
        "KuadrantRouterFallback",
        "UsageLoggingNotProvided",
    }
)
"""Reasons of Degraded that say nothing about the move. Source: contract §1.6."""

NOT_PROVED: Final = (
    "apiTranslation is a permission, not a choice of translator: it also opens the shared Anthropic Messages flow.",
    "A shared /v1/messages request that works does not prove that an external model works.",
    "A recognised plugins ConfigMap does not prove every historical provider direction.",
    "Parity of streaming is not established for any binding.",
    "Whether Praxis strips inbound x-maas-* headers is shown by no API object.",
)
"""What no reading can show. Source: Upgrade to 3.6; contract §5.2, §10 row 30."""


def promised_engine(plan: Plan, tenant: Tenant) -> str:
    """Return what the last write of *plan* to a tenant's type annotation says, ``""`` when it writes none."""
    engine = ""
    for step in plan.steps:
        if isinstance(step, SetFields) and step.tenant == tenant.name:
            noted = step.after.get("metadata", {}).get("annotations", {})
            engine = noted.get(key.PAYLOAD_PROCESSING_TYPE, engine)
    return engine


def check_tenant(look: Look, tenant: Tenant, *, final: bool) -> Iterator[CheckResult]:
    """Yield the checks of one tenant of a plan."""
    config = tenant.config.ref
    if tenant.facts.config_uid:
        same = SameUid(object=config, uid=tenant.facts.config_uid)
        yield look.judge("TenantPresent", same, tenant=tenant.name)
    engine = promised_engine(look.plan, tenant) if look.plan else ""
    if engine == key.TYPE_PRAXIS:
        yield from on_praxis(look, tenant)
        yield from _as_promised(look, tenant, final=final)
    elif engine == key.TYPE_IPP and look.plan and look.plan.platform == "3.5":
        yield look.judge("TenantPinned", states.type_is(tenant, key.TYPE_IPP), tenant=tenant.name)
    elif engine == key.TYPE_IPP:
        yield from on_ipp(look, tenant)


def check_itself(look: Look, tenant: Tenant) -> Iterator[CheckResult]:
    """Yield the checks of a tenant that nothing was promised for: does it agree with itself?"""
    noted = tenant.config.annotations
    status = noted.get(key.PAYLOAD_PROCESSING_STATUS)
    if status == key.STATUS_STEADY and noted.get(key.PAYLOAD_PROCESSING_TYPE) != key.TYPE_IPP:
        yield from on_praxis(look, tenant, typed=False)
    elif status is None and noted.get(key.PAYLOAD_PROCESSING_TYPE) != key.TYPE_PRAXIS:
        yield from on_ipp(look, tenant, typed=False)
    else:
        engine = noted.get(key.PAYLOAD_PROCESSING_TYPE, "absent")
        observed = f"type {engine}, status {status or 'absent'}"
        yield said("HandOverFinished", tenant.config.ref, "no hand-over under way", observed, "failed", tenant.name)
    forced = FieldIs(
        object=tenant.config.ref,
        path=tenant.annotation(key.FORCE_PAYLOAD_PROCESSING_MIGRATION),
        values=(key.FORCE_TRUE,),
    )
    yield look.judge("ForceRemoved", Not(of=forced), tenant=tenant.name, thing=tenant.config.ref)


def on_praxis(look: Look, tenant: Tenant, *, typed: bool = True) -> Iterator[CheckResult]:
    """Yield what shows that Praxis serves the tenant; *typed*: the annotation must ask for it as well."""
    config = tenant.config.ref
    if typed:
        yield look.judge("EngineAskedFor", states.type_is(tenant, key.TYPE_PRAXIS), tenant=tenant.name)
    yield look.judge("EngineSteady", states.status_is(tenant, key.STATUS_STEADY), tenant=tenant.name)
    marker = FieldAbsent(object=config, path=tenant.annotation(key.PAYLOAD_PROCESSING_MIGRATION))
    yield look.judge("MigrationMarkerGone", marker, tenant=tenant.name)
    yield look.judge("TenantReady", states.ready(tenant), tenant=tenant.name)
    yield from _degraded(look, tenant)
    for ref in map(look.work.known, tenant.deployments):
        serves = All(of=(RolledOut(object=ref), ManagedBy(object=ref, manager=key.AI_GATEWAY_CONTROLLER)))
        yield look.judge("PraxisDeployment", serves, tenant=tenant.name)
    keys = HasKeys(
        object=look.work.known(tenant.config_map),
        path=("data",),
        all_of=PRAXIS_KEYS,
        none_of=IPP_KEYS,
    )
    yield look.judge("PluginsOfPraxis", keys, tenant=tenant.name)
    right = All(of=states.filter_is_right(look.work, tenant))
    yield look.judge("EnvoyFilterRight", right, tenant=tenant.name)


def on_ipp(look: Look, tenant: Tenant, *, typed: bool = True) -> Iterator[CheckResult]:
    """Yield what shows that IPP serves the tenant."""
    if typed:
        yield look.judge("EngineAskedFor", states.type_is(tenant, key.TYPE_IPP), tenant=tenant.name)
    yield look.judge("HandOverFinished", states.status_absent(tenant), tenant=tenant.name)
    yield look.judge("TenantReady", states.ready(tenant), tenant=tenant.name)
    for ref in map(look.work.known, tenant.deployments):
        foreign = ManagedBy(object=ref, manager=key.AI_GATEWAY_CONTROLLER)
        serves = All(of=(RolledOut(object=ref), Not(of=foreign)))
        yield look.judge("IppDeployment", serves, tenant=tenant.name)
    # What a rollback puts back may be anything that IPP ran from; the default alone is known to have both keys.
    restored = _is_restored(look, tenant)
    needed = () if restored else IPP_KEYS
    config_map = look.work.known(tenant.config_map)
    keys = HasKeys(object=config_map, path=("data",), all_of=needed, none_of=PRAXIS_KEYS)
    yield look.judge("PluginsOfIpp", keys, tenant=tenant.name)


def _is_restored(look: Look, tenant: Tenant) -> bool:
    steps = look.plan.steps if look.plan else ()
    return any(isinstance(step, Restore) and step.tenant == tenant.name for step in steps)


def _as_promised(look: Look, tenant: Tenant, *, final: bool) -> Iterator[CheckResult]:
    config = tenant.config.ref
    old = tenant.facts.config_map
    if old is not None and old.uid:
        yield look.judge("OldPluginsGone", Gone(object=tenant.config_map, uid=old.uid), tenant=tenant.name)
    after = tenant.facts.api_translation.after
    wanted: Predicate = (
        FieldAbsent(object=config, path=TRANSLATION)
        if after is None
        else FieldIs(object=config, path=TRANSLATION, values=(after,))
    )
    yield look.judge("TranslationAsPlanned", wanted, tenant=tenant.name)
    if final:
        gone = FieldAbsent(object=config, path=tenant.annotation(key.FORCE_PAYLOAD_PROCESSING_MIGRATION))
        yield look.judge("ForceRemoved", gone, tenant=tenant.name)


def _degraded(look: Look, tenant: Tenant) -> Iterator[CheckResult]:
    """Yield what Degraded=True means: a recorded risk is a success with a risk, a known warning no failure."""
    condition = tenant.config.condition("Degraded")
    if condition is None or condition.get("status") != "True":
        return
    reason = str(condition.get("reason", ""))
    seen = f"{reason}: {condition.get('message', '')}"
    expected = "not Degraded, or by a risk that was accepted"
    accepted = tenant.facts.force or tenant.facts.api_translation.after is False
    if accepted:
        result = said("TenantDegraded", tenant.config.ref, expected, f"recorded risk, {seen}", "passed", tenant.name)
    elif reason in WARNINGS or look.plan is None:
        result = said("TenantDegraded", tenant.config.ref, expected, f"a warning, {seen}", "passed", tenant.name)
    else:
        result = said("TenantDegraded", tenant.config.ref, expected, seen, "failed", tenant.name)
    yield result


def platform_checks(look: Look) -> Iterator[CheckResult]:
    """Yield the health of what a tenant stands on: its maas-api and its Gateway. Source: contract §7.2, §7.7."""
    for tenant in look.tenants:
        infra = tenant.config.get("status", "infraNamespace")
        if isinstance(infra, str) and infra:
            name = naming.suffixed(naming.MAAS_API, tenant.facts.tenant_id)
            api = look.work.ref(resources.DEPLOYMENT, infra, name)
            yield look.judge("MaasApiRolledOut", RolledOut(object=api), tenant=tenant.name)
        yield look.judge("GatewayProgrammed", _programmed(look, tenant), tenant=tenant.name)


def _programmed(look: Look, tenant: Tenant) -> Predicate:
    gateway = look.work.known(tenant.gateway)
    return All(of=tuple(states.condition(gateway, kind) for kind in ("Accepted", "Programmed")))
