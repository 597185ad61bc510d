"""The report of a run as Markdown, for the change ticket."""

from collections.abc import Iterable, Sequence

from migrate.records.report import Report
from migrate.render.escape import markdown_safe
from migrate.render.findings import translation_text


def report_markdown(report: Report) -> str:
    """Return the whole report as one Markdown document."""
    run = report.run
    parts = [
        f"# Migration run {markdown_safe(run.id)}: {run.state}",
        _rows(
            ("", ""),
            [
                ("Cluster", f"{run.server} ({run.cluster})"),
                ("Plans", ", ".join(run.plans)),
                ("Started", run.started_at),
                ("Ended", run.ended_at or "not ended"),
                ("Exit code", "none yet" if run.exit_code is None else run.exit_code),
                ("Window", report.window or "not recorded"),
            ],
        ),
        *_decisions(report),
        "## Steps",
        _rows(("Step", "State", "Started", "Ended", "Attempts", "Message"), [
            (step.id, step.state, step.started_at, step.ended_at, step.attempts, step.message) for step in run.steps
        ]),
        *_verification(report),
        *_list("Risks that still show", report.verification.recorded_risks if report.verification else ()),
        *_list("What the way back cannot give", report.not_given_back),
        *_list("Work left for a person", report.work_left),
        *_list("What this does not prove", report.not_proved),
        *_list("Notes", (*run.notes, *report.remarks)),
        "## Backups",
        _rows(("Object", "File", "SHA-256", "Verified"), [
            (entry.object, entry.file, entry.sha256, "yes" if entry.verified else "no") for entry in run.backups
        ]),
        *_list("By hand, once IPP serves again (kubectl create -f where the object is gone)", report.by_hand, level=3),
        "## Timeline",
        _rows(("At (UTC)", "Event", "Step", "What"), [
            (entry.at, entry.event, entry.step, entry.text) for entry in report.timeline
        ]),
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part) + "\n"


def _decisions(report: Report) -> Iterable[str]:
    for plan in report.plans:
        yield f"## Plan {plan.id[:12]} (part {plan.part}, runbook {markdown_safe(plan.runbook.name)})"
        yield _rows(("Tenant", "Verdict", "API translation", "Force", "Decision"), [
            (
                tenant.name,
                tenant.config_map.verdict if tenant.config_map else "unknown",
                translation_text(tenant.api_translation),
                "yes" if tenant.force else "no",
                tenant.decision,
            )
            for tenant in plan.tenants
        ])  # fmt: skip
        yield from _list(
            "Accepted risks", [f"{r.id}: {r.reason} (by {r.by})" for r in plan.risks if r.accepted], level=3
        )
        texts = [f"{f.impact} {f.code}: {f.message}" for f in plan.findings if f.impact != "info"]
        yield from _list("Findings", texts, level=3)


def _verification(report: Report) -> Iterable[str]:
    verification = report.verification
    if verification is None:
        return
    yield f"## Verification: {'passed' if verification.passed else 'not passed'}"
    identity = verification.identity
    yield f"Identities: {identity.legacy} legacy, {identity.short} short, {identity.unstamped} unstamped."
    yield _rows(("Check", "Object", "Expected", "Observed", "Result"), [
        (check.code, check.object or "cluster", check.expected, check.observed, check.result)
        for check in verification.checks
    ])  # fmt: skip


def _list(title: str, items: Sequence[str], level: int = 2) -> Iterable[str]:
    if items:
        yield f"{'#' * level} {title}"
        yield "\n".join(f"- {markdown_safe(item)}" for item in items)


def _rows(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    if not rows:
        return "none"
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(markdown_safe(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)
