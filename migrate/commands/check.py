"""``check``: what would stand in the way, and what to know."""

from migrate.commands.context import Context
from migrate.commands.documents import CheckDocument
from migrate.commands.planning import PlanFlags, look, read_cluster
from migrate.errors import ExitCode, first_of
from migrate.records.assessment import Assessment
from migrate.records.plan import Subscriptions


def check(context: Context, flags: PlanFlags) -> CheckDocument:
    """Return the findings; its ``exit_code`` is 11 when one blocks, else 2 for risks and advisories, 4 for gaps."""
    snapshot = read_cluster(context, flags.snapshot)
    assessment, _ = look(context, flags, snapshot)
    return CheckDocument(
        at=assessment.taken_at,
        cluster=assessment.cluster,
        platform=assessment.platform,
        tenants=assessment.tenants,
        subscriptions=count_subscriptions(assessment),
        findings=assessment.findings,
        requests=dict(snapshot.requests),
        exit_code=int(_code(assessment)),
    )


def count_subscriptions(assessment: Assessment) -> Subscriptions:
    """Return how many subscriptions there are, by the identity each will have."""
    counts = [entry.expected for entry in assessment.subscriptions]
    return Subscriptions(
        total=len(counts),
        expect_legacy=counts.count("legacy"),
        expect_short=counts.count("short"),
        unknown=counts.count("unknown"),
        expected=assessment.subscriptions,
    )


def _code(assessment: Assessment) -> ExitCode:
    codes = []
    if any(finding.unreadable for finding in assessment.findings):
        codes.append(ExitCode.NOT_AUTHORISED)
    impacts = {finding.impact for finding in assessment.findings}
    if "blocking" in impacts:
        codes.append(ExitCode.BLOCKED)
    if impacts & {"risk", "advisory"}:
        codes.append(ExitCode.ADVISORY)
    return first_of(*codes)
