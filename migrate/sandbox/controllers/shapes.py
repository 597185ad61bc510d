"""Comparing objects with what they should be, and conditions."""

from collections.abc import Mapping, Sequence
from typing import Any

from migrate.records.objects import Json


def contains(live: Any, desired: Any) -> bool:
    """
    Whether all that *desired* says holds in *live*.

    Mappings may hold more; lists must have the same length, and their mappings
    may hold more in each item (the server's defaults); null means absent.
    """
    if type(desired) is str:
        return bool(live == desired)
    if live is desired:
        return True
    if isinstance(desired, dict):
        if not isinstance(live, dict):
            return not desired
        for key, value in desired.items():
            held = live.get(key)
            # Most values are texts that are the same: they need no call.
            if (held != value) if type(value) is str else not contains(held, value):
                return False
        return True
    if isinstance(desired, list):
        same = isinstance(live, list) and len(live) == len(desired)
        return same and all(contains(one, other) for one, other in zip(live, desired, strict=True))
    return bool(live == desired) and isinstance(live, bool) == isinstance(desired, bool)


def only_differences(live: Any, desired: Mapping[str, Any]) -> Json:
    """Return the merge patch that makes *live* contain *desired*; empty when it does."""
    held = live if isinstance(live, dict) else {}
    body: Json = {}
    for key, value in desired.items():
        if isinstance(value, dict):
            inner = only_differences(held.get(key), value)
            if inner or (not value and key not in held):
                body[key] = inner
        elif value is None:
            if key in held:
                body[key] = None
        elif not contains(held.get(key), value):
            body[key] = value
    return body


def condition(kind: str, status: str, reason: str, message: str = "", *, generation: int | None = None) -> Json:
    """Return a condition without its transition time; *status* is ``True``, ``False`` or ``Unknown``."""
    made: Json = {"type": kind, "status": status, "reason": reason, "message": message}
    if generation is not None:
        made["observedGeneration"] = generation
    return made


def merged_conditions(old: Any, new: Sequence[Json], now: str, *, keep_others: bool = True) -> list[Json]:
    """
    Return the conditions *old* with *new* in their places.

    A transition time moves only with the status. With *keep_others* those that
    *new* does not name stay as they are; new types come last.
    """
    known = [entry for entry in old if isinstance(entry, dict)] if isinstance(old, list) else []
    by_type = {str(entry.get("type")): entry for entry in new}
    made: list[Json] = []
    for entry in known:
        wanted = by_type.pop(str(entry.get("type")), None)
        if wanted is not None:
            moved = entry.get("status") != wanted.get("status")
            since = now if moved else entry.get("lastTransitionTime", now)
            made.append({**wanted, "lastTransitionTime": since})
        elif keep_others:
            made.append(dict(entry))
    made.extend({**entry, "lastTransitionTime": now} for entry in by_type.values())
    return made


def condition_of(obj: Json | None, kind: str) -> Mapping[str, Any] | None:
    """Return the status condition of that type, or None."""
    conditions = ((obj or {}).get("status") or {}).get("conditions")
    for entry in conditions if isinstance(conditions, list) else ():
        if isinstance(entry, dict) and entry.get("type") == kind:
            return entry
    return None


def is_true(obj: Json | None, kind: str) -> bool:
    """Whether the status condition of that type is True."""
    found = condition_of(obj, kind)
    return found is not None and found.get("status") == "True"
