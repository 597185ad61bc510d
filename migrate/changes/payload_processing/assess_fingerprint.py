"""The plugins ConfigMap of a tenant: where it was looked for, whether it is there, what the controller makes of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from migrate.changes.findings import FORCE_CUSTOM, finding, not_read
from migrate.changes.platform.gateway_checks import gateway_namespace_exists
from migrate.changes.platform.reading import found, unread
from migrate.changes.platform.tenants import TenantView
from migrate.maas import naming, plugins_config, resources
from migrate.maas.plugins_baselines import IPP_KEYS
from migrate.maas.plugins_judgement import Difference, Judgement
from migrate.records.assessment import ConfigMapFacts, Finding
from migrate.records.objects import KubeObject, ObjectRef
from migrate.records.snapshot import Snapshot

RECOGNISED: Final = frozenset({"default", "default+response-api-translation"})
"""Verdicts of a known product default."""
RESPONSE_TRANSLATION: Final = "default+response-api-translation"
"""The verdict on which the controller writes ``spec.apiTranslation.enabled: true``. Source: contract §4.2, step 2."""
BLOCKED: Final = frozenset({"custom-blocked", "invalid"})
"""Verdicts on which the controller blocks unless forced."""
_OWN_WARNINGS: Final = frozenset({"gitops-managed", "mixed-praxis-ipp", "terminating"})
"""Warnings of the fingerprint that stand in the assessment as findings of their own."""


@dataclass(frozen=True, slots=True)
class Fingerprinted:
    """
    What is known of a tenant's plugins ConfigMap.

    Attributes:
        facts: None when its name could not be derived: nothing was looked at.

        thing: The object, None when it is absent or was not read.

        blocks: The controller would refuse without force.

        lost: Differences against the nearest baseline, one sentence each.
    """

    facts: ConfigMapFacts | None
    thing: KubeObject | None
    blocks: bool
    lost: tuple[str, ...]
    findings: tuple[Finding, ...]


def fingerprint_of(snapshot: Snapshot, tenant: TenantView, *, on_praxis: bool) -> Fingerprinted:
    """Return the verdict on the tenant's own plugins ConfigMap; never another tenant's. Source: case CH-01."""
    ref = tenant.at_gateway(resources.CONFIG_MAP, naming.PLUGINS_CONFIG_MAP)
    if ref is None:
        return Fingerprinted(facts=None, thing=None, blocks=False, lost=(), findings=())
    thing = found(snapshot, resources.CONFIG_MAP, ref.namespace, ref.name)
    if thing is None:
        return _not_there(snapshot, tenant, ref, on_praxis=on_praxis)
    judgement = plugins_config.judge(thing.raw)
    facts = ConfigMapFacts(
        namespace=ref.namespace,
        name=ref.name,
        uid=thing.uid,
        resource_version=thing.resource_version,
        verdict=judgement.verdict,
        digest=judgement.digest,
    )
    lost = tuple(_difference(one) for one in judgement.differences)
    findings = (
        *_verdict(thing, tenant, judgement, on_praxis=on_praxis),
        *_warnings(thing, tenant, judgement),
    )
    return Fingerprinted(
        facts=facts, thing=thing, blocks=judgement.verdict in BLOCKED, lost=lost, findings=tuple(findings)
    )


def _difference(one: Difference) -> str:
    here = one.found if one.found is not None else "nothing"
    return f"{one.path}: {here} (the nearest product default has {one.expected or 'nothing'})"


def _not_there(snapshot: Snapshot, tenant: TenantView, ref: ObjectRef, *, on_praxis: bool) -> Fingerprinted:
    gap = unread(snapshot, resources.CONFIG_MAP, ref.namespace, ref.name)
    believed = gap is None and gateway_namespace_exists(snapshot, tenant)
    findings: tuple[Finding, ...] = ()
    if gap is not None:
        findings = (
            not_read(gap, "without it there is no verdict, and it is not taken for absent", tenant=tenant.name),
        )
    elif believed:
        findings = (_absent(tenant, ref, on_praxis=on_praxis),)
    facts = ConfigMapFacts(namespace=ref.namespace, name=ref.name, verdict="absent" if believed else "error")
    return Fingerprinted(facts=facts, thing=None, blocks=False, lost=(), findings=findings)


def _absent(tenant: TenantView, ref: ObjectRef, *, on_praxis: bool) -> Finding:
    if on_praxis:
        return finding(
            "SteadyWithoutPraxisConfig",
            f"tenant {tenant.name} is on Praxis and {ref} is not there",
            resolution="Look at the log of ai-gateway-controller.",
            about=ref,
            tenant=tenant.name,
        )
    return finding(
        "PluginsConfigMapAbsent",
        f"{ref} is not there, in the namespace of the tenant's own Gateway, which exists: nothing to preserve",
        resolution="Nothing to do; on IPP the controller makes the product default again at its next look.",
        about=ref,
        tenant=tenant.name,
    )


def _verdict(thing: KubeObject, tenant: TenantView, judgement: Judgement, *, on_praxis: bool) -> Iterator[Finding]:
    if thing.is_deleting:
        finalizers = thing.get("metadata", "finalizers")
        yield finding(
            "PluginsConfigMapTerminating",
            f"{thing.ref} is being deleted since {thing.get('metadata', 'deletionTimestamp')} (held by {finalizers})",
            resolution="Find out who deletes it; it is no base for a backup or a plan.",
            about=thing.ref,
            tenant=tenant.name,
        )
    if on_praxis:
        if judgement.verdict != "praxis":
            yield finding(
                "SteadyWithoutPraxisConfig",
                f"tenant {tenant.name} is on Praxis and {thing.ref} is judged {judgement.verdict}",
                resolution="Look at the log of ai-gateway-controller.",
                about=thing.ref,
                tenant=tenant.name,
            )
    elif judgement.verdict in RECOGNISED:
        yield finding(
            "FingerprintRecognised",
            f"{thing.ref} is the known baseline {judgement.verdict}; that alone says nothing of external models",
            resolution="Nothing to do.",
            about=thing.ref,
            tenant=tenant.name,
        )
    elif judgement.verdict == "praxis":
        yield _praxis_shape(thing, tenant)
    elif judgement.verdict in BLOCKED:
        yield _customised(thing, tenant, judgement)
    else:
        yield finding(
            "CouldNotRead",
            f"{thing.ref} could not be judged ({judgement.verdict}): {_reasons(judgement)}",
            resolution="Find out why it cannot be read, then run this again.",
            about=thing.ref,
            tenant=tenant.name,
            unreadable=True,
        )


def _reasons(judgement: Judgement) -> str:
    return "; ".join(reason.message for reason in judgement.reasons) or judgement.verdict


def _customised(thing: KubeObject, tenant: TenantView, judgement: Judgement) -> Finding:
    return finding(
        "PluginsConfigMapCustomised",
        f"{thing.ref} is judged {judgement.verdict}, so the controller blocks the migration: {_reasons(judgement)}",
        resolution="Either bring it back to the product default; or accept that it is deleted for good (a backup is "
        f"kept): --accept {FORCE_CUSTOM}=REASON.",
        about=thing.ref,
        tenant=tenant.name,
        path="data",
        risk=FORCE_CUSTOM,
    )


def _praxis_shape(thing: KubeObject, tenant: TenantView) -> Finding:
    rest = ipp_part(thing.raw)
    if rest is not None and plugins_config.judge(rest).verdict not in RECOGNISED:
        return finding(
            "PluginsConfigMapMixed",
            f"{thing.ref} holds Praxis keys, so no gate looks further, and beside them a customised IPP part: "
            "the clean-up deletes it without being asked",
            resolution="Either take the Praxis keys out and judge it again; or accept that it is lost (a backup is "
            f"kept): --accept {FORCE_CUSTOM}=REASON.",
            about=thing.ref,
            tenant=tenant.name,
            path="data",
            risk=FORCE_CUSTOM,
        )
    return finding(
        "PraxisShapeOnIpp",
        f"{thing.ref} has the shape of Praxis though tenant {tenant.name} runs on IPP: the controller lets it pass",
        resolution="Find out who put it there; IPP would not start with it.",
        about=thing.ref,
        tenant=tenant.name,
        path="data",
    )


def ipp_part(raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a plugins ConfigMap without everything but its IPP keys, None when it has none. Contract §10 row 7."""
    data = raw.get("data")
    kept = {key: data[key] for key in IPP_KEYS if key in data} if isinstance(data, Mapping) else {}
    return {**raw, "data": kept} if kept else None


def _warnings(thing: KubeObject, tenant: TenantView, judgement: Judgement) -> Iterator[Finding]:
    for warning in judgement.warnings:
        if warning.code not in _OWN_WARNINGS:
            yield finding(
                "PluginsConfigMapWarning",
                f"{thing.ref}: {warning.code}: {warning.message}",
                resolution="Read it: the controller's gate does not look at this.",
                about=thing.ref,
                tenant=tenant.name,
                path=warning.path,
            )
