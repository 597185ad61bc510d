"""How a run stops: what an error means before the first write and after it, in one place."""

from migrate.errors import (
    BlockedError,
    ExitCode,
    MigrateError,
    NeedsPersonError,
    NotAuthorisedError,
    NotConfirmedError,
    PlanIsStaleError,
    RiskNotAcceptedError,
    RunHaltedError,
    UnreachableError,
    WaitTimeoutError,
)

_AFTER: dict[type[MigrateError], type[MigrateError]] = {
    NotAuthorisedError: NeedsPersonError,
    PlanIsStaleError: NeedsPersonError,
    BlockedError: NeedsPersonError,
    RiskNotAcceptedError: NeedsPersonError,
    UnreachableError: WaitTimeoutError,
    NotConfirmedError: RunHaltedError,
}
"""
What an error becomes once something was written: the run is part-way, and that comes first.

Source: the command line's table, "Before the first write of a run; after it, ...". A damaged journal
stays 24, a closed window 15 or 20, a signal 130 or 143.
"""

_GOES_ON = frozenset(
    {ExitCode.HALTED, ExitCode.TIMED_OUT, ExitCode.INTERRUPTED, ExitCode.TERMINATED, ExitCode.NOT_VERIFIED}
)


def after_first_write(error: MigrateError) -> MigrateError:
    """Return what *error* means for a run that has changed the cluster, or may have."""
    kind = next((there for here, there in _AFTER.items() if isinstance(error, here)), None)
    if kind is None:
        return error
    mapped = kind(error.message, resolution=error.resolution, object=error.object, run=error.run)
    mapped.__cause__ = error
    return mapped


def is_over(error: MigrateError, *, has_written: bool) -> bool:
    """Return whether a run that stops with *error* is over: nothing was written, and going on would not help."""
    return not has_written and error.exit_code not in _GOES_ON


def with_more(error: MigrateError, *, said: str) -> MigrateError:
    """Add one more sentence to *error* and return it; the first cause stays first."""
    error.message = f"{error.message}; {said}"
    error.args = (error.message,)
    return error
