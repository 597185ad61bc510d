"""One reading of a cluster, and what could not be read."""

from functools import cached_property
from typing import Literal

import msgspec

from migrate.records.objects import Json, KubeObject, ObjectRef, Query, Record

GapReason = Literal["forbidden", "unauthorised", "unreachable", "failed", "incomplete", "not-in-source", "not-asked"]


class ClusterIdentity(Record, kw_only=True):
    """
    Which cluster.

    Attributes:
        server: URL of the API server, or the name of the source when offline.

        id: UID of the namespace kube-system, ``""`` when it could not be read.

        context: The kubeconfig's context.

        version: gitVersion of the API server.

        proxy: The proxy that requests go through, ``""`` for none.
    """

    server: str
    id: str = ""
    context: str = ""
    version: str = ""
    proxy: str = ""


class KindInfo(Record, kw_only=True):
    """A kind that the API server serves, in its preferred version."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool

    @property
    def api_version(self) -> str:
        """``version`` or ``group/version``."""
        return f"{self.group}/{self.version}" if self.group else self.version


class Gap(Record, kw_only=True):
    """
    A query without an answer. What it asked for is unknown, never absent.

    Attributes:
        query: What was asked.

        reason: Why there is no answer.

        message: What the server or the source said, escaped by whoever prints it.

        status: HTTP status, 0 when there was none.
    """

    query: Query
    reason: GapReason
    message: str = ""
    status: int = 0


_NOTHING_ASKED: tuple[list[Query], list[Gap]] = ([], [])


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, dict=True):
    """
    One reading of a cluster; not atomic.

    Attributes:
        format: ``maas-migrate/snapshot``.

        taken_at: When the reading began, UTC.

        source: ``live`` or the name of the file it was read from.

        kinds: Every kind served; the answer to "does the cluster know this kind".

        answered: The queries that were answered, with objects or with none.

        gaps: The queries that were not.

        objects: What was found, sorted by kind, namespace and name.

        requests: How many requests the reading took, by kind.
    """

    format: Literal["maas-migrate/snapshot"] = "maas-migrate/snapshot"
    version: Literal[1] = 1
    taken_at: str
    source: str = "live"
    cluster: ClusterIdentity
    kinds: tuple[KindInfo, ...] = ()
    answered: tuple[Query, ...] = ()
    gaps: tuple[Gap, ...] = ()
    objects: tuple[Json, ...] = ()
    requests: dict[str, int] = msgspec.field(default_factory=dict)

    @cached_property
    def _index(self) -> dict[tuple[str, str], dict[tuple[str, str], KubeObject]]:
        index: dict[tuple[str, str], dict[tuple[str, str], KubeObject]] = {}
        for raw in self.objects:
            thing = KubeObject(raw)
            index.setdefault((thing.group, thing.kind), {})[thing.namespace, thing.name] = thing
        return index

    @cached_property
    def _kinds(self) -> dict[tuple[str, str], KindInfo]:
        return {(info.group, info.kind): info for info in reversed(self.kinds)}  # The first of its name counts.

    @cached_property
    def _asked(self) -> dict[tuple[str, str], tuple[list[Query], list[Gap]]]:
        """What was asked of each kind: the questions with an answer, and those without."""
        asked: dict[tuple[str, str], tuple[list[Query], list[Gap]]] = {}
        for query in self.answered:
            asked.setdefault((query.group, query.kind), ([], []))[0].append(query)
        for gap in self.gaps:
            asked.setdefault((gap.query.group, gap.query.kind), ([], []))[1].append(gap)
        return asked

    def of_kind(self, group: str, kind: str, namespace: str | None = None) -> tuple[KubeObject, ...]:
        """Return the objects of a kind, sorted by namespace and name; *namespace* None means all."""
        found = self._index.get((group, kind), {})
        return tuple(found[key] for key in sorted(found) if namespace is None or key[0] == namespace)

    def find(self, group: str, kind: str, namespace: str, name: str) -> KubeObject | None:
        """Return the object, or None when it was not found; ask ``gap_for`` whether None means absent."""
        return self._index.get((group, kind), {}).get((namespace, name))

    def find_ref(self, ref: ObjectRef) -> KubeObject | None:
        """Return the object that *ref* names, or None."""
        return self.find(ref.group, ref.kind, ref.namespace, ref.name)

    def kind_info(self, group: str, kind: str) -> KindInfo | None:
        """Return how the server serves a kind, or None when it does not."""
        return self._kinds.get((group, kind))

    def gap_for(self, group: str, kind: str, namespace: str = "", name: str = "") -> Gap | None:
        """
        Return why the question has no answer, or None when it was answered.

        A list over all namespaces answers for each of them; a list answers for each name in it.
        """
        answered, gaps = self._asked.get((group, kind), _NOTHING_ASKED)
        for query in answered:
            if _covers(query, namespace, name):
                return None
        for gap in gaps:
            if _covers(gap.query, namespace, name):
                return gap
        return Gap(query=Query(group=group, kind=kind, namespace=namespace, name=name), reason="not-asked")

    def is_absent(self, group: str, kind: str, namespace: str, name: str) -> bool:
        """Return whether the object was asked for, answered, and is not there."""
        return self.find(group, kind, namespace, name) is None and self.gap_for(group, kind, namespace, name) is None


def _covers(query: Query, namespace: str, name: str) -> bool:
    if query.label_selector and not query.name:
        return False
    if query.name:
        return (query.namespace, query.name) == (namespace, name)
    return query.namespace in {"", namespace}
