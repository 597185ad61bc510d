"""``explain``: what a code means, why it matters, what to do."""

from pathlib import Path

from migrate.changes.explain import PAGES, find_pages, find_step_pages, near_codes
from migrate.commands.documents import ExplainDocument
from migrate.errors import BadInputError
from migrate.store.runbooks import load_runbook, shipped_names


def explain(code: str) -> ExplainDocument:
    """Return the pages of *code* or of a step's id, all for ``""``. Raises BadInputError naming near matches."""
    pages = (find_pages(code) or find_step_pages(code, _makers())) if code else PAGES
    if not pages:
        near = ", ".join(near_codes(code))
        raise BadInputError(
            f"There is no code {code!r}.",
            resolution=f"Did you mean {near}?" if near else "See maas-migrate explain for all of them.",
        )
    return ExplainDocument(pages=pages)


def _makers() -> dict[str, str]:
    runbooks = (load_runbook(name, Path()).runbook for name in shipped_names())
    return {step.id: step.uses for runbook in runbooks for phase in runbook.phases for step in phase.steps}
