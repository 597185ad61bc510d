"""Run a plan, forward or backward; start and resume are the same code."""

from migrate.engine.hands import Ending, Hands
from migrate.records.journal import Phase
from migrate.records.plan import Plan
from migrate.records.window import Window


def run(run_id: str, plan: Plan, hands: Hands, window: Window, *, phase: Phase = "forward") -> Ending:
    """
    Perform the steps of *plan* that the journal does not show as done.

    With an empty journal the run starts; with another plan than the journal's last one (part two, a
    rollback) a new stretch of the same run starts; else the run goes on where it stopped. Where the run
    waits at a Gate the gate is evaluated: still closed gives 20 again, open gives ``Ending.gate_passed``.

    A rollback is a plan of the same steps, run with ``phase="rollback"``; the window never stops it.

    What stops a run is not raised but returned as ``Ending.error``, and stands in the journal. Only what
    cannot be journaled flies: StoreError from the journal itself, and faults of this tool.
    """
    raise NotImplementedError(run_id, plan, hands, window, phase)
