"""``rbac``: the least Roles that a verb needs, from the facts that ``apply`` asks the server about."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import msgspec

from migrate.changes.access_rules import Subject, Verb, generic_needs, manifests_of, placed, reading_needs
from migrate.changes.plan import make_plan
from migrate.changes.plan_needs import needs_for, needs_of
from migrate.commands.context import Context
from migrate.commands.documents import RbacDocument
from migrate.commands.manifests import problems_of
from migrate.commands.planning import DEFAULT_RUNBOOKS, PlanFlags, assess_with, must_have_runbook, options_of
from migrate.errors import BadInputError, InternalError, NotAuthorisedError, UnreachableError
from migrate.records.assessment import Assessment, Finding
from migrate.records.plan import AccessNeed, Plan
from migrate.records.snapshot import Snapshot
from migrate.store.manifests import to_yaml
from migrate.store.snapshots import load_snapshot

REFUSED: Final = frozenset({"forbidden", "unauthorised", "unreachable", "failed"})
STUB: Final = "user:name-the-user-here"
"""Whom the bindings name when nobody said."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RbacFlags:
    """``--for``, ``--to`` and ``--generic`` as they were said."""

    verb: Verb
    subject: str = STUB
    generic: bool = False


def rbac(context: Context, flags: PlanFlags, asked: RbacFlags) -> RbacDocument:
    """
    Return the Roles and their bindings.

    They are narrowed to the namespaces and names of the cluster, or of the snapshot. Where neither can be read in
    full they are generic: the same verbs on the same resources, in all namespaces.

    Raises:
        BadInputError: The subject, the snapshot or the runbook cannot be used.
    """
    subject = subject_of(asked.subject)
    snapshot = None if asked.generic else _snapshot(context, flags)
    needs = generic_needs(asked.verb) if snapshot is None else _needs(context, flags, asked.verb, snapshot)
    manifests = manifests_of(asked.verb, needs, subject)
    if problems := problems_of(manifests):
        raise InternalError(f"A Role would not be valid: {problems[0]}", resolution="Report this; nothing was printed.")
    return RbacDocument(
        verb=asked.verb,
        narrowed=snapshot is not None,
        manifests=manifests,
    )


def subject_of(said: str) -> Subject:
    """Return whom ``user:NAME``, ``group:NAME`` or ``serviceaccount:NAMESPACE/NAME`` names. Raises BadInputError."""
    kind, _, name = said.partition(":")
    namespace, slash, account = name.partition("/")
    if kind == "user" and name:
        return Subject(kind="User", name=name)
    if kind == "group" and name:
        return Subject(kind="Group", name=name)
    if kind == "serviceaccount" and slash and namespace and account:
        return Subject(kind="ServiceAccount", name=account, namespace=namespace)
    raise BadInputError(
        f"--to {said!r} names nobody.", resolution="Write --to user:NAME, group:NAME or serviceaccount:NAMESPACE/NAME."
    )


def _snapshot(context: Context, flags: PlanFlags) -> Snapshot | None:
    """Return what can be read, None when that is not all; whoever has no rights yet asks for a generic Role."""
    if flags.snapshot:
        return load_snapshot(context.cwd / flags.snapshot)
    try:
        snapshot = context.live().collect()
    except (BadInputError, NotAuthorisedError, UnreachableError) as error:
        context.say(f"not narrowed to a cluster: {error.message}")
        return None
    refused = [gap for gap in snapshot.gaps if gap.reason in REFUSED]
    if refused:
        context.say(f"not narrowed to the cluster: {refused[0].query} could not be read ({refused[0].reason})")
        return None
    return snapshot


def _needs(context: Context, flags: PlanFlags, verb: Verb, snapshot: Snapshot) -> Iterable[AccessNeed]:
    if verb == "plan":
        return placed(reading_needs(needs_for(snapshot, ())), snapshot)
    plan = _plan_without_stops(context, flags, snapshot)
    return placed(needs_of(plan) or needs_for(snapshot, ()), snapshot)


def _plan_without_stops(context: Context, flags: PlanFlags, snapshot: Snapshot) -> Plan:
    """Return the plan as it would be if nothing stood in the way: rights are granted before findings are mended."""
    options = options_of(context, flags)
    assessment = assess_with(snapshot, options)
    name = flags.runbook or DEFAULT_RUNBOOKS.get(assessment.platform, DEFAULT_RUNBOOKS["3.5"])
    runbook = must_have_runbook(context, name)
    return make_plan(snapshot, _unblocked(assessment), runbook, options)


def _unblocked(assessment: Assessment) -> Assessment:
    tenants = tuple(
        msgspec.structs.replace(tenant, decision="proceed")
        if tenant.decision in {"blocked", "needs-acceptance"}
        else tenant
        for tenant in assessment.tenants
    )
    findings = tuple(_harmless(finding) for finding in assessment.findings)
    return msgspec.structs.replace(assessment, tenants=tenants, findings=findings)


def _harmless(finding: Finding) -> Finding:
    return msgspec.structs.replace(finding, impact="info") if finding.impact in {"blocking", "risk"} else finding


def rbac_yaml(document: RbacDocument) -> str:
    """Return the manifests as YAML that ``kubectl apply`` takes, with what one should know before it."""
    place = "narrowed to the namespaces and names of the cluster that was read" if document.narrowed else "generic"
    head = (
        f"# What maas-migrate {document.verb} needs, {place}.\n"
        "# Discovery and SelfSubjectAccessReviews are granted to every user by Kubernetes itself.\n"
        "# No Secret is read or written.\n"
    )
    if not document.narrowed:
        head += "# Narrow it with --snapshot FILE, or by a user who may read all of the cluster.\n"
    return head + "".join("---\n" + to_yaml(manifest).decode() for manifest in document.manifests)
