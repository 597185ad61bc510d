"""The end of a verb that runs something: its document, its reason, its exit code."""

from migrate.cli.output import emit
from migrate.cli.settings import Settings
from migrate.cli.terminal import say
from migrate.commands.runs import Ended
from migrate.errors import OutputError
from migrate.render.escape import escaped
from migrate.render.plan_text import plan_text
from migrate.render.run_text import run_text, runs_text


def end_run(settings: Settings, ended: Ended) -> int:
    """Write what came of it and return the exit code."""
    state = ended.state
    try:
        _show(settings, ended)
    except OutputError:
        # The run's own code says more than a full disk under its document; without one the error does.
        if not ended.code:
            raise
    if ended.error is not None:
        # A gate that waits is what was planned, though it has a code of its own.
        word = "waiting" if state is not None and state.state == "waiting-for-upgrade" else "error"
        say(f"{word}: {escaped(ended.error.message, keep_lines=True)}", always=True)
        say(f"  next: {escaped(ended.error.resolution, keep_lines=True)}", always=True)
    return ended.code


def _show(settings: Settings, ended: Ended) -> None:
    state, plan = ended.state, ended.plan
    if state is not None:
        emit(settings, state, lambda paint: run_text(state, paint, told=ended.error is not None), names=[state.id])
    elif plan is not None:
        emit(settings, plan, lambda paint: plan_text(plan, paint), names=[plan.id])
    elif (there := ended.runs) is not None:
        emit(settings, there, lambda _: runs_text(there.runs), names=[entry.id for entry in there.runs])
