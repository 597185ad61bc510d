"""From what was found to a plan: every step fixed, the same inputs giving the same bytes."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec

from migrate.changes import git_patches as git
from migrate.changes.payload_processing import plan as engines
from migrate.changes.payload_processing.plan_states import policies_to_wait_for
from migrate.changes.plan_backup import make_backup, make_dry_run
from migrate.changes.plan_gate import make_gate
from migrate.changes.plan_grounds import baselines_of, ground_sets_of, grounds_of, tenants_of, volatile_paths
from migrate.changes.plan_needs import needs_for
from migrate.changes.plan_parts import CONDITIONS_OF_POLICIES, Tenant, Work, controller_of, frame, status_of, with_patch
from migrate.changes.plan_runbook import runbook_digest
from migrate.changes.rate_limit_identity.plan import make_pause
from migrate.errors import ExitCode, first_of
from migrate.records.assessment import Assessment, Finding, Options, Risk, TenantAssessment
from migrate.records.plan import (
    CheckAccess,
    GitPatch,
    Plan,
    RunbookRef,
    SetFields,
    Step,
    Subscriptions,
    Verify,
    Wait,
    WindowNeed,
)
from migrate.records.predicates import All, ConditionIs
from migrate.records.runbook import Phase, Runbook, RunbookStep
from migrate.records.snapshot import Snapshot

SETTLE_S: Final = 5
"""Seconds for which policies must hold without a break: during a roll-out they flap."""
NO_OPTIONS: Final = Options()
ACCEPTED_LATER: Final = frozenset({"no-maintenance-window", "operator-upgrade"})
"""Risks that no finding puts at stake: what asks for them is said when a run starts."""

TenantMaker = Callable[[Work, dict[str, Any], Tenant], Step | None]
ClusterMaker = Callable[[Work, dict[str, Any]], Step | None]


def make_plan(
    snapshot: Snapshot,
    assessment: Assessment,
    runbook: Runbook,
    options: Options = NO_OPTIONS,
    *,
    run: str = "",
    carried: bool = False,
) -> Plan:
    """
    Return the plan: pure, and the same bytes for the same inputs.

    Args:
        snapshot: What was read.

        assessment: What was made of it; its decisions say which tenants get steps.

        runbook: The order of work, validated.

        options: What the operator asked for; kept in the plan, since part two is planned with the same.

        run: The run whose part two this is.

        carried: The plan carries the runbook itself, since nobody ships it.
    """
    part: Any = 2 if assessment.platform == "3.6" and any(phase.part > 1 for phase in runbook.phases) else 1
    named = tuple(sorted(assessment.tenants, key=lambda tenant: tenant.name))
    findings = (*assessment.findings, *_wrong_runbook(assessment, runbook, part=part, run=run))
    tenants = () if _all_stopped(findings) else tenants_of(snapshot, named, frozenset({"proceed"}))
    work = Work(snapshot, assessment, tenants, volatile_paths(named), part)
    steps, forecast = _both_parts(work, runbook)
    return Plan(
        created_at=assessment.taken_at,
        part=part,
        run=run,
        cluster=assessment.cluster,
        platform=assessment.platform,
        runbook=RunbookRef(name=runbook.name, digest=runbook_digest(runbook), document=runbook if carried else None),
        window=_window(steps),
        narrowed_to=tuple(sorted(options.only_tenants)),
        tenants=named,
        subscriptions=_subscriptions(assessment),
        findings=findings,
        risks=_risks(assessment, options),
        steps=steps,
        forecast=forecast,
        grounds=grounds_of(work),
        ground_sets=ground_sets_of(snapshot, work.volatile) if tenants else (),
        volatile=work.volatile,
        policies=baselines_of(snapshot),
        git=_for_git(work, runbook, named, findings),
        lost_by_force={tenant.name: tenant.facts.lost for tenant in tenants if tenant.facts.force},
        options=msgspec.json.decode(msgspec.json.encode(options)),
        requests=assessment.requests,
        exit_code=int(_exit_code(assessment, findings)),
    ).with_id()


def _all_stopped(findings: Iterable[Finding]) -> bool:
    """Return whether something blocks that belongs to no tenant."""
    return any(finding.impact == "blocking" and not finding.tenant for finding in findings)


def _wrong_runbook(assessment: Assessment, runbook: Runbook, *, part: int, run: str) -> Iterator[Finding]:
    if assessment.platform not in {"3.5", "3.6"} or assessment.platform in runbook.platforms or (part > 1 and run):
        return
    fits = "upgrade-3.5-to-3.6" if assessment.platform == "3.5" else "ipp-to-praxis"
    yield Finding(
        code="RunbookNotForPlatform",
        impact="blocking",
        message=f"Runbook {runbook.name} starts on {' or '.join(runbook.platforms)}; "
        f"the platform is {assessment.platform}.",
        resolution=f"Use --runbook {fits}.",
        source="the runbook's platforms",
    )


def _both_parts(work: Work, runbook: Runbook) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """Return the steps of this part, and those of part two as a forecast when this is part one."""
    if not work.tenants:
        return (), ()
    steps, after = _steps(work, runbook)
    forecast: tuple[Step, ...] = ()
    if work.part == 1:
        forecast, _ = _steps(Work(work.snapshot, work.assessment, after, work.volatile, 2), runbook)
    needs = needs_for(work.snapshot, (*steps, *forecast))
    ahead = needs_for(work.snapshot, forecast)
    return _with_needs(steps, needs), _with_needs(forecast, ahead)


def _for_git(
    work: Work, runbook: Runbook, named: tuple[TenantAssessment, ...], findings: Iterable[Finding]
) -> tuple[GitPatch, ...]:
    """Return what to put into git: worked out as if nothing stood in the way, since it comes before an acceptance."""
    owned = tuple(finding for finding in findings if finding.code == git.CODE)
    if not owned:
        return ()
    tenants = tenants_of(work.snapshot, named, frozenset({"proceed", "needs-acceptance"}))
    steps, forecast = _both_parts(Work(work.snapshot, work.assessment, tenants, work.volatile, work.part), runbook)
    return git.git_patches(owned, steps, forecast)


def _with_needs(steps: tuple[Step, ...], needs: tuple[Any, ...]) -> tuple[Step, ...]:
    return tuple(
        msgspec.structs.replace(step, needs=needs) if isinstance(step, CheckAccess) else step for step in steps
    )


def _steps(work: Work, runbook: Runbook) -> tuple[tuple[Step, ...], tuple[Tenant, ...]]:
    """Return the steps of the part of *work*, and the tenants as they are after our own writes."""
    tenants = {tenant.name: tenant for tenant in work.tenants}
    steps: list[Step] = []
    for phase in runbook.phases:
        if phase.part != work.part:
            continue
        for name in tenants if phase.each == "tenant" else ("",):
            for entry in phase.steps:
                made = _make(work, phase, entry, tenants[name] if phase.each == "tenant" else None)
                steps += [made] if made else []
                if isinstance(made, SetFields) and name:
                    tenants[name] = _after(tenants[name], made)
    return tuple(steps), tuple(tenants.values())


def _after(tenant: Tenant, step: SetFields) -> Tenant:
    return Tenant(facts=tenant.facts, config=with_patch(tenant.config, step.after), gateway=tenant.gateway)


def _make(work: Work, phase: Phase, entry: RunbookStep, tenant: Tenant | None) -> Step | None:
    base = frame(entry, phase, tenant)
    if tenant is not None:
        return _FOR_TENANT[entry.uses](work, base, tenant)
    return _FOR_CLUSTER[entry.uses](work, base)


def _flips(work: Work) -> bool:
    return work.part > 1 or work.assessment.platform == "3.6"


def _settle(work: Work, base: dict[str, Any], tenants: Iterable[Tenant]) -> Wait | None:
    """Wait until the policies that held before hold again, and stay so."""
    parts = {
        ConditionIs(object=policy.ref, type=condition, status="True")
        for tenant in tenants
        for policy in policies_to_wait_for(work, tenant)
        for condition in CONDITIONS_OF_POLICIES
        if status_of(policy, condition) == "True"
    }
    ordered = tuple(sorted(parts, key=lambda part: (part.object, part.type)))
    return Wait(**base, until=All(of=ordered), settle_seconds=SETTLE_S) if ordered else None


_FOR_TENANT: Final[dict[str, TenantMaker]] = {
    "pin-engine": engines.make_pin,
    "api-translation": engines.make_translation,
    "flip": engines.make_flip,
    "wait-praxis": engines.make_wait,
    "remove-force": engines.make_remove_force,
    "settle-policies": lambda work, base, tenant: _settle(work, base, (tenant,)),
    "verify": lambda _, base, tenant: Verify(**base, tenants=(tenant.name,)),
}
_FOR_CLUSTER: Final[dict[str, ClusterMaker]] = {
    "check-access": lambda _, base: CheckAccess(**base, needs=()),
    "back-up": make_backup,
    "dry-run": lambda work, base: make_dry_run(work, base, flips=_flips(work)),
    "review-bindings": engines.make_review,
    "gate": make_gate,
    "cache-ttl": lambda work, base: make_pause(base, controller_of(work.snapshot)),
    "settle-policies": lambda work, base: _settle(work, base, work.tenants),
    "verify": lambda _, base: Verify(**base, final=True),
}


def _window(steps: tuple[Step, ...]) -> WindowNeed | None:
    """Return the least time from the first step inside the window to the end of the last and the way back from it."""
    places = [index for index, step in enumerate(steps) if step.window == "inside"]
    if not places:
        return None
    elapsed = needed = 0
    for step in steps[places[0] : places[-1] + 1]:
        elapsed += step.estimate_seconds
        if step.window == "inside":
            needed = max(needed, elapsed + step.undo_estimate_seconds)
    return WindowNeed(minimum_seconds=needed)


def _subscriptions(assessment: Assessment) -> Subscriptions:
    expected = tuple(sorted(assessment.subscriptions, key=lambda entry: (entry.namespace, entry.name)))
    counts = [entry.expected for entry in expected]
    return Subscriptions(
        total=len(expected),
        expect_legacy=counts.count("legacy"),
        expect_short=counts.count("short"),
        unknown=counts.count("unknown"),
        expected=expected,
    )


def _risks(assessment: Assessment, options: Options) -> tuple[Risk, ...]:
    """Return the risks at stake and those accepted for nothing, which are said and harm nobody."""
    known = {risk.id: risk for risk in assessment.risks}
    for name, reason in options.accepted.items():
        unused = Risk(
            id=name,
            statement="Nothing that was found puts this at stake.",
            at_stake=False,
            accepted=True,
            reason=reason,
            by=options.by,
        )
        known.setdefault(name, unused)
    return tuple(known[name] for name in sorted(known))


def _exit_code(assessment: Assessment, findings: Iterable[Finding]) -> ExitCode:
    """Return 4 before 11 before 12, else 0."""
    codes = []
    decisions = {tenant.decision for tenant in assessment.tenants}
    names = {tenant.name for tenant in assessment.tenants}
    stops = [item for item in findings if item.impact == "blocking" and (not item.tenant or item.tenant in names)]
    if any(item.unreadable for item in stops):
        codes.append(ExitCode.NOT_AUTHORISED)
    if stops or "blocked" in decisions:
        codes.append(ExitCode.BLOCKED)
    asked_for = (risk for risk in assessment.risks if risk.at_stake and not risk.accepted)
    if "needs-acceptance" in decisions or any(risk.id not in ACCEPTED_LATER for risk in asked_for):
        codes.append(ExitCode.RISK_NOT_ACCEPTED)
    return first_of(*codes)
