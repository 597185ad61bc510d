"""Findings, risks and tenants as text."""

from collections.abc import Sequence
from itertools import zip_longest

from migrate.records.assessment import ApiTranslation, Finding, Risk, TenantAssessment
from migrate.records.snapshot import ClusterIdentity
from migrate.render.escape import escaped
from migrate.render.style import MARKS, Paint, plain
from migrate.render.tables import table

IMPACTS = ("blocking", "risk", "advisory", "info")


def findings_text(findings: Sequence[Finding], paint: Paint = plain) -> str:
    """Return each finding in two or three lines: what is the case, and the next move, said once where it repeats."""
    ordered = [finding for impact in IMPACTS for finding in findings if finding.impact == impact]
    pairs = zip_longest(ordered, ordered[1:])
    return "".join(_finding(finding, paint, last=not _goes_on(finding, after)) for finding, after in pairs)


def _goes_on(finding: Finding, following: Finding | None) -> bool:
    """Return whether the next finding is of the same kind and asks for the same move."""
    return following is not None and (finding.code, finding.impact, finding.resolution) == (
        following.code,
        following.impact,
        following.resolution,
    )


def _finding(finding: Finding, paint: Paint, *, last: bool) -> str:
    where = escaped(finding.object) if finding.object else "cluster"
    head = f"{MARKS[finding.impact]} {finding.impact:<8} {escaped(finding.code)}"
    lines = [f"{paint(head, finding.impact)}  {where}{' ' + escaped(finding.path) if finding.path else ''}"]
    lines.append(f"    {escaped(finding.message)}")
    if finding.resolution and last:
        lines.append(f"    -> {escaped(finding.resolution)}")
    return "\n".join(lines) + "\n"


def cluster_text(cluster: ClusterIdentity) -> str:
    """Return which cluster this is, on one line, without what is not known of it."""
    parts = [f"id {escaped(cluster.id)}" if cluster.id else "id unknown"]
    parts += [f"context {escaped(cluster.context)}"] if cluster.context else []
    parts += [f"through {escaped(cluster.proxy)}"] if cluster.proxy else []
    return f"{escaped(cluster.server)} ({', '.join(parts)})"


def tally(findings: Sequence[Finding]) -> str:
    """Return how many findings there are of each impact."""
    counts = {impact: sum(1 for finding in findings if finding.impact == impact) for impact in IMPACTS}
    return ", ".join(f"{count} {impact}" for impact, count in counts.items())


def tenants_text(tenants: Sequence[TenantAssessment]) -> str:
    """Return one line a tenant."""
    rows = [
        (
            tenant.name,
            tenant.namespace,
            f"{tenant.config_map.namespace}/{tenant.config_map.name}" if tenant.config_map else "unknown",
            tenant.config_map.verdict if tenant.config_map else "unknown",
            translation_text(tenant.api_translation),
            "yes" if tenant.force else "no",
            tenant.decision,
        )
        for tenant in tenants
    ]
    return table(("TENANT", "NAMESPACE", "PLUGINS CONFIGMAP", "VERDICT", "API TRANSLATION", "FORCE", "DECISION"), rows)


def translation_text(translation: ApiTranslation) -> str:
    """Return the three-state field as ``absent -> true (by controller)``."""
    before, after = (_state(value) for value in (translation.before, translation.after))
    if translation.written_by in {"us", "controller"} and before != after:
        return f"{before} -> {after} (by {'this run' if translation.written_by == 'us' else 'the controller'})"
    return before


def _state(value: bool | None) -> str:  # noqa: FBT001 - three states, not a switch
    return "absent" if value is None else str(value).lower()


def risks_text(risks: Sequence[Risk]) -> str:
    """Return the risks that are at stake or were accepted."""
    rows = [
        (risk.id, "yes" if risk.at_stake else "no", f"yes: {risk.reason}" if risk.accepted else "no", risk.statement)
        for risk in risks
    ]
    return table(("RISK", "AT STAKE", "ACCEPTED", "WHAT MAY BE LOST"), rows)
