"""Does part two decide as part one foretold?"""

from collections.abc import Iterator
from typing import Any

from migrate.maas import annotations
from migrate.records.assessment import TenantAssessment
from migrate.records.objects import get_in
from migrate.records.plan import Plan, SetFields, Step


def compare_decisions(forecast: Plan, part_two: Plan) -> tuple[str, ...]:
    """
    Return in words where part two decides otherwise than part one foretold; nothing means go on.

    Compared are, for each tenant, decision, verdict, apiTranslation, force and external models, and the identity of
    each subscription that existed. Source: contract §4.8, last lines.
    """
    old = {tenant.name: tenant for tenant in forecast.tenants}
    new = {tenant.name: tenant for tenant in part_two.tenants}
    lines: list[str] = []
    for name in sorted({*old, *new}):
        before, now = old.get(name), new.get(name)
        if before is None or now is None:
            lines.append(f"tenant {name}: {'appeared' if before is None else 'is gone'} since part one was planned")
        else:
            lines += _decision_lines(before, now)
    return (*lines, *_pin_lines(forecast, part_two), *_identity_lines(forecast, part_two))


def _pin_lines(forecast: Plan, part_two: Plan) -> Iterator[str]:
    """Yield each tenant whose pin is gone: handshake generation A takes it away, and the flip too. Contract §0.2."""
    pinned = {step.tenant for step in forecast.steps if _types(step)[1] == annotations.TYPE_IPP}
    for step in part_two.steps:
        before, after = _types(step)
        if step.tenant in pinned and after == annotations.TYPE_PRAXIS and before != annotations.TYPE_IPP:
            yield (
                f"tenant {step.tenant}: the pin to ipp is gone (the type is {before or 'absent'}): an intermediate "
                "build (handshake A) takes away a type that stands on MaasTenantConfig alone, and would undo the flip"
            )


def _types(step: Step) -> tuple[Any, Any]:
    """Return the type annotation before and after a step."""
    if not isinstance(step, SetFields):
        return None, None
    path = ("metadata", "annotations", annotations.PAYLOAD_PROCESSING_TYPE)
    return get_in(step.before, *path), get_in(step.after, *path)


def _decision_lines(before: TenantAssessment, now: TenantAssessment) -> Iterator[str]:
    pairs = (
        ("decision", before.decision, now.decision),
        ("verdict", _verdict(before), _verdict(now)),
        ("apiTranslation", _translation(before), _translation(now)),
        ("force", before.force, now.force),
        ("externalModels", _models(before), _models(now)),
    )
    for word, old, new in pairs:
        if old != new:
            yield f"tenant {now.name}: {word} was {_words(old)}, is {_words(new)}"


def _verdict(tenant: TenantAssessment) -> str:
    return tenant.config_map.verdict if tenant.config_map else "unknown"


def _translation(tenant: TenantAssessment) -> tuple[Any, Any, str]:
    entry = tenant.api_translation
    return entry.before, entry.after, entry.written_by


def _models(tenant: TenantAssessment) -> tuple[str, ...]:
    return tuple(
        sorted(
            f"{entry.object.group} {entry.object.namespace}/{entry.object.name} {entry.provider} {entry.api_format} "
            f"{entry.auth} {entry.path} {entry.host} "
            f"{'active' if entry.active else 'inactive'} {'qualified' if entry.qualified else 'unqualified'}"
            for entry in tenant.external_models
        )
    )


def _words(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join("absent" if part is None else str(part) for part in value) or "none"
    return str(value)


def _identity_lines(forecast: Plan, part_two: Plan) -> Iterator[str]:
    now = {entry.uid: entry for entry in part_two.subscriptions.expected}
    named = {(entry.namespace, entry.name): entry for entry in part_two.subscriptions.expected}
    for entry in forecast.subscriptions.expected:
        found = now.get(entry.uid)
        anew = named.get((entry.namespace, entry.name))
        if found is None and anew is not None:
            yield (
                f"subscription {entry.namespace}/{entry.name}: was made anew since part one (UID {entry.uid}, now "
                f"{anew.uid}); identity was to be {entry.expected}, is to be {anew.expected}"
            )
        elif found is not None and found.expected != entry.expected:
            yield (
                f"subscription {entry.namespace}/{entry.name}: identity was to be {entry.expected}, "
                f"is to be {found.expected} ({found.why})"
            )
