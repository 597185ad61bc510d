"""What a run did to each tenant, by its journal: what it wrote, what it saved, and so what there is to take back."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from migrate.changes.plan_parts import Tenant
from migrate.maas import annotations as key
from migrate.records.journal import BackupEntry, Event, Sealed
from migrate.records.objects import Json, KubeObject, ObjectRef, get_in
from migrate.records.plan import Plan, SetFields
from migrate.records.progress import Progress, Stretch
from migrate.records.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Saved:
    """
    One backup.

    Attributes:
        file: Inside the run directory.

        sha256: As sealed.

        ref: Which object, as it was saved.

        thing: The object as it was.
    """

    file: str
    sha256: str
    ref: ObjectRef
    thing: KubeObject


@dataclass(frozen=True, slots=True)
class Did:
    """
    What the run did, or may have done, to one tenant.

    Attributes:
        tenant: With its config as it is now.

        flipped: Whether the flip was sent.

        forced: Whether force went with it.

        translation: The step that set ``spec.apiTranslation``, None when none was sent.

        config_map: The backup to put back, None when there was no ConfigMap.

        way_back_open: Whether an earlier way back wrote to the tenant and was not gone to its end.

        pinned: Whether the run pinned it to IPP.
    """

    tenant: Tenant
    flipped: bool
    forced: bool
    translation: SetFields | None
    config_map: Saved | None
    way_back_open: bool = False
    pinned: bool = False


def sent_steps(events: Iterable[Event]) -> frozenset[str]:
    """Return the ids of the forward steps with a write that was announced: it may have run, whatever came of it."""
    sent = set()
    for event in events:
        if event.event == "rollback.started":
            break
        if event.event == "write.intended":
            sent.add(event.step)
    return frozenset(sent)


def what_was_done(
    plans: tuple[Plan, ...],
    events: tuple[Event, ...],
    backups: Iterable[BackupEntry],
    objects: dict[str, KubeObject],
    snapshot: Snapshot,
) -> Iterator[Did]:
    """Yield what the run did to each of its tenants that is still there, the last moved one first."""
    sent = sent_steps(events)
    progress = Progress.of(events)
    sealed = _forward_backups(progress.stretches, {entry.file for entry in backups}, objects)
    half_way = half_way_back(progress)
    facts = {tenant.name: tenant for plan in plans for tenant in plan.tenants}
    served = [step.tenant for plan in plans for step in (*plan.steps, *plan.forecast) if step.tenant]
    for name in reversed(list(dict.fromkeys(served))):
        known = facts[name]
        config = snapshot.find_ref(known.config)
        if config is None or known.gateway is None or known.config_uid not in {"", config.uid}:
            continue
        tenant = Tenant(facts=known, config=config, gateway=known.gateway)
        steps = [step for step in _writes(plans, name) if step.id in sent]
        yield Did(
            tenant=tenant,
            flipped=any(_type_of(step.after) == key.TYPE_PRAXIS for step in steps),
            forced=any(_annotation(step.after, key.FORCE_PAYLOAD_PROCESSING_MIGRATION) for step in steps),
            translation=next((step for step in steps if "apiTranslation" in step.after.get("spec", {})), None),
            config_map=_saved(_to_put_back(plans, sealed, tenant), objects),
            way_back_open=back_step(name) in half_way,
            pinned=any(_type_of(step.after) == key.TYPE_IPP for step in steps),
        )


def back_step(tenant: str) -> str:
    """Return the id of the step that gives a tenant back."""
    return f"back:{tenant}"


def half_way_back(progress: Progress) -> frozenset[str]:
    """
    Return the ids of the steps of ways back that wrote, or may have, and were not gone to their end.

    The cluster does not show what is left of one: a text that was put back is not yet what the Pods run.
    """
    left: set[str] = set()
    for stretch in progress.stretches:
        may_have = progress.intent is not None and stretch is progress.now
        if stretch.phase == "rollback" and stretch.is_done:
            left.clear()
        elif stretch.phase == "rollback" and (stretch.wrote or may_have):
            left |= set(stretch.steps)
    return frozenset(left)


def _writes(plans: tuple[Plan, ...], tenant: str) -> Iterator[SetFields]:
    for plan in plans:
        yield from (step for step in plan.steps if isinstance(step, SetFields) and step.tenant == tenant)


def _type_of(patch: Json) -> Any:
    return _annotation(patch, key.PAYLOAD_PROCESSING_TYPE)


def _annotation(patch: Json, name: str) -> Any:
    return get_in(patch, "metadata", "annotations", name)


def _forward_backups(
    stretches: Iterable[Stretch], whole: set[str], objects: dict[str, KubeObject]
) -> tuple[tuple[Sealed, ...], ...]:
    """Return the sealed backups of each forward stretch, oldest first; what is not on the disk whole is left out."""
    return tuple(
        tuple(entry for entry in stretch.sealed if entry.entry.file in whole and entry.entry.file in objects)
        for stretch in stretches
        if stretch.phase == "forward"
    )


def _to_put_back(plans: tuple[Plan, ...], sealed: tuple[tuple[Sealed, ...], ...], tenant: Tenant) -> Sealed | None:
    """
    Return the backup of the plugins ConfigMap that holds what the tenant had.

    That is the newest one, taken just before the flip; but where the upgrade itself had put the product default in
    place of a custom text, the text is in part one's backup only. Source: contract §4.8, "The upgrade".
    """
    found = [_last_of(stretch, tenant.config_map) for stretch in sealed]
    kept = [entry for entry in found if entry is not None]
    if not kept:
        return None
    verdicts = [_verdict(plan, tenant.name) for plan in plans]
    was_reset = len(kept) > 1 and len(verdicts) > 1 and verdicts[-1] == "default" != verdicts[0]
    return kept[0] if was_reset else kept[-1]


def _saved(found: Sealed | None, objects: dict[str, KubeObject]) -> Saved | None:
    if found is None:
        return None
    file = found.entry.file
    return Saved(file=file, sha256=found.entry.sha256, ref=objects[file].ref, thing=objects[file])


def _last_of(stretch: tuple[Sealed, ...], ref: ObjectRef) -> Sealed | None:
    mine = [
        entry
        for entry in stretch
        if (entry.object.kind, entry.object.namespace, entry.object.name) == (ref.kind, ref.namespace, ref.name)
    ]
    return mine[-1] if mine else None


def _verdict(plan: Plan, name: str) -> str:
    facts = next((tenant for tenant in plan.tenants if tenant.name == name), None)
    return facts.config_map.verdict if facts and facts.config_map else ""
