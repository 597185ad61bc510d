"""Short ways to judge a cluster and to look at what was said of it."""

from collections.abc import Iterable, Mapping
from typing import Any

from migrate.changes.assess import assess
from migrate.records.assessment import Assessment, Finding, Options, TenantAssessment
from migrate.records.snapshot import Gap
from tests.builders import a_snapshot

DEFAULT = "models-as-a-service"


def judged(
    things: Iterable[Mapping[str, Any]],
    *,
    accept: Iterable[str] = (),
    translation: dict[str, bool] | None = None,
    only: Iterable[str] = (),
    gaps: Iterable[Gap] = (),
) -> Assessment:
    """Return the assessment of a cluster that holds *things*."""
    options = Options(
        accepted=dict.fromkeys(accept, "a reason"),
        by="ops@bastion",
        api_translation=translation or {},
        only_tenants=tuple(only),
    )
    return assess(a_snapshot(*things, gaps=gaps), options)


def tenant(assessment: Assessment, name: str = DEFAULT) -> TenantAssessment:
    """Return one tenant of an assessment."""
    (found,) = [one for one in assessment.tenants if one.name == name]
    return found


def said(assessment: Assessment, code: str) -> tuple[Finding, ...]:
    """Return the findings of one code."""
    return tuple(one for one in assessment.findings if one.code == code)


def the(assessment: Assessment, code: str) -> Finding:
    """Return the one finding of a code."""
    found = said(assessment, code)
    assert len(found) == 1, [(one.code, one.message) for one in assessment.findings]
    return found[0]


def loud(assessment: Assessment) -> set[str]:
    """Return the codes of all findings above info."""
    return {one.code for one in assessment.findings if one.impact != "info"}
