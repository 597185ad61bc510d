"""A snapshot as one file."""

from pathlib import Path

from migrate.records.snapshot import Snapshot
from migrate.store import codec
from migrate.store.atomic import load, save


def save_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Write *snapshot* to a new file. Raises StoreError when the file exists or cannot be written."""
    save(path, codec.encode(snapshot))


def load_snapshot(path: Path) -> Snapshot:
    """Return the snapshot in a file that the user named. Raises BadInputError."""
    return codec.decode(load(path, by_user=True), Snapshot, source=str(path), by_user=True)
