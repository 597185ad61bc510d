"""What a plan rests on: objects and sets, each with its UID and essence, and the paths that do not count."""

from collections.abc import Iterator
from typing import Final

from migrate.changes.plan_parts import TRANSLATION, Tenant, Work, ignored_paths, status_of
from migrate.maas import annotations, gateways, naming, resources
from migrate.maas.resources import Kind
from migrate.records.assessment import TenantAssessment
from migrate.records.essence import fingerprint, outline
from migrate.records.objects import KubeObject, ObjectRef
from migrate.records.plan import Baseline, Ground, GroundSet, VolatilePath
from migrate.records.snapshot import Snapshot

SETS: Final[tuple[Kind, ...]] = (
    resources.MAAS_EXTERNAL_MODEL,
    resources.EXTERNAL_MODEL,
    resources.EXTERNAL_PROVIDER,
    resources.MAAS_MODEL_REF,
)
"""Sets that decide about compatibility: one member more or less makes a plan stale."""


def volatile_paths(tenants: tuple[TenantAssessment, ...]) -> tuple[VolatilePath, ...]:
    """Return the paths that controllers write on MaasTenantConfigs, with the ``apiTranslation`` they are to write."""
    group, kind = resources.MAAS_TENANT_CONFIG.key
    keys = (annotations.PAYLOAD_PROCESSING_MIGRATION, annotations.PAYLOAD_PROCESSING_STATUS)
    always = tuple(VolatilePath(group=group, kind=kind, path=("metadata", "annotations", key)) for key in keys)
    foretold = tuple(
        VolatilePath(group=group, kind=kind, path=TRANSLATION[:2], object=tenant.config)
        for tenant in tenants
        if tenant.api_translation.written_by == "controller"
    )
    return (*always, *foretold)


def ground_of(ref: ObjectRef, thing: KubeObject | None, volatile: tuple[VolatilePath, ...]) -> Ground:
    """Return *thing* as a ground; an absent one has neither UID nor essence."""
    if thing is None:
        return Ground(object=ref)
    ignore = ignored_paths(volatile, ref)
    return Ground(object=ref, uid=thing.uid, essence=fingerprint(thing, ignore), outline=outline(thing, ignore))


def grounds_of(work: Work) -> tuple[Ground, ...]:
    """Return the single objects that the plan rests on, sorted."""
    refs = {ref for tenant in work.tenants for ref in _refs(work, tenant)}
    if refs:
        refs.add(work.ref(resources.CONFIG, "", resources.CONFIG_NAME))
    return tuple(ground_of(ref, work.snapshot.find_ref(ref), work.volatile) for ref in sorted(refs))


def _refs(work: Work, tenant: Tenant) -> Iterator[ObjectRef]:
    yield tenant.config.ref
    yield work.known(tenant.config_map)
    aitenant = gateways.aitenant_ref(tenant.config)
    if aitenant:
        yield work.known(aitenant)
    legacy = work.found(resources.TENANT, tenant.facts.namespace, resources.TENANT_CONFIG_NAME)
    if legacy:
        yield legacy.ref


def ground_sets_of(snapshot: Snapshot, volatile: tuple[VolatilePath, ...]) -> tuple[GroundSet, ...]:
    """Return the whole sets that the plan rests on."""
    return tuple(
        GroundSet(
            group=kind.group,
            kind=kind.kind,
            members=tuple(ground_of(thing.ref, thing, volatile) for thing in snapshot.of_kind(*kind.key)),
        )
        for kind in SETS
    )


def baselines_of(snapshot: Snapshot) -> tuple[Baseline, ...]:
    """Return the conditions of every policy of MaaS as they are, to tell what was broken before."""
    limits = (
        policy
        for policy in snapshot.of_kind(*resources.TOKEN_RATE_LIMIT_POLICY.key)
        if policy.name.startswith((naming.TRLP_PREFIX, naming.GATEWAY_DEFAULT_DENY))
    )
    auth = (
        policy
        for policy in snapshot.of_kind(*resources.AUTH_POLICY.key)
        if policy.name == naming.auth_policy_name(str(policy.get("spec", "targetRef", "name")))
    )
    return tuple(
        Baseline(
            object=policy.ref,
            uid=policy.uid,
            accepted=status_of(policy, "Accepted"),
            enforced=status_of(policy, "Enforced"),
        )
        for policy in sorted((*limits, *auth), key=lambda policy: policy.ref)
    )


def tenants_of(snapshot: Snapshot, tenants: tuple[TenantAssessment, ...], wanted: frozenset[str]) -> tuple[Tenant, ...]:
    """Return those of *tenants* whose decision is in *wanted* and whose config and gateway are known."""
    found = []
    for facts in tenants:
        config = snapshot.find_ref(facts.config)
        if facts.decision in wanted and config is not None and facts.gateway is not None:
            found.append(Tenant(facts=facts, config=config, gateway=facts.gateway))
    return tuple(found)
