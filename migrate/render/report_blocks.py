"""What the report of a run says, block by block; Markdown and HTML are two spellings of the same blocks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from migrate.records.report import Report
from migrate.render.findings import translation_text


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; *level* is 1 for the report itself."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence or two."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """A table; without rows it says ``none``."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Paragraph | Bullets | Rows


def report_blocks(report: Report) -> tuple[Block, ...]:
    """Return the whole report; nothing in it is escaped yet."""
    run = report.run
    return (
        Heading(1, f"Migration run {run.id}: {run.state}"),
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
        Heading(2, "Steps"),
        _rows(("Step", "State", "Started", "Ended", "Attempts", "Message"), [
            (step.id, step.state, step.started_at, step.ended_at, step.attempts, step.message) for step in run.steps
        ]),
        *_verification(report),
        *_list("Risks that still show", report.verification.recorded_risks if report.verification else ()),
        *_list("What the way back cannot give", report.not_given_back),
        *_list("Work left for a person", report.work_left),
        *_list("What this does not prove", report.not_proved),
        *_list("Notes", (*run.notes, *report.remarks)),
        Heading(2, "Backups"),
        _rows(("Object", "File", "SHA-256", "Verified"), [
            (entry.object, entry.file, entry.sha256, "yes" if entry.verified else "no") for entry in run.backups
        ]),
        *_list("By hand, once IPP serves again (kubectl create -f where the object is gone)", report.by_hand, level=3),
        Heading(2, "Timeline"),
        _rows(("At (UTC)", "Event", "Step", "What"), [
            (entry.at, entry.event, entry.step, entry.text) for entry in report.timeline
        ]),
    )  # fmt: skip


def _decisions(report: Report) -> Iterable[Block]:
    for plan in report.plans:
        yield Heading(2, f"Plan {plan.id[:12]} (part {plan.part}, runbook {plan.runbook.name})")
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


def _verification(report: Report) -> Iterable[Block]:
    verification = report.verification
    if verification is None:
        return
    yield Heading(2, f"Verification: {'passed' if verification.passed else 'not passed'}")
    identity = verification.identity
    yield Paragraph(f"Identities: {identity.legacy} legacy, {identity.short} short, {identity.unstamped} unstamped.")
    yield _rows(("Check", "Object", "Expected", "Observed", "Result"), [
        (check.code, check.object or "cluster", check.expected, check.observed, check.result)
        for check in verification.checks
    ])  # fmt: skip


def _list(title: str, items: Sequence[str], level: int = 2) -> Iterable[Block]:
    if items:
        yield Heading(level, title)
        yield Bullets(tuple(items))


def _rows(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Rows:
    return Rows(tuple(head), tuple(tuple(map(str, row)) for row in rows))
