"""The answer of ``check`` as text."""

from collections.abc import Sequence

from migrate.records.assessment import Finding, TenantAssessment
from migrate.records.plan import Subscriptions
from migrate.records.snapshot import ClusterIdentity
from migrate.render.escape import escaped
from migrate.render.findings import cluster_text, findings_text, tally, tenants_text
from migrate.render.plan_text import subscriptions_text
from migrate.render.style import Paint, plain
from migrate.render.tables import indented


def check_text(
    *,
    cluster: ClusterIdentity,
    platform: str,
    tenants: Sequence[TenantAssessment],
    subscriptions: Subscriptions,
    findings: Sequence[Finding],
    paint: Paint = plain,
) -> str:
    """Return cluster, tenants, findings, and what they come to."""
    parts = [
        f"Cluster   {cluster_text(cluster)}\nPlatform  {escaped(platform)}\n",
        paint("Tenants", "bold") + "\n" + indented(tenants_text(tenants) or "none\n"),
        subscriptions_text(subscriptions),
        paint(f"Findings: {tally(findings)}", "bold") + "\n" + indented(findings_text(findings, paint) or "none\n"),
        _verdict(findings, paint),
    ]
    return "\n".join(parts)


def _verdict(findings: Sequence[Finding], paint: Paint) -> str:
    impacts = {finding.impact for finding in findings}
    if any(finding.unreadable for finding in findings):
        return paint("Something needed could not be read; mend the access and check again.", "blocking") + "\n"
    if "blocking" in impacts:
        return paint("Blocked: mend what the blocking findings name, and check again.", "blocking") + "\n"
    if "risk" in impacts:
        return paint("A risk is at stake: mend it, or accept it by name with maas-migrate plan.", "risk") + "\n"
    return paint("Nothing stands in the way; go on with maas-migrate plan.", "good") + "\n"
