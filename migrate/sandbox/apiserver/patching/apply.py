"""Server-side apply: a merge in which every field has owners."""

from dataclasses import replace
from typing import Any

from migrate.sandbox.apiserver.patching.fields import (
    Path,
    element,
    is_granular,
    owned_paths,
    parts,
    spelled,
    with_parents,
)
from migrate.sandbox.apiserver.patching.ownership import Entry, Manager, entries_of, store_entries
from migrate.sandbox.apiserver.protocol.values import Document, clone

_MISSING = object()


class ApplyConflictError(Exception):
    """Fields belong to others. ``owners`` pairs each path, as text, with the sentence that names its owner."""

    def __init__(self, owners: list[tuple[str, str]]) -> None:
        self.owners = owners
        count = f"{len(owners)} conflict" + ("s" if len(owners) > 1 else "")
        super().__init__(f"Apply failed with {count}: " + _told(owners))


def _told(owners: list[tuple[str, str]]) -> str:
    by_owner: dict[str, list[str]] = {}
    for path, owner in owners:
        by_owner.setdefault(owner, []).append(path)
    told = []
    for owner, paths in by_owner.items():
        if len(paths) == 1:
            told.append(f"{owner}: {paths[0]}")
        else:
            told.append(owner.replace("conflict", "conflicts", 1) + ":" + "".join(f"\n- {path}" for path in paths))
    return "\n".join(told)


def apply_document(
    schema: Document, live: Document, applied: Document, manager: Manager, *, now: str, force: bool
) -> Document:
    """
    Return *live* after *manager* has applied *applied*, owners recorded.

    Raises:
        ApplyConflictError: A value that others own would change, and *force* is not set.
    """
    mine = owned_paths(schema, applied)
    entries = entries_of(live) or _first_owner(schema, live, manager, now)
    others = [entry for entry in entries if not entry.manager.owns_as(manager)]
    last = next((entry for entry in entries if entry.manager.owns_as(manager)), None)
    contested = {path for path in mine if _differs(schema, live, applied, path)}
    if not force:
        _refuse(others, contested)
    others = [replace(entry, paths=entry.paths - contested) for entry in others]
    made: Document = _merge(schema, live, applied)
    given_up = with_parents(last.paths if last else ()) - with_parents(mine)
    for entry in others:
        given_up -= with_parents(entry.paths)
    made = _pruned(schema, made, given_up, ())
    same = last is not None and last.paths == mine
    stamp = last.time if last is not None and same and not contested else now
    store_entries(made, [*others, Entry(manager, stamp, frozenset(mine))])
    return made


def _first_owner(schema: Document, live: Document, manager: Manager, now: str) -> list[Entry]:
    # What nobody is known to own was there before anybody applied, and is not given away without force.
    first = Manager(name="before-first-apply", operation="Update", api_version=manager.api_version)
    return [Entry(first, now, frozenset(owned_paths(schema, live, containers=True)))] if live else []


def _refuse(others: list[Entry], contested: set[Path]) -> None:
    found = [(spelled(path), _owner(entry.manager)) for entry in others for path in sorted(entry.paths & contested)]
    if found:
        raise ApplyConflictError(found)


def _owner(manager: Manager) -> str:
    door = f' with subresource "{manager.subresource}"' if manager.subresource else ""
    return f'conflict with "{manager.name}"{door} using {manager.api_version}'


def _differs(schema: Document, live: Any, applied: Any, path: Path) -> bool:
    was, wants = _at(schema, live, path), _at(schema, applied, path)
    if path[-1][0] == "k" or (isinstance(wants, dict) and not wants):
        return False  # Naming an item changes nothing in it.
    return bool(was is not _MISSING and was != wants)


def _at(schema: Document, value: Any, path: Path) -> Any:
    for name in path:
        if not is_granular(schema, value):
            return _MISSING
        found = parts(schema, value).get(name)
        if found is None:
            return _MISSING
        schema, value = found
    return value


def _merge(schema: Document, live: Any, applied: Any) -> Any:
    if not is_granular(schema, applied) or type(live) is not type(applied):
        return clone(applied)
    new = parts(schema, applied)
    if isinstance(live, dict):
        made = dict(live)
        for name, (node, item) in new.items():
            field = name[2:]
            made[field] = _merge(node, live[field], item) if field in live else clone(item)
        return made
    known = [element(schema, item) for item in live]
    merged = [
        _merge(new[name][0], item, new[name][1]) if name in new else item
        for name, item in zip(known, live, strict=True)
    ]
    return merged + [clone(item) for name, (_, item) in new.items() if name not in known]


def _pruned(schema: Document, value: Any, given_up: set[Path], path: Path) -> Any:
    if not given_up or not is_granular(schema, value):
        return value
    if isinstance(value, dict):
        return {
            name[2:]: _pruned(node, item, given_up, (*path, name))
            for name, (node, item) in parts(schema, value).items()
            if (*path, name) not in given_up
        }
    return [
        _pruned(node, item, given_up, (*path, name))
        for name, (node, item) in parts(schema, value).items()
        if (*path, name) not in given_up
    ]
