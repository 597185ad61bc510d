"""Pages of the states that a run can be in, and of what is decided for a tenant."""

from typing import Final

from migrate.changes.explain_page import Page, page

_SOURCE: Final = "the command line's documents"


def _state(code: str, *texts: str) -> Page:
    return page("run state", code, *texts, _SOURCE)


def _decision(code: str, *texts: str) -> Page:
    return page("decision", code, *texts, _SOURCE)


STATES: Final = (
    _state(
        "running",
        "The run has begun and has not stopped; a process works on it, or it was killed.",
        "After a kill nobody goes on by itself, and the journal is whole all the same.",
        "When status says that nobody runs it: maas-migrate resume RUN --window START/END.",
    ),
    _state(
        "waiting-for-upgrade",
        "Part one is done, and the run waits for the operator's upgrade to 3.6.",
        "The upgrade is somebody else's work; the lock is given back meanwhile.",
        "Upgrade the operator, then: maas-migrate resume RUN --window START/END.",
    ),
    _state(
        "succeeded",
        "Every step is done, and the last verification passed.",
        "It is said only with exit code 0.",
        "Nothing; maas-migrate report RUN writes the record.",
    ),
    _state(
        "verification-failed",
        "Every step is done, and the last verification found something failed or unknown.",
        "What was promised does not hold, or could not be read.",
        "Mend what is named, then: maas-migrate verify RUN; or go back: maas-migrate rollback RUN.",
    ),
    _state(
        "halted",
        "The run stopped at a safe point and can go on.",
        "A step failed that may be tried again, a wait ran out of time, or the window closed.",
        "When the cause is gone: maas-migrate resume RUN --window START/END.",
    ),
    _state(
        "needs-person",
        "The run stopped part-way, and what it met is not for a program to decide; or its journal cannot be read.",
        "Somebody else's change, an unknown outcome or a refusal lies under it.",
        "Look at what maas-migrate status RUN names, then resume or roll back.",
    ),
    _state(
        "rolling-back",
        "The run is on its way back and has not arrived.",
        "A tenant may be between Praxis and IPP.",
        "Let it go on; when nobody works on it: maas-migrate rollback RUN.",
    ),
    _state(
        "rolled-back",
        "The way back is done, and its verification passed.",
        "What cannot come back is listed in the report.",
        "Nothing; the way forward again is a new plan.",
    ),
)
"""What ``status`` and ``runs`` say of a run."""

DECISIONS: Final = (
    _decision(
        "nothing-to-do",
        "The tenant is where the runbook would bring it.",
        "It gets no steps.",
        "Nothing.",
    ),
    _decision(
        "proceed",
        "Nothing stands in the way of the tenant; the plan holds its steps.",
        "What was to be accepted for it is accepted.",
        "Apply the plan.",
    ),
    _decision(
        "needs-acceptance",
        "A risk is at stake that nobody has accepted.",
        "The tenant gets no steps until then, and apply refuses the plan with 12.",
        "Mend what the finding names, or plan again with --accept RISK=REASON.",
    ),
    _decision(
        "blocked",
        "A blocking finding stands against the tenant.",
        "It gets no steps, and apply refuses the plan with 11; no acceptance changes that.",
        "Follow the next move of the finding, then plan again.",
    ),
)
"""What ``check`` and ``plan`` decide for a tenant."""
