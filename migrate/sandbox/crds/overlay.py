"""What a release changes in a CRD, put upon the one that a cluster has: fields of the cluster's own CRD stay."""

from typing import Any, Final

from migrate.records.objects import Json

_LISTED: Final = ("name", "rule")
"""What tells items of lists apart: versions and columns have names, validations have rules."""


def overlaid(live: Json, old: Json, new: Json) -> Json:
    """Return *live* with what *new* adds to *old*, and without what it takes away; *live* is left alone."""
    return {**live, "spec": _merged(live["spec"], old["spec"], new["spec"])}


def _merged(live: Any, old: Any, new: Any) -> Any:
    if old == new:
        return live
    if isinstance(live, dict) and isinstance(old, dict) and isinstance(new, dict):
        return _merged_objects(live, old, new)
    if isinstance(live, list) and isinstance(old, list) and isinstance(new, list):
        return _merged_lists(live, old, new)
    return new


def _merged_objects(live: Json, old: Json, new: Json) -> Json:
    made = {key: value for key, value in live.items() if key in new or key not in old}
    for key, value in new.items():
        if key in made and key in old:
            made[key] = _merged(made[key], old[key], value)
        elif key in made and isinstance(value, list):
            made[key] = _merged_lists(made[key], [], value)
        elif key not in old or old[key] != value:  # What both releases have and the cluster has not, it does not want.
            made.setdefault(key, value)
    return made


def _merged_lists(live: list[Any], old: list[Any], new: list[Any]) -> list[Any]:
    before, after = {_key(item): item for item in old}, {_key(item): item for item in new}
    kept = [
        _merged(item, before[_key(item)], after[_key(item)]) if _key(item) in before else item
        for item in live
        if _key(item) not in before or _key(item) in after
    ]
    there = {_key(item) for item in live}
    return kept + [item for key, item in after.items() if key not in there and key not in before]


def _key(item: Any) -> str:
    if isinstance(item, dict):
        return str(next((item[word] for word in _LISTED if word in item), item))
    return str(item)
