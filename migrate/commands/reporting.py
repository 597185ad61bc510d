"""The report of a run, put together from its folder."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from migrate.changes.rollback_steps import SOURCE
from migrate.records.journal import Event, RunState
from migrate.records.objects import ObjectRef
from migrate.records.plan import Ask, BackUp, Plan, SetFields
from migrate.records.report import Report, TimelineEntry
from migrate.records.verification import Verification
from migrate.records.window import Window
from migrate.render.report_markdown import report_markdown
from migrate.store.run_directory import RunDirectory, plan_name

ROLLBACK_PLAN: Final = "rollback-plan.json"
REMARKS: Final = ("Usage history is not affected: it is labelled by subscription name.",)
"""What is so after every run. Source: contract §6.4."""


def report_of(directory: RunDirectory) -> Report:
    """Return the report of the run in *directory*. Raises StoreError."""
    state = directory.state()
    parts = [part for part in (1, 2) if directory.has(plan_name(part))]
    plans = tuple(directory.plan(part) for part in parts)
    verification = directory.load("verification.json", Verification) if directory.has("verification.json") else None
    return Report(
        run=state,
        plans=plans,
        verification=verification,
        timeline=tuple(_line(event) for event in directory.events()),
        work_left=() if state.state == "rolled-back" else tuple(dict.fromkeys(_work_left(state, plans))),
        not_proved=verification.not_proved if verification else (),
        not_given_back=tuple(dict.fromkeys(_not_given_back(plans))),
        remarks=(*_of_the_way_back(directory), *REMARKS),
        by_hand=tuple(dict.fromkeys(_by_hand(directory, state, plans))),
        window=_windows(directory.events()) or None,
    )


def _work_left(state: RunState, plans: tuple[Plan, ...]) -> Iterator[str]:
    """Yield what forced moves have lost, and what has to be tested before it is used."""
    done = {step.id for step in state.steps if step.state == "succeeded"}
    for plan in plans:
        for step in plan.steps:
            if isinstance(step, SetFields) and step.withdrawal is not None and step.id in done:
                for line in plan.lost_by_force.get(step.tenant, ()):
                    yield f"{step.tenant}: do again in the Praxis shape: {line}"
            elif isinstance(step, Ask):
                yield from (f"Review and test before it is used: {name}" for name in step.names)


def _not_given_back(plans: tuple[Plan, ...]) -> Iterator[str]:
    """Yield each step that cannot be taken back, or not without a loss."""
    for plan in plans:
        for step in plan.steps:
            if step.irreversible:
                yield f"{step.title}: point of no return. {step.undo_note}".strip()
            elif step.undo != "exact" and step.undo_note:
                yield f"{step.title}: {step.undo_note}"


def _of_the_way_back(directory: RunDirectory) -> Iterator[str]:
    """Yield what the way back left, or could not give back."""
    if directory.has(ROLLBACK_PLAN):
        plan = directory.load(ROLLBACK_PLAN, Plan)
        yield from (finding.message for finding in plan.findings if finding.source == SOURCE)


def _by_hand(directory: RunDirectory, state: RunState, plans: tuple[Plan, ...]) -> Iterator[str]:
    """
    Yield the commands that put the plugins ConfigMaps back without this program.

    Never ``kubectl apply``: it adds a copy of the object that may be longer than an annotation. Source: case CH-16.
    """
    sets = {step.id for plan in plans for step in plan.steps if isinstance(step, BackUp)}
    for entry in state.backups:
        if entry.object.startswith("ConfigMap ") and Path(entry.file).parent.name in sets:
            file = directory.path / Path(entry.file).with_suffix(".yaml")
            yield f"kubectl replace -f {shlex.quote(str(file))}"


def write_report(directory: RunDirectory) -> None:
    """Write ``report.md`` into the run's folder, over an older one. Raises StoreError."""
    directory.save_text("report.md", report_markdown(report_of(directory)))


def _windows(events: tuple[Event, ...]) -> str:
    """Return the windows that the run was given, in order, one that follows itself once."""
    said = [msgspec.convert(event.data["window"], Window).text() for event in events if event.data.get("window")]
    return "; then ".join(text for at, text in enumerate(said) if said[max(at - 1, 0)] != text or at == 0)


def _line(event: Event) -> TimelineEntry:
    data = event.data
    words = [str(data[key]) for key in ("title", "message", "reason", "text", "how") if data.get(key)]
    intent = data.get("intent", {})
    about = intent.get("object") or data.get("object")
    if isinstance(about, dict):
        words = [f"{intent.get('verb', '')} {msgspec.convert(about, ObjectRef)}".strip(), *words]
    elif about:
        words.append(str(about))
    return TimelineEntry(at=event.at, event=event.event, step=event.step, text="; ".join(words))
