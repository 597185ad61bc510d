"""Steps that move a tenant from IPP to Praxis: pin, translation, flip, wait, and the force annotation taken away."""

from typing import Any

from migrate.changes.payload_processing import plan_states as states
from migrate.changes.plan_parts import TRANSLATION, Tenant, Work, annotate, before_of
from migrate.maas import annotations as key
from migrate.records.essence import fingerprint
from migrate.records.objects import Json, get_in
from migrate.records.plan import Ask, SetFields, Wait, Withdrawal
from migrate.records.predicates import FieldIs

FORWARD_NOTE = (
    "The clean-up of IPP has begun and goes on by itself: the controllers bring the tenant to Praxis. "
    "A force annotation that we set stays until `resume` or `rollback` takes it away."
)


def pin_patch() -> Json:
    """Return the patch that holds a tenant on IPP."""
    return annotate(**{key.PAYLOAD_PROCESSING_TYPE: key.TYPE_IPP})


def flip_patch(tenant: Tenant) -> Json:
    """Return the patch that hands a tenant to Praxis; force goes in the same patch. Source: contract §4.7."""
    values = {key.PAYLOAD_PROCESSING_TYPE: key.TYPE_PRAXIS}
    if tenant.facts.force:
        values[key.FORCE_PAYLOAD_PROCESSING_MIGRATION] = key.FORCE_TRUE
    return annotate(**values)


def withdrawal_patch(tenant: Tenant) -> Json:
    """Return the patch that takes a flip back; our force goes in the same patch. Source: contract §4.4."""
    values: dict[str, str | None] = {key.PAYLOAD_PROCESSING_TYPE: key.TYPE_IPP}
    if tenant.facts.force:
        values[key.FORCE_PAYLOAD_PROCESSING_MIGRATION] = None
    return annotate(**values)


def translation_patch(tenant: Tenant) -> Json | None:
    """Return the patch that sets ``spec.apiTranslation`` as asked, None when nobody asked or it is so already."""
    translation = tenant.facts.api_translation
    if translation.written_by != "us":
        return None
    if get_in(tenant.config.raw, *TRANSLATION) == translation.after:
        return None
    return {"spec": {"apiTranslation": {"enabled": translation.after}}}


def _write(work: Work, tenant: Tenant, after: Json) -> dict[str, Any]:
    config = tenant.config
    return {
        "object": config.ref,
        "uid": config.uid,
        "before": before_of(config.raw, after),
        "after": after,
        "expects": fingerprint(config, work.ignored(config.ref)),
    }


def withdrawal(work: Work, tenant: Tenant) -> Withdrawal:
    """Return how a stop after the flip takes it back while nothing is deleted. Source: contract §4.4."""
    return Withdrawal(
        object=tenant.config.ref,
        patch=withdrawal_patch(tenant),
        only_while=states.nothing_deleted(work, tenant),
        then_holds=states.same_config_map(work, tenant),
    )


def make_pin(work: Work, base: dict[str, Any], tenant: Tenant) -> SetFields:
    """Pin the tenant to IPP before the upgrade. Source: contract §0.2."""
    note = "A rollback leaves the pin: without it some builds of 3.6 move the tenant by themselves."
    return SetFields(**base, **_write(work, tenant, pin_patch()), undo="exact", undo_note=note)


def make_translation(work: Work, base: dict[str, Any], tenant: Tenant) -> SetFields | None:
    """Set the field as the operator asked, before the flip; never over an operator's own value."""
    after = translation_patch(tenant)
    return SetFields(**base, **_write(work, tenant, after)) if after else None


def make_flip(work: Work, base: dict[str, Any], tenant: Tenant) -> SetFields:
    """Flip the tenant."""
    return SetFields(
        **base,
        **_write(work, tenant, flip_patch(tenant)),
        undo="lossy",
        undo_note="IPP is deployed anew and the plugins ConfigMap comes from the backup; "
        "limits that were counting on routes of external models may start again.",
        forbidden_if=states.must_not_flip(work, tenant),
        withdrawal=withdrawal(work, tenant),
    )


def make_wait(work: Work, base: dict[str, Any], tenant: Tenant) -> Wait:
    """Wait until the move is really over. Source: contract §4.2 end, §4.8."""
    return Wait(
        **base,
        object=tenant.config.ref,
        undo="lossy",
        until=states.really_over(work, tenant),
        fails=states.failures(tenant),
        hints=states.hints_forward(work, tenant),
        accepts_as_base=(tenant.config.ref, work.known(tenant.config_map)),
        withdrawal=withdrawal(work, tenant),
        forward_note=FORWARD_NOTE,
    )


def make_remove_force(work: Work, base: dict[str, Any], tenant: Tenant) -> SetFields | None:
    """Take our force annotation away again; no controller does. Source: contract §2.1, §4.7."""
    if not tenant.facts.force:
        return None
    after = annotate(**{key.FORCE_PAYLOAD_PROCESSING_MIGRATION: None})
    path = tenant.annotation(key.FORCE_PAYLOAD_PROCESSING_MIGRATION)
    write = {
        **_write(work, tenant, after),
        # The controllers have written to the object since; what it was no longer says what it must be.
        "expects": "",
    }
    only_if = FieldIs(object=tenant.config.ref, path=path, values=(key.FORCE_TRUE,))
    return SetFields(**base, **write, only_if=only_if, undo_note="It is never set again by a rollback.")


def make_review(work: Work, base: dict[str, Any]) -> Ask:
    """Name every binding that a person must test before Praxis serves it. Source: contract §5.2."""
    names = [
        f"{tenant.name}: {binding.object} ({binding.provider} {binding.api_format}: "
        f"{binding.reason or ('needs translation' if binding.needs_translation else 'passed through')})"
        for tenant in work.tenants
        for binding in tenant.facts.external_models
        if binding.active
    ]
    names += [
        f"{tenant.name}: {tenant.config_map} is customised; what is special in it is lost in the move"
        for tenant in work.tenants
        if tenant.facts.force
    ]
    question = "Have these been reviewed and tested for Praxis?"
    return Ask(**base, question=question, names=tuple(sorted(set(names))))
