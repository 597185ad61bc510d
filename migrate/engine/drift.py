"""Somebody else changed an object: say what, from what to what, and who; pure."""

from collections.abc import Mapping
from typing import Any

from migrate.errors import PlanIsStaleError
from migrate.records.essence import essence, outline
from migrate.records.journal import Base
from migrate.records.objects import KubeObject, ObjectRef, shown, walk

FIELD_MANAGER = "maas-migrate"
_SHOWN = 5


def manager_of(thing: KubeObject, path: tuple[str, ...] = ()) -> str:
    """Return who wrote *path* last, going by managedFields; the last foreign writer when nobody owns it."""
    owners = [entry for entry in thing.managed_fields if path and _owns(entry.get("fieldsV1"), path)]
    others = [entry for entry in thing.managed_fields if entry.get("manager") != FIELD_MANAGER]
    entries = sorted(owners or others, key=lambda entry: str(entry.get("time", "")))
    return str(entries[-1].get("manager", "")) if entries else ""


def _owns(fields: Any, path: tuple[str, ...]) -> bool:
    for part in path:
        if not isinstance(fields, Mapping) or f"f:{part}" not in fields:
            return False
        fields = fields[f"f:{part}"]
    return True


def last_writer(thing: KubeObject, patch: Any) -> str:
    """Return who undid *patch*: the manager of one of its fields that does not stand as we left it."""
    for path, value in walk(patch):
        if thing.get(*path) != value:
            found = manager_of(thing, path)
            if found and found != FIELD_MANAGER:
                return found
    return manager_of(thing) or "an unknown field manager"


def changes(base: Mapping[str, Any], thing: KubeObject, ignored: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """Return each leaf that differs from *base* as ``path from … to … (by …)``."""
    now = outline(thing, ignored)
    paths = {".".join(path): path for path, _ in walk(essence(thing, ignored))}
    lines = []
    for key in sorted({*base, *now}):
        old, new = base.get(key), now.get(key)
        if old == new:
            continue
        writer = manager_of(thing, paths.get(key, ()))
        by = f" (by {writer})" if writer else ""
        lines.append(f"{key} from {shown(old)} to {shown(new)}{by}")
    return tuple(lines)


def foreign_change(thing: KubeObject, base: Base | None, ignored: tuple[tuple[str, ...], ...]) -> PlanIsStaleError:
    """Return the error for an object that is not as the plan, or the last verified step, left it."""
    found = changes(base.outline, thing, ignored) if base and base.outline else ()
    what = "; ".join(found[:_SHOWN]) or f"last written by {manager_of(thing) or 'an unknown field manager'}"
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return PlanIsStaleError(
        f"{thing.ref} was changed by somebody else: {what}{more}; this run did not write over it",
        resolution="Look at the change; take it back, or make a new plan with 'maas-migrate plan'.",
        object=str(thing.ref),
    )


def other_object(ref: ObjectRef, expected: str, thing: KubeObject | None) -> PlanIsStaleError:
    """Return the error for an object that is gone, or whose name another one has now."""
    seen = f"it now has the UID {thing.uid}, not {expected}" if thing else f"the one with the UID {expected} is gone"
    return PlanIsStaleError(
        f"the plan is for another object: {ref}: {seen}; nothing was written to it",
        resolution="Run 'maas-migrate plan' again.",
        object=str(ref),
    )
