"""From flags and a cluster (or a saved snapshot) to a plan: what ``check``, ``plan`` and ``apply`` share."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from migrate.changes.assess import assess, tenant_names
from migrate.changes.offline import snapshot_from
from migrate.changes.offline_layout import choose
from migrate.changes.plan import make_plan
from migrate.changes.plan_runbook import RISKS, RunbookError, validate
from migrate.commands.context import Context
from migrate.errors import BadInputError
from migrate.records.assessment import Assessment, Options
from migrate.records.plan import Plan
from migrate.records.runbook import Runbook
from migrate.records.snapshot import Snapshot
from migrate.store.runbooks import load_runbook, shipped_names
from migrate.store.sources import load_source

DEFAULT_RUNBOOKS: Final = {"3.5": "upgrade-3.5-to-3.6", "3.6": "ipp-to-praxis"}
"""Which runbook is used when none is named, by platform."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanFlags:
    """
    What was said about the plan.

    Attributes:
        snapshot: A file of ours, or a file or folder of manifests, instead of the live cluster.

        api_translation: ``[TENANT=]true|false``, each.

        accept: ``RISK=REASON``, each.
    """

    runbook: str = ""
    snapshot: str = ""
    api_translation: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()


def options_of(context: Context, flags: PlanFlags) -> Options:
    """Return the operator's choices. Raises BadInputError for an unknown risk or an unreadable value."""
    return Options(
        accepted=accepted_risks(flags.accept),
        by=context.user,
        api_translation=dict(_translations(flags.api_translation)),
        only_tenants=tuple(sorted(set(context.tenants))),
    )


def accepted_risks(said: Iterable[str]) -> dict[str, str]:
    """Return the accepted risks by id. Raises BadInputError."""
    accepted: dict[str, str] = {}
    for text in said:
        risk, equals, reason = text.partition("=")
        if risk not in RISKS:
            known = ", ".join(sorted(RISKS))
            raise BadInputError(
                f"--accept {risk!r} is no known risk; nothing was written.",
                resolution=f"Use one of {known}; maas-migrate explain RISK tells what each means.",
            )
        if not equals or not reason.strip():
            raise BadInputError(
                f"--accept {risk} has no reason; nothing was written.", resolution=f"Write --accept '{risk}=why'."
            )
        accepted[risk] = reason.strip()
    return accepted


def _translations(said: Iterable[str]) -> Iterable[tuple[str, bool]]:
    for text in said:
        tenant, _, value = text.rpartition("=")
        if value not in {"true", "false"}:
            raise BadInputError(
                f"--api-translation {text!r} is neither true nor false; nothing was written.",
                resolution="Write --api-translation true, or TENANT=false.",
            )
        yield tenant, value == "true"


def read_cluster(context: Context, saved: str) -> Snapshot:
    """
    Return a snapshot of the live cluster, or what was saved of one: our file, kubectl's output, a must-gather.

    Raises:
        BadInputError: *saved* is not there, cannot be read, or holds no objects.
    """
    if not saved:
        return context.live().collect()
    source = load_source(context.cwd / saved, choose)
    return source if isinstance(source, Snapshot) else snapshot_from(source)


def look(context: Context, flags: PlanFlags, snapshot: Snapshot) -> tuple[Assessment, Options]:
    """Return what was made of *snapshot* with the operator's choices. Raises BadInputError for an unknown tenant."""
    options = options_of(context, flags)
    return assess_with(snapshot, options), options


def assess_with(snapshot: Snapshot, options: Options) -> Assessment:
    """Return what was made of *snapshot*. Raises BadInputError when a tenant is named that is not there."""
    assessment = assess(snapshot, options)
    known = set(tenant_names(snapshot))
    asked = {*options.only_tenants, *options.api_translation} - {""}
    if unknown := sorted(asked - known):
        raise BadInputError(
            f"There is no tenant {', '.join(unknown)}.",
            resolution=f"Use one of {', '.join(sorted(known))}; maas-migrate check lists them."
            if known
            else "Look at what maas-migrate check finds: there is no tenant at all.",
        )
    return assessment


def plan_from(context: Context, flags: PlanFlags, snapshot: Snapshot) -> Plan:
    """Return the plan that *flags* ask for."""
    return plan_with(context, snapshot, options_of(context, flags), flags.runbook)


def plan_with(context: Context, snapshot: Snapshot, options: Options, runbook: str | Runbook, *, run: str = "") -> Plan:
    """
    Return the plan for *options*.

    Args:
        context: Where runbooks are looked for.

        snapshot: What was read.

        options: The operator's choices.

        runbook: One that a plan carries, or a name or a file; ``""`` takes the one for the platform.

        run: The run whose part two this is.
    """
    assessment = assess_with(snapshot, options)
    name = runbook or DEFAULT_RUNBOOKS.get(assessment.platform, DEFAULT_RUNBOOKS["3.5"])
    found = _validated(name, "of the plan") if isinstance(name, Runbook) else must_have_runbook(context, name)
    carried = name not in shipped_names()
    return make_plan(snapshot, assessment, found, options, run=run, carried=carried)


def must_have_runbook(context: Context, name: str) -> Runbook:
    """Return a runbook by name or file. Raises BadInputError naming file, line and field."""
    found = load_runbook(name, context.cwd)
    return _validated(found.runbook, found.source, found.lines)


def _validated(runbook: Runbook, source: str, lines: Mapping[str, int] | None = None) -> Runbook:
    try:
        return validate(msgspec.to_builtins(runbook, str_keys=True), lines)
    except RunbookError as error:
        raise BadInputError(
            f"Runbook {source}: {error}",
            resolution="Mend that field, see docs/runbook-format.md; maas-migrate runbook validate FILE checks it.",
        ) from error
