"""Saved rehearsals: ``<state dir>/rehearsals/<id>.json``."""

import re
from pathlib import Path
from typing import TypeVar

import msgspec

from migrate.errors import BadInputError
from migrate.store import codec
from migrate.store.atomic import failed, save
from migrate.store.run_directory import StateDirectory

Document = TypeVar("Document", bound=msgspec.Struct)

FOLDER = "rehearsals"
_ID = re.compile(r"[0-9a-z][0-9a-z-]{0,63}")


def save_rehearsal(state: StateDirectory, name: str, document: msgspec.Struct) -> Path:
    """Write a rehearsal and return its path. Raises StoreError."""
    state.make()
    folder = state.path / FOLDER
    try:
        if not folder.exists():
            state.disk.make_folder(folder)
            state.disk.sync_folder(state.path)
    except OSError as error:
        raise failed(folder, "made", error) from error
    path = folder / f"{name}.json"
    save(path, codec.encode(document), disk=state.disk)
    return path


def rehearsal_ids(state: StateDirectory) -> tuple[str, ...]:
    """Return the ids of all rehearsals, oldest first."""
    state.must_be_safe()
    return tuple(sorted(path.stem for path in (state.path / FOLDER).glob("*.json") if _ID.fullmatch(path.stem)))


def load_rehearsal(state: StateDirectory, name: str, kind: type[Document]) -> Document:
    """Return a rehearsal. Raises BadInputError when there is none of that id, StoreError when it is damaged."""
    known = rehearsal_ids(state)
    if name not in known:
        raise BadInputError(
            f"no rehearsal {name!r} in {state.path / FOLDER}; there are: {', '.join(known) or 'none'}",
            resolution="Name one of them, or make one: maas-migrate rehearse.",
        )
    return codec.load_document(state.path / FOLDER / f"{name}.json", kind)
