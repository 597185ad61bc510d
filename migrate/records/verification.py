"""What was promised against what is."""

from typing import Literal

import msgspec

from migrate.records.objects import ObjectRef, Record

Result = Literal["passed", "failed", "unknown", "pre-existing"]


class CheckResult(Record, kw_only=True):
    """
    One comparison.

    Attributes:
        code: Stable, CamelCase.

        object: What was looked at, None for the cluster.

        tenant: The tenant's name, ``""`` for all.

        expected: In words.

        observed: In words.

        result: ``unknown`` is never passed; ``pre-existing`` was already so at plan time.
    """

    code: str
    object: ObjectRef | None = None
    tenant: str = ""
    expected: str
    observed: str
    result: Result


class IdentityCounts(Record, kw_only=True):
    """Stamps as they are, and each subscription whose stamp is not the one that was fixed."""

    legacy: int = 0
    short: int = 0
    unstamped: int = 0
    unexpected: tuple[str, ...] = ()


class Verification(Record, kw_only=True):
    """
    The verdict.

    Attributes:
        not_proved: What a pass does not show; such things are never checks.

        recorded_risks: Risks that were accepted and that the cluster still shows, in words.

        seen: How many objects of each kind were looked at.

        passed: True only when no check is ``failed`` or ``unknown``, and there was at least one.
    """

    format: Literal["maas-migrate/verification"] = "maas-migrate/verification"
    version: Literal[1] = 1
    at: str
    run: str = ""
    plan: str = ""
    generation: str = ""
    checks: tuple[CheckResult, ...] = ()
    identity: IdentityCounts = IdentityCounts()
    not_proved: tuple[str, ...] = ()
    recorded_risks: tuple[str, ...] = ()
    seen: dict[str, int] = msgspec.field(default_factory=dict)
    passed: bool = False


def passes(checks: tuple[CheckResult, ...]) -> bool:
    """Return whether *checks* are a pass: some were made, and none failed or stayed unknown."""
    return bool(checks) and all(check.result in {"passed", "pre-existing"} for check in checks)
