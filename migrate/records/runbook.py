"""The order of work as written: phases, steps, gates, times, prose; no logic."""

from typing import Literal

from migrate.records.objects import Record


class RunbookStep(Record, kw_only=True):
    """
    One entry of a runbook.

    Attributes:
        id: Unique in the runbook; steps of a plan are called ``id`` or ``id:tenant``.

        uses: Which step maker fills it in, from the closed set.

        title: One line for the screen.

        prose: What a person should know before it runs.

        estimate_s: How long it takes, seconds.

        undo_estimate_s: How long it takes to go back from it to the last safe point, seconds.

        timeout_s: When it counts as out of time, seconds.

        attempts: How often it is tried in all, at least 1.

        window: ``inside``: it starts only when it fits before the cutoff; ``outside``: it may run at any time.

        acknowledges: Ids of risks that this step must see accepted.
    """

    id: str
    uses: str
    title: str
    prose: str = ""
    estimate_s: int
    undo_estimate_s: int = 0
    timeout_s: int
    attempts: int = 1
    window: Literal["inside", "outside"] = "inside"
    acknowledges: tuple[str, ...] = ()


class Phase(Record, kw_only=True):
    """
    A named stretch of steps.

    Attributes:
        part: 1 before the gate, 2 after it; a runbook without gate has part 1 only.

        each: ``tenant`` runs the whole phase for one tenant after the other, ``cluster`` once.
    """

    name: str
    title: str
    part: Literal[1, 2] = 1
    each: Literal["cluster", "tenant"] = "cluster"
    steps: tuple[RunbookStep, ...]


class Runbook(Record, kw_only=True):
    """
    A whole order of work.

    Attributes:
        platforms: On which platform it starts, such as ``("3.5",)``.

        goal: What holds at its end, one sentence.
    """

    format: Literal["maas-migrate/runbook"] = "maas-migrate/runbook"
    version: Literal[1] = 1
    name: str
    title: str
    platforms: tuple[Literal["3.5", "3.6"], ...]
    goal: str
    prose: str = ""
    phases: tuple[Phase, ...]
