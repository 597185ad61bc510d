"""The pages of ``explain``: one for every code that the program prints."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Final

from migrate.changes import (
    explain_checks,
    explain_codes,
    explain_fingerprint,
    explain_limits,
    explain_payload,
    explain_platform,
    explain_rollback,
    explain_runs,
    explain_states,
)
from migrate.changes.explain_page import Page
from migrate.changes.findings import CATALOGUE, RISKS

WHY: Final = {**explain_platform.TEXTS, **explain_payload.TEXTS, **explain_limits.TEXTS}
"""Why a finding matters and what to do, by code."""

_UNWRITTEN: Final = ("The plan rests on it.", "Follow the next move that stands beside the finding.")
_NEAR: Final = 5


def _pages() -> Iterator[Page]:
    for code in CATALOGUE.values():
        why, todo = WHY.get(code.code, _UNWRITTEN)
        yield Page(code=code.code, kind="finding", meaning=code.meaning, why=why, todo=todo, source=code.source)
    why, todo = WHY["RunbookNotForPlatform"]
    meaning = "The runbook starts on another version than the platform runs."
    source = "the runbook's platforms"
    yield Page(code="RunbookNotForPlatform", kind="finding", meaning=meaning, why=why, todo=todo, source=source)
    for risk, statement in RISKS.items():
        why, todo, source = explain_runs.RISK_TEXTS[risk]
        yield Page(code=risk, kind="risk", meaning=statement, why=why, todo=todo, source=source)
    yield from explain_codes.PAGES
    yield from explain_checks.PAGES
    yield from (*explain_runs.STEPS, *explain_runs.ACTIONS, *explain_runs.OUTCOMES)
    yield from explain_rollback.PAGES
    yield from explain_fingerprint.PAGES
    yield from (*explain_states.STATES, *explain_states.DECISIONS)


PAGES: Final[tuple[Page, ...]] = tuple(_pages())
"""Every page, in the order in which kinds are listed."""


def find_step_pages(step: str, makers: Mapping[str, str]) -> tuple[Page, ...]:
    """
    Return the pages of the id of a plan's step, such as ``pin:NAME``; none when no step is called so.

    Args:
        step: The id, in any case of its letters.

        makers: What the steps of runbooks use, by their ids.
    """
    base = step.partition(":")[0].lower()
    found = (*find_pages(makers.get(base, "")), *find_pages(explain_rollback.STEPS.get(base, "")))
    return tuple(page for page in found if page.kind in {"step", "action"})


def find_pages(code: str) -> tuple[Page, ...]:
    """Return the pages of *code*, in any case of its letters; none when there is no such code."""
    return tuple(page for page in PAGES if page.code.lower() == code.lower())


def near_codes(code: str) -> tuple[str, ...]:
    """Return codes that look like *code*, the nearest first."""
    by_folded = {page.code.lower(): page.code for page in PAGES}
    folded = code.lower()
    near = difflib.get_close_matches(folded, by_folded, n=_NEAR, cutoff=0.5)
    near += [known for known in sorted(by_folded) if folded and folded in known and known not in near]
    return tuple(by_folded[match] for match in near[:_NEAR])
