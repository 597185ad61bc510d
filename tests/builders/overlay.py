"""What an upgrade did to a CRD: the places where something came, and those where something went."""

from collections.abc import Iterator
from typing import Any, Final

GONE_IN_36: Final = frozenset(
    {
        ("externalmodels", "spec.externalProviderRefs.items.auth.type.enum"),  # ``simple``
        ("externalproviders", "spec.auth.type.enum"),  # ``simple``
        ("maassubscriptions", "spec.modelRefs.items.required"),  # ``tokenRateLimits``; ``unlimited`` may stand instead
    }
)
"""What 3.6 takes away: plural and place. Source: contract 1.3, 1.9."""

NEW_IN_36: Final = frozenset(
    {
        ("configs", "spec.usageMetricsDashboard"),
        ("configs", "status"),
        ("externalmodels", "status.observedGeneration"),
        ("externalmodels", "status.overlayDigest"),
        ("externalmodels", "status.overlayGeneration"),
        ("maassubscriptions", "spec.inferencePriority"),
        ("maassubscriptions", "spec.modelRefs.items.unlimited"),
        ("maassubscriptions", "spec.modelRefs.items.x-kubernetes-validations"),
        ("maassubscriptions", "spec.rateLimitIdentity"),
        ("maassubscriptions", "status.rateLimitIdentity"),
        ("maastenantconfigs", "spec.apiTranslation"),
        ("maastenantconfigs", "spec.maasApi"),
        ("maastenantconfigs", "spec.payloadPreProcessing"),
        ("maastenantconfigs", "spec.payloadProcessing.resources"),
        ("maastenantconfigs", "spec.telemetry.logs"),
    }
)
"""What 3.6 adds. Source: contract 1.3, 1.6, 1.8, 1.9."""


def changes_of(before: Any, after: Any) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Return what went and what came between two forms of one CRD's spec, as pairs of plural and place."""
    plural = str(before["names"]["plural"])
    found = list(_changes(before, after, ""))
    return tuple({(plural, _short(place)) for what, place in found if what == word} for word in ("gone", "new"))  # type: ignore[return-value]


def _changes(before: Any, after: Any, at: str) -> Iterator[tuple[str, str]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            place = f"{at}.{key}"
            if key not in after:
                yield "gone", place
            elif key not in before:
                yield "new", place
            else:
                yield from _changes(before[key], after[key], place)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _changed_list(before, after, at)
    elif before != after:
        yield "gone", at
        yield "new", at


def _changed_list(before: list[Any], after: list[Any], at: str) -> Iterator[tuple[str, str]]:
    known = {item["name"]: item for item in after if isinstance(item, dict) and "name" in item}
    for item in before:
        if isinstance(item, dict) and item.get("name") in known:
            yield from _changes(item, known.pop(item["name"]), f"{at}[{item['name']}]")
        elif item not in after:
            yield "gone", at
    if any(item not in before for item in after if not isinstance(item, dict) or "name" not in item) or any(
        item["name"] not in {old.get("name") for old in before if isinstance(old, dict)} for item in known.values()
    ):
        yield "new", at


def _short(place: str) -> str:
    """Return a place within a schema without the words of the schema language."""
    return (
        place.partition("openAPIV3Schema.properties.")[2].replace("properties.", "").removesuffix(".properties")
        or place
    )
