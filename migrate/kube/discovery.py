"""
Which kinds the API server serves.

One request each for the core and for all groups where the server aggregates its discovery, else one for each
version of each group. A group whose discovery failed is a group of which nothing is known: its kinds are not
"not served".
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from migrate.kube.connection import Connection
from migrate.kube.errors import FailedAnswerError, NoAnswerError, RequestError, read_error
from migrate.kube.kinds import ServedKind
from migrate.kube.retrying import SURVEY_READS, Policy, persist
from migrate.kube.timing import Clock
from migrate.records.objects import get_in
from migrate.records.snapshot import KindInfo

AGGREGATED: Final = (
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    "application/json"
)
"""Asks for the whole discovery in one document; an older server answers with the classic one."""

_DOCUMENTS: Final = {"APIVersions", "APIGroupList", "APIResourceList", "APIGroupDiscoveryList"}

COUNTED_AS: Final = "discovery"


class Discovery(msgspec.Struct, frozen=True, kw_only=True):
    """
    What is served.

    Attributes:
        kinds: By group and kind.

        failed: Groups that could not be asked, with the reason.
    """

    kinds: Mapping[tuple[str, str], ServedKind]
    failed: Mapping[str, RequestError]

    def find(self, group: str, kind: str) -> ServedKind | None:
        """Return the kind; None means not served, or not known when the group is in ``failed``."""
        return self.kinds.get((group, kind))

    def infos(self) -> tuple[KindInfo, ...]:
        """Return every kind in its preferred version, sorted."""
        return tuple(self.kinds[key].info for key in sorted(self.kinds))


def discover(connection: Connection, clock: Clock, *, timeout_s: float, policy: Policy = SURVEY_READS) -> Discovery:
    """
    Return all that is served; *timeout_s* bounds each request with its repetitions.

    Raises:
        NotAuthorisedError, UnreachableError, BadInputError: The server does not let itself be asked at all.
    """
    asker = _Asker(connection, clock, timeout_s, policy)
    kinds: dict[tuple[str, str], ServedKind] = {}
    failed: dict[str, RequestError] = {}
    for root in ("/api", "/apis"):
        try:
            document = asker.ask(root)
        except RequestError as failure:
            raise read_error(failure, f"discover {root}") from failure
        aggregated = get_in(document, "kind") == "APIGroupDiscoveryList"
        entries = _aggregated(document) if aggregated else _classic(asker, document, root)
        _gather(entries, kinds, failed)
    return Discovery(kinds=kinds, failed=failed)


Entry = tuple[str, str, Iterable[Mapping[str, Any]] | RequestError]
"""Group, version (the preferred one first) and its resources, or why they are not known."""


def _gather(
    entries: Iterable[Entry], kinds: dict[tuple[str, str], ServedKind], failed: dict[str, RequestError]
) -> None:
    for group, version, resources in entries:
        if isinstance(resources, RequestError):
            failed[group] = resources
            continue
        for resource in resources:
            info = _info(group, version, resource)
            if info is None:
                continue
            known = kinds.get((group, info.kind))
            kinds[group, info.kind] = (
                ServedKind(info=known.info, versions=(*known.versions, version))
                if known
                else ServedKind(info=info, versions=(version,))
            )


def _info(group: str, version: str, resource: Mapping[str, Any]) -> KindInfo | None:
    kind, plural = resource.get("kind"), resource.get("name")
    if not isinstance(kind, str) or not isinstance(plural, str) or not kind or "/" in plural:
        return None
    return KindInfo(
        group=group, version=version, kind=kind, plural=plural, namespaced=resource.get("namespaced") is True
    )


def _aggregated(document: Any) -> Iterator[Entry]:
    for item in _maps(get_in(document, "items")):
        group = str(get_in(item, "metadata", "name", default="") or "")
        for entry in _maps(item.get("versions")):
            version = str(entry.get("version", ""))
            if entry.get("freshness") == "Stale":
                yield group, version, NoAnswerError(f"the discovery of {group}/{version} is stale", cause="garbled")
            else:
                yield group, version, list(map(_classic_resource, _maps(entry.get("resources"))))


def _classic_resource(resource: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "kind": get_in(resource, "responseKind", "kind"),
        "name": resource.get("resource"),
        "namespaced": resource.get("scope") == "Namespaced",
    }


def _classic(asker: "_Asker", document: Any, root: str) -> Iterator[Entry]:
    for group, version in _group_versions(document):
        try:
            path = f"{root}/{group}/{version}" if group else f"{root}/{version}"
            yield group, version, list(_maps(get_in(asker.ask(path), "resources")))
        except FailedAnswerError as failure:
            # A version that is gone by now is not served; anything else is not known.
            yield group, version, [] if failure.status == 404 else failure
        except RequestError as failure:
            yield group, version, failure


def _group_versions(document: Any) -> Iterator[tuple[str, str]]:
    for version in get_in(document, "versions", default=()) or ():
        if isinstance(version, str):
            yield "", version
    for group in _maps(get_in(document, "groups")):
        preferred = get_in(group, "preferredVersion", "version")
        versions = [entry.get("version") for entry in _maps(group.get("versions"))]
        for version in sorted(versions, key=lambda version: version != preferred):
            yield str(group.get("name")), str(version)


def _maps(value: Any) -> Iterator[Mapping[str, Any]]:
    yield from (item for item in (value if isinstance(value, list) else ()) if isinstance(item, Mapping))


class _Asker:
    def __init__(self, connection: Connection, clock: Clock, timeout_s: float, policy: Policy) -> None:
        self._connection = connection
        self._clock = clock
        self._timeout_s = timeout_s
        self._policy = policy

    def ask(self, path: str) -> Any:
        return persist(lambda left_s: self._once(path, left_s), self._policy, self._clock, self._timeout_s)

    def _once(self, path: str, left_s: float) -> Any:
        document = self._connection.get(path, accept=AGGREGATED, timeout_s=left_s, counted_as=COUNTED_AS)
        if get_in(document, "kind") not in _DOCUMENTS:
            # A login page or a Status that says 200 is no server without kinds.
            raise NoAnswerError(f"the answer to {path} is no discovery document", cause="garbled")
        return document
