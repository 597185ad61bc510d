"""A run, its verification and lists of runs and backups as text."""

from collections.abc import Sequence
from typing import Protocol

from migrate.records.journal import BackupEntry, RunState
from migrate.records.verification import Verification
from migrate.render.escape import escaped
from migrate.render.style import Paint, plain
from migrate.render.tables import indented, table

_NEXT = {
    "waiting-for-upgrade": "upgrade the operator to 3.6, then: maas-migrate resume {id} --window START/END",
    "halted": "when the cause is gone: maas-migrate resume {id} --window START/END, or: maas-migrate rollback {id}",
    "running": "nobody runs it: maas-migrate resume {id} --window START/END, or: maas-migrate rollback {id}",
    "needs-person": "look at what is named above; then: maas-migrate resume {id} --window START/END, "
    "or: maas-migrate rollback {id}",
    "verification-failed": "mend what failed, then: maas-migrate verify {id}, or: maas-migrate rollback {id}",
    "rolling-back": "maas-migrate rollback {id} goes on with the way back",
}


def run_text(state: RunState, paint: Paint = plain, *, told: bool = False) -> str:
    """
    Return where a run stands and what can be done next.

    Args:
        state: The run.

        paint: How to colour.

        told: Why it stopped and what can be done stands elsewhere.
    """
    style = "good" if state.state in {"succeeded", "rolled-back"} else "risk"
    lines = [f"Run {state.id}: " + paint(state.state, style)]
    if state.message and not told:
        lines.append(
            f"  {escaped(state.reason)}: {escaped(state.message)}" if state.reason else f"  {escaped(state.message)}"
        )
    rows = [(step.id, step.state, step.attempts, escaped(step.message)) for step in state.steps]
    lines.append(indented(table(("STEP", "STATE", "ATTEMPTS", "MESSAGE"), rows)).rstrip())
    lines += [f"  note: {escaped(note)}" for note in state.notes]
    if state.state in _NEXT and not told:
        lines.append("  next: " + _NEXT[state.state].format(id=state.id))
    return "\n".join(line for line in lines if line) + "\n"


def verification_text(verification: Verification, paint: Paint = plain) -> str:
    """Return the verdict, first what did not pass, then the counts, then what is not proved."""
    order = {"failed": 0, "unknown": 1, "pre-existing": 2, "passed": 3}
    checks = sorted(verification.checks, key=lambda check: order[check.result])
    lines = []
    for check in checks:
        if check.result != "passed":
            where = escaped(check.object) if check.object else "cluster"
            lines.append(f"{paint(check.result, check.result)} {check.code}  {where}")
            lines.append(f"    expected {escaped(check.expected)}; observed {escaped(check.observed)}")
    counts = {result: sum(1 for check in checks if check.result == result) for result in order}
    lines.append("Checks: " + ", ".join(f"{count} {result}" for result, count in counts.items()))
    identity = verification.identity
    lines.append(
        f"Identity: {identity.legacy} legacy, {identity.short} short, {identity.unstamped} unstamped, "
        f"{len(identity.unexpected)} not as planned"
    )
    lines += [f"Still shows: {escaped(text)}" for text in verification.recorded_risks]
    lines += [f"Not proved: {escaped(text)}" for text in verification.not_proved]
    lines.append(paint("Verified.", "good") if verification.passed else paint("Not verified.", "blocking"))
    return "\n".join(lines) + "\n"


class RunLine(Protocol):
    """What a line of the list of runs shows."""

    @property
    def id(self) -> str:
        """The run's id."""

    @property
    def state(self) -> str:
        """Where it stands."""

    @property
    def started_at(self) -> str:
        """When it began."""

    @property
    def ended_at(self) -> str:
        """When it ended, ``""`` when it has not."""

    @property
    def exit_code(self) -> int | None:
        """What its last call ended with."""


def runs_text(runs: Sequence[RunLine]) -> str:
    """Return one line a run, oldest first."""
    rows = [
        (run.id, run.state, run.started_at or "-", run.ended_at or "-", "-" if run.exit_code is None else run.exit_code)
        for run in runs
    ]
    return table(("RUN", "STATE", "STARTED", "ENDED", "EXIT"), rows) or "no runs\n"


def backups_text(entries: Sequence[BackupEntry], *, checked: bool = True) -> str:
    """Return one line a saved object; not *checked*, that it was verified is what the journal tells of then."""
    rows = [
        (entry.run, entry.object, entry.file, entry.bytes, entry.sha256[:12], "yes" if entry.verified else "no")
        for entry in entries
    ]
    verified = "VERIFIED" if checked else "VERIFIED WHEN SAVED"
    return table(("RUN", "OBJECT", "FILE", "BYTES", "SHA-256", verified), rows) or "no backups\n"
