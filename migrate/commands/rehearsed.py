"""``verify --against-rehearsal``: what happened beside what was foretold."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

import msgspec

from migrate.commands.context import Context
from migrate.commands.documents import RehearsalDocument
from migrate.commands.runs import SNAPSHOT, Run, read_run
from migrate.errors import BadInputError, ExitCode, first_of
from migrate.records.assessment import TenantAssessment
from migrate.records.verification import CheckResult, Result, Verification, passes
from migrate.store.rehearsals import load_rehearsal, rehearsal_ids

LATEST: Final = "latest"
CODE: Final = "AsRehearsed"
_OPEN: Final = frozenset({"pending", "running"})


def compare_with_rehearsal(
    context: Context, run_id: str, name: str, verification: Verification, code: ExitCode
) -> tuple[Verification, ExitCode]:
    """
    Return *verification* with a check for everything that the rehearsal foretold, and the exit code.

    Raises:
        BadInputError: No run was named, or there is no such rehearsal.
    """
    if not run_id:
        raise BadInputError("--against-rehearsal compares a run.", resolution="Name the run: maas-migrate verify RUN.")
    run = read_run(context, run_id)
    rehearsal = find_rehearsal(context, run, name)
    context.say(f"compared with rehearsal {rehearsal.id} of {rehearsal.source}")
    checks = (*verification.checks, *compared(rehearsal, run, verification))
    passed = verification.passed and passes(checks)
    codes = [code] if passed else [code, ExitCode.NOT_VERIFIED]
    not_proved = (*verification.not_proved, times(rehearsal, run))
    return msgspec.structs.replace(verification, checks=checks, passed=passed, not_proved=not_proved), first_of(
        *(entry for entry in codes if entry)
    )


def find_rehearsal(context: Context, run: Run, name: str) -> RehearsalDocument:
    """Return the rehearsal *name*, or the latest one for the run's cluster. Raises BadInputError, StoreError."""
    if name != LATEST:
        return load_rehearsal(context.state(), name, RehearsalDocument)
    cluster = run.state.cluster or run.plans()[0].cluster.id
    for known in reversed(rehearsal_ids(context.state())):
        rehearsal = load_rehearsal(context.state(), known, RehearsalDocument)
        if rehearsal.cluster.id == cluster:
            return rehearsal
    raise BadInputError(
        f"There is no rehearsal for cluster {cluster} in {context.state().path}.",
        resolution="Make one of the cluster as it was, with what was accepted: maas-migrate rehearse --snapshot "
        f"{context.state().path / run.id / SNAPSHOT}.",
    )


def compared(rehearsal: RehearsalDocument, run: Run, verification: Verification) -> Iterator[CheckResult]:
    """Yield a check for each step, each tenant's decisions, and the verdict."""
    states = {step.id: step.state for step in run.state.steps}
    for step in rehearsal.steps:
        now = states.pop(step.id, "pending")
        result: Result = "passed" if now == step.outcome else "unknown" if now in _OPEN else "failed"
        yield _check(f"step {step.id} {step.outcome}", now, result, step.tenant)
    foretold = {step.id for step in rehearsal.way_back}
    for name, state in states.items():
        if name not in foretold:
            yield _check(f"no step {name}", state, "failed")
    yield from _tenants(rehearsal, run)
    verdict = {True: "verified", False: "not verified", None: "no verdict"}
    observed = verdict[verification.passed]
    yield _check(
        verdict[rehearsal.verified], observed, "passed" if verdict[rehearsal.verified] == observed else "failed"
    )


def times(rehearsal: RehearsalDocument, run: Run) -> str:
    """Return why times are no checks, and which steps took longer than their estimate."""
    foretold = {step.id: step.estimate_seconds for step in rehearsal.steps}
    slow = [
        f"{step.id} took {took_s:.0f} s, estimate {foretold[step.id]} s"
        for step in run.state.steps
        if step.id in foretold and step.started_at and step.ended_at
        if (took_s := _seconds(step.started_at, step.ended_at)) > foretold[step.id]
    ]
    return (
        "Times are not compared with the rehearsal, whose controllers are faster than a cluster's; beside the "
        f"runbook's estimates: {'; '.join(slow) or 'no step took longer'}."
    )


def _seconds(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def _tenants(rehearsal: RehearsalDocument, run: Run) -> Iterator[CheckResult]:
    now = {tenant.name: tenant for tenant in run.plans()[-1].tenants}
    for tenant in rehearsal.tenants:
        expected = decided(tenant)
        observed = decided(now[tenant.name]) if tenant.name in now else {"decision": "no such tenant"}
        result: Result = "passed" if expected == observed else "failed"
        yield _check(_words(expected), _words(observed), result, tenant.name)


def decided(tenant: TenantAssessment) -> dict[str, Any]:
    """Return what was decided of a tenant, without what differs from one cluster to its copy."""
    return {
        "decision": tenant.decision,
        "verdict": tenant.config_map.verdict if tenant.config_map else "unknown",
        "digest": tenant.config_map.digest if tenant.config_map else None,
        "force": tenant.force,
        "apiTranslation": tenant.api_translation.after,
    }


def _words(decisions: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in decisions.items())


def _check(expected: str, observed: str, result: Result, tenant: str = "") -> CheckResult:
    return CheckResult(code=CODE, tenant=tenant, expected=expected, observed=observed, result=result)
