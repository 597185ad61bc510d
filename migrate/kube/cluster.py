"""The cluster as a run needs it: read, write once, observe, ask what is permitted."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from migrate.kube.access import review_need
from migrate.kube.connection import Connection
from migrate.kube.errors import FailedAnswerError, RequestError, read_error
from migrate.kube.identity import read_identity
from migrate.kube.kinds import must_be_named, must_not_be_secret, object_path
from migrate.kube.locating import Locator
from migrate.kube.observing import observe
from migrate.kube.pooling import AT_ONCE, work_off
from migrate.kube.retrying import RUN_READS, persist
from migrate.kube.timing import Clock, Deadline
from migrate.kube.writing import send_write
from migrate.records.objects import KubeObject, ObjectRef
from migrate.records.plan import AccessNeed
from migrate.records.predicates import View
from migrate.records.snapshot import ClusterIdentity
from migrate.records.writes import AccessAnswer, ObjectGoneError, Write, WriteRefusedError

LEASES: Final = "leases"


class KubeCluster:
    """
    A live cluster; fits the engine's port ``Cluster``.

    Args:
        connection: The way to it.

        clock: For deadlines and for the waits between repetitions.

        stopped: Whether a stop is requested; ``observe`` then ends early.

        at_once: How many requests of ``review`` go out at a time.

        lock_namespace: Where the Lease of the lock lives, whatever a plan foresaw; ``""`` for as planned.
    """

    def __init__(
        self,
        connection: Connection,
        clock: Clock,
        stopped: Callable[[], bool] = lambda: False,
        *,
        at_once: int = AT_ONCE,
        lock_namespace: str = "",
    ) -> None:
        self._lock_namespace = lock_namespace
        self._connection = connection
        self._clock = clock
        self._stopped = stopped
        self._at_once = at_once
        self._locator = Locator(connection, clock)

    def identity(self) -> ClusterIdentity:
        """Return which cluster this is. Raises NotAuthorisedError, UnreachableError."""
        return read_identity(self._connection, self._clock)

    def read(self, ref: ObjectRef, *, timeout_s: float) -> KubeObject | None:
        """
        Return the object, None when the server says that it, or its kind, is not there.

        Raises:
            NotAuthorisedError: 401 or 403.

            UnreachableError: No usable answer within *timeout_s*, repetitions included.
        """
        must_not_be_secret(ref.group, ref.kind)
        deadline = Deadline(self._clock, timeout_s)
        try:
            return self._read(ref, deadline)
        except RequestError as failure:
            raise read_error(failure, f"get {ref}") from failure

    def _read(self, ref: ObjectRef, deadline: Deadline) -> KubeObject | None:
        kind = self._locator.locate(ref, timeout_s=deadline.left_s())
        if kind is None:
            return None
        path = object_path(kind, ref.namespace, ref.name)

        def once(left_s: float) -> Any:
            return must_be_named(self._connection.get(path, timeout_s=left_s, counted_as=ref.kind), ref.name)

        try:
            return KubeObject(persist(once, RUN_READS, self._clock, deadline.left_s()))
        except FailedAnswerError as failure:
            if failure.is_absence_of(ref.name):
                return None
            # A bare 404 says nothing of the object; only a discovery that lacks the kind does.
            gone = failure.status == 404 and not self._locator.locate(ref, timeout_s=deadline.left_s(), anew=True)
            if gone:
                return None
            raise

    def write(self, write: Write, *, timeout_s: float) -> KubeObject | None:
        """
        Send one write once and return the object as answered, None for a delete.

        Raises:
            WriteError: Its subclass says what is known.

            NotAuthorisedError: 401; nothing was written.

            UnreachableError: The kind could not be looked up, or 429 until the time was up; nothing was written.
        """
        deadline = Deadline(self._clock, timeout_s)
        try:
            kind = self._locator.locate(write.object, timeout_s=timeout_s)
        except RequestError as failure:
            raise read_error(failure, f"look up {write.object.kind}") from failure
        if kind is None:
            message = f"{write.verb} {write.object}: the cluster does not serve {write.object.kind}"
            raise WriteRefusedError(message) if write.verb == "create" else ObjectGoneError(message)
        return send_write(self._connection, kind, write, self._clock, timeout_s=deadline.left_s())

    def observe(self, refs: Sequence[ObjectRef], *, timeout_s: float) -> Iterator[View]:
        """Yield the state of *refs*; see ``observing.observe``."""
        for ref in refs:
            must_not_be_secret(ref.group, ref.kind)
        return observe(self._connection, self._clock, self._locator, refs, timeout_s=timeout_s, stopped=self._stopped)

    def review(self, needs: Sequence[AccessNeed]) -> tuple[AccessAnswer, ...]:
        """
        Ask the server for each need whether it is permitted, in the order of *needs*.

        Raises:
            NotAuthorisedError: The credentials are not accepted.

            UnreachableError: No answer.
        """
        asked = [self._where_it_is(need) for need in needs]
        return tuple(work_off(lambda need: review_need(self._connection, need, self._clock), asked, self._at_once))

    def _where_it_is(self, need: AccessNeed) -> AccessNeed:
        """Return *need*, of the lock in the namespace that was said when it is applied; a plan does not know it."""
        if self._lock_namespace and need.resource == LEASES:
            return msgspec.structs.replace(need, namespace=self._lock_namespace)
        return need
