"""``runbook``: the order of work."""

from migrate.changes.plan_runbook import runbook_digest
from migrate.commands.context import Context
from migrate.commands.documents import RunbookEntry, RunbooksDocument
from migrate.commands.planning import must_have_runbook
from migrate.records.runbook import Runbook
from migrate.store.runbooks import local_names, shipped_names


def list_runbooks(context: Context) -> RunbooksDocument:
    """Return the shipped runbooks and those in ``./runbooks``. Raises BadInputError."""
    names = [(name, "shipped") for name in shipped_names()]
    names += [(name, f"runbooks/{name}.yaml") for name in local_names(context.cwd)]
    return RunbooksDocument(
        runbooks=tuple(
            RunbookEntry(name=name, digest=runbook_digest(must_have_runbook(context, name)), source=source)
            for name, source in names
        )
    )


def show_runbook(context: Context, name: str) -> Runbook:
    """Return one runbook, validated. Raises BadInputError naming file, line and field."""
    return must_have_runbook(context, name)
