"""The gate: when nothing has happened yet, and when the platform is so far that part two may be planned."""

from typing import Any, Final

from migrate.changes.plan_parts import Work, applications_namespace, counted_subscriptions
from migrate.changes.rate_limit_identity.plan import on_new_contract, stamped
from migrate.maas import naming, resources, versions
from migrate.maas.resources import Kind
from migrate.records.objects import KubeObject, ObjectRef
from migrate.records.plan import Gate, Hint
from migrate.records.predicates import All, Exists, FieldMatches, HasKeyWithin, Not, Predicate, RolledOut
from migrate.records.snapshot import Snapshot

FROM_THE_PAGE: Final = frozenset({versions.RATE_LIMIT_IDENTITY_FIELD, versions.API_TRANSLATION_FIELD})
"""Fields that older builds of 3.6 lack; the releases, which the operator tells last, speak for those. §0.2, §4.8."""
RELEASE: Final = ("status", "release", "version")
"""Where DSC and DSCI say their version. Source: contract §7.4."""
IS_35: Final = r"3\.5(\..*)?"
IS_36: Final = r"3\.6(\..*)?"
CRD_FIELDS: Final[tuple[tuple[Kind, str], ...]] = (
    (resources.CONFIG, versions.USAGE_DASHBOARD_FIELD),
    (resources.MAAS_SUBSCRIPTION, versions.RATE_LIMIT_IDENTITY_FIELD),
    (resources.MAAS_TENANT_CONFIG, versions.API_TRANSLATION_FIELD),
)
"""Fields that only the 3.6 CRDs have. Source: contract §7.4, signals 5 to 7."""
IN_TRANSITION: Final = "the operator upgrade is under way: not all signs of 3.6 are there yet"


def make_gate(work: Work, base: dict[str, Any]) -> Gate:
    """Stop until somebody has upgraded the operator. Source: contract §4.8, "resume at the gate"."""
    return Gate(
        **base,
        undo="none",
        undo_note="OLM does not go back: the platform stays on 3.6, tenants can still go back to IPP there.",
        irreversible=True,
        closed_while=All(of=_nothing_happened(work)),
        open_when=All(of=(*_platform_is_36(work), *_everything_settled(work))),
        waiting_for="the operator upgrade to 3.6",
        hints=(Hint(when=Not(of=All(of=_platform_is_36(work))), says=IN_TRANSITION),),
    )


def _ai_gateway_controller(work: Work) -> ObjectRef:
    return work.ref(
        resources.DEPLOYMENT, applications_namespace(work.snapshot), resources.AI_GATEWAY_CONTROLLER_DEPLOYMENT
    )


def _releases(work: Work) -> tuple[ObjectRef, ...]:
    """Return DSC and DSCI where they count as 3.5: other distributions number differently."""
    return tuple(
        thing.ref
        for kind in (resources.DATA_SCIENCE_CLUSTER, resources.DSC_INITIALIZATION)
        for thing in work.snapshot.of_kind(*kind.key)
        if versions.release_of(thing.get(*RELEASE)) == versions.RHOAI_35
    )


def _crds(work: Work) -> tuple[tuple[ObjectRef, str], ...]:
    found = ((work.found(resources.CRD, "", kind.crd_name), field) for kind, field in CRD_FIELDS)
    return tuple((crd.ref, field) for crd, field in found if crd is not None)


def _has(crd: ObjectRef, field: str) -> Predicate:
    return HasKeyWithin(object=crd, path=("spec", "versions"), key=field)


def _nothing_happened(work: Work) -> tuple[Predicate, ...]:
    return (
        *(FieldMatches(object=ref, path=RELEASE, pattern=IS_35) for ref in _releases(work)),
        Not(of=Exists(object=_ai_gateway_controller(work))),
        *(Not(of=_has(crd, field)) for crd, field in _crds(work)),
    )


def _platform_is_36(work: Work) -> tuple[Predicate, ...]:
    return (
        *(FieldMatches(object=ref, path=RELEASE, pattern=IS_36) for ref in _releases(work)),
        Exists(object=_ai_gateway_controller(work)),
        *(_has(crd, field) for crd, field in _crds(work) if not _releases(work) or field not in FROM_THE_PAGE),
    )


def _everything_settled(work: Work) -> tuple[Predicate, ...]:
    namespace = applications_namespace(work.snapshot)
    crd = work.found(resources.CRD, "", resources.MAAS_SUBSCRIPTION.crd_name)
    apis = {
        work.ref(resources.DEPLOYMENT, infra, naming.suffixed(naming.MAAS_API, tenant.facts.tenant_id))
        for tenant in work.tenants
        if (infra := infra_namespace(work.snapshot, tenant.config))
    }
    return (
        RolledOut(object=work.ref(resources.DEPLOYMENT, namespace, resources.MAAS_CONTROLLER_DEPLOYMENT)),
        RolledOut(object=_ai_gateway_controller(work)),
        *(RolledOut(object=ref) for ref in sorted(apis)),
        *(stamped(subscription, crd) for subscription in counted_subscriptions(work.snapshot)),
        *on_new_contract(work.snapshot),
    )


def infra_namespace(snapshot: Snapshot, config: KubeObject) -> str:
    """Return where the tenant's maas-api runs: as the live object says, else by the controller's. Source: §1.2."""
    live = config.get("status", "infraNamespace")
    if isinstance(live, str) and live:
        return live
    own = applications_namespace(snapshot)
    return resources.INFRA_NAMESPACES.get(own, own)
