"""A snapshot as one file."""

import os
from pathlib import Path

from migrate.errors import BadInputError
from migrate.records.snapshot import Snapshot
from migrate.store import codec
from migrate.store.atomic import load, must_have_folder, save


def save_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Write *snapshot* to a new file that the user named. Raises BadInputError when that cannot be."""
    save(path, codec.encode(snapshot), by_user=True)


def must_be_free(path: Path) -> None:
    """Raise BadInputError when a new file at *path* would meet another, before anybody waits for its content."""
    if os.path.lexists(path):
        raise BadInputError(
            f"{path} exists already; it was not changed",
            resolution="Look at it and move it away, or name another with --out.",
        )
    must_have_folder(path)


def load_snapshot(path: Path) -> Snapshot:
    """Return the snapshot in a file that the user named. Raises BadInputError."""
    return codec.decode(load(path, by_user=True), Snapshot, source=str(path), by_user=True)
