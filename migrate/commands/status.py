"""``status`` and ``runs``: where things stand."""

import msgspec

from migrate.changes.standing import accepted_risks_that_show
from migrate.commands.context import Context
from migrate.commands.documents import LockHolder, RunsDocument, RunSummary, StatusDocument
from migrate.commands.runs import all_states, read_run
from migrate.errors import ExitCode, MigrateError, StoreError, first_of
from migrate.records.journal import RunState
from migrate.records.verification import Verification


def run_status(context: Context, run_id: str) -> RunState:
    """Return where a run stands, with its last verdict. Raises BadInputError, StoreError."""
    run = read_run(context, run_id)
    directory = run.directory
    if not directory.has("verification.json"):
        return run.state
    verdict = directory.load("verification.json", Verification)
    return msgspec.structs.replace(run.state, verification=verdict)


def runs(context: Context) -> RunsDocument:
    """Return the runs in the state dir, oldest first."""
    return RunsDocument(state_dir=str(context.state().path), runs=_summaries(context))


def _summaries(context: Context) -> tuple[RunSummary, ...]:
    states = all_states(context)
    for state in states:
        if state.reason == StoreError.reason:
            context.warn(f"run {state.id} cannot be read: {state.message}")
    return tuple(
        RunSummary(
            id=state.id,
            plan=state.plan,
            cluster=state.cluster,
            state=state.state,
            started_at=state.started_at,
            ended_at=state.ended_at,
            exit_code=state.exit_code,
        )
        for state in states
    )


def status(context: Context) -> tuple[StatusDocument, ExitCode]:
    """Return runs, lock and risks that still show, and the exit code: what the cluster does not tell is no 0."""
    refusals: list[ExitCode] = []
    document = StatusDocument(
        state_dir=str(context.state().path),
        runs=_summaries(context),
        lock=_lock(context, refusals),
        accepted_risks=_risks(context, refusals),
    )
    return document, first_of(*refusals)


def _lock(context: Context, refusals: list[ExitCode]) -> LockHolder:
    try:
        return context.live().holder()
    except MigrateError as error:
        refusals.append(error.exit_code)
        return LockHolder(state="unknown", message=f"{error.message} {error.resolution}")


def _risks(context: Context, refusals: list[ExitCode]) -> tuple[str, ...]:
    try:
        return accepted_risks_that_show(context.live().collect())
    except MigrateError as error:
        refusals.append(error.exit_code)
        return (f"unknown: {error.message}",)
