"""From what was played to what it foretells."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from migrate.commands.documents import RehearsalDocument, RehearsedStep
from migrate.errors import ExitCode, first_of
from migrate.records.journal import Event, RunState
from migrate.records.plan import Plan, Step
from migrate.records.snapshot import ClusterIdentity
from migrate.records.verification import Verification
from migrate.sandbox.controllers.build_36 import Build
from migrate.sandbox.run import SandboxOptions

NOT_PROVED: Final = (
    "Traffic: no request passes through a gateway of the sandbox, and no model answers.",
    "Times: the played controllers are faster; the estimates are the runbook's.",
    "Counters: there is no Limitador in the sandbox.",
)
"""What no rehearsal shows."""
_OUTCOMES: Final = {
    "step.succeeded": "succeeded",
    "step.skipped": "skipped",
    "step.failed": "failed",
    "step.withdrawn": "withdrawn",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Played:
    """
    What was played.

    Attributes:
        plans: The plan of each part that there was.

        events: The journal up to the verdict.

        state: Where the run stood then, None when none was begun.

        way_back: The journal of the rollback.

        rollback: Where the run stood after it.

        codes: The exit code of each call, without the gate's.
    """

    plans: tuple[Plan, ...]
    events: tuple[Event, ...] = ()
    state: RunState | None = None
    verification: Verification | None = None
    way_back: tuple[Event, ...] = ()
    rollback: RunState | None = None
    rollback_plan: Plan | None = None
    codes: tuple[ExitCode, ...] = ()


def document_of(
    played: Played, *, name: str, cluster: ClusterIdentity, source: str, options: SandboxOptions
) -> RehearsalDocument:
    """Return the rehearsal's document."""
    last = played.plans[-1]
    verification = played.verification
    parts = [(plan.part, plan.steps) for plan in played.plans]
    if len(played.plans) == 1:
        parts.append((2, last.forecast))
    back = played.rollback_plan.steps if played.rollback_plan else ()
    return RehearsalDocument(
        id=name,
        at=last.created_at,
        cluster=cluster,
        source=source,
        platform=played.plans[0].platform,
        runbook=last.runbook.name,
        build=options.build,
        speed=options.speed,
        assumptions=tuple(assumptions_of(options, source)),
        tenants=last.tenants,
        subscriptions=last.subscriptions,
        findings=tuple(finding for finding in last.findings if finding.impact in {"blocking", "risk"}),
        steps=tuple(step for part, steps in parts for step in rehearsed_steps(steps, played.events, part)),
        way_back=tuple(rehearsed_steps(back, played.way_back, 0)),
        outcome=played.state.state if played.state else "",
        rolled_back=played.rollback.state if played.rollback else "",
        verified=verification.passed if verification else None,
        unexpected=tuple(_unexpected(verification)),
        not_proved=(*NOT_PROVED, *(verification.not_proved if verification else ())),
        exit_code=int(first_of(*(code for code in played.codes if code is not ExitCode.OK))),
    )


def assumptions_of(options: SandboxOptions, source: str) -> Iterator[str]:
    """Yield what the prediction rests on."""
    build = Build.parse(options.build)
    gate = "judges" if build.gate else "does not judge"
    models = "judges" if build.compatibility else "does not judge"
    yield (
        f"The build of 3.6 speaks handshake {build.handshake} and rate-limit identity {build.identity}, "
        f"{gate} the plugins ConfigMap and {models} the external models; say another with --build."
    )
    yield "The controllers are played by the product's documents; Istio, Kuadrant, KServe and the Pods are played too."
    yield f"The sandbox holds what {source} holds, with UIDs and Pods made anew; nothing else of the cluster is in it."
    yield f"Delays of the product are divided by {options.speed:.0f}; questions are answered yes; there is no window."
    if options.controllers == "3.5":
        yield "Somebody approves the InstallPlan between the parts, and the upgrade goes well."


def rehearsed_steps(steps: Sequence[Step], events: Iterable[Event], part: int) -> Iterator[RehearsedStep]:
    """Yield each of *steps* with what became of it; the last word of the journal counts."""
    told: dict[str, tuple[str, str]] = {}
    begun: dict[str, str] = {}
    taken: dict[str, float] = {}
    for event in events:
        if event.event == "step.started":
            begun[event.step] = event.at
        elif event.event in _OUTCOMES:
            told[event.step] = (_OUTCOMES[event.event], str(event.data.get("message") or ""))
            taken[event.step] = taken.get(event.step, 0.0) + _seconds(begun.get(event.step, event.at), event.at)
        elif event.event in {"gate.passed", "gate.reached"} and event.step:
            told[event.step] = ("succeeded" if event.event == "gate.passed" else "pending", "")
    for step in steps:
        outcome, message = told.get(step.id, ("pending", ""))
        yield RehearsedStep(
            id=step.id,
            title=step.title,
            phase=step.phase,
            tenant=step.tenant,
            part=part,
            outcome=outcome,
            message=message,
            estimate_seconds=step.estimate_seconds,
            rehearsed_seconds=round(taken.get(step.id, 0.0), 1),
            undo=step.undo,
            irreversible=step.irreversible,
        )


def _seconds(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def _unexpected(verification: Verification | None) -> Iterator[str]:
    for check in verification.checks if verification else ():
        if check.result in {"failed", "unknown"}:
            yield f"{check.code} {check.object or ''} {check.result}: {check.observed}"
