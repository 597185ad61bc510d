"""The answer of ``check`` as text."""

from collections.abc import Sequence

from migrate.records.assessment import Finding, TenantAssessment
from migrate.records.plan import Subscriptions
from migrate.records.snapshot import ClusterIdentity
from migrate.render.escape import escaped
from migrate.render.findings import findings_text, tally, tenants_text
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
    """Return cluster, tenants and findings."""
    way = f", through {escaped(cluster.proxy)}" if cluster.proxy else ""
    parts = [
        _head(cluster, platform, way),
        paint("Tenants", "bold") + "\n" + indented(tenants_text(tenants) or "none\n"),
        subscriptions_text(subscriptions),
        paint(f"Findings: {tally(findings)}", "bold") + "\n" + indented(findings_text(findings, paint) or "none\n"),
    ]
    return "\n".join(parts)


def _head(cluster: ClusterIdentity, platform: str, way: str) -> str:
    where = f"{escaped(cluster.server)} (id {escaped(cluster.id)}, context {escaped(cluster.context)}{way})"
    return f"Cluster   {where}\nPlatform  {platform}\n"
