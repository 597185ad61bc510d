"""
The way back as a plan: what a run did is taken back, in an order in which nothing that is restored is lost again.

It refuses where it cannot work, and lists what cannot come back. Source: contract §4.6.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from migrate.changes.plan_needs import needs_for
from migrate.changes.plan_parts import Work, applications_namespace
from migrate.changes.rollback_facts import Did, what_was_done
from migrate.changes.rollback_steps import (
    PHASE,
    SOURCE,
    final_check,
    is_back,
    notes,
    steps_back,
    translation_alone,
    translation_back,
)
from migrate.errors import ExitCode, first_of
from migrate.maas import annotations as key
from migrate.maas import resources, versions
from migrate.records.assessment import Assessment, Finding
from migrate.records.journal import BackupEntry, Event, RunState
from migrate.records.objects import KubeObject
from migrate.records.plan import BackUp, BackUpItem, CheckAccess, Plan, Step
from migrate.records.snapshot import Snapshot

EVIDENCE: Final = (
    "Subscriptions, TokenRateLimitPolicies, AuthPolicies, EnvoyFilters and dashboards were saved as evidence and are "
    "never written back: a subscription that is created again would be stamped short."
)
LOST: Final = (
    "Counters that were running in the present window may have started again, and may once more; "
    "the operator stays on 3.6."
)


def plan_rollback(
    *,
    state: RunState,
    events: tuple[Event, ...],
    plans: tuple[Plan, ...],
    backups: Iterable[BackupEntry],
    objects: Mapping[str, KubeObject],
    snapshot: Snapshot,
) -> Plan:
    """
    Return the way back of a run; no steps when there is nothing to take back.

    A rollback that cannot work has no steps, a blocking finding and the exit code 11; one whose tenants could not
    be read 4.

    Args:
        state: The run.

        events: Its journal.

        plans: Part one, and part two where there is one.

        backups: Every sealed object, checked byte for byte.

        objects: The saved objects by file.

        snapshot: The cluster as it is.
    """
    done = tuple(what_was_done(plans, events, tuple(backups), dict(objects), snapshot))
    work = _work(snapshot, plans, done)
    going = tuple(did for did in done if did.flipped and not is_back(work, did))
    refusals = (*_unread(plans, snapshot), *(stop for did in going for stop in _refused(work, did)))
    told = (*_gone(plans, snapshot, done), *(note for did in done for note in notes(work, did)), *_always(done))
    steps = () if refusals else tuple(_steps(work, done, going))
    last = plans[-1]
    return Plan(
        created_at=snapshot.taken_at,
        part=last.part,
        run=state.id,
        cluster=snapshot.cluster,
        platform="3.6" if _is_36(work) else "3.5",
        runbook=last.runbook,
        narrowed_to=last.narrowed_to,
        tenants=last.tenants,
        subscriptions=last.subscriptions,
        findings=(*refusals, *told, *_known_before(last)),
        steps=steps,
        volatile=work.volatile,
        policies=last.policies,
        options=last.options,
        requests=snapshot.requests,
        exit_code=int(_exit_code(refusals)),
    ).with_id()


def _work(snapshot: Snapshot, plans: tuple[Plan, ...], done: tuple[Did, ...]) -> Work:
    empty = Assessment(taken_at=snapshot.taken_at, cluster=snapshot.cluster, platform="unknown")
    return Work(snapshot, empty, tuple(did.tenant for did in done), plans[-1].volatile, plans[-1].part)


def _steps(work: Work, done: tuple[Did, ...], going: tuple[Did, ...]) -> Iterator[Step]:
    back: list[Step] = []
    for did in done:
        if did in going:
            back += steps_back(work, did)
        elif not did.flipped and (patch := translation_back(did)) is not None:
            back.append(translation_alone(did, patch))
    if not back:
        return
    back.append(final_check())
    yield _access(work, back)
    yield _backup(work, {step.tenant for step in back})
    yield from back


def _base(step_id: str, title: str, seconds: int) -> dict[str, Any]:
    return {
        "id": step_id,
        "title": title,
        "phase": PHASE,
        "estimate_seconds": seconds,
        "timeout_seconds": 20 * seconds,
        "attempts": 3,
        "window": "outside",
    }


def _access(work: Work, steps: list[Step]) -> CheckAccess:
    needs = needs_for(work.snapshot, steps)
    return CheckAccess(**_base("access-back", "Ask the server whether the way back is permitted", 10), needs=needs)


def _backup(work: Work, names: set[str]) -> BackUp:
    """Save what is there now before it is written over: what Praxis has there is gone afterwards."""
    items = []
    for tenant in work.tenants:
        if tenant.name in names:
            items.append(BackUpItem(object=tenant.config.ref, uid=tenant.config.uid))
            live = work.snapshot.find_ref(tenant.config_map)
            items += [BackUpItem(object=live.ref, uid=live.uid, optional=True)] if live else []
    return BackUp(**_base("backup-back", "Save what is there now", 15), items=tuple(items))


def _is_36(work: Work) -> bool:
    """Return whether controllers of 3.6 are there to give a tenant back."""
    namespace = applications_namespace(work.snapshot)
    name = resources.AI_GATEWAY_CONTROLLER_DEPLOYMENT
    if work.found(resources.DEPLOYMENT, namespace, name) is not None:
        return True
    crd = work.found(resources.CRD, "", resources.MAAS_TENANT_CONFIG.crd_name)
    return crd is not None and versions.crd_has_field(crd, "spec", versions.API_TRANSLATION_FIELD)


def _refused(work: Work, did: Did) -> Iterator[Finding]:
    """Yield why the tenant cannot be given back: no place to put it, or nobody to release it. Source: contract §4.6."""
    yield from _no_place(work, did)
    status = did.tenant.config.annotations.get(key.PAYLOAD_PROCESSING_STATUS)
    namespace = applications_namespace(work.snapshot)
    peer = work.ref(resources.DEPLOYMENT, namespace, resources.AI_GATEWAY_CONTROLLER_DEPLOYMENT)
    present = work.snapshot.find_ref(peer)
    if present is not None and not present.is_deleting:
        return
    if present is None and not work.snapshot.is_absent(peer.group, peer.kind, peer.namespace, peer.name):
        yield _blocking(did, "RollbackUnknown", f"{peer} could not be read.", unreadable=True)
    elif status is not None and (status != key.STATUS_CLEANUP_COMPLETE or not _is_36(work)):
        message = (
            f"{did.tenant.config.ref} is {status!r}, and {peer} is gone: nobody cleans Praxis up, releases the tenant "
            f"or drops the finalizer {key.PRAXIS_CLEANUP_FINALIZER}. Nothing was written."
        )
        yield _blocking(did, "RollbackNeedsController", message)


def _no_place(work: Work, did: Did) -> Iterator[Finding]:
    """Yield that IPP and its ConfigMap cannot be put back: the namespace goes, or is gone."""
    name = did.tenant.gateway.namespace
    namespace = work.found(resources.NAMESPACE, "", name)
    if namespace is not None and namespace.is_deleting:
        state = f"is being deleted since {namespace.get('metadata', 'deletionTimestamp')}"
    elif namespace is None and work.snapshot.is_absent("", resources.NAMESPACE.kind, "", name):
        state = "is not there"
    else:
        return
    message = (
        f"Namespace {name} {state}: IPP and {did.tenant.config_map} cannot be put back into it. "
        "Nothing was written; the run's backups are kept."
    )
    resolution = "Let it go, create it and its Gateway again, then run the rollback again."
    yield _blocking(did, "ObjectTerminating", message, resolution)


def _blocking(did: Did, code: str, message: str, resolution: str = "", *, unreadable: bool = False) -> Finding:
    controllers = "Bring the 3.6 controllers back (ai-gateway-controller above all), then run the rollback again."
    return Finding(
        code=code,
        impact="blocking",
        object=did.tenant.config.ref,
        tenant=did.tenant.name,
        message=message,
        resolution="Read it with a user who may." if unreadable else resolution or controllers,
        source=SOURCE,
        unreadable=unreadable,
    )


def _unread(plans: tuple[Plan, ...], snapshot: Snapshot) -> Iterator[Finding]:
    """Yield each tenant of which nobody knows whether it is there."""
    for facts in plans[-1].tenants:
        ref = facts.config
        gap = snapshot.gap_for(ref.group, ref.kind, ref.namespace, ref.name)
        if snapshot.find_ref(ref) is None and gap is not None:
            yield Finding(
                code="RollbackUnknown",
                impact="blocking",
                object=ref,
                tenant=facts.name,
                message=f"{ref} could not be read: {gap.reason} {gap.message}".strip(),
                resolution="Read it with a user who may.",
                source=SOURCE,
                unreadable=True,
            )


def _gone(plans: tuple[Plan, ...], snapshot: Snapshot, done: tuple[Did, ...]) -> Iterator[Finding]:
    """Yield each tenant that the run worked on and that is not there any more, or is another one now."""
    seen = {did.tenant.name for did in done}
    served = {step.tenant for plan in plans for step in plan.steps}
    for facts in plans[-1].tenants:
        live = snapshot.find_ref(facts.config)
        if facts.name in served and facts.name not in seen:
            what = "is another object now" if live is not None else "is gone"
            yield Finding(
                code="TenantReplaced",
                impact="advisory",
                object=facts.config,
                tenant=facts.name,
                message=f"{facts.config} {what}: the run's backups do not describe it, nothing of it is taken back.",
                resolution="Look at what happened to the tenant; its backups stay in the run directory.",
                source=SOURCE,
            )


def _always(done: tuple[Did, ...]) -> Iterator[Finding]:
    if any(did.flipped for did in done):
        yield Finding(code="EvidenceOnly", impact="info", message=EVIDENCE, source=SOURCE)
        yield Finding(code="CannotComeBack", impact="info", message=LOST, source=SOURCE)


def _known_before(plan: Plan) -> Iterator[Finding]:
    """Yield what was found before the run, without its weight: a verification tells by it what was broken then."""
    for finding in plan.findings:
        yield (
            finding
            if finding.impact in {"advisory", "info"}
            else msgspec.structs.replace(finding, impact="info", resolution="")
        )


def _exit_code(refusals: Iterable[Finding]) -> ExitCode:
    codes = {ExitCode.NOT_AUTHORISED if refusal.unreadable else ExitCode.BLOCKED for refusal in refusals}
    return first_of(*codes)
