"""May the plan still be applied to the cluster as it is?"""

from collections.abc import Sequence

from migrate.changes.plan_done import is_done, refs_of_outcome
from migrate.changes.plan_stale import stale_differences
from migrate.commands.context import Live
from migrate.errors import BlockedError, ExitCode, NotAuthorisedError, PlanIsStaleError, RiskNotAcceptedError
from migrate.records.assessment import Finding
from migrate.records.plan import Plan
from migrate.records.snapshot import Snapshot

_READ_S = 30.0
_SHOWN = 20
_STOPS_SHOWN = 5


def must_be_applicable(plan: Plan) -> None:
    """Raise what the plan itself says against being applied."""
    if plan.exit_code == ExitCode.OK:
        return
    if plan.exit_code == ExitCode.RISK_NOT_ACCEPTED:
        missing = [risk.id for risk in plan.risks if risk.at_stake and not risk.accepted]
        raise RiskNotAcceptedError(
            f"The plan needs an acceptance that it has not: {', '.join(missing)}; nothing was written.",
            resolution=f"Plan again with --accept {missing[0] if missing else 'RISK'}=REASON.",
        )
    stops = [finding for finding in plan.findings if finding.impact == "blocking"]
    words = _listed(stops)
    step = stops[0].resolution if stops else "Look at the plan's findings."
    where = str(stops[0].object) if stops and stops[0].object else ""
    if plan.exit_code == ExitCode.NOT_AUTHORISED:
        raise NotAuthorisedError(
            f"Something needed could not be read; nothing was written.{words}", resolution=step, object=where
        )
    raise BlockedError(f"The plan is blocked; nothing was written.{words}", resolution=step, object=where)


def _listed(stops: Sequence[Finding]) -> str:
    lines = [f"\n  {finding.code}: {finding.message}" for finding in stops[:_STOPS_SHOWN]]
    if len(stops) > _STOPS_SHOWN:
        lines.append(f"\n  and {len(stops) - _STOPS_SHOWN} more; maas-migrate check lists all")
    return "".join(lines)


def must_be_fresh(plan: Plan, snapshot: Snapshot) -> None:
    """Raise PlanIsStaleError, with everything that changed, when the cluster is not as the plan rests on it."""
    changes = stale_differences(plan, snapshot)
    if not changes:
        return
    lines = [f"  {change}" for change in changes[:_SHOWN]]
    if len(changes) > _SHOWN:
        lines.append(f"  and {len(changes) - _SHOWN} more")
    raise PlanIsStaleError(
        "The plan is stale; nothing was written. Changed since it was made:\n" + "\n".join(lines),
        resolution="Look at the changes and run plan again.",
        object=str(changes[0].object or ""),
    )


def already_done(plan: Plan, live: Live) -> bool:
    """Return whether every outcome of *plan* holds already."""
    refs = refs_of_outcome(plan)
    if not refs:
        return not plan.steps
    cluster = live.cluster()
    return is_done(plan, {ref: cluster.read(ref, timeout_s=_READ_S) for ref in refs})
