"""May the plan still be applied to the cluster as it is?"""

from collections.abc import Sequence

from migrate.changes.plan_done import is_done, refs_of_outcome
from migrate.changes.plan_stale import Stale, stale_differences
from migrate.commands.context import Live
from migrate.errors import BlockedError, ExitCode, NotAuthorisedError, PlanIsStaleError, RiskNotAcceptedError
from migrate.records.assessment import Finding
from migrate.records.plan import Plan
from migrate.records.snapshot import Snapshot

_READ_S = 30.0
_REFUSED = ("forbidden", "unauthorised")
_SHOWN = 20
_STOPS_SHOWN = 5


def must_be_applicable(plan: Plan) -> None:
    """Raise what the plan itself says against being applied."""
    if plan.exit_code == ExitCode.OK:
        return
    if plan.exit_code == ExitCode.RISK_NOT_ACCEPTED:
        missing = missing_risks(plan)
        again = (
            f"Plan again with maas-migrate plan --run {plan.run}" if plan.run else "Plan again with maas-migrate plan"
        )
        raise RiskNotAcceptedError(
            f"The plan needs an acceptance that it has not: {', '.join(missing)}; nothing was written.",
            resolution=f"{again} --accept {missing[0] if missing else 'RISK'}=REASON.",
        )
    stops = [finding for finding in plan.findings if finding.impact == "blocking"]
    words = _listed(stops)
    step = stops[0].resolution if stops else "Look at the plan's findings."
    where = str(stops[0].object) if stops and stops[0].object else ""
    if plan.exit_code == ExitCode.NOT_AUTHORISED:
        unread = next((stop for stop in stops if stop.unreadable and stop.code == "CouldNotRead"), None)
        step = unread.resolution if unread else step
        raise NotAuthorisedError(
            f"Something needed could not be read; nothing was written.{words}", resolution=step, object=where
        )
    raise BlockedError(f"The plan is blocked; nothing was written.{words}", resolution=step, object=where)


def missing_risks(plan: Plan) -> list[str]:
    """Return the risks that *plan* needs accepted and that are not."""
    return [risk.id for risk in plan.risks if risk.at_stake and not risk.accepted]


def _listed(stops: Sequence[Finding]) -> str:
    lines = [f"\n  {finding.code}: {finding.message}" for finding in stops[:_STOPS_SHOWN]]
    if len(stops) > _STOPS_SHOWN:
        lines.append(f"\n  and {len(stops) - _STOPS_SHOWN} more; maas-migrate check lists all")
    return "".join(lines)


def must_be_fresh(plan: Plan, snapshot: Snapshot) -> None:
    """
    Hold the cluster against what the plan rests on.

    Raises:
        PlanIsStaleError: Something changed; all of it is named.

        NotAuthorisedError: What the plan rests on may not be read any more, so nobody knows.
    """
    changes = stale_differences(plan, snapshot)
    if not changes:
        return
    _must_be_readable(changes)
    lines = [f"  {change}" for change in changes[:_SHOWN]]
    if len(changes) > _SHOWN:
        lines.append(f"  and {len(changes) - _SHOWN} more")
    raise PlanIsStaleError(
        "The plan is stale; nothing was written. Changed since it was made:\n" + "\n".join(lines),
        resolution="Look at the changes and run plan again.",
        object=str(changes[0].object or ""),
    )


def _must_be_readable(changes: Sequence[Stale]) -> None:
    for change in changes:
        if change.reason == "cluster" and not change.after:
            told = "get namespaces kube-system, which tells one cluster from another"
        elif change.reason == "unreadable" and str(change.after).startswith(_REFUSED):
            told = str(change)
        else:
            continue
        raise NotAuthorisedError(
            f"What the plan rests on may not be read; nothing was written: {told}.",
            resolution="Ask for the right to it, `maas-migrate rbac` prints what is needed, and apply again.",
            object=str(change.object or ""),
        )


def already_done(plan: Plan, live: Live) -> bool:
    """Return whether every outcome of *plan* holds already."""
    refs = refs_of_outcome(plan)
    if not refs:
        return not plan.steps
    cluster = live.cluster()
    return is_done(plan, {ref: cluster.read(ref, timeout_s=_READ_S) for ref in refs})
