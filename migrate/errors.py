"""
The tree of errors, and the one table of exit codes.

A branch of the tree is what the operator does next::

    MigrateError
      x BadInputError            3   mend the command or the file
      x NotAuthorisedError       4   mend the credentials or the role
      x UnreachableError         5   try again; nothing was decided
      x BlockedError            11   mend what the finding names; nothing was written
      x RiskNotAcceptedError    12   accept the named risk or take it away
      x PlanIsStaleError        13   make a new plan
      x RunLockedError          14   another run holds the lock
      x OutsideWindowError      15   come back inside the window
      x NotConfirmedError       16   say yes, or do not start
      x RunHaltedError          20   stopped at a safe point; resume
      x NeedsPersonError        21   foreign change, unknown outcome, failed undo, refusal
      x WaitTimeoutError        22   resume when the cause is gone
      x StoreError              24   the state dir is missing something or damaged
      x InternalError           70   a fault of this tool
      x StoppedBySignalError   130   resume (143 for SIGTERM)

Source of the numbers: the command line's table of exit codes, ``docs/exit-codes.md``.
"""

import enum
from typing import ClassVar


class ExitCode(enum.IntEnum):
    """Every code this program ends with, each with one meaning."""

    OK = 0
    NOT_VERIFIED = 1
    ADVISORY = 2
    BAD_INPUT = 3
    NOT_AUTHORISED = 4
    UNREACHABLE = 5
    CHANGES = 10
    BLOCKED = 11
    RISK_NOT_ACCEPTED = 12
    STALE = 13
    LOCKED = 14
    OUTSIDE_WINDOW = 15
    NOT_CONFIRMED = 16
    HALTED = 20
    NEEDS_PERSON = 21
    TIMED_OUT = 22
    STORE_DAMAGED = 24
    INTERNAL = 70
    INTERRUPTED = 130
    TERMINATED = 143


PRECEDENCE: tuple[ExitCode, ...] = tuple(
    ExitCode(number) for number in (3, 4, 5, 24, 14, 13, 11, 12, 16, 15, 21, 22, 20, 1, 10, 2)
)
"""When several codes apply, the first of these is the one that counts."""


def first_of(*codes: ExitCode) -> ExitCode:
    """Return the code that takes precedence among *codes*; OK when there is none."""
    for code in PRECEDENCE:
        if code in codes:
            return code
    return ExitCode.OK if not codes else codes[0]


class MigrateError(Exception):
    """
    An error that a person can act on.

    Attributes:
        message: Names the object, what happened and what was not changed.

        resolution: The next move, one imperative sentence.

        object: The object concerned as ``Kind namespace/name``, or ``""``.

        run: The id of the run concerned, or ``""``.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.NOT_VERIFIED
    reason: ClassVar[str] = "Failed"

    def __init__(self, message: str, *, resolution: str, object: str = "", run: str = "") -> None:  # noqa: A002
        super().__init__(message)
        self.message = message
        self.resolution = resolution
        self.object = object
        self.run = run


class BadInputError(MigrateError):
    """The command line, or a file named on it, cannot be used."""

    exit_code = ExitCode.BAD_INPUT
    reason = "BadInput"


class OutputError(BadInputError):
    """What was asked for cannot be written to stdout."""

    reason = "OutputFailed"


class NotAuthorisedError(MigrateError):
    """Not authenticated, or a needed verb is not permitted."""

    exit_code = ExitCode.NOT_AUTHORISED
    reason = "NotAuthorised"


class UnreachableError(MigrateError):
    """The API server does not answer."""

    exit_code = ExitCode.UNREACHABLE
    reason = "Unreachable"


class BlockedError(MigrateError):
    """A finding, a refusal of the server's dry-run, or a rollback that cannot work."""

    exit_code = ExitCode.BLOCKED
    reason = "Blocked"


class RiskNotAcceptedError(MigrateError):
    """A named risk is at stake and nobody accepted it."""

    exit_code = ExitCode.RISK_NOT_ACCEPTED
    reason = "RiskNotAccepted"


class PlanIsStaleError(MigrateError):
    """What the plan rests on has changed, or it was made for another cluster."""

    exit_code = ExitCode.STALE
    reason = "PlanIsStale"


class RunLockedError(MigrateError):
    """Another run holds the lock, or an unfinished run stands here."""

    exit_code = ExitCode.LOCKED
    reason = "RunLocked"


class OutsideWindowError(MigrateError):
    """The window is closed, or what is left does not fit before its cutoff."""

    exit_code = ExitCode.OUTSIDE_WINDOW
    reason = "OutsideWindow"


class NotConfirmedError(MigrateError):
    """Declined, or nobody could be asked."""

    exit_code = ExitCode.NOT_CONFIRMED
    reason = "NotConfirmed"


class RunHaltedError(MigrateError):
    """Stopped part-way at a safe point; ``resume`` goes on."""

    exit_code = ExitCode.HALTED
    reason = "RunHalted"


class NeedsPersonError(MigrateError):
    """Stopped part-way; a person has to look before anything goes on."""

    exit_code = ExitCode.NEEDS_PERSON
    reason = "NeedsPerson"


class WaitTimeoutError(MigrateError):
    """A wait ran out of time; the cluster is consistent."""

    exit_code = ExitCode.TIMED_OUT
    reason = "WaitTimedOut"


class StoreError(MigrateError):
    """Something in the state dir is missing, damaged or too new."""

    exit_code = ExitCode.STORE_DAMAGED
    reason = "StoreDamaged"


class InternalError(MigrateError):
    """A fault of this tool."""

    exit_code = ExitCode.INTERNAL
    reason = "Internal"


class StoppedBySignalError(MigrateError):
    """
    Stopped by a signal at a safe point.

    ``TerminatedError`` is the same for SIGTERM.
    """

    exit_code = ExitCode.INTERRUPTED
    reason = "Interrupted"


class TerminatedError(StoppedBySignalError):
    """Stopped by SIGTERM at a safe point."""

    exit_code = ExitCode.TERMINATED
    reason = "Terminated"
