"""A plan as text."""

from collections.abc import Sequence
from typing import Any

import msgspec

from migrate.records.plan import Ask, BackUp, Gate, Pause, Plan, Step, Subscriptions, Wait
from migrate.records.predicates import describe
from migrate.render.escape import escaped
from migrate.render.findings import cluster_text, findings_text, risks_text, tally, tenants_text
from migrate.render.git_text import git_text
from migrate.render.style import Paint, plain
from migrate.render.tables import duration, indented


def plan_text(plan: Plan, paint: Paint = plain, *, wide: bool = False, asks: bool = False) -> str:
    """
    Return the whole plan for a person: cluster, decisions, findings, steps, what cannot be taken back.

    Args:
        plan: The plan.

        paint: How to colour.

        wide: With the objects of a backup, and what each wait is for.

        asks: The question whether to run it follows, so how to apply it is not said.
    """
    parts = [
        _head(plan),
        paint("Tenants", "bold") + "\n" + indented(tenants_text(plan.tenants) or "none\n"),
        subscriptions_text(plan.subscriptions),
        paint(f"Findings: {tally(plan.findings)}", "bold") + "\n" + indented(findings_text(plan.findings, paint)),
    ]
    if plan.risks:
        parts.append(paint("Risks", "bold") + "\n" + indented(risks_text(plan.risks)))
    if plan.git:
        head = "For git: put this where the object is declared, then plan again"
        parts.append(paint(head, "bold") + "\n" + indented(git_text(plan.git)))
    parts.append(paint("Steps", "bold") + "\n" + indented(steps_text(plan.steps, wide=wide) or "none\n"))
    if plan.forecast:
        head = "Forecast: part two, planned again after the upgrade"
        parts.append(paint(head, "bold") + "\n" + indented(steps_text(plan.forecast, wide=wide)))
    parts.append(_verdict(plan, paint, asks=asks))
    return "\n".join(part for part in parts if part)


def _head(plan: Plan) -> str:
    cluster = plan.cluster
    lines = [
        f"Plan        {plan.id}",
        f"Cluster     {cluster_text(cluster)}",
        f"Platform    {escaped(plan.platform)}",
        f"Runbook     {escaped(plan.runbook.name)} ({escaped(plan.runbook.digest)[:12]})",
        f"Read at     {escaped(plan.created_at)}",
    ]
    if plan.window:
        lines.append(f"Window      at least {duration(plan.window.minimum_seconds)} before the cutoff")
    return "\n".join(lines) + "\n"


def subscriptions_text(counts: Subscriptions) -> str:
    """Return how many subscriptions there are, by the identity expected after the run."""
    return (
        f"Subscriptions: {counts.total} in all; after the run {counts.expect_legacy} legacy, "
        f"{counts.expect_short} short, {counts.unknown} unknown\n"
    )


def steps_text(steps: Sequence[Step], *, wide: bool = False) -> str:
    """Return numbered steps with what they change; a line marks the point of no return."""
    lines: list[str] = []
    passed = False
    for number, step in enumerate(steps, 1):
        if step.irreversible and not passed:
            passed = True
            lines.append(
                "---- point of no return: from here on the way back restores what is listed as restorable, no more"
            )
        lines.append(_step_line(number, step))
        lines.extend("      " + line for line in step_details(step, wide=wide))
    return "\n".join(lines) + "\n" if lines else ""


def _step_line(number: int, step: Step) -> str:
    undo = {"exact": "can be undone", "lossy": "undo loses something", "none": "no undo"}[step.undo]
    writes = undo if step.before is not None or step.after is not None else "writes nothing"
    return f"{number:>3}. {escaped(step.title)}  [{escaped(step.id)}] about {duration(step.estimate_seconds)}, {writes}"


def step_details(step: Step, *, wide: bool = False) -> list[str]:
    """Return the lines below a step: the object, the change, what is waited for."""
    lines = [escaped(step.object)] if step.object else []
    if step.after is not None:
        lines += [f"{path}: {was} -> {will}" for path, was, will in changes(step.before, step.after)]
    match step:
        case BackUp(items=items):
            lines += [f"{len(items)} objects"] + [escaped(item.object) for item in items if wide]
        case Ask(names=names):
            lines += [escaped(name) for name in names] or ["nothing to review; skipped"]
        case Pause(why=why, seconds=seconds):
            lines.append(f"{escaped(why)} ({duration(seconds)})")
        case Wait(until=until) if wide:
            lines.append("until " + escaped(describe(until)))
        case Gate(waiting_for=waiting_for):
            lines.append(f"waits for {escaped(waiting_for)}; the run gives the lease back and ends 20")
        case _:
            pass
    if step.undo_note:
        lines.append(escaped(step.undo_note))
    return lines


def changes(before: Any, after: Any, path: str = "") -> list[tuple[str, str, str]]:
    """Return (path, was, will be) for each leaf of a merge patch."""
    if isinstance(after, dict) and after:
        old = before if isinstance(before, dict) else {}
        return [
            line for key in after for line in changes(old.get(key), after[key], f"{path}.{key}" if path else str(key))
        ]
    return [(escaped(path), _value(before), _value(after))]


def _value(value: Any) -> str:
    return "absent" if value is None else escaped(msgspec.json.encode(value).decode())


def _verdict(plan: Plan, paint: Paint, *, asks: bool) -> str:
    match plan.exit_code:
        case 0 if plan.steps and asks:
            return ""
        case 0 if plan.steps:
            how = f"resume {escaped(plan.run)} --plan" if plan.run else "apply"
            return paint("This plan can be applied.", "good") + f"\n  maas-migrate {how} {plan.id} --window START/END\n"
        case 0:
            return paint("Nothing to do.", "good") + "\n"
        case 12:
            missing = ", ".join(risk.id for risk in plan.risks if risk.at_stake and not risk.accepted)
            return paint(f"A risk is not accepted: {missing}. Plan again with --accept RISK=REASON.", "risk") + "\n"
        case 4:
            return paint("Something needed could not be read; mend the access and plan again.", "blocking") + "\n"
        case _:
            return paint("Blocked: mend what the blocking findings name, and plan again.", "blocking") + "\n"
