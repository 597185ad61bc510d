"""What a run holds in its hands, and what it hands back."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from migrate.engine.ports import Backups, Clock, Cluster, Journal, Lock, Operator, Surveyor
from migrate.errors import MigrateError
from migrate.records.journal import RunState
from migrate.records.objects import ObjectRef, Record
from migrate.records.verification import Verification


class Waiting(Record, kw_only=True):
    """
    Where a wait stands, for the screen.

    Attributes:
        elapsed_s: Since the wait began in this process.

        limit_s: When it counts as out of time.

        says: The name of the known state it is in, ``""`` when it has none.

        missing: What does not hold yet, in words.
    """

    step: str
    elapsed_s: float
    limit_s: float
    says: str = ""
    missing: tuple[str, ...] = ()


def _nobody_watches(_waiting: Waiting) -> None:
    """Tell nobody."""


def _nobody_knows(_refs: Collection[ObjectRef]) -> tuple[str, ...]:
    """Know nothing more."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """
    The ports of one run.

    Attributes:
        tell: Called about once a second while a step waits; for a live line on the screen.

        ask_why: Called once when a wait ran out of time: what else is to be known of these objects, such as
            what holds up the Pods of a Deployment. Raises nothing.
    """

    cluster: Cluster
    journal: Journal
    backups: Backups
    lock: Lock
    operator: Operator
    clock: Clock
    surveyor: Surveyor
    tell: Callable[[Waiting], None] = _nobody_watches
    ask_why: Callable[[Collection[ObjectRef]], tuple[str, ...]] = _nobody_knows


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """
    How a call of ``run`` ended.

    Attributes:
        state: The run as its journal tells it; ``state.exit_code`` is the code to end with.

        error: Why it stopped, None when it ended well or the gate was passed.

        verification: The last verdict of this call, None when nothing was verified.

        gate_passed: Part one is over and the gate is open: plan part two and run it.
    """

    state: RunState
    error: MigrateError | None = None
    verification: Verification | None = None
    gate_passed: bool = False
