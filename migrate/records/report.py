"""The record of a run for the change ticket."""

from typing import Any, Literal

from migrate.records.journal import RunState
from migrate.records.objects import Record
from migrate.records.plan import Plan
from migrate.records.verification import Verification


class TimelineEntry(Record, kw_only=True):
    """One line of what happened when."""

    at: str
    event: str
    step: str = ""
    text: str = ""


class Report(Record, kw_only=True):
    """
    All that a change ticket needs.

    Attributes:
        plans: The plans in the order they were run.

        work_left: What is left for a person, never claimed done.

        not_proved: What a pass does not show.

        not_given_back: What a rollback cannot give back, and each point of no return.

        by_hand: Commands that put the plugins ConfigMaps back, while IPP serves and without this program.

        remarks: What is good to know, whatever came of the run.
    """

    format: Literal["maas-migrate/report"] = "maas-migrate/report"
    version: Literal[1] = 1
    run: RunState
    plans: tuple[Plan, ...] = ()
    verification: Verification | None = None
    timeline: tuple[TimelineEntry, ...] = ()
    work_left: tuple[str, ...] = ()
    not_proved: tuple[str, ...] = ()
    not_given_back: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()
    window: Any = None
