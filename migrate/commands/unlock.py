"""``unlock``: take the lock from a run that is dead. It writes the Lease and nothing else."""

from typing import Protocol, runtime_checkable

from migrate.commands.context import Context
from migrate.commands.documents import LockHolder, UnlockDocument
from migrate.errors import BlockedError, NotConfirmedError, RunLockedError


@runtime_checkable
class Breakable(Protocol):
    """A lock that can be taken from a run that is silent."""

    def unlock(self, run: str) -> bool:
        """Take it from *run*; False when nobody holds it. Raises RunLockedError when that run, or another, is alive."""


def unlock(context: Context, run: str) -> UnlockDocument:
    """
    Take the lock from *run*, once it has been silent for as long as the lock lasts, by this machine's own clock.

    Raises:
        BadInputError: Nobody holds it, and no such run is here.

        BlockedError: The namespace of the lock is not there.

        NotConfirmedError: Somebody holds it and no run was named.

        RunLockedError: The run is alive, or another run holds the lock.
    """
    holder = context.live().holder()
    if holder.state == "unknown":
        raise BlockedError(
            f"Nobody knows who holds the lock: {holder.message} Nothing was written.",
            resolution="Name with --lock-namespace the one that the runs were given.",
        )
    if holder.state == "free":
        context.say("the lock is free; nothing to do")
        if run:
            # A mistyped name must not look as if the lock had been taken from it.
            context.state().open_run(run)
        return UnlockDocument(was=holder, unlocked=False)
    if not run:
        raise NotConfirmedError(
            f"Run {holder.run} holds the lock ({holder.holder}, renewed {holder.renewed or 'never'}). "
            "Nothing was written.",
            resolution=f"Make sure that nobody works on it, then name it: maas-migrate unlock {holder.run}",
            run=holder.run,
        )
    _must_not_work_here(context, run, holder)
    lock = context.live().lock("unlock")
    if not isinstance(lock, Breakable):
        raise TypeError(lock)
    return UnlockDocument(was=holder, unlocked=lock.unlock(run))


def _must_not_work_here(context: Context, run: str, holder: LockHolder) -> None:
    """Raise RunLockedError when a process on this machine works on the run: it is alive, however silent."""
    state = context.state()
    if run in state.run_ids() and state.open_run(run).is_locked():
        raise RunLockedError(
            f"A process on this machine works on run {run} ({holder.holder}). Nothing was written.",
            resolution="Let it end, or stop it with Ctrl-C.",
            run=run,
        )
