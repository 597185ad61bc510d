"""
The catalogue: every code that a finding may have, every risk that may be accepted, and the one way to make a finding.

A code is stable: scripts and ``explain`` rely on it. Its source stands here once; the message, with what was seen, and
the next move are given where it is found.
"""

from collections.abc import Container
from typing import Final

import msgspec

from migrate.changes import findings_limits, findings_payload, findings_platform
from migrate.changes.findings_code import Code
from migrate.maas import resources
from migrate.records.assessment import Finding, Impact
from migrate.records.objects import ObjectRef
from migrate.records.snapshot import Gap

CATALOGUE: Final[dict[str, Code]] = {
    code.code: code for code in (*findings_platform.CODES, *findings_payload.CODES, *findings_limits.CODES)
}
"""Every code by its name."""

FORCE_CUSTOM: Final = "force-custom-plugins-configmap"
"""Accepts the loss of a customised plugins ConfigMap."""
UNSUPPORTED_MODELS: Final = "unsupported-external-models"
"""Accepts that active external models stop being translated."""
GITOPS_MANAGED: Final = "gitops-managed-object"
"""Accepts that a GitOps tool may take a write back."""
NO_WINDOW: Final = "no-maintenance-window"
"""Accepts a run without a maintenance window."""
OPERATOR_UPGRADE: Final = "operator-upgrade"
"""Accepts that the run approves the InstallPlan."""
IDENTITY_RESET: Final = "identity-quota-reset"
"""Accepts that counters of subscriptions start again."""

RISKS: Final[dict[str, str]] = {
    FORCE_CUSTOM: "The customised plugins ConfigMap is deleted for good; what it did is not carried over to Praxis, "
    "and comes back only from the backup.",
    UNSUPPORTED_MODELS: "Active external models that Praxis is not qualified for stop working as they did; "
    "nothing translates for them any more.",
    GITOPS_MANAGED: "A GitOps tool owns an object that the run writes, and may take the write back at any moment.",
    NO_WINDOW: "The run may disturb traffic at any time, since no maintenance window limits it.",
    OPERATOR_UPGRADE: "The run approves the InstallPlan of the operator; OLM does not go back from there.",
    IDENTITY_RESET: "The in-window token counters of the named subscriptions start again from zero.",
}
"""Every risk that can be accepted, with what may be lost. Source: the command line's list of risks."""

ONCE_ACCEPTED: Final[dict[str, str]] = {
    "GitOpsManaged": "Look after the run whether the tool has taken its writes back.",
    "PluginsConfigMapCustomised": "It is deleted for good; the run keeps a backup.",
    "PluginsConfigMapMixed": "The customised part is lost; the run keeps a backup.",
    "UnsupportedModelAccepted": "Review and test the model before it is used.",
    "UnsupportedModelUnchecked": "Review and test the model before it is used.",
}
"""What is left to know or to do where the risk of a finding is accepted, by code."""

_IMPACTS: Final[dict[str, int]] = {"blocking": 0, "risk": 1, "advisory": 2, "info": 3}


def finding(  # noqa: PLR0913  -- a finding says all of this of itself
    code: str,
    message: str,
    *,
    resolution: str,
    about: ObjectRef | None = None,
    tenant: str = "",
    path: str = "",
    impact: Impact | None = None,
    risk: str = "",
    unreadable: bool = False,
) -> Finding:
    """Return a finding of a code of the catalogue; KeyError for any other. *impact* None takes the code's own."""
    known = CATALOGUE[code]
    return Finding(
        code=code,
        impact=impact or known.impact,
        object=about,
        tenant=tenant,
        path=path,
        message=message,
        resolution=resolution,
        source=known.source,
        risk=risk,
        unreadable=unreadable,
    )


def answered(one: Finding, accepted: Container[str]) -> Finding:
    """Return *one* without the offer to accept its risk where that is accepted already."""
    if not one.risk or one.risk not in accepted:
        return one
    return msgspec.structs.replace(one, resolution=f"It is accepted. {ONCE_ACCEPTED[one.code]}")


def not_read(gap: Gap, why: str, *, tenant: str = "", needed: bool = True) -> Finding:
    """
    Return the finding for a question without an answer; it blocks where the answer is *needed*.

    Args:
        gap: The question.

        why: What it was asked for, as the end of a sentence: ``it decides whether ...``.

        tenant: The tenant it concerns, ``""`` for all.

        needed: False when the answer would only have added something, and a saved source left it out.
    """
    query = gap.query
    known = resources.kind_of(query.group, query.kind)
    about = known.ref(query.namespace, query.name) if known and query.name else None
    said = f" ({gap.message})" if gap.message else ""
    optional = gap.reason == "not-in-source" and not needed
    return finding(
        "NotInSource" if optional else "CouldNotRead",
        f"{query} could not be read: {gap.reason}{said}; {why}",
        resolution=_RESOLUTIONS.get(gap.reason, "Find out why it cannot be read, then run this again."),
        about=about,
        tenant=tenant,
        # Nobody refused anything where a saved source leaves something out.
        unreadable=gap.reason != "not-in-source",
    )


_RESOLUTIONS: Final[dict[str, str]] = {
    "forbidden": "Grant the read (maas-migrate rbac --for plan prints the least Roles), then run this again.",
    "unauthorised": "Log in again, then run this again.",
    "unreachable": "Make the API server reachable, then run this again.",
    "not-in-source": "Take the snapshot again with this program, or run against the cluster.",
    "incomplete": "Run this again; the list was cut short.",
}


def in_order(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return *findings* each once, by impact, code, tenant, object, path and message."""
    return tuple(sorted(dict.fromkeys(findings), key=_order))


def _order(one: Finding) -> tuple[int, str, str, str, str, str]:
    return (_IMPACTS[one.impact], one.code, one.tenant, str(one.object or ""), one.path, one.message)
