"""``explain``: what a code means, why it matters, what to do."""

from migrate.changes.explain import PAGES, find_pages, near_codes
from migrate.commands.documents import ExplainDocument
from migrate.errors import BadInputError


def explain(code: str) -> ExplainDocument:
    """Return the pages of *code*, all of them for ``""``. Raises BadInputError naming near matches."""
    pages = find_pages(code) if code else PAGES
    if not pages:
        near = ", ".join(near_codes(code))
        raise BadInputError(
            f"There is no code {code!r}.",
            resolution=f"Did you mean {near}?" if near else "See maas-migrate explain for all of them.",
        )
    return ExplainDocument(pages=pages)
