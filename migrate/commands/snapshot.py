"""``snapshot``: what ``plan`` would read, as one file."""

from migrate.commands.context import Context
from migrate.errors import ExitCode
from migrate.records.snapshot import Snapshot
from migrate.store.snapshots import must_be_free, save_snapshot


def take_snapshot(context: Context, out: str) -> tuple[Snapshot, ExitCode]:
    """
    Return the snapshot, written to *out*; 4 when something could not be read (it stands in the file as a gap).

    Raises BadInputError when *out* cannot be made.
    """
    path = context.cwd / out
    must_be_free(path)
    snapshot = context.live().collect()
    save_snapshot(path, snapshot)
    refused = any(gap.reason in {"forbidden", "unauthorised", "failed", "unreachable"} for gap in snapshot.gaps)
    return snapshot, ExitCode.NOT_AUTHORISED if refused else ExitCode.OK
