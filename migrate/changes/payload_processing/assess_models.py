"""The external models of a tenant: what Praxis makes of each, and what that means for the flip. Contract §5."""

from collections.abc import Iterator
from dataclasses import dataclass

from migrate.changes.findings import UNSUPPORTED_MODELS, finding
from migrate.changes.platform.reading import found, listed, text
from migrate.maas import providers, resources
from migrate.maas.providers import Binding, Qualification
from migrate.records.assessment import ApiTranslation, Finding, ModelBinding
from migrate.records.objects import KubeObject
from migrate.records.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Judged:
    """One binding and what Praxis makes of it with the translation as it will be."""

    binding: Binding
    qualification: Qualification
    qualified: bool


def models_by_tenant(snapshot: Snapshot) -> dict[str, tuple[KubeObject, ...]]:
    """Return the external models of both groups by the tenant they count for. Source: contract §5.1."""
    refs: dict[tuple[str, str], list[KubeObject]] = {}
    for ref in listed(snapshot, resources.MAAS_MODEL_REF):
        refs.setdefault((ref.namespace, text(ref.get("spec", "modelRef", "name"))), []).append(ref)
    models = providers.deduplicated(
        listed(snapshot, resources.EXTERNAL_MODEL), listed(snapshot, resources.MAAS_EXTERNAL_MODEL)
    )
    by_tenant: dict[str, list[KubeObject]] = {}
    for model in models:
        for tenant in providers.tenant_of_model(model, tuple(refs.get((model.namespace, model.name), ()))):
            by_tenant.setdefault(tenant, []).append(model)
    return {tenant: tuple(models) for tenant, models in by_tenant.items()}


def judge_models(snapshot: Snapshot, models: tuple[KubeObject, ...], translation: ApiTranslation) -> tuple[Judged, ...]:
    """Return every binding of *models*, judged with the translation as it will be after the run."""
    by_name = {(thing.namespace, thing.name): thing for thing in listed(snapshot, resources.EXTERNAL_PROVIDER)}
    judged = []
    for model in models:
        for binding in providers.bindings_of(model, by_name):
            qualification = providers.qualify(binding)
            qualified = qualification.verdict == "qualified" or (
                qualification.verdict == "needs-translation" and translation.after is True
            )
            judged.append(Judged(binding=binding, qualification=qualification, qualified=qualified))
    return tuple(judged)


def records_of(judged: tuple[Judged, ...]) -> tuple[ModelBinding, ...]:
    """Return the bindings as a plan holds them."""
    return tuple(
        ModelBinding(
            object=one.binding.model,
            provider=one.binding.provider,
            api_format=one.binding.api_format,
            auth=one.binding.auth,
            path=one.binding.path,
            host=one.binding.host,
            active=one.binding.active,
            qualified=one.qualified,
            needs_translation=one.qualification.verdict == "needs-translation",
            reason="" if one.qualified else one.qualification.reason,
        )
        for one in judged
    )


def assess_models(
    snapshot: Snapshot, tenant: str, judged: tuple[Judged, ...], translation: ApiTranslation, *, checked: bool = True
) -> tuple[Finding, ...]:
    """
    Return what the bindings of a tenant mean for its flip, by the decision table of contract §5.3.

    An explicit ``false`` accepts the loss and makes it a risk; anything else leaves an unqualified binding blocking.
    A build that does not know the field has no compatibility check either (not *checked*): it moves the tenant
    unasked, so the loss is a risk to accept. Source: contract §0.1, §10 row 3.
    """
    lost = tuple(one for one in judged if one.binding.active and not one.qualified)
    return (
        *(_lost(one, tenant, translation) if checked else _unchecked(one, tenant) for one in lost),
        *_compatible(tenant, judged, lost),
        *_inactive(tenant, judged),
        *_notes(tenant, judged),
        *_resolver(snapshot, tenant, judged),
    )


def _unchecked(one: Judged, tenant: str) -> Finding:
    model = one.binding.model
    return finding(
        "UnsupportedModelUnchecked",
        f"{model} of tenant {tenant} ({_words(one.binding)}): {one.qualification.reason}; this build knows no "
        "spec.apiTranslation and checks no external models: it moves the tenant, and the model loses what IPP did",
        resolution=f"Move the model to a qualified provider; or review it, and accept: --accept "
        f"{UNSUPPORTED_MODELS}=REASON.",
        about=model,
        tenant=tenant,
        path="spec",
        risk=UNSUPPORTED_MODELS,
    )


def _lost(one: Judged, tenant: str, translation: ApiTranslation) -> Finding:
    model = one.binding.model
    words = f"{model} of tenant {tenant} ({_words(one.binding)}): {one.qualification.reason}"
    if translation.after is False:
        return finding(
            "UnsupportedModelAccepted",
            f"{words}; spec.apiTranslation.enabled is false, so the controller goes on and the model loses what "
            "IPP did for it",
            resolution=f"Review and test the model, then accept it: --accept {UNSUPPORTED_MODELS}=REASON.",
            about=model,
            tenant=tenant,
            path="spec",
            risk=UNSUPPORTED_MODELS,
        )
    opt_in = ""
    if one.qualification.verdict == "needs-translation" and translation.after is None:
        opt_in = f"turn translation on (--api-translation {tenant}=true); or "
    return finding(
        "UnsupportedExternalModel",
        f"{words}; the controller keeps IPP while it is active, whatever the plugins ConfigMap says",
        resolution=f"Either {opt_in}move the model to a qualified provider, switch it off or remove it; or accept the "
        f"loss: --api-translation {tenant}=false --accept {UNSUPPORTED_MODELS}=REASON.",
        about=model,
        tenant=tenant,
        path="spec",
    )


def _words(binding: Binding) -> str:
    auth = f", auth {binding.auth}" if binding.auth else ""
    path = f", path {binding.path}" if binding.path else ""
    return f"provider {binding.provider or 'unknown'}, format {binding.api_format or 'unknown'}{auth}{path}"


def _compatible(tenant: str, judged: tuple[Judged, ...], lost: tuple[Judged, ...]) -> Iterator[Finding]:
    if not lost:
        active = sorted({str(one.binding.model) for one in judged if one.binding.active})
        named = (
            f"every active external model is qualified: {', '.join(active)}"
            if active
            else "no external model is active"
        )
        yield finding(
            "ExternalModelsCompatible",
            f"tenant {tenant}: {named}",
            resolution="Review the bindings all the same: a pass proves neither streaming nor every direction.",
            tenant=tenant,
        )


def _inactive(tenant: str, judged: tuple[Judged, ...]) -> Iterator[Finding]:
    for one in judged:
        if not one.binding.active:
            why = "it is being deleted" if one.binding.deleting else "its weight is 0"
            yield finding(
                "InactiveExternalModel",
                f"{one.binding.model} ({_words(one.binding)}) does not count: {why}",
                resolution="Nothing to do.",
                about=one.binding.model,
                tenant=tenant,
            )


def _notes(tenant: str, judged: tuple[Judged, ...]) -> Iterator[Finding]:
    for one in judged:
        binding = one.binding
        if not binding.active:
            continue
        if binding.auth == providers.SIMPLE:
            yield finding(
                "AuthTypeSimple",
                f"{binding.model} uses auth type simple, which 3.6 does not know any more; it is taken for apikey",
                resolution="Write apikey instead of simple after the upgrade.",
                about=binding.model,
                tenant=tenant,
            )
        if one.qualified and binding.provider == providers.OPENAI and binding.host != providers.OPENAI_HOST:
            yield finding(
                "OtherHostBehindOpenAI",
                f"{binding.model} leads to {binding.host or 'an unknown host'} by provider openai: "
                "it is qualified by its words, and parity of OpenAI variants is not established",
                resolution="Test this model on Praxis before its users do.",
                about=binding.model,
                tenant=tenant,
            )


def _resolver(snapshot: Snapshot, tenant: str, judged: tuple[Judged, ...]) -> Iterator[Finding]:
    """Yield what the resolver of ai-gateway-controller refuses or skips. Source: contract §5.4."""
    for model in sorted({one.binding.model for one in judged}):
        thing = snapshot.find_ref(model)
        if thing is None or thing.group != resources.INFERENCE_GROUP or thing.is_deleting:
            continue
        named = _active_references(thing)
        names = [name for name, _ in named]
        if len(set(names)) < len(names):
            yield finding(
                "ProviderReferencedTwice",
                f"{model} names a provider in two active references: {', '.join(sorted(names))}; Praxis refuses such "
                "a model, and the tenant would hang",
                resolution="Leave one reference for each provider, or set the weight of the other to 0.",
                about=model,
                tenant=tenant,
                path="spec.externalProviderRefs",
            )
        if len({weight for _, weight in named}) > 1:
            yield finding(
                "WeightsDiffer",
                f"{model} gives its active references different weights, which 3.6 does not support",
                resolution="Give all active references the same weight.",
                about=model,
                tenant=tenant,
                path="spec.externalProviderRefs",
            )
        yield from _providers_ready(snapshot, thing, tenant, names)


def _active_references(model: KubeObject) -> list[tuple[str, int]]:
    references = model.get("spec", "externalProviderRefs")
    named = []
    for reference in references if isinstance(references, list) else ():
        target = reference.get("ref") if isinstance(reference, dict) else None
        weight = reference.get("weight", 1) if isinstance(reference, dict) else 0
        if isinstance(target, dict) and isinstance(weight, int) and weight > 0:
            named.append((str(target.get("name", "")), weight))
    return named


def _providers_ready(snapshot: Snapshot, model: KubeObject, tenant: str, names: list[str]) -> Iterator[Finding]:
    for name in sorted(set(names)):
        provider = found(snapshot, resources.EXTERNAL_PROVIDER, model.namespace, name)
        phase = provider.get("status", "phase") if provider is not None else None
        if provider is not None and phase not in ("Ready", None):
            yield finding(
                "ProviderNotReady",
                f"{provider.ref}, which {model.ref} uses, is {phase}: Praxis would skip the reference",
                resolution="Mend the provider before the migration.",
                about=provider.ref,
                tenant=tenant,
                path="status.phase",
            )
