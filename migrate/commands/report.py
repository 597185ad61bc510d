"""``report``: the record of a run for the change ticket."""

from migrate.commands.context import Context
from migrate.commands.reporting import report_of
from migrate.commands.runs import read_run
from migrate.records.report import Report


def report(context: Context, run_id: str) -> Report:
    """Return the report of *run_id*. Raises BadInputError, StoreError."""
    return report_of(read_run(context, run_id).directory)
