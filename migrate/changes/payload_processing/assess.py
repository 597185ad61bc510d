"""One tenant on its way from IPP to Praxis: where it stands, what would be lost, what has to be accepted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from migrate.changes.findings import FORCE_CUSTOM, finding, not_read
from migrate.changes.payload_processing.assess_fingerprint import RESPONSE_TRANSLATION, Fingerprinted, fingerprint_of
from migrate.changes.payload_processing.assess_models import assess_models, judge_models, records_of
from migrate.changes.payload_processing.assess_running import (
    assess_opt_outs,
    assess_ownership,
    assess_pods,
    assess_source,
)
from migrate.changes.payload_processing.assess_states import State, state_of
from migrate.changes.payload_processing.held import assess_held
from migrate.changes.platform.gitops import assess_writes
from migrate.changes.platform.reading import found, unread
from migrate.changes.platform.tenants import TenantView
from migrate.changes.survey import payload_deployments
from migrate.maas import resources, versions
from migrate.records.assessment import ApiTranslation, ConfigMapFacts, Finding, ModelBinding, Options
from migrate.records.objects import MISSING, KubeObject, ObjectRef, shown
from migrate.records.snapshot import Snapshot

TRANSLATION = ("spec", "apiTranslation", "enabled")
"""Three states: absent, true, false. Source: contract §1.6."""


@dataclass(frozen=True, slots=True)
class PayloadAssessment:
    """
    What the change means for one tenant.

    Attributes:
        on_praxis: It is there already.

        force: The run sets the force annotation: it is needed, and accepted.
    """

    on_praxis: bool
    config_map: ConfigMapFacts | None
    api_translation: ApiTranslation
    force: bool
    external_models: tuple[ModelBinding, ...]
    extra_backups: tuple[ObjectRef, ...]
    lost: tuple[str, ...]
    findings: tuple[Finding, ...]


def assess(
    snapshot: Snapshot, tenant: TenantView, platform: str, options: Options, models: tuple[KubeObject, ...]
) -> PayloadAssessment:
    """Return what the change from IPP to Praxis means for *tenant*, whose external models are *models*."""
    state = state_of(snapshot, tenant, platform)
    config_map = fingerprint_of(snapshot, tenant, on_praxis=state.on_praxis)
    verdict = config_map.facts.verdict if config_map.facts else ""
    asked = options.translation_for(tenant.name)
    known = platform != "3.6" or _crd_knows_translation(snapshot)
    translation = translation_of(tenant.config, asked, verdict, state, known=known)
    judged = judge_models(snapshot, models, translation)
    running, extra = assess_source(snapshot, tenant) if not state.on_praxis else ((), ())
    findings = (
        *state.findings,
        *config_map.findings,
        *_translation_findings(snapshot, tenant, platform, translation),
        *(assess_models(snapshot, tenant.name, judged, translation, checked=known) if not state.on_praxis else ()),
        *_running(snapshot, tenant, config_map, state),
        *(assess_held(snapshot, tenant, models) if not state.on_praxis else ()),
        *running,
        *_gitops(snapshot, tenant, config_map),
    )
    return PayloadAssessment(
        on_praxis=state.on_praxis,
        config_map=config_map.facts,
        api_translation=translation,
        force=config_map.blocks and not state.on_praxis and FORCE_CUSTOM in options.accepted,
        external_models=records_of(judged),
        extra_backups=extra,
        lost=config_map.lost if config_map.blocks else (),
        findings=findings,
    )


def translation_of(
    config: KubeObject,
    asked: bool | None,  # noqa: FBT001  -- three states, and None is one of them
    verdict: str,
    state: State,
    *,
    known: bool = True,
) -> ApiTranslation:
    """
    Return ``spec.apiTranslation.enabled`` before and after the run, and who writes it.

    An operator's value stands unless *asked* says otherwise; on baseline #2 the controller writes true where nothing
    is set, unless the field is not *known* to its build. Source: contract §3.5, §5.3, §10 row 3.
    """
    before = config.get(*TRANSLATION)
    before = before if isinstance(before, bool) else None
    if asked is not None and asked != before:
        return ApiTranslation(before=before, after=asked, written_by="us")
    if before is not None:
        return ApiTranslation(before=before, after=before, written_by="operator")
    if verdict == RESPONSE_TRANSLATION and not state.on_praxis and known:
        return ApiTranslation(before=None, after=True, written_by="controller")
    return ApiTranslation()


def _translation_findings(
    snapshot: Snapshot, tenant: TenantView, platform: str, translation: ApiTranslation
) -> Iterator[Finding]:
    config = tenant.config
    path = ".".join(TRANSLATION)
    raw = config.get(*TRANSLATION, default=MISSING)
    if raw is not MISSING and not isinstance(raw, bool):
        yield finding(
            "ApiTranslationInvalid",
            f"{config.ref} has {path} = {shown(raw)}, which is neither true nor false",
            resolution="Set it to true or false, or remove it.",
            about=config.ref,
            tenant=tenant.name,
            path=path,
        )
    if translation.written_by == "us" and platform == "3.6" and not _crd_knows_translation(snapshot):
        yield finding(
            "ApiTranslationUnknown",
            f"--api-translation asks for a field that the CRD of {config.kind} in this cluster does not have",
            resolution="Leave --api-translation out, or use a build of 3.6 that has the field.",
            about=config.ref,
            tenant=tenant.name,
            path=path,
        )
    if translation.written_by == "controller":
        yield finding(
            "ApiTranslationByController",
            f"on the baseline with response translation the controller writes {path}: true to {config.ref} before its "
            "clean-up; that permits the shared Anthropic Messages flow as well as the external models",
            resolution="Set the field yourself beforehand if you want another value: --api-translation.",
            about=config.ref,
            tenant=tenant.name,
            path=path,
        )


def _crd_knows_translation(snapshot: Snapshot) -> bool:
    crd = found(snapshot, resources.CRD, "", resources.MAAS_TENANT_CONFIG.crd_name)
    return (
        crd is None or versions.crd_is_open(crd) or versions.crd_has_field(crd, "spec", versions.API_TRANSLATION_FIELD)
    )


def _running(snapshot: Snapshot, tenant: TenantView, config_map: Fingerprinted, state: State) -> tuple[Finding, ...]:
    if state.on_praxis:
        return ()
    pods = assess_pods(snapshot, tenant, config_map.thing) if config_map.thing is not None else ()
    return (*pods, *assess_ownership(snapshot, tenant), *assess_opt_outs(snapshot, tenant))


def _gitops(snapshot: Snapshot, tenant: TenantView, config_map: Fingerprinted) -> tuple[Finding, ...]:
    restored = [config_map.thing] if config_map.thing is not None else []
    return (
        *assess_writes((tenant.config,), tenant=tenant.name, why="the run annotates it"),
        *assess_writes(tuple(restored), tenant=tenant.name, why="a rollback puts it back"),
        *assess_writes(payload_deployments(snapshot, tenant), tenant=tenant.name, why="a rollback restarts it"),
    )


def assess_lists(snapshot: Snapshot) -> tuple[Finding, ...]:
    """Return a finding for each list that decides about external models and was not read."""
    kinds = (
        resources.EXTERNAL_MODEL,
        resources.MAAS_EXTERNAL_MODEL,
        resources.EXTERNAL_PROVIDER,
        resources.MAAS_MODEL_REF,
    )
    gaps = [(kind, unread(snapshot, kind)) for kind in kinds]
    return tuple(
        not_read(gap, f"which {kind.kind} objects there are decides whether a tenant may flip")
        for kind, gap in gaps
        if gap is not None
    )


def assess_stray_models(
    models_by_tenant: Mapping[str, tuple[KubeObject, ...]], names: frozenset[str]
) -> tuple[Finding, ...]:
    """Return a finding for each external model that counts for none of the tenants called *names*."""
    return tuple(
        finding(
            "ModelOfUnknownTenant",
            f"{model.ref} counts for tenant {tenant}, which is not there",
            resolution="Correct spec.tenantRef of its MaaSModelRef, or remove the model.",
            about=model.ref,
        )
        for tenant, models in sorted(models_by_tenant.items())
        if tenant not in names
        for model in models
    )
