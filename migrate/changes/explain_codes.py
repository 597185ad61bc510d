"""Pages of the exit codes, and which error reason ends with which."""

from typing import Final

from migrate.changes.explain_page import Page, page
from migrate.errors import ExitCode

_SOURCE: Final = "docs/exit-codes.md"

_TEXTS: Final[dict[ExitCode, tuple[str, str, str]]] = {
    ExitCode.OK: ("Done and verified, or nothing to do.", "A script may go on.", "Nothing to do."),
    ExitCode.NOT_VERIFIED: (
        "The run ended and its verification found something failed or unknown.",
        "The cluster is not as promised.",
        "Look up each check: maas-migrate verify RUN, maas-migrate explain CHECK.",
    ),
    ExitCode.ADVISORY: ("Advisory findings only.", "Nothing stands in the way.", "Read them."),
    ExitCode.BAD_INPUT: (
        "The command line, or a file named on it, cannot be used.",
        "Nothing was read from or written to the cluster for it.",
        "Mend what the message names.",
    ),
    ExitCode.NOT_AUTHORISED: (
        "Not authenticated, or a needed verb is not permitted.",
        "What could not be read is unknown.",
        "Log in, or grant it: maas-migrate rbac.",
    ),
    ExitCode.UNREACHABLE: ("The API server cannot be reached.", "Nothing was decided.", "Try again."),
    ExitCode.CHANGES: ("plan --detailed-exitcode: there are changes to make.", "As in terraform.", "Apply the plan."),
    ExitCode.BLOCKED: (
        "Blocked by a finding, a refused dry-run, or a rollback that cannot work.",
        "Nothing was written.",
        "Mend what it names.",
    ),
    ExitCode.RISK_NOT_ACCEPTED: (
        "A named risk is not accepted.",
        "Nothing was written.",
        "Plan again with --accept RISK=REASON, or take the risk away.",
    ),
    ExitCode.STALE: (
        "The cluster is not as the plan rests on it, or is another one.",
        "Nothing was written.",
        "Read what changed, and plan again.",
    ),
    ExitCode.LOCKED: (
        "Another run holds the lock, or is unfinished here.",
        "Two runs would interleave their writes.",
        "Let it end; when it is dead: maas-migrate unlock RUN.",
    ),
    ExitCode.OUTSIDE_WINDOW: (
        "The window is closed, or what is left does not fit before its cutoff.",
        "No step is begun that could not be taken back in time.",
        "Come back inside the window.",
    ),
    ExitCode.NOT_CONFIRMED: ("Declined, or nobody could be asked.", "Nothing was written.", "Answer, or add --yes."),
    ExitCode.HALTED: (
        "Stopped part-way at a safe point; at the gate: waiting for the upgrade.",
        "The cluster is consistent.",
        "maas-migrate resume",
    ),
    ExitCode.NEEDS_PERSON: (
        "Stopped part-way: a foreign change, an unknown outcome, a failed undo, or a refusal of the controller.",
        "Going on by itself could lose something.",
        "Read the message; then resume or rollback.",
    ),
    ExitCode.TIMED_OUT: (
        "A wait ran out of time.",
        "The cluster is consistent, and the controllers may still go on.",
        "See to what is missing; then resume.",
    ),
    ExitCode.STORE_DAMAGED: (
        "A stored backup, plan or journal is missing, damaged or cannot be verified.",
        "Nothing rests on damaged data.",
        "Restore the run directory from a copy.",
    ),
    ExitCode.INTERNAL: ("A fault of this tool.", "The journal is intact.", "Report the trace; resume the run."),
    ExitCode.INTERRUPTED: ("Stopped by Ctrl-C at a safe point.", "The journal is intact.", "maas-migrate resume"),
    ExitCode.TERMINATED: ("Stopped by SIGTERM at a safe point.", "The journal is intact.", "maas-migrate resume"),
}

REASONS: Final[dict[str, ExitCode]] = {
    "Failed": ExitCode.NOT_VERIFIED,
    "NotVerified": ExitCode.NOT_VERIFIED,
    "BadInput": ExitCode.BAD_INPUT,
    "OutputFailed": ExitCode.BAD_INPUT,
    "NotAuthorised": ExitCode.NOT_AUTHORISED,
    "Unreachable": ExitCode.UNREACHABLE,
    "Blocked": ExitCode.BLOCKED,
    "RiskNotAccepted": ExitCode.RISK_NOT_ACCEPTED,
    "PlanIsStale": ExitCode.STALE,
    "RunLocked": ExitCode.LOCKED,
    "OutsideWindow": ExitCode.OUTSIDE_WINDOW,
    "WindowClosed": ExitCode.HALTED,
    "NotConfirmed": ExitCode.NOT_CONFIRMED,
    "RunHalted": ExitCode.HALTED,
    "WaitingForUpgrade": ExitCode.HALTED,
    "NeedsPerson": ExitCode.NEEDS_PERSON,
    "RefusedByController": ExitCode.NEEDS_PERSON,
    "WaitTimedOut": ExitCode.TIMED_OUT,
    "StoreDamaged": ExitCode.STORE_DAMAGED,
    "Internal": ExitCode.INTERNAL,
    "Interrupted": ExitCode.INTERRUPTED,
    "Terminated": ExitCode.TERMINATED,
}
"""The reason of an error document or of a run, and the exit code that goes with it before the first write."""

PAGES: Final[tuple[Page, ...]] = tuple(
    page("exit code", str(int(code)), *texts, _SOURCE) for code, texts in _TEXTS.items()
) + tuple(page("error", reason, *_TEXTS[code], f"{_SOURCE}, {int(code)}") for reason, code in REASONS.items())
"""Every exit code by its number, and every reason by its name."""
