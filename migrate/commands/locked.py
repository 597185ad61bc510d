"""What is refused because of another run's work, and not because of the plan."""

from collections.abc import Iterator
from contextlib import contextmanager

from migrate.commands.context import Context
from migrate.commands.documents import LockHolder
from migrate.errors import BlockedError, MigrateError, PlanIsStaleError, RiskNotAcceptedError, RunLockedError


@contextmanager
def lock_goes_first(context: Context) -> Iterator[None]:
    """
    Raise RunLockedError in place of a refusal of the plan while another run holds the lock.

    In the middle of a run the cluster looks changed or broken to everybody else; what to mend is not that.
    """
    try:
        yield
    except (PlanIsStaleError, BlockedError, RiskNotAcceptedError) as refusal:
        holder = _holder(context)
        if holder.state != "held":
            raise
        raise RunLockedError(
            f"Run {holder.run} holds the lock ({holder.holder}, renewed {holder.renewed or 'never'}), "
            f"so the plan cannot be judged; nothing was written. Now it would be refused: {refusal.message}",
            resolution=f"Let that run end, then plan again; if it is dead: maas-migrate unlock {holder.run}.",
            run=holder.run,
        ) from refusal


def _holder(context: Context) -> LockHolder:
    try:
        return context.live().holder()
    except MigrateError as error:
        return LockHolder(state="unknown", message=error.message)
