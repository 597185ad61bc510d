"""Runs in the state dir: begin one, open one, go on with one; and what a call of the engine leaves behind."""

import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

import msgspec

from migrate.commands.context import Context
from migrate.commands.documents import RunsDocument
from migrate.commands.reporting import ROLLBACK_PLAN, write_report
from migrate.commands.surveying import FreshEyes
from migrate.engine.hands import Ending, Hands
from migrate.engine.run import run as run_engine
from migrate.engine.stopping import with_more
from migrate.errors import (
    BadInputError,
    ExitCode,
    MigrateError,
    PlanIsStaleError,
    RunLockedError,
    StoreError,
)
from migrate.records.journal import Phase, RunState
from migrate.records.plan import Plan, plan_id
from migrate.records.snapshot import Snapshot
from migrate.records.window import Window
from migrate.store.plans import load_plan
from migrate.store.run_directory import RunDirectory, new_run_id, plan_name

LOG: Final = "log.jsonl"
SNAPSHOT: Final = "snapshot.json"
_UNTOUCHED: Final = "this call has written nothing to the cluster"
TOKEN_LETTERS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"  # noqa: S105 - an alphabet, no secret


@dataclass(frozen=True, kw_only=True)
class Ended:
    """
    How a verb that runs something ended.

    Attributes:
        code: The exit code.

        state: The run, None when none was begun.

        plan: The plan when there was nothing to run.

        error: What stopped it, None when it ended well.

        gate_passed: Part one is over and part two is to be planned.

        runs: The runs there are, where there was none to go on with.
    """

    code: int
    state: RunState | None = None
    plan: Plan | None = None
    error: MigrateError | None = None
    gate_passed: bool = False
    runs: RunsDocument | None = None


class Run:
    """One run, open and locked against other processes."""

    def __init__(self, context: Context, directory: RunDirectory) -> None:
        self._context = context
        self.directory = directory

    @property
    def id(self) -> str:
        """The run's id."""
        return self.directory.id

    @property
    def state(self) -> RunState:
        """Where it stands. Raises StoreError."""
        return self.directory.state()

    @property
    def in_rollback(self) -> bool:
        """Whether it is on the way back."""
        return self.state.phase == "rollback"

    def plans(self) -> tuple[Plan, ...]:
        """Return its plans in order. Raises StoreError."""
        parts = [1, *([2] if self.directory.has(plan_name(2)) else [])]
        return tuple(self.directory.plan(part) for part in parts)

    def current_plan(self) -> Plan:
        """Return the plan that is being run. Raises StoreError."""
        return self.plans()[-1]

    def promised(self) -> Plan:
        """Return the plan whose outcome should hold: that of the way back once it has begun. Raises StoreError."""
        if self.in_rollback and self.directory.has(ROLLBACK_PLAN):
            return self.directory.load(ROLLBACK_PLAN, Plan)
        return self.current_plan()

    def must_be_of_this_cluster(self) -> None:
        """Raise PlanIsStaleError when the run was made on another cluster."""
        here = self._context.live().identity
        there = self.state.cluster or self.plans()[0].cluster.id
        if there != here.id:
            raise PlanIsStaleError(
                f"Run {self.id} belongs to cluster {there}; this is {here.id} ({here.server}). Nothing was written.",
                resolution="Choose its cluster with --context.",
                run=self.id,
            )

    def take_part_two(self, plan: Plan, snapshot: Snapshot) -> None:
        """Save part two beside part one. Raises StoreError."""
        self.directory.save("snapshot-2.json", snapshot, replace=True)
        self.directory.save(plan_name(2), plan, replace=True)

    def go(self, plan: Plan, window: Window, *, phase: Phase = "forward") -> Ended:
        """Run *plan*, from where the journal stands, and write down what came of it."""
        context, directory = self._context, self.directory
        live = context.live()
        lock = live.lock(self.id)
        eyes = FreshEyes(context, self.id)
        with nothing_written():
            journal = directory.journal(context.clock)
        hands = Hands(
            cluster=live.cluster(),
            journal=context.watch(journal),
            backups=directory.backups(),
            lock=lock,
            operator=context.person,
            clock=context.clock,
            surveyor=eyes,
            tell=context.tell,
            ask_why=eyes.ask_why,
        )
        with context.log_into(directory.path / LOG), live.keeping(lock):
            ending = run_engine(self.id, plan, hands, window, phase=phase)
        self._record(ending)
        return _ended(ending)

    def _record(self, ending: Ending) -> None:
        if ending.verification is not None:
            self.directory.save("verification.json", ending.verification, replace=True)
        if not ending.gate_passed:
            write_report(self.directory)


def _ended(ending: Ending) -> Ended:
    code = ending.state.exit_code
    if ending.error is not None:
        code = int(ending.error.exit_code)
    return Ended(
        code=ExitCode.OK if code is None else code,
        state=msgspec.structs.replace(ending.state, verification=ending.verification),
        error=ending.error,
        gate_passed=ending.gate_passed,
    )


def begin_run(context: Context, plan: Plan, snapshot: Snapshot) -> "Run":
    """Make the folder of a new run with its plan and snapshot. Raises StoreError."""
    token = "".join(secrets.choice(TOKEN_LETTERS) for _ in range(6))
    directory = context.state().create_run(new_run_id(context.clock.now(), token))
    directory.save(SNAPSHOT, snapshot)
    directory.save(plan_name(1), plan)
    context.say(f"run {directory.id} in {directory.path}" if context.keeps else f"run {directory.id}")
    return Run(context, directory)


@contextmanager
def nothing_written() -> Iterator[None]:
    """Say of a state dir that cannot be used that this call has not touched the cluster yet."""
    try:
        yield
    except StoreError as error:
        if _UNTOUCHED not in error.message:
            with_more(error, said=_UNTOUCHED)
        raise


@contextmanager
def open_run(context: Context, run_id: str) -> Iterator[Run]:
    """Open a run for writing; no other process works on it meanwhile. Raises BadInputError, RunLockedError."""
    with ExitStack() as held:
        with nothing_written():
            directory = context.state().open_run(run_id)
            held.enter_context(directory.lock())
        yield Run(context, directory)


def read_run(context: Context, run_id: str) -> Run:
    """Return a run to read. Raises BadInputError, StoreError."""
    return Run(context, context.state().open_run(run_id))


def all_states(context: Context) -> tuple[RunState, ...]:
    """Return where every run stands, oldest first; one that cannot be read says so in its message."""
    state = context.state()
    found = []
    for run_id in state.run_ids():
        try:
            found.append(state.open_run(run_id).state())
        except StoreError as error:
            found.append(RunState(id=run_id, state="needs-person", reason=error.reason, message=error.message))
    return tuple(found)


def is_unfinished(state: RunState) -> bool:
    """Return whether a run can be resumed or rolled back and has not ended."""
    return not state.ended_at and state.state not in {"succeeded", "rolled-back"}


def unfinished_runs(context: Context, cluster: str) -> tuple[RunState, ...]:
    """Return the unfinished runs of a cluster, oldest first; a run that wrote nothing and stopped is over."""
    return tuple(state for state in all_states(context) if is_unfinished(state) and state.cluster == cluster)


def must_have_no_unfinished_run(context: Context, cluster: str) -> None:
    """
    Raise unless this cluster has no unfinished run here.

    Raises:
        RunLockedError: It has one.

        StoreError: A run of it cannot be read, so nobody knows whether it is over.
    """
    for run_id in context.state().run_ids():
        directory = context.state().open_run(run_id)
        try:
            begins = not directory.events() and directory.is_locked()
            directory.state()
        except StoreError:
            if _cluster_of(directory) in {"", cluster}:
                raise
            continue
        if begins and _cluster_of(directory) in {"", cluster}:
            raise RunLockedError(
                f"Run {run_id} of this cluster is about to begin in another process; nothing was written.",
                resolution=f"Look at maas-migrate status {run_id}.",
                run=run_id,
            )
    for state in unfinished_runs(context, cluster):
        raise RunLockedError(
            f"Run {state.id} of this cluster is unfinished ({state.state}); nothing was written.",
            resolution=f"Go on with maas-migrate resume {state.id} --window START/END, "
            f"or back with maas-migrate rollback {state.id}.",
            run=state.id,
        )


def _cluster_of(directory: RunDirectory) -> str:
    """Return the cluster of a run whose journal cannot be read, ``""`` when nothing tells it."""
    try:
        return directory.plan().cluster.id
    except StoreError:
        return ""


def run_of_plan(context: Context, plan: str) -> RunState | None:
    """Return the latest run of a plan, None when it was never run."""
    return next((state for state in reversed(all_states(context)) if plan in state.plans), None)


def load_any_plan(context: Context, named: str) -> Plan:
    """
    Return a plan by file or id, checked against its own id.

    Raises:
        BadInputError: There is none, or the file was edited by hand.

        StoreError: A saved one is damaged.
    """
    plan = load_plan(context.state(), named, context.cwd)
    if plan_id(plan) != plan.id:
        message = f"The plan {named} is not what its id says: it was edited or damaged. Nothing was written."
        if (context.cwd / named).exists():
            raise BadInputError(
                message, resolution="Make a new one with maas-migrate plan; a plan is not edited by hand."
            )
        raise StoreError(message, resolution="Make a new one with maas-migrate plan.")
    return plan
