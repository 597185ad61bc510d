"""The report of a run, put together from its folder."""

from typing import Final

import msgspec

from migrate.records.journal import Event
from migrate.records.report import Report, TimelineEntry
from migrate.records.verification import Verification
from migrate.records.window import Window
from migrate.render.report_markdown import report_markdown
from migrate.store.run_directory import RunDirectory, plan_name

ALWAYS_LEFT: Final = (
    "Review and test the model bindings that Praxis serves differently before they are used.",
    "Usage history is not affected: it is labelled by subscription name.",
)


def report_of(directory: RunDirectory) -> Report:
    """Return the report of the run in *directory*. Raises StoreError."""
    state = directory.state()
    parts = [part for part in (1, 2) if directory.has(plan_name(part))]
    plans = tuple(directory.plan(part) for part in parts)
    verification = directory.load("verification.json", Verification) if directory.has("verification.json") else None
    lost = [
        f"{tenant}: {line}" for plan in plans[-1:] for tenant, lines in plan.lost_by_force.items() for line in lines
    ]
    return Report(
        run=state,
        plans=plans,
        verification=verification,
        timeline=tuple(_line(event) for event in directory.events()),
        work_left=(*lost, *ALWAYS_LEFT),
        not_proved=verification.not_proved if verification else (),
        window=_windows(directory.events()) or None,
    )


def write_report(directory: RunDirectory) -> None:
    """Write ``report.md`` into the run's folder, over an older one. Raises StoreError."""
    directory.save_text("report.md", report_markdown(report_of(directory)))


def _windows(events: tuple[Event, ...]) -> str:
    """Return the windows that the run was given, in order, one that follows itself once."""
    said = [msgspec.convert(event.data["window"], Window).text() for event in events if event.data.get("window")]
    return "; then ".join(text for at, text in enumerate(said) if said[max(at - 1, 0)] != text or at == 0)


def _line(event: Event) -> TimelineEntry:
    words = [str(event.data[key]) for key in ("title", "message", "reason", "object", "verb") if event.data.get(key)]
    return TimelineEntry(at=event.at, event=event.event, step=event.step, text="; ".join(words))
