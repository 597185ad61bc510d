"""Saved plans: ``<state dir>/plans/<plan id>.json``, with the snapshot they were made from beside them."""

import os
import re
from pathlib import Path

import msgspec

from migrate.errors import BadInputError
from migrate.records.plan import Plan, plan_bytes
from migrate.records.snapshot import Snapshot
from migrate.store import codec
from migrate.store.atomic import failed, load, must_have_folder, save
from migrate.store.run_directory import StateDirectory

_ID = re.compile(r"[0-9a-f]{8,64}")


def save_plan(state: StateDirectory, plan: Plan, snapshot: Snapshot) -> Path:
    """Write *plan* and its snapshot into the state dir and return the plan's path. Raises StoreError."""
    state.make()
    folder = state.path / "plans"
    try:
        if not folder.exists():
            state.disk.make_folder(folder)
        state.disk.sync_folder(state.path)
    except OSError as error:
        raise failed(folder, "made", error) from error
    path = folder / f"{plan.id}.json"
    save(folder / f"{plan.id}.snapshot.json", codec.encode(snapshot), disk=state.disk, replace=True)
    save(path, codec.encode(plan), disk=state.disk)
    return path


def write_plan(path: Path, plan: Plan) -> None:
    """
    Write *plan* to a file that the user named, over an older plan.

    Raises:
        BadInputError: Something else lies there, or it cannot be written.
    """
    must_take_a_plan(path)
    save(path, plan_bytes(plan) + b"\n", replace=True, by_user=True)


def must_take_a_plan(path: Path) -> None:
    """Raise BadInputError when a plan cannot go to *path*, before anybody waits for it: no folder, or another file."""
    must_have_folder(path)
    if os.path.lexists(path) and not _is_a_plan(load(path, by_user=True)):
        raise BadInputError(
            f"{path} is no plan of maas-migrate; it was not changed",
            resolution="Name another file with --out.",
        )


def _is_a_plan(data: bytes) -> bool:
    try:
        return msgspec.json.decode(data, type=_Head).format == "maas-migrate/plan"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


class _Head(msgspec.Struct):
    """What every document begins with."""

    format: str = ""


def load_plan(state: StateDirectory, named: str, cwd: Path) -> Plan:
    """
    Return the plan that the user *named*: the id of a saved one (eight digits or more of it), else a file.

    Raises:
        BadInputError: There is none, several begin so, or the file is damaged, edited or too new.

        StoreError: A saved one is damaged.
    """
    found = _saved(state, named)
    if len(found) > 1:
        raise BadInputError(
            f"{len(found)} plans begin with {named}: {', '.join(path.stem for path in found)}",
            resolution="Name more of it; maas-migrate plan printed all of it.",
        )
    if found:
        return codec.load_document(found[0], Plan)
    path = cwd / named
    if not os.path.lexists(path):
        raise BadInputError(
            f"no plan {named!r} in {state.path / 'plans'}, and no such file; nothing was written",
            resolution="Name a file, or the id that 'maas-migrate plan' printed, or eight of its digits or more.",
        )
    return codec.load_document(path, Plan, by_user=True)


def find_snapshot(state: StateDirectory, plan_id: str) -> Snapshot | None:
    """Return the snapshot that a saved plan was made from, None when it is not here. Raises StoreError."""
    path = state.path / "plans" / f"{plan_id}.snapshot.json"
    if not _ID.fullmatch(plan_id) or not path.exists():
        return None
    return codec.load_document(path, Snapshot)


def _saved(state: StateDirectory, named: str) -> list[Path]:
    state.must_be_safe()
    if not _ID.fullmatch(named):
        return []
    return sorted(path for path in (state.path / "plans").glob(f"{named}*.json") if _ID.fullmatch(path.stem))
