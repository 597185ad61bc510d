"""Which cluster a connection leads to."""

from collections.abc import Callable

from migrate.kube.connection import Connection
from migrate.kube.errors import FailedAnswerError, RequestError, read_error
from migrate.kube.retrying import SURVEY_READS, persist
from migrate.kube.timing import Clock
from migrate.records.objects import get_in
from migrate.records.snapshot import ClusterIdentity


def read_identity(
    connection: Connection, clock: Clock, before_each: Callable[[], None] = lambda: None
) -> ClusterIdentity:
    """
    Return server, way, version, and the UID of the namespace kube-system; ``""`` for what may not be read.

    Raises:
        NotAuthorisedError: The credentials are not accepted.

        UnreachableError: The server does not answer.
    """

    def text_at(path: str, counted_as: str, *fields: str) -> str:
        def once(left_s: float) -> object:
            before_each()
            return connection.get(path, timeout_s=left_s, counted_as=counted_as)

        try:
            document = persist(once, SURVEY_READS, clock, connection.request_timeout_s)
        except FailedAnswerError as failure:
            if failure.status in {403, 404}:
                return ""
            raise read_error(failure, f"get {path}") from failure
        except RequestError as failure:
            raise read_error(failure, f"get {path}") from failure
        return str(get_in(document, *fields, default="") or "")

    return ClusterIdentity(
        server=connection.server,
        id=text_at("/api/v1/namespaces/kube-system", "Namespace", "metadata", "uid"),
        context=connection.context,
        version=text_at("/version", "version", "gitVersion"),
        proxy=connection.proxy,
    )
