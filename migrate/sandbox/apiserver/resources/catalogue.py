"""The catalogue: every resource that is served right now."""

from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, Final, TypeVar

from migrate.sandbox.apiserver.protocol.values import name_of
from migrate.sandbox.apiserver.resources.builtin import builtin_resources
from migrate.sandbox.apiserver.resources.crds import CRD_KEY, resources_of
from migrate.sandbox.apiserver.resources.resource import Resource
from migrate.sandbox.apiserver.storage.store import Change, StorageKey, Store

T = TypeVar("T")


class Catalogue:
    """Resources by group, version and plural; it follows the CRDs in a store."""

    def __init__(self, store: Store) -> None:
        self._builtin: Final = _builtin()
        self._custom: dict[str, list[Resource]] = {}
        self._served = dict(self._builtin)
        self._pages: dict[Hashable, Any] = {}
        self.edition = 0
        store.listen(CRD_KEY, self._learn)

    def fork(self, store: Store) -> "Catalogue":
        """Return a catalogue that knows the same and follows *store*."""
        made = Catalogue(store)
        made._custom = dict(self._custom)
        made._served = dict(self._served)
        made._pages = dict(self._pages)
        return made

    def page(self, key: Hashable, write: Callable[[], T]) -> T:
        """Return what *write* makes of all that is served, made anew only when that has changed."""
        pages = self._pages  # Whoever learns of a change meanwhile begins with others.
        found: T | None = pages.get(key)
        if found is None:
            found = pages[key] = write()
        return found

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        """Return the resource, or None where it is not served."""
        return self._served.get((group, version, plural))

    def find_kind(self, group: str, version: str, kind: str) -> Resource | None:
        """Return the resource of a kind, or None where it is not served."""
        for each in self._served.values():
            if (each.group, each.version, each.kind) == (group, version, kind):
                return each
        return None

    def versions_of(self, key: StorageKey) -> list[Resource]:
        """Return one resource for each version in which *key* is served."""
        return [each for each in self._served.values() if each.key == key]

    def all(self) -> list[Resource]:
        """Return every resource, the built-in ones first."""
        return list(self._served.values())

    def groups(self) -> dict[str, list[str]]:
        """Return the versions of each group, the preferred one first."""
        found: dict[str, list[str]] = {}
        for group, version, _ in self._served:
            versions = found.setdefault(group, [])
            if version not in versions:
                versions.append(version)
        return {group: sorted(versions, key=_priority) for group, versions in found.items()}

    def _learn(self, change: Change) -> None:
        name = name_of(change.document)
        if change.type == "MODIFIED" and change.before and change.before["spec"] == change.document["spec"]:
            return
        self._custom.pop(name, None)
        if change.type != "DELETED":
            self._custom[name] = resources_of(change.document)
        served = dict(self._builtin)
        for resources in self._custom.values():
            served.update(_by_path(resources))
        self._served = served
        self._pages = {}
        self.edition += 1


@cache
def _builtin() -> dict[tuple[str, str, str], Resource]:
    return _by_path(builtin_resources())  # Shared by all catalogues, which copy it.


def _by_path(resources: list[Resource]) -> dict[tuple[str, str, str], Resource]:
    return {(each.group, each.version, each.plural): each for each in resources}


def _priority(version: str) -> tuple[int, int, int, str]:
    """Order versions as Kubernetes does: GA before beta before alpha, newer before older."""
    number, stage, step = "", 0, ""
    rest = version.removeprefix("v")
    while rest[:1].isdigit():
        number, rest = number + rest[0], rest[1:]
    for rank, word in ((1, "beta"), (2, "alpha")):
        if rest.startswith(word):
            stage, step = rank, rest.removeprefix(word)
    if not number or (rest and not stage):
        return (3, 0, 0, version)
    return (stage, -int(number), -int(step or 0), version)
