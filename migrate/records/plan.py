"""
The plan: closed data. Every step with its object, before, after and undo; nothing is left to choose while running.

The steps themselves are in ``steps.py`` and can be had from here too.
"""

from typing import Any, Literal

import msgspec

from migrate.records.assessment import Finding, Risk, SubscriptionExpectation, TenantAssessment
from migrate.records.essence import canonical_json, digest_of
from migrate.records.objects import ObjectRef, Record
from migrate.records.runbook import Runbook
from migrate.records.snapshot import ClusterIdentity
from migrate.records.steps import (
    AccessNeed,
    Ask,
    BackUp,
    BackUpItem,
    CheckAccess,
    DryRun,
    Failure,
    Gate,
    Hint,
    Pause,
    Restart,
    Restore,
    SetFields,
    Step,
    StepBase,
    Undo,
    Verify,
    Wait,
    Withdrawal,
)

__all__ = [
    "AccessNeed",
    "Ask",
    "BackUp",
    "BackUpItem",
    "Baseline",
    "CheckAccess",
    "DryRun",
    "Failure",
    "Gate",
    "GitPatch",
    "Ground",
    "GroundSet",
    "Hint",
    "Pause",
    "Plan",
    "Restart",
    "Restore",
    "RunbookRef",
    "SetFields",
    "Step",
    "StepBase",
    "Subscriptions",
    "Undo",
    "Verify",
    "VolatilePath",
    "Wait",
    "WindowNeed",
    "Withdrawal",
    "plan_bytes",
    "plan_id",
]


class Ground(Record, kw_only=True):
    """
    One object that the plan rests on.

    Attributes:
        uid: Its UID, ``""`` when it was absent.

        essence: Fingerprint of its essence, ``""`` when it was absent.

        outline: The leaves of the essence by dotted path, to say from what to what.
    """

    object: ObjectRef
    uid: str = ""
    essence: str = ""
    outline: dict[str, Any] = msgspec.field(default_factory=dict)


class GroundSet(Record, kw_only=True):
    """A whole set that the plan rests on: another member, or one less, makes the plan stale."""

    group: str
    kind: str
    members: tuple[Ground, ...] = ()


class VolatilePath(Record, kw_only=True):
    """
    A path that controllers write in objects of a kind; no part of the essence.

    Attributes:
        object: Only in this object, None in all of the kind.
    """

    group: str
    kind: str
    path: tuple[str, ...]
    object: ObjectRef | None = None


class Subscriptions(Record, kw_only=True):
    """How many subscriptions there are and which identity each will have."""

    total: int = 0
    expect_legacy: int = 0
    expect_short: int = 0
    unknown: int = 0
    expected: tuple[SubscriptionExpectation, ...] = ()


class RunbookRef(Record, kw_only=True):
    """
    The runbook that gave the order, by name and digest.

    Attributes:
        document: The runbook itself where it is not a shipped one: part two is planned with it, wherever its file is.
    """

    name: str
    digest: str
    document: Runbook | None = None


class WindowNeed(Record, kw_only=True):
    """What the runbook asks of the window: at least this long, before its cutoff."""

    minimum_seconds: int


class Baseline(Record, kw_only=True):
    """A policy's conditions as they were at plan time, to tell "pre-existing" from "regressed"."""

    object: ObjectRef
    uid: str
    accepted: str = ""
    enforced: str = ""


class GitPatch(Record, kw_only=True):
    """
    What to put into git in place of a write: a GitOps tool owns the object.

    Attributes:
        step: Id of the step that would write it.

        when: ``""`` for now, else what comes before.

        patch: The fields; null takes one out.
    """

    object: ObjectRef
    step: str
    when: str = ""
    patch: Any


class Plan(Record, kw_only=True):
    """
    All steps of one run, fixed.

    Attributes:
        id: SHA-256 of the document without ``id``.

        created_at: The time of the snapshot's read.

        part: 1, or 2 for what follows the gate.

        run: The run this is part two of, ``""`` else.

        narrowed_to: The tenants named by ``--tenant``; none means all.

        forecast: Part two, same shape as steps, when part one is planned.

        grounds: Single objects that the plan rests on.

        ground_sets: Whole sets that it rests on.

        volatile: Paths that do not count in an essence.

        git: Patches for git, in order, for objects that a GitOps tool owns; also where the plan has no steps yet.

        lost_by_force: Differences against the nearest baseline, by tenant, that a forced flip loses.

        policies: TRLPs and AuthPolicies as they were.

        exit_code: 0, 11 (blocked) or 12 (a risk not accepted); 4 when something could not be read.
    """

    format: Literal["maas-migrate/plan"] = "maas-migrate/plan"
    version: Literal[1] = 1
    id: str = ""
    created_at: str
    part: Literal[1, 2] = 1
    run: str = ""
    cluster: ClusterIdentity
    platform: str
    runbook: RunbookRef
    window: WindowNeed | None = None
    narrowed_to: tuple[str, ...] = ()
    tenants: tuple[TenantAssessment, ...] = ()
    subscriptions: Subscriptions = Subscriptions()
    findings: tuple[Finding, ...] = ()
    risks: tuple[Risk, ...] = ()
    steps: tuple[Step, ...] = ()
    forecast: tuple[Step, ...] = ()
    grounds: tuple[Ground, ...] = ()
    ground_sets: tuple[GroundSet, ...] = ()
    volatile: tuple[VolatilePath, ...] = ()
    policies: tuple[Baseline, ...] = ()
    git: tuple[GitPatch, ...] = ()
    lost_by_force: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    requests: dict[str, int] = msgspec.field(default_factory=dict)
    exit_code: int = 0

    def with_id(self) -> "Plan":
        """Return the plan with its id worked out."""
        return msgspec.structs.replace(self, id=plan_id(self))

    def ignored_paths(self, ref: ObjectRef) -> tuple[tuple[str, ...], ...]:
        """Return the paths that do not count in the essence of *ref*."""
        return tuple(
            entry.path
            for entry in self.volatile
            if (entry.group, entry.kind) == (ref.group, ref.kind) and entry.object in {None, ref}
        )


def plan_id(plan: Plan) -> str:
    """Return the SHA-256 of the plan's document without its ``id``."""
    document = msgspec.to_builtins(plan, str_keys=True)
    document.pop("id", None)
    return digest_of(document)


def plan_bytes(plan: Plan) -> bytes:
    """Return the plan's document: sorted keys, UTF-8, the same bytes for the same plan."""
    return canonical_json(msgspec.to_builtins(plan, str_keys=True))
