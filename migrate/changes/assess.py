"""From a snapshot to an assessment: what is the case, what it means, what has to be accepted, tenant by tenant."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import msgspec

from migrate.changes.findings import RISKS, answered, finding, in_order, not_read
from migrate.changes.payload_processing import assess as payload
from migrate.changes.payload_processing.assess import PayloadAssessment
from migrate.changes.payload_processing.assess_models import models_by_tenant
from migrate.changes.platform.generations import assess_generation, generation_of
from migrate.changes.platform.preconditions import assess_cluster
from migrate.changes.platform.tenant_checks import assess_names, assess_orphaned_legacy, assess_tenant
from migrate.changes.platform.tenants import TenantView, tenants_of
from migrate.changes.platform.versions import Platform, assess_release, assess_versions, platform_of, signals_of
from migrate.changes.rate_limit_identity import assess as identities
from migrate.changes.rate_limit_identity.assess_policies import assess_policies
from migrate.changes.survey import tenant_queries
from migrate.changes.usage_dashboard import assess as dashboards
from migrate.maas import annotations, resources
from migrate.records.assessment import Assessment, Decision, Finding, Options, Risk, TenantAssessment
from migrate.records.objects import KubeObject, Query
from migrate.records.snapshot import Snapshot

OPTIONAL: Final = frozenset({
    resources.AI_GATEWAY.key,
    resources.MAAS_AUTH_POLICY.key,
    resources.PERSES_DASHBOARD.key,
    resources.CRD.key,
    resources.CLUSTER_VERSION.key,
    resources.CLUSTER_SERVICE_VERSION.key,
    resources.INSTALL_PLAN.key,
    resources.NETWORK_POLICY.key,
    resources.SERVICE_ACCOUNT.key,
    resources.CLUSTER_ROLE_BINDING.key,
    resources.HPA.key,
    resources.POD.key,
    resources.TENANT.key,  # Where a gateway hangs on it, that is said of the gateway.
    resources.NAMESPACE.key,  # As said of the cluster's identity, and of the namespace of an absent ConfigMap.
})  # fmt: skip
"""Kinds that a saved source may have left out without blocking; a refused read of them blocks all the same."""


@dataclass(frozen=True, slots=True)
class _Tenant:
    """One tenant with everything found about it."""

    view: TenantView
    payload: PayloadAssessment
    findings: tuple[Finding, ...]


def tenant_names(snapshot: Snapshot) -> tuple[str, ...]:
    """Return what ``--tenant`` may name in this cluster, sorted."""
    return tuple(sorted({view.name for view in tenants_of(snapshot)}))


def assess(snapshot: Snapshot, options: Options | None = None) -> Assessment:
    """
    Return everything that the decisions rest on.

    Tenants, and findings about tenants, are narrowed to ``options.only_tenants``; what concerns the whole cluster
    stays. On 3.5 a decision is about the whole way: part one, and the flip as it is foreseen.
    """
    options = options or Options()
    views = tenants_of(snapshot)
    signals = signals_of(snapshot, views)
    platform = platform_of(signals)
    chosen = tuple(view for view in views if not options.only_tenants or view.name in options.only_tenants)
    models = models_by_tenant(snapshot)
    tenants = tuple(_assess_one(snapshot, view, platform, options, models.get(view.name, ())) for view in chosen)
    subscriptions = identities.assess(snapshot, platform)
    everywhere = (
        *assess_release(platform, signals),
        *assess_generation(snapshot, platform),
        *assess_versions(snapshot),
        *assess_cluster(snapshot, platform),
        *assess_orphaned_legacy(snapshot, views),
        *payload.assess_lists(snapshot),
        *payload.assess_stray_models(models, frozenset(view.name for view in views)),
        *subscriptions.findings,
        *assess_policies(snapshot, chosen),
        *dashboards.assess(snapshot),
        *_unpinned(views, chosen, platform),
    )
    names = _for_chosen(assess_names(views), chosen)
    of_tenants = _of_tenants(tenants, names)
    gaps = _gaps(snapshot, views, chosen, (*everywhere, *of_tenants))
    findings = in_order(tuple(answered(one, options.accepted) for one in (*everywhere, *of_tenants, *gaps)))
    return Assessment(
        taken_at=snapshot.taken_at,
        cluster=snapshot.cluster,
        platform=platform,
        signals=signals,
        generation=generation_of(snapshot, platform),
        tenants=tuple(_record(tenant, findings, options) for tenant in tenants),
        subscriptions=subscriptions.expected,
        findings=findings,
        risks=_risks(findings, options),
        requests=dict(snapshot.requests),
    )


def _assess_one(
    snapshot: Snapshot, view: TenantView, platform: Platform, options: Options, models: tuple[KubeObject, ...]
) -> _Tenant:
    change = payload.assess(snapshot, view, platform, options, models)
    active = any(binding.active for binding in change.external_models)
    ground = assess_tenant(snapshot, view, has_external_models=active)
    return _Tenant(view=view, payload=change, findings=(*ground, *change.findings))


def _for_chosen(findings: tuple[Finding, ...], chosen: tuple[TenantView, ...]) -> tuple[Finding, ...]:
    names = {view.name for view in chosen}
    return tuple(one for one in findings if one.tenant in names)


def _of_tenants(tenants: tuple[_Tenant, ...], more: tuple[Finding, ...]) -> tuple[Finding, ...]:
    done = {tenant.view.name for tenant in tenants if tenant.payload.on_praxis}
    found = (*(one for tenant in tenants for one in tenant.findings), *more)
    return tuple(_softened(one) if one.tenant in done else one for one in found)


def _softened(one: Finding) -> Finding:
    """Return a finding of a tenant to which nothing will be done: nothing is left that it could block or risk."""
    if one.code == "CouldNotRead" or one.unreadable or one.impact not in {"blocking", "risk"}:
        return one
    return msgspec.structs.replace(one, impact="advisory", risk="")


def _gaps(
    snapshot: Snapshot, views: tuple[TenantView, ...], chosen: tuple[TenantView, ...], said: Iterable[Finding]
) -> Iterator[Finding]:
    """Yield a finding for every question without an answer that none speaks of yet."""
    spoken = {one.message.partition(" could not be read")[0] for one in said if " could not be read" in one.message}
    owners: dict[tuple[str, ...], list[str]] = {}
    for view in views:
        for query in tenant_queries(snapshot, view):
            owners.setdefault(_key(query), []).append(view.name)
    names = {view.name for view in chosen}
    for gap in snapshot.gaps:
        concerned = owners.get(_key(gap.query), [])
        if str(gap.query) in spoken or (concerned and not names & set(concerned)):
            continue
        needed = (gap.query.group, gap.query.kind) not in OPTIONAL
        for tenant in sorted(names & set(concerned)) or [""]:
            yield not_read(gap, "what it would have shown is unknown", tenant=tenant, needed=needed)


def _key(query: Query) -> tuple[str, ...]:
    return query.group, query.kind, query.namespace, query.name, query.label_selector


def _unpinned(views: tuple[TenantView, ...], chosen: tuple[TenantView, ...], platform: Platform) -> Iterator[Finding]:
    """Yield a word for each tenant that this run leaves alone and that the upgrade may not. Source: contract §0.2."""
    for view in views:
        pinned = view.config.annotations.get(annotations.PAYLOAD_PROCESSING_TYPE) == annotations.TYPE_IPP
        if platform == "3.5" and view not in chosen and not pinned:
            yield finding(
                "TenantNotPinned",
                f"tenant {view.name} is outside --tenant and gets no pin: on a build whose default is Praxis it starts "
                "its own migration as soon as the 3.6 controllers run",
                resolution=f"Plan it too, or set {annotations.PAYLOAD_PROCESSING_TYPE}=ipp on it yourself.",
                about=view.config.ref,
                path=f"metadata.annotations.{annotations.PAYLOAD_PROCESSING_TYPE}",
            )


def _record(tenant: _Tenant, findings: tuple[Finding, ...], options: Options) -> TenantAssessment:
    view, change = tenant.view, tenant.payload
    decision = decide(view.name, findings, options, on_praxis=change.on_praxis)
    return TenantAssessment(
        name=view.name,
        namespace=view.namespace,
        tenant_id=view.tenant_id or "",
        config=view.config.ref,
        config_uid=view.config.uid,
        gateway=view.gateway,
        config_map=change.config_map,
        decision=decision,
        api_translation=change.api_translation,
        force=change.force and decision == "proceed",
        external_models=change.external_models,
        extra_backups=change.extra_backups,
        lost=change.lost,
    )


def decide(tenant: str, findings: tuple[Finding, ...], options: Options, *, on_praxis: bool) -> Decision:
    """Return what is done with a tenant: blocked before all, then done already, then a risk not accepted."""
    concerned = [one for one in findings if one.tenant in {"", tenant}]
    if any(one.impact == "blocking" for one in concerned):
        return "blocked"
    if on_praxis:
        return "nothing-to-do"
    if any(one.impact == "risk" and one.risk not in options.accepted for one in concerned):
        return "needs-acceptance"
    return "proceed"


def _risks(findings: tuple[Finding, ...], options: Options) -> tuple[Risk, ...]:
    """Return every risk that is at stake or was accepted, by id."""
    at_stake = {one.risk for one in findings if one.risk}
    return tuple(
        Risk(
            id=risk,
            statement=RISKS[risk],
            at_stake=risk in at_stake,
            accepted=risk in options.accepted,
            reason=options.accepted.get(risk, ""),
            by=options.by if risk in options.accepted else "",
        )
        for risk in sorted(at_stake | (set(options.accepted) & set(RISKS)))
    )
