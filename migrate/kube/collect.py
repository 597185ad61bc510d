"""
Read a cluster: the queries of a survey, until it wants no more.

``survey`` is pure and says what it wants, given what is known so far. Each query is asked once; what it
brings may lead to further ones. Whatever could not be read becomes a gap, never an absence.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import msgspec

from migrate.errors import InternalError
from migrate.kube.connection import Connection
from migrate.kube.discovery import Discovery, discover
from migrate.kube.errors import FailedAnswerError, RequestError, gap_reason, read_error
from migrate.kube.identity import read_identity
from migrate.kube.kinds import collection_path, must_be_named, must_not_be_secret, object_path, resource_name
from migrate.kube.listing import read_list
from migrate.kube.pacing import Pace
from migrate.kube.pooling import AT_ONCE, work_off
from migrate.kube.retrying import SURVEY_READS, persist
from migrate.kube.timing import Clock
from migrate.kube.trimming import trimmed, united
from migrate.records.objects import Json, KubeObject, Query
from migrate.records.snapshot import Gap, KindInfo, Snapshot

T = TypeVar("T")

Survey = Callable[[Snapshot], Sequence[Query]]

MOST_ROUNDS: Final = 50
"""A survey that still wants more after so many rounds has no end."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one query: objects, or a gap."""

    query: Query
    objects: tuple[Json, ...] = ()
    gap: Gap | None = None


def collect(connection: Connection, survey: Survey, clock: Clock, *, at_once: int = AT_ONCE) -> Snapshot:
    """
    Return what *survey* wants to know of the cluster, *at_once* queries at a time. Writes nothing.

    Each request, repetitions included, takes no longer than the connection's request timeout.

    Raises:
        NotAuthorisedError: The credentials are not accepted (401), or discovery is forbidden.

        UnreachableError: The server does not answer.

        BadInputError: Its certificate is not trusted.

        InternalError: The survey asks for Secrets, or has no end.
    """
    started = clock.now().isoformat(timespec="seconds")
    before = connection.requests
    reader = _Reader(connection, clock, at_once)
    snapshot = Snapshot(
        taken_at=started, cluster=read_identity(connection, clock, reader.pace.wait), kinds=reader.discovery.infos()
    )
    found = _Found()
    for _ in range(MOST_ROUNDS):
        asked = {*snapshot.answered, *(gap.query for gap in snapshot.gaps)}
        wanted = sorted({query for query in survey(snapshot) if query not in asked}, key=repr)
        if not wanted:
            return msgspec.structs.replace(snapshot, requests=_difference(connection.requests, before))
        found.take(reader.ask_all(wanted))
        snapshot = found.put_into(snapshot)
    raise InternalError("The survey of the cluster has no end.", resolution="Report this; nothing was written.")


def _difference(after: Mapping[str, int], before: Mapping[str, int]) -> dict[str, int]:
    counts = {key: count - before.get(key, 0) for key, count in sorted(after.items())}
    return {key: count for key, count in counts.items() if count}


class _Found:
    """What was found so far, each by what it is sorted by, which is worked out once."""

    def __init__(self) -> None:
        self._answered: dict[str, Query] = {}
        self._gaps: dict[str, Gap] = {}
        self._objects: dict[tuple[str, str, str, str], Json] = {}

    def take(self, outcomes: Iterable[Outcome]) -> None:
        """Add what became of queries that were not asked before."""
        for outcome in outcomes:
            if outcome.gap is not None:
                self._gaps[repr(outcome.gap)] = outcome.gap
                continue
            self._answered[repr(outcome.query)] = outcome.query
            for raw in outcome.objects:
                key = _key(raw)
                known = self._objects.get(key)
                self._objects[key] = united(known, raw) if known else raw

    def put_into(self, snapshot: Snapshot) -> Snapshot:
        """Return *snapshot* with all of it, sorted."""
        return msgspec.structs.replace(
            snapshot, answered=_sorted(self._answered), gaps=_sorted(self._gaps), objects=_sorted(self._objects)
        )


def _sorted(found: Mapping[Any, T]) -> tuple[T, ...]:
    return tuple(found[key] for key in sorted(found))


def _key(raw: Json) -> tuple[str, str, str, str]:
    thing = KubeObject(raw)
    return thing.kind, thing.group, thing.namespace, thing.name


class _Reader:
    """Answers queries, several at once."""

    def __init__(self, connection: Connection, clock: Clock, at_once: int) -> None:
        self._connection = connection
        self._clock = clock
        self._at_once = at_once
        self.pace = Pace(clock, connection.requests_per_s)
        self.discovery = self._discover()

    def _discover(self) -> Discovery:
        self.pace.wait()
        return discover(self._connection, self._clock, timeout_s=self._connection.request_timeout_s)

    def ask_all(self, queries: Sequence[Query]) -> list[Outcome]:
        for query in queries:
            must_not_be_secret(query.group, query.kind)
        return work_off(self._ask, queries, self._at_once)

    def _ask(self, query: Query) -> Outcome:
        served = self.discovery.find(query.group, query.kind)
        if served is None:
            failure = self.discovery.failed.get(query.group)
            return Outcome(query=query) if failure is None else self._gap(query, failure)
        try:
            return Outcome(query=query, objects=tuple(self._read(query, served.info)))
        except RequestError as failure:
            return self._failed(query, served.info, failure)

    def _read(self, query: Query, kind: KindInfo) -> list[Json]:
        keep = partial(trimmed, paths=query.fields)
        if query.name:
            path = object_path(kind, query.namespace, query.name)
            return [keep(must_be_named(self._get(kind, path, []), query.name))]
        selector = [("labelSelector", query.label_selector)] if query.label_selector else []
        path = collection_path(kind, query.namespace)
        return read_list(lambda params: self._get(kind, path, params), keep, selector)[0]

    def _get(self, kind: KindInfo, path: str, params: list[tuple[str, str]]) -> Any:
        def once(left_s: float) -> Any:
            self.pace.wait()
            return self._connection.get(path, params=params, timeout_s=left_s, counted_as=kind.kind)

        return persist(once, SURVEY_READS, self._clock, self._connection.request_timeout_s)

    def _failed(self, query: Query, kind: KindInfo, failure: RequestError) -> Outcome:
        what = f"{'get' if query.name else 'list'} {resource_name(kind)}"
        if isinstance(failure, FailedAnswerError):
            if query.name and failure.is_absence_of(query.name):
                return Outcome(query=query)
            if failure.status == 401:
                raise read_error(failure, what) from failure
            if failure.status == 404 and self._discover_again(query) is None:
                return Outcome(query=query)
            return self._gap(query, failure)
        self._must_be_reachable(failure, what)
        return self._gap(query, failure)

    def _discover_again(self, query: Query) -> object | None:
        """Return the kind as it is served now, or something when it is not known; None when it is gone."""
        latest = self._discover()
        return latest.find(query.group, query.kind) or latest.failed.get(query.group)

    def _must_be_reachable(self, failure: RequestError, what: str) -> None:
        """Raise the error of *failure* unless the server still answers other questions."""
        try:
            self._connection.get("/version", timeout_s=self._connection.request_timeout_s, counted_as="version")
        except FailedAnswerError:
            return
        except RequestError:
            raise read_error(failure, what) from failure

    def _gap(self, query: Query, failure: RequestError) -> Outcome:
        reason, status = gap_reason(failure)
        return Outcome(query=query, gap=Gap(query=query, reason=reason, message=failure.message, status=status))
