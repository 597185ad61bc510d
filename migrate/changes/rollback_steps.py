"""
The steps of the way back of one tenant, in the order that keeps what is restored.

Source: contract §4.6, "Order of a rollback": type=ipp, wait until IPP has the tenant, put the ConfigMap back,
restart, compare. A ConfigMap that is put back earlier would be deleted by the clean-up of Praxis.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from migrate.changes.payload_processing import plan_states as states
from migrate.changes.plan_parts import TRANSLATION, Tenant, Work, annotate, before_of
from migrate.changes.rollback_facts import Did, Saved, back_step
from migrate.maas import annotations as key
from migrate.records.assessment import Finding
from migrate.records.merging import holds
from migrate.records.objects import Json, KubeObject, get_in, shown
from migrate.records.plan import Restart, Restore, SetFields, Step, Verify, Wait
from migrate.records.predicates import All, Predicate, RolledOut

PHASE: Final = "rollback"
SECTIONS: Final = ("data", "binaryData", "immutable")
"""What is put back whole. Source: contract §4.6, step 3."""
ANNOTATIONS_LIMIT_BYTES: Final = 262_144
"""What the API server takes for all annotations of an object together. Source: case CH-16."""
QUIET_S: Final = 20
"""Seconds for which IPP must serve without a break when the clean-up had not ended: a pass in flight may delete."""
SOURCE: Final = "contract §4.6"


def is_back(work: Work, did: Did) -> bool:
    """
    Return whether the tenant is served by IPP as it was, with its own ConfigMap: there is nothing to do.

    One whose way back was begun and not ended never is: the restarts that make the Pods read the restored text
    may still be owed. Every step of it that holds already writes nothing.
    """
    config = did.tenant.config
    noted = config.annotations
    live = work.snapshot.find_ref(did.tenant.config_map)
    return (
        not did.way_back_open
        and noted.get(key.PAYLOAD_PROCESSING_TYPE) == key.TYPE_IPP
        and key.PAYLOAD_PROCESSING_STATUS not in noted
        and not (did.forced and key.is_forced(noted))
        and holds(config.raw, translation_back(did) or {})
        and (did.config_map is None or (live is not None and same_bytes(did.config_map.thing, live)))
        and not _praxis_holds(work, did.tenant)
    )


def _praxis_holds(work: Work, tenant: Tenant) -> bool:
    things = (work.snapshot.find_ref(ref) for ref in tenant.deployments)
    return any(thing is None or thing.labels.get(key.MANAGED_BY) == key.AI_GATEWAY_CONTROLLER for thing in things)


def same_bytes(one: KubeObject, other: KubeObject) -> bool:
    """Return whether two ConfigMaps hold the same; an empty section is an absent one."""
    return all((one.raw.get(name) or None) == (other.raw.get(name) or None) for name in SECTIONS)


def translation_back(did: Did) -> Json | None:
    """Return the patch that undoes our ``spec.apiTranslation``, None where the live value is not what we wrote."""
    step = did.translation
    if step is None:
        return None
    ours = get_in(step.after, *TRANSLATION)
    if get_in(did.tenant.config.raw, *TRANSLATION) != ours:
        return None
    return {"spec": step.before["spec"]}


def steps_back(work: Work, did: Did) -> Iterator[Step]:
    """Yield the steps for one tenant that was flipped."""
    tenant = did.tenant
    yield _type_ipp(did)
    yield _wait_for_ipp(work, did)
    saved = did.config_map
    if saved is not None:
        restore = _restore(work, did, saved, "restore", f"Put {saved.ref} back as it was saved")
        yield restore
        yield from _restart(work, tenant, restore.id)
        yield _restore(work, did, saved, "compare", f"Compare {saved.ref} once more")


def translation_alone(did: Did, patch: Json) -> SetFields:
    """Return the step that takes back our translation on a tenant that was never flipped."""
    return _write(did, patch, "Take spec.apiTranslation back")


def final_check() -> Verify:
    """Return the verification at the end."""
    return Verify(
        **_times(
            "final", "Read the cluster again: does IPP serve, and are identities and policies as they were?", 30, 300
        ),
        attempts=3,
        final=True,
    )


def _times(step_id: str, title: str, estimate_s: int, timeout_s: int, tenant: str = "") -> dict[str, Any]:
    return {
        "id": step_id,
        "title": title,
        "phase": PHASE,
        "tenant": tenant,
        "estimate_seconds": estimate_s,
        "timeout_seconds": timeout_s,
        "window": "outside",
    }


def _write(did: Did, after: Json, title: str) -> SetFields:
    config = did.tenant.config
    return SetFields(
        **_times(back_step(did.tenant.name), title, 5, 60, did.tenant.name),
        attempts=3,
        object=config.ref,
        uid=config.uid,
        before=before_of(config.raw, after),
        after=after,
        undo="none",
        undo_note="The way forward again is a new run.",
    )


def _type_ipp(did: Did) -> SetFields:
    """Write type=ipp also where it was absent before: absent means Praxis in some builds. Source: §4.6, step 1."""
    values: dict[str, str | None] = {key.PAYLOAD_PROCESSING_TYPE: key.TYPE_IPP}
    if did.forced and key.FORCE_PAYLOAD_PROCESSING_MIGRATION in did.tenant.config.annotations:
        values[key.FORCE_PAYLOAD_PROCESSING_MIGRATION] = None
    after = {**annotate(**values), **(translation_back(did) or {})}
    return _write(did, after, "Give the tenant back to IPP")


def _wait_for_ipp(work: Work, did: Did) -> Wait:
    tenant = did.tenant
    was_over = tenant.config.annotations.get(key.PAYLOAD_PROCESSING_STATUS) == key.STATUS_STEADY
    return Wait(
        **_times(f"ipp:{tenant.name}", "Wait until IPP serves the tenant again", 300, 900, tenant.name),
        object=tenant.config.ref,
        undo="none",
        until=states.ipp_serves(work, tenant),
        fails=tuple(failure for failure in states.failures(tenant) if failure.reason == "TenantReplaced"),
        hints=states.hints_back(work, tenant),
        settle_seconds=0 if was_over else QUIET_S,
        accepts_as_base=(tenant.config.ref,),
        forward_note="The controllers go on giving the tenant back to IPP; run the rollback again when they have.",
        prose="The marker payload-processing-status is the controllers': it is never written or removed by us.",
    )


def _restore(work: Work, did: Did, saved: Saved, name: str, title: str) -> Restore:
    live, shown = work.snapshot.find_ref(saved.ref), name == "restore"
    return Restore(
        **_times(f"{name}:{did.tenant.name}", title, 15, 300, did.tenant.name),
        attempts=3,
        object=saved.ref,
        before=_contents(live, saved.thing) if shown else None,
        after=_contents(saved.thing, live) if shown else None,
        undo="none",
        undo_note="What lies there now is saved first.",
        file=saved.file,
        sha256=saved.sha256,
        sections=SECTIONS,
        drop_annotations=dropped_annotations(saved.thing),
        set_annotations={key.MANAGED: key.MANAGED_FALSE},
        prose="In one request. A live immutable ConfigMap cannot be patched: it is saved, deleted and created.",
    )


def _contents(thing: KubeObject | None, other: KubeObject | None) -> Json:
    """
    Return what a ConfigMap holds, to be shown, with null for what only the *other* has.

    A text, which may be anybody's, stands as its length and digest.
    """
    shown: Json = {}
    for name in ("data", "binaryData"):
        mine, theirs = (side.get(name, default=None) or {} if side else {} for side in (thing, other))
        if mine or theirs:
            shown[name] = {entry: _digest(mine.get(entry)) for entry in sorted({*mine, *theirs})}
    return shown


def _digest(text: Any) -> str | None:
    if text is None:
        return None
    encoded = str(text).encode("utf-8", "surrogatepass")
    return f"sha256:{hashlib.sha256(encoded).hexdigest()} ({len(encoded)} bytes)"


def dropped_annotations(saved: KubeObject) -> tuple[str, ...]:
    """
    Return the annotations of a backup that are not put back.

    The migration's own, and kubectl's copy where it says something else than the object, or where all annotations
    together are over what the server takes.
    """
    dropped = [name for name in key.MIGRATION_ANNOTATIONS if name in saved.annotations]
    copy = saved.annotations.get(key.LAST_APPLIED)
    if copy is not None and (_is_stale(copy, saved) or _is_too_long(saved.annotations)):
        dropped.append(key.LAST_APPLIED)
    return tuple(sorted(dropped))


def _is_stale(copy: str, saved: KubeObject) -> bool:
    try:
        told = json.loads(copy)
    except ValueError:
        return True
    return not isinstance(told, Mapping) or not same_bytes(KubeObject(told), saved)


def _is_too_long(annotations: Mapping[str, str]) -> bool:
    size = sum(len(name.encode()) + len(str(value).encode()) for name, value in annotations.items())
    size += len(key.MANAGED) + len(key.MANAGED_FALSE)
    return size > ANNOTATIONS_LIMIT_BYTES


def _restart(work: Work, tenant: Tenant, after: str) -> Iterator[Step]:
    rolled: list[Predicate] = []
    for ref in map(work.known, tenant.deployments):
        yield Restart(
            **_times(f"restart:{ref.name}", f"Restart {ref}, which read the old text at its start", 5, 60, tenant.name),
            attempts=3,
            object=ref,
            before=_restarted_at(None),
            after=_restarted_at("the time at which it is sent"),
            undo="none",
            only_after=after,
        )
        rolled.append(RolledOut(object=ref))
    yield Wait(
        **_times(f"restarted:{tenant.name}", "Wait until both Deployments are available", 60, 300, tenant.name),
        undo="none",
        until=All(of=tuple(rolled)),
    )


def _restarted_at(value: str | None) -> Json:
    return {"spec": {"template": annotate(**{key.RESTARTED_AT: value})}}


def notes(work: Work, did: Did) -> Iterator[Finding]:
    """Yield what a person must know of one tenant: what stays, what is not put back, what happens on the way."""
    tenant = did.tenant
    still_pinned = did.pinned and tenant.config.annotations.get(key.PAYLOAD_PROCESSING_TYPE) == key.TYPE_IPP
    if did.flipped or still_pinned:
        message = f"{key.PAYLOAD_PROCESSING_TYPE} stays 'ipp': without it some builds move the tenant by themselves."
        yield _note("LeftAsIpp", tenant, message)
    if not did.flipped and tenant.config.annotations.get(key.PAYLOAD_PROCESSING_TYPE) == key.TYPE_PRAXIS:
        message = (
            "The tenant is on Praxis, and this run did not put it there: it is left. "
            "'maas-migrate rollback' of the run that did takes it back."
        )
        yield _note("PraxisLeft", tenant, message)
    yield from _translation_notes(did)
    if did.flipped and did.config_map is None:
        message = "There was no plugins ConfigMap before; the product default that appears is left."
        yield _note("DefaultLeft", tenant, message)
    if did.config_map is not None and did.flipped:
        yield from _map_notes(work, did.config_map, tenant)
    if did.config_map is not None and not did.flipped:
        yield from _untouched_map(work, did.config_map, tenant)
    forced = key.is_forced(tenant.config.annotations)
    if forced and not did.forced:
        message = "The force annotation was not set by this run and is left; it would force a later move too."
        yield _note("ForceLeft", tenant, message)


def _untouched_map(work: Work, saved: Saved, tenant: Tenant) -> Iterator[Finding]:
    """Yield that a ConfigMap which this run never put at stake is not what was saved: the upgrade may reset one."""
    live = work.snapshot.find_ref(tenant.config_map)
    if live is not None and not same_bytes(saved.thing, live):
        message = (
            f"{live.ref} is not what was saved, and this run did not change it: it is left. "
            f"The saved text is {saved.file}; 'maas-migrate backups export' gives it."
        )
        yield _note("ConfigMapLeft", tenant, message)


def _note(code: str, tenant: Tenant, message: str, path: str = "") -> Finding:
    return Finding(
        code=code,
        impact="info",
        object=tenant.config.ref,
        tenant=tenant.name,
        path=path,
        message=message,
        source=SOURCE,
    )


def _translation_notes(did: Did) -> Iterator[Finding]:
    tenant, path = did.tenant, ".".join(TRANSLATION)
    live = get_in(tenant.config.raw, *TRANSLATION)
    if did.translation is not None and translation_back(did) is None:
        ours, undone = get_in(did.translation.after, *TRANSLATION), did.translation.before
        if not holds(tenant.config.raw, undone):
            message = f"It is {shown(live)}; this run wrote {shown(ours)}. Somebody else's value is left."
            yield _note("TranslationLeft", tenant, message, path)
    elif did.translation is None and tenant.facts.api_translation.written_by == "controller" and live is not None:
        yield _note("TranslationLeft", tenant, f"It is {shown(live)}, written by the controller; IPP ignores it.", path)


def _map_notes(work: Work, saved: Saved, tenant: Tenant) -> Iterator[Finding]:
    for owner in saved.thing.owners:
        now = next(
            (
                thing
                for thing in work.snapshot.of_kind(
                    str(owner.get("apiVersion", "")).rpartition("/")[0], str(owner.get("kind"))
                )
                if thing.name == owner.get("name")
            ),
            None,
        )
        if now is None or now.uid != owner.get("uid"):
            message = (
                f"{saved.ref} belonged to {owner.get('kind')} {owner.get('name')} with UID {owner.get('uid')}, "
                "which is not there any more; that owner is not put back."
            )
            yield _note("OwnerNotPutBack", tenant, message, "metadata.ownerReferences")
    for name in dropped_annotations(saved.thing):
        yield _note(
            "AnnotationNotPutBack", tenant, f"{saved.ref}: {name} is not put back.", f"metadata.annotations.{name}"
        )
    live = work.snapshot.find_ref(tenant.config_map)
    if live is not None and live.get("immutable") is True and not same_bytes(saved.thing, live):
        message = (
            f"{live.ref} is immutable: if it still is then, it is saved, deleted and created; no signal splits that."
        )
        yield _note("ImmutableReplaced", tenant, message, "immutable")
