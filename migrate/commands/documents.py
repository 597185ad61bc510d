"""The documents that verbs answer with, apart from those that are records already; and the JSON Schema of each."""

from typing import Any, Final, Literal

import msgspec

from migrate.changes.explain_page import Page
from migrate.records.assessment import Finding, TenantAssessment
from migrate.records.journal import BackupEntry, RunState
from migrate.records.objects import Json, Record
from migrate.records.plan import Plan, Subscriptions
from migrate.records.report import Report
from migrate.records.runbook import Runbook
from migrate.records.snapshot import ClusterIdentity, Snapshot
from migrate.records.verification import Verification

Version = Literal[1]


class NoteDocument(Record, kw_only=True):
    """A reason or a warning of a fingerprint."""

    code: str
    message: str
    path: str = ""


class DifferenceDocument(Record, kw_only=True):
    """One difference against the nearest baseline."""

    path: str
    expected: Any = None
    found: Any = None
    stage: str = ""


class FingerprintDocument(Record, kw_only=True):
    """What ``fingerprint`` says of one plugins ConfigMap."""

    format: Literal["maas-migrate/fingerprint"] = "maas-migrate/fingerprint"
    version: Version = 1
    verdict: str
    controller: Literal["allow", "block", "unknown"]
    careful: Literal["proceed", "proceed-with-warning", "stop"]
    baseline: str | None = None
    detail: str | None = None
    reasons: tuple[NoteDocument, ...] = ()
    warnings: tuple[NoteDocument, ...] = ()
    differences: tuple[DifferenceDocument, ...] = ()
    digest: str | None = None


class CheckDocument(Record, kw_only=True):
    """What ``check`` found."""

    format: Literal["maas-migrate/check"] = "maas-migrate/check"
    version: Version = 1
    at: str
    cluster: ClusterIdentity
    platform: str
    tenants: tuple[TenantAssessment, ...] = ()
    subscriptions: Subscriptions = Subscriptions()
    findings: tuple[Finding, ...] = ()
    requests: dict[str, int] = msgspec.field(default_factory=dict)
    exit_code: int = 0


class RunSummary(Record, kw_only=True):
    """One run in the list of runs."""

    id: str
    plan: str
    cluster: str
    state: str
    started_at: str
    ended_at: str
    exit_code: int | None


class RunsDocument(Record, kw_only=True):
    """The runs in the state dir, oldest first."""

    format: Literal["maas-migrate/runs"] = "maas-migrate/runs"
    version: Version = 1
    state_dir: str
    runs: tuple[RunSummary, ...] = ()


class BackupsDocument(Record, kw_only=True):
    """Saved objects."""

    format: Literal["maas-migrate/backups"] = "maas-migrate/backups"
    version: Version = 1
    backups: tuple[BackupEntry, ...] = ()


class LockHolder(Record, kw_only=True):
    """Who holds the lock; *state* is ``free``, ``held`` or ``unknown``."""

    state: Literal["free", "held", "unknown"]
    holder: str = ""
    run: str = ""
    since: str = ""
    renewed: str = ""
    message: str = ""


class UnlockDocument(Record, kw_only=True):
    """What became of the lock: who held it, and whether it was taken away."""

    format: Literal["maas-migrate/unlock"] = "maas-migrate/unlock"
    version: Version = 1
    was: LockHolder
    unlocked: bool


class StatusDocument(Record, kw_only=True):
    """Where things stand: runs, the lock, risks that still show."""

    format: Literal["maas-migrate/status"] = "maas-migrate/status"
    version: Version = 1
    state_dir: str
    runs: tuple[RunSummary, ...] = ()
    lock: LockHolder
    accepted_risks: tuple[str, ...] = ()


class RunbookEntry(Record, kw_only=True):
    """One runbook that can be used."""

    name: str
    digest: str
    source: str


class RunbooksDocument(Record, kw_only=True):
    """The runbooks there are."""

    format: Literal["maas-migrate/runbooks"] = "maas-migrate/runbooks"
    version: Version = 1
    runbooks: tuple[RunbookEntry, ...] = ()


class VersionDocument(Record, kw_only=True):
    """Versions: of this document's form, of the program and of what it runs on."""

    format: Literal["maas-migrate/version"] = "maas-migrate/version"
    version: Version = 1
    release: str
    commit: str
    python: str
    kubernetes: str


class RehearsedStep(Record, kw_only=True):
    """
    One step as it went in the rehearsal, which is what is foretold of the real one.

    Attributes:
        part: 1 before the upgrade, 2 after it; 0 on the way back.

        outcome: As in a run: ``succeeded``, ``skipped``, ``failed``, ``withdrawn``; ``pending`` was not reached.

        estimate_seconds: How long the real one takes, by the runbook.

        rehearsed_seconds: How long it took here, delays divided by ``speed``.
    """

    id: str
    title: str
    phase: str = ""
    tenant: str = ""
    part: int
    outcome: str
    message: str = ""
    estimate_seconds: int
    rehearsed_seconds: float = 0.0
    undo: str = "exact"
    irreversible: bool = False


class RehearsalDocument(Record, kw_only=True):
    """
    What a run on a cluster will do, by a rehearsal of it on a sandbox.

    Attributes:
        cluster: The one that was rehearsed for.

        source: ``live``, the name of a file, or ``example NAME``.

        build: Which build of 3.6 was played, as ``sandbox --build`` takes it.

        assumptions: What the prediction rests on.

        tenants: The decisions, as the last plan of the rehearsed run has them.

        steps: Forward, in order.

        way_back: The steps of the rollback.

        outcome: The state of the rehearsed run before the way back, ``""`` when none was begun.

        rolled_back: The state after it, ``""`` when there was none.

        verified: The verdict, None when there was none.

        unexpected: Each check that did not pass.

        exit_code: The worst of the rehearsed calls; the gate's 20 does not count.
    """

    format: Literal["maas-migrate/rehearsal"] = "maas-migrate/rehearsal"
    version: Version = 1
    id: str
    at: str
    cluster: ClusterIdentity
    source: str
    platform: str
    runbook: str
    build: str
    speed: float
    assumptions: tuple[str, ...] = ()
    tenants: tuple[TenantAssessment, ...] = ()
    subscriptions: Subscriptions = Subscriptions()
    findings: tuple[Finding, ...] = ()
    steps: tuple[RehearsedStep, ...] = ()
    way_back: tuple[RehearsedStep, ...] = ()
    outcome: str = ""
    rolled_back: str = ""
    verified: bool | None = None
    unexpected: tuple[str, ...] = ()
    not_proved: tuple[str, ...] = ()
    exit_code: int = 0


class RbacDocument(Record, kw_only=True):
    """
    The Roles that a verb needs, and their bindings.

    Attributes:
        verb: ``plan`` or ``apply``.

        narrowed: Whether they are for the namespaces and names of one cluster; else for any.

        manifests: As ``kubectl apply`` takes them.
    """

    format: Literal["maas-migrate/rbac"] = "maas-migrate/rbac"
    version: Version = 1
    verb: Literal["plan", "apply"]
    narrowed: bool
    manifests: tuple[Json, ...] = ()


class ExplainDocument(Record, kw_only=True):
    """What codes mean."""

    format: Literal["maas-migrate/explain"] = "maas-migrate/explain"
    version: Version = 1
    pages: tuple[Page, ...] = ()


class ErrorDocument(Record, kw_only=True):
    """What stands on stdout when a verb could not make its own document."""

    format: Literal["maas-migrate/error"] = "maas-migrate/error"
    version: Version = 1
    exit_code: int
    reason: str
    message: str
    resolution: str
    object: str | None = None
    run: str | None = None


DOCUMENTS: Final[dict[str, Any]] = {
    "backups": BackupsDocument,
    "check": CheckDocument,
    "error": ErrorDocument,
    "explain": ExplainDocument,
    "fingerprint": FingerprintDocument,
    "plan": Plan,
    "rbac": RbacDocument,
    "rehearsal": RehearsalDocument,
    "report": Report,
    "run": RunState,
    "runbook": Runbook,
    "runbooks": RunbooksDocument,
    "runs": RunsDocument,
    "snapshot": Snapshot,
    "status": StatusDocument,
    "unlock": UnlockDocument,
    "verification": Verification,
    "version": VersionDocument,
}
"""Every document by the second half of its ``format``."""


def schema_of(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a document."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(DOCUMENTS[name])}
