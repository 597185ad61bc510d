"""A runbook as text."""

from migrate.records.runbook import Runbook
from migrate.render.escape import escaped
from migrate.render.tables import duration, indented


def runbook_text(runbook: Runbook) -> str:
    """Return the order of work with times and prose."""
    lines = [
        f"{escaped(runbook.name)}: {escaped(runbook.title)}",
        f"Starts on {', '.join(runbook.platforms)}. Goal: {escaped(runbook.goal)}",
        escaped(runbook.prose, keep_lines=True).rstrip(),
    ]
    for phase in runbook.phases:
        each = ", for each tenant" if phase.each == "tenant" else ""
        lines.append(f"\nPart {phase.part}, phase {escaped(phase.name)}: {escaped(phase.title)}{each}")
        for step in phase.steps:
            times = f"about {duration(step.estimate_s)}, at most {duration(step.timeout_s)}, {step.window} the window"
            lines.append(f"  {escaped(step.id)} ({escaped(step.uses)}): {escaped(step.title)}; {times}")
            if step.prose:
                lines.append(indented(escaped(step.prose, keep_lines=True).rstrip(), "      "))
    return "\n".join(line for line in lines if line) + "\n"
