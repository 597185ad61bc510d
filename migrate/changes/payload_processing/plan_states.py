"""
The states of a tenant's move as predicates: still whole, blocked, on the way, really over, back on IPP.

Sources: contract §4.2 (the way forward and its end), §4.4 (blocked, withdrawal), §4.6 (the way back), §4.8.
"""

from migrate.changes.payload_processing.held import hints_held
from migrate.changes.plan_parts import Tenant, Work, model_of, models_without_route, policies_of, status_of
from migrate.maas import annotations as key
from migrate.maas import naming, resources
from migrate.maas.plugins_baselines import IPP_KEYS, PRAXIS_KEYS
from migrate.records.objects import KubeObject, ObjectRef
from migrate.records.plan import Failure, Hint
from migrate.records.predicates import (
    All,
    AnyOf,
    ConditionIs,
    Exists,
    FieldAbsent,
    FieldAtLeast,
    FieldIs,
    FieldPresent,
    Gone,
    HasKeys,
    ManagedBy,
    Not,
    Predicate,
    RolledOut,
    SameUid,
)

PRIORITY = 10
"""The least ``spec.priority`` of the tenant's EnvoyFilter. Source: contract §4.2, step 14."""
GATEWAY_LABEL = ("spec", "workloadSelector", "labels", "gateway.networking.k8s.io/gateway-name")
"""How an EnvoyFilter selects its gateway. Source: contract §1.11."""


def status_absent(tenant: Tenant) -> Predicate:
    """Nobody has begun to hand the tenant over, or it is all IPP's again."""
    return FieldAbsent(object=tenant.config.ref, path=tenant.annotation(key.PAYLOAD_PROCESSING_STATUS))


def status_is(tenant: Tenant, *values: str) -> Predicate:
    """The status annotation has one of these values."""
    return FieldIs(object=tenant.config.ref, path=tenant.annotation(key.PAYLOAD_PROCESSING_STATUS), values=values)


def type_is(tenant: Tenant, engine: str) -> Predicate:
    """The type annotation says *engine*."""
    return FieldIs(object=tenant.config.ref, path=tenant.annotation(key.PAYLOAD_PROCESSING_TYPE), values=(engine,))


def same_config_map(work: Work, tenant: Tenant) -> Predicate:
    """The plugins ConfigMap is the one of the plan, or absent as it was then."""
    ref = work.known(tenant.config_map)
    thing = work.snapshot.find_ref(ref)
    return SameUid(object=ref, uid=thing.uid) if thing else Not(of=Exists(object=ref))


def nothing_deleted(work: Work, tenant: Tenant) -> Predicate:
    """The clean-up has deleted nothing: a stop may still take the flip back. Source: contract §4.4."""
    present = (work.snapshot.find_ref(work.known(ref)) for ref in tenant.deployments)
    deployments = tuple(SameUid(object=thing.ref, uid=thing.uid) for thing in present if thing)
    return All(of=(status_absent(tenant), same_config_map(work, tenant), *deployments))


def blocked(tenant: Tenant) -> Predicate:
    """The controller refuses: annotation, no status annotation, Ready=False/DeploymentsNotReady. Source: §4.4."""
    return All(
        of=(
            FieldIs(
                object=tenant.config.ref,
                path=tenant.annotation(key.PAYLOAD_PROCESSING_MIGRATION),
                values=(key.MIGRATION_BLOCKED,),
            ),
            status_absent(tenant),
            not_ready(tenant, "DeploymentsNotReady"),
        )
    )


def not_ready(tenant: Tenant, reason: str) -> Predicate:
    """Ready=False with that reason."""
    return ConditionIs(object=tenant.config.ref, type="Ready", status="False", reasons=(reason,))


def condition(ref: ObjectRef, condition_type: str) -> Predicate:
    """Return: the condition is True."""
    return ConditionIs(object=ref, type=condition_type, status="True")


def ready(tenant: Tenant) -> Predicate:
    """Ready=True at the present generation; the phase may be Degraded by an accepted risk. Source: §5.3."""
    return ConditionIs(object=tenant.config.ref, type="Ready", status="True")


def really_over(work: Work, tenant: Tenant) -> Predicate:
    """Praxis serves the tenant and every policy that held before holds again. Source: contract §4.2 end, §4.8."""
    return All(of=(*praxis_serves(work, tenant), *_old_is_gone(work, tenant), *_policies_hold(work, tenant)))


def praxis_serves(work: Work, tenant: Tenant) -> tuple[Predicate, ...]:
    """Return what shows that Praxis serves the tenant; Ready alone is no proof. Source: contract §4.2 end."""
    config_map = work.known(tenant.config_map)
    engines = tuple(
        part
        for ref in map(work.known, tenant.deployments)
        for part in (RolledOut(object=ref), ManagedBy(object=ref, manager=key.AI_GATEWAY_CONTROLLER))
    )
    return (
        type_is(tenant, key.TYPE_PRAXIS),
        status_is(tenant, key.STATUS_STEADY),
        FieldAbsent(object=tenant.config.ref, path=tenant.annotation(key.PAYLOAD_PROCESSING_MIGRATION)),
        ready(tenant),
        *engines,
        HasKeys(
            object=config_map,
            path=("data",),
            all_of=PRAXIS_KEYS,
            none_of=IPP_KEYS,
        ),
        *filter_is_right(work, tenant),
    )


def filter_is_right(work: Work, tenant: Tenant) -> tuple[Predicate, ...]:
    """Return what the tenant's EnvoyFilter must be; some builds do not look themselves. Source: §4.2, §10 row 17."""
    ref = work.known(tenant.at_gateway(resources.ENVOY_FILTER, naming.PAYLOAD_PROCESSING))
    return (
        FieldAtLeast(object=ref, path=("spec", "priority"), least=PRIORITY),
        FieldIs(object=ref, path=GATEWAY_LABEL, values=(tenant.gateway.name,)),
    )


def _old_is_gone(work: Work, tenant: Tenant) -> tuple[Predicate, ...]:
    thing = work.snapshot.find_ref(work.known(tenant.config_map))
    return (Gone(object=thing.ref, uid=thing.uid),) if thing else ()


def _policies_hold(work: Work, tenant: Tenant) -> tuple[Predicate, ...]:
    return tuple(
        ConditionIs(object=policy.ref, type="Accepted", status="True")
        for policy in policies_to_wait_for(work, tenant)
        if policy.kind == resources.TOKEN_RATE_LIMIT_POLICY.kind and status_of(policy, "Accepted") == "True"
    )


def policies_to_wait_for(work: Work, tenant: Tenant) -> tuple[KubeObject, ...]:
    """Return the tenant's policies that must come back: all but those of models whose loss was accepted."""
    lost = models_without_route(work.snapshot, tenant)
    return tuple(policy for policy in policies_of(work.snapshot, tenant) if model_of(policy) not in lost)


def ipp_serves(work: Work, tenant: Tenant) -> Predicate:
    """IPP has the tenant back, with some plugins ConfigMap of its own. Source: contract §4.6, step 2."""
    return All(
        of=(
            type_is(tenant, key.TYPE_IPP),
            status_absent(tenant),
            ready(tenant),
            *(
                part
                for ref in map(work.known, tenant.deployments)
                for part in (
                    RolledOut(object=ref),
                    Not(of=ManagedBy(object=ref, manager=key.AI_GATEWAY_CONTROLLER)),
                )
            ),
            HasKeys(object=work.known(tenant.config_map), path=("data",), all_of=IPP_KEYS),
        )
    )


def failures(tenant: Tenant) -> tuple[Failure, ...]:
    """Return what ends the wait for Praxis at once."""
    config = tenant.config.ref
    return (
        Failure(
            reason="TenantReplaced",
            message=f"{config} was deleted, or another object has its name now.",
            resolution="Look at what happened to the tenant, then make a new plan.",
            when=Gone(object=config, uid=tenant.config.uid),
        ),
        Failure(
            reason="PayloadProcessingBlocked",
            message=f"maas-controller refuses to move tenant {tenant.name}: {config} is marked blocked.",
            resolution="Read the message of its Ready condition, mend what it names, then make a new plan.",
            when=blocked(tenant),
        ),
    )


def hints_forward(work: Work, tenant: Tenant) -> tuple[Hint, ...]:
    """Return the known states on the way to Praxis, what is held first, then the latest."""
    engines = All(of=tuple(Exists(object=work.known(ref)) for ref in tenant.deployments))
    steady = status_is(tenant, key.STATUS_STEADY)
    claimed = "ai-gateway-controller has claimed the tenant; "
    return (
        *held(work, tenant),
        Hint(
            when=All(of=(steady, Not(of=engines))),
            says=claimed + "it waits for the routing overlay, or an object of somebody else has a name it needs",
        ),
        Hint(when=steady, says=claimed + "Praxis is starting, or routes and policies are still being made"),
        Hint(
            when=status_is(tenant, key.STATUS_CLEANUP_COMPLETE),
            says="IPP is cleaned up; ai-gateway-controller has not claimed the tenant yet, its log says why",
        ),
        Hint(
            when=FieldPresent(object=tenant.config.ref, path=tenant.annotation(key.PAYLOAD_PROCESSING_STATUS)),
            says="a controller claims the tenant with a status we do not know; it has to release it itself",
        ),
        Hint(
            when=not_ready(tenant, "PlatformReconcileFailed"),
            says="waiting on a writer pod: the clean-up goes on when the IPP pods have stopped; force would not help",
        ),
        Hint(when=blocked(tenant), says="maas-controller refuses to move the tenant"),
        Hint(when=status_absent(tenant), says="maas-controller has not begun the clean-up, or is in the midst of it"),
    )


def held(work: Work, tenant: Tenant) -> tuple[Hint, ...]:
    """Return what is said of objects that have to go and that somebody may hold."""
    return hints_held(work.snapshot, tenant.gateway.namespace, tenant.facts.tenant_id)


def hints_back(work: Work, tenant: Tenant) -> tuple[Hint, ...]:
    """Return the known states on the way back to IPP."""
    return (
        *held(work, tenant),
        Hint(
            when=status_is(tenant, key.STATUS_STEADY),
            says="waiting for ai-gateway-controller to clean Praxis up and release the tenant",
        ),
        Hint(
            when=status_is(tenant, key.STATUS_CLEANUP_COMPLETE),
            says="Praxis is cleaned up; waiting for maas-controller to take the tenant and deploy IPP",
        ),
        Hint(
            when=FieldPresent(object=tenant.config.ref, path=tenant.annotation(key.PAYLOAD_PROCESSING_STATUS)),
            says="a peer holds the tenant by an unknown status annotation; whoever wrote it has to release it, "
            "we never do",
        ),
        Hint(when=status_absent(tenant), says="IPP is being deployed"),
    )


def must_not_flip(work: Work, tenant: Tenant) -> Predicate:
    """Just before the flip: a hand-over has begun, the ConfigMap is another one, or translation was turned around."""
    config: ObjectRef = tenant.config.ref
    foretold = tenant.facts.api_translation
    parts: tuple[Predicate, ...] = (
        FieldPresent(object=config, path=tenant.annotation(key.PAYLOAD_PROCESSING_STATUS)),
        Not(of=same_config_map(work, tenant)),
    )
    if foretold.written_by == "controller":
        opposite = FieldIs(object=config, path=("spec", "apiTranslation", "enabled"), values=(not foretold.after,))
        parts = (*parts, opposite)
    return AnyOf(of=parts)
