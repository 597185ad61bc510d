"""Where things stand, as text."""

from migrate.render.escape import escaped
from migrate.render.run_text import RunLine, runs_text


def status_text(*, state_dir: str, runs: tuple[RunLine, ...], lock: str, risks: tuple[str, ...]) -> str:
    """Return runs, lock and risks that still show."""
    lines = [f"State dir  {escaped(state_dir)}", f"Lock       {escaped(lock)}"]
    lines += [f"Risk       {escaped(risk)}" for risk in risks] or ["Risk       none shows"]
    return "\n".join(lines) + "\n\n" + runs_text(runs)
