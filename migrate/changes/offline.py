"""
A reading made from files: the survey's questions, answered by what lies there; what they cannot answer is a gap.

What a source answers for:

* a List whose items are of several namespaces, or of a cluster-scoped kind: all objects of that kind. That is what
  ``kubectl get -A`` writes, and one such List shows that the others beside it were read so too;
* an empty List beside such a one: none of its kind exists, where its own kind or its file's name says which;
* a List of one namespace alone: that namespace, and where the kind is one that is asked for in all namespaces at
  once, all of them when another List shows that ``-A`` was used;
* in a must-gather: a List in a namespace's folder, that namespace; single custom objects, every namespace that it
  has a folder of (the cluster, for a cluster-scoped kind), unless an object names a model or tenant namespace that
  it has none of;
* a single object: itself. Nothing at all of a kind: nothing, unless a List of all CRDs shows that it is not served.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from migrate.changes import survey
from migrate.changes.offline_layout import BUILT_IN, KINDS
from migrate.changes.offline_objects import Content, Key, Listing, content_of
from migrate.errors import InternalError
from migrate.maas import resources
from migrate.maas.resources import Kind
from migrate.records.objects import KubeObject, Query, get_in
from migrate.records.snapshot import ClusterIdentity, Gap, KindInfo, Snapshot
from migrate.records.source import Source

MOST_ROUNDS: Final = 50
"""As for a live cluster: a survey that still wants more has no end."""

Survey = Callable[[Snapshot], Sequence[Query]]


def snapshot_from(source: Source, wanted: Survey = survey.queries) -> Snapshot:
    """
    Return what *wanted* asks for, answered from *source*; the same files give the same bytes, whenever they are read.

    Raises:
        BadInputError: A document is no Kubernetes object, or two clusters lie in one folder.
    """
    shelf = _Shelf(content_of(source))
    kinds = shelf.kinds()
    snapshot = Snapshot(taken_at="", source=source.name, cluster=ClusterIdentity(server=source.name), kinds=kinds)
    asked: dict[Query, None] = {}
    for _ in range(MOST_ROUNDS):
        new = [query for query in wanted(snapshot) if query not in asked]
        if not new:
            return _finished(snapshot, shelf, source)
        asked |= dict.fromkeys(new)
        snapshot = _answered(shelf, asked, snapshot)
    raise InternalError("The survey has no end.", resolution="Report this; nothing was written.")


def _answered(shelf: "_Shelf", asked: dict[Query, None], snapshot: Snapshot) -> Snapshot:
    objects: dict[tuple[str, str, str, str], KubeObject] = {}
    answered: list[Query] = []
    gaps: dict[Query, Gap] = {}
    for query in asked:
        found = shelf.find(query)
        objects |= {(thing.kind, thing.group, thing.namespace, thing.name): thing for thing in found}
        why = "" if query.name and found else shelf.why_not(query)
        if why:
            gap = shelf.gap(query, why)
            gaps[gap.query] = gap
        else:
            answered.append(query)
    return Snapshot(
        taken_at="",
        source=snapshot.source,
        cluster=snapshot.cluster,
        kinds=snapshot.kinds,
        answered=tuple(sorted(answered, key=repr)),
        gaps=tuple(gaps[query] for query in sorted(gaps, key=repr)),
        objects=tuple(dict(objects[key].raw) for key in sorted(objects)),
    )


def _finished(snapshot: Snapshot, shelf: "_Shelf", source: Source) -> Snapshot:
    kube_system = snapshot.find(*resources.NAMESPACE.key, "", resources.KUBE_SYSTEM)
    identity = ClusterIdentity(server=source.name, id=kube_system.uid if kube_system else "")
    return Snapshot(
        taken_at=newest_time(snapshot) or source.modified_at,
        source=snapshot.source,
        cluster=identity,
        kinds=snapshot.kinds,
        answered=snapshot.answered,
        gaps=(*snapshot.gaps, *shelf.elsewhere()),
        objects=snapshot.objects,
    )


class _Shelf:
    """The content by kind, and what it answers for."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._things: dict[Key, list[KubeObject]] = {}
        for thing in content.objects:
            self._things.setdefault((thing.group, thing.kind), []).append(thing)
        self._listings: dict[Key, list[Listing]] = {}
        for listing in content.listings:
            self._listings.setdefault(listing.key, []).append(listing)
        # One List of several namespaces shows how the person who saved them asked.
        self._everywhere = any(len(listing.namespaces) > 1 for listing in content.listings)
        self._named = frozenset(named_namespaces(content.objects))
        self._crds = {thing.name for thing in self._things.get(resources.CRD.key, [])}
        self._has_all_crds = self._are_all_crds_there()

    def _are_all_crds_there(self) -> bool:
        """Return whether a List of CRDs is there that lacks none of a kind that is there: not one of chosen CRDs."""
        listed = any(listing.whole for listing in self._listings.get(resources.CRD.key, []))
        named = {kind.key: kind.crd_name for kind in KINDS}
        return listed and all(
            named[key] in self._crds for key in self._things if key in named and key[0] not in BUILT_IN
        )

    def kinds(self) -> tuple[KindInfo, ...]:
        """Return every kind of the facts, in the version that the objects have; less those that all CRDs disprove."""
        return tuple(_info(kind, self._things.get(kind.key, [])) for kind in KINDS if not self._disproved(kind))

    def _disproved(self, kind: Kind) -> bool:
        return self._has_all_crds and kind.group not in BUILT_IN and kind.crd_name not in self._crds

    def find(self, query: Query) -> list[KubeObject]:
        return [thing for thing in self._things.get((query.group, query.kind), []) if matches(query, thing)]

    def why_not(self, query: Query) -> str:
        """Return why the source does not answer *query*, ``""`` when it does; objects that it holds do not matter."""
        key = (query.group, query.kind)
        listings = self._listings.get(key, [])
        if not listings and key not in self._things:
            return "nothing of this kind is in it"
        if any(listing.whole for listing in listings) or self._is_whole_single(key):
            return ""
        covered = self._covered(key, listings)
        if not covered and self._everywhere and any(not listing.inspected for listing in listings):
            return ""
        if query.namespace:
            return "" if query.namespace in covered else f"it holds {_some(covered)} of this kind only"
        if query.name:
            return "it holds others of this kind, one by one"
        return self._why_not_everywhere(listings, covered)

    def _why_not_everywhere(self, listings: list[Listing], covered: frozenset[str]) -> str:
        if any(not listing.inspected for listing in listings):
            return "" if self._everywhere else f"its List holds {_some(covered)} only; save it with -A"
        if not covered:
            return "it holds single objects of this kind, no List"
        missing = self._named - covered
        return f"it has no folder of namespace {', '.join(sorted(missing))}" if missing else ""

    def _is_whole_single(self, key: Key) -> bool:
        """Return whether it is a cluster-scoped custom kind that an inspect wrote one by one."""
        return key[0] not in BUILT_IN and (key, "") in self._content.singles

    def _covered(self, key: Key, listings: list[Listing]) -> frozenset[str]:
        """Return the namespaces that are answered for."""
        spaces = {space for listing in listings for space in listing.namespaces}
        own = {space for single, space in self._content.singles if single == key}
        if own and key[0] not in BUILT_IN:
            own = set(self._content.spaces)
        return frozenset(spaces | own)

    def gap(self, query: Query, why: str) -> Gap:
        """Return the gap; one for the whole kind when there is nothing of it."""
        key = (query.group, query.kind)
        if key not in self._things and key not in self._listings:
            query = Query(group=query.group, kind=query.kind)
        return Gap(query=query, reason="not-in-source", message=why)

    def elsewhere(self) -> Iterator[Gap]:
        """Yield a word on the namespaces that a must-gather has no folder of, unless it is seen to have all."""
        if not self._content.spaces:
            return
        key = resources.NAMESPACE.key
        whole = any(listing.whole for listing in self._listings.get(key, []))
        there = {thing.name for thing in self._things.get(key, [])}
        if whole and there <= self._content.spaces:
            return
        yield Gap(
            query=Query(group=key[0], kind=key[1]),
            reason="not-in-source",
            message=f"it has folders of {_some(self._content.spaces)} only; what other namespaces hold is not in it",
        )


def _some(spaces: frozenset[str]) -> str:
    names = sorted(spaces)
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"namespace {', '.join(names[:10])}{more}" if names else "single objects"


def _info(kind: Kind, things: list[KubeObject]) -> KindInfo:
    versions = [thing.api_version.rpartition("/")[2] for thing in things]
    version = max(sorted(set(versions)), key=versions.count) if versions else kind.version
    return KindInfo(group=kind.group, version=version, kind=kind.kind, plural=kind.plural, namespaced=kind.namespaced)


def matches(query: Query, thing: KubeObject) -> bool:
    """Return whether *thing* is an answer to *query*."""
    if query.namespace not in {"", thing.namespace} or (query.name and query.name != thing.name):
        return False
    key, equals, value = query.label_selector.partition("=")
    return not key or (thing.labels.get(key) == value if equals else key in thing.labels)


def named_namespaces(things: Sequence[KubeObject]) -> Iterator[str]:
    """Yield the namespaces of models and tenants that objects of MaaS name. Source: contract §1.3 to §1.7."""
    for thing in things:
        if thing.group != resources.MAAS_GROUP:
            continue
        found: list[Any] = [
            thing.get("status", "tenantNamespace"),
            thing.get("status", "httpRouteNamespace"),
        ]
        references = thing.get("spec", "modelRefs")
        found += [get_in(ref, "namespace") for ref in (references if isinstance(references, list) else ())]
        yield from (name for name in found if isinstance(name, str) and name)


def newest_time(snapshot: Snapshot) -> str:
    """Return the newest time that any object tells, UTC; ``""`` when none tells one."""
    times = [moment for raw in snapshot.objects for moment in _times(KubeObject(raw))]
    return max(times).isoformat(timespec="seconds") if times else ""


def _times(thing: KubeObject) -> Iterator[datetime]:
    conditions = thing.get("status", "conditions")
    told: list[Any] = [thing.get("metadata", "creationTimestamp")]
    told += [entry.get("time") for entry in thing.managed_fields]
    told += [get_in(entry, "lastTransitionTime") for entry in (conditions if isinstance(conditions, list) else ())]
    for text in told:
        moment = _moment(text)
        if moment is not None:
            yield moment


def _moment(text: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    if moment is None or moment.tzinfo is None:
        return None
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return None
