"""One API server, one set of credentials: every request of this tool goes through here."""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from migrate.errors import InternalError
from migrate.kube.errors import FailedAnswerError, NoAnswerError
from migrate.kube.pacing import REQUESTS_PER_S

if TYPE_CHECKING:
    # Late: the client library costs a third of a second, and only ``connect`` needs it.
    from migrate.kube.transport import Answer, Request, Stream, Transport

_LOG = logging.getLogger(__name__)

JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"

Params = Sequence[tuple[str, str]]


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A transport with fresh credentials; *lives_s* is None when they have no known end."""

    transport: Any
    lives_s: float | None = None


class Connection:
    """
    The way to one API server.

    Attributes:
        server: The effective endpoint.

        proxy: The proxy it is reached through, without credentials; ``""`` for a direct connection.

        context: The kubeconfig's context, or ``in-cluster``.

        user: The kubeconfig's name for the user.

        acting_as: The user that is impersonated, ``""`` for none.

        request_timeout_s: The time one request takes at most, unless the caller says otherwise.

        requests_per_s: How fast a collection may ask, 0 for no limit.
    """

    def __init__(  # noqa: PLR0913  six of them are facts to keep
        self,
        open_transport: Callable[[], Opened],
        *,
        server: str,
        proxy: str = "",
        context: str = "",
        user: str = "",
        acting_as: str = "",
        request_timeout_s: float = 30.0,
        requests_per_s: float = REQUESTS_PER_S,
    ) -> None:
        self.server = server
        self.proxy = proxy
        self.context = context
        self.user = user
        self.acting_as = acting_as
        self.request_timeout_s = request_timeout_s
        self.requests_per_s = requests_per_s
        self._open = open_transport
        self._renewing = threading.Lock()
        self._counting = threading.Lock()
        self._requests: dict[str, int] = {}
        self._transport, self._ends_at = self._opened()

    @property
    def requests(self) -> dict[str, int]:
        """How many requests were sent so far, by what they were counted as."""
        with self._counting:
            return dict(self._requests)

    def send(  # noqa: PLR0913  the parts of a request
        self,
        method: str,
        path: str,
        *,
        params: Params = (),
        body: Any = None,
        content_type: str = JSON,
        accept: str = JSON,
        timeout_s: float,
        counted_as: str = "",
    ) -> "Answer":
        """
        Send one request once.

        Raises:
            FailedAnswerError: Answered, not with 2xx.

            NoAnswerError: No answer within *timeout_s*, body included.

            NotAuthorisedError: Credentials that had run out could not be renewed.
        """
        from migrate.kube.transport import Request  # noqa: PLC0415  see the top

        headers = {"Accept": accept}
        if body is not None:
            headers["Content-Type"] = content_type
        request = Request(
            method=method,
            path=path,
            params=params,
            headers=headers,
            body=None if body is None else msgspec.json.encode(body),
        )
        self._count(counted_as)
        return _logged(self._current(), request, timeout_s)

    def get(self, path: str, *, params: Params = (), accept: str = JSON, timeout_s: float, counted_as: str = "") -> Any:
        """
        Return the decoded JSON of a GET; after a 401 the credentials are loaded again and it is sent once more.

        Raises:
            FailedAnswerError: Answered, not with 2xx.

            NoAnswerError: No answer within *timeout_s*, or one that is not JSON.
        """
        ends = time.monotonic() + timeout_s
        for last in (False, True):
            used = self._transport
            try:
                answer = self.send(
                    "GET",
                    path,
                    params=params,
                    accept=accept,
                    timeout_s=max(ends - time.monotonic(), 0.001),
                    counted_as=counted_as,
                )
            except FailedAnswerError as failure:
                if last or failure.status != 401:
                    raise
                self._renew(used)
            else:
                return self.decoded(answer.body)
        raise InternalError("A read ended without answer and without error.", resolution="Report this.")

    def watch(self, path: str, *, params: Params, idle_s: float, counted_as: str = "") -> "Stream":
        """
        Return a watch that is not opened yet; *idle_s* is the longest silence it bears.

        Credentials that have expired are renewed by the list before it, not here.
        """
        from migrate.kube.transport import Request  # noqa: PLC0415  see the top

        self._count(counted_as)
        request = Request(method="GET", path=path, params=params, headers={"Accept": JSON})
        return self._current().stream(request, connect_s=min(10.0, self.request_timeout_s), idle_s=idle_s)

    def close(self) -> None:
        """Close all idle connections."""
        self._transport.close()

    def describe(self) -> Mapping[str, str]:
        """Return endpoint, proxy, context and user, for a screen."""
        return {
            "server": self.server,
            "proxy": self.proxy or "none",
            "context": self.context,
            "user": f"{self.acting_as} (by {self.user})" if self.acting_as else self.user,
        }

    def decoded(self, body: bytes) -> Any:
        """Return the JSON of an answer. Raises NoAnswerError when it is not JSON."""
        try:
            return msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise NoAnswerError(
                f"{self.server} gave an answer that is not JSON ({error})", cause="garbled", where=self.server
            ) from error

    def _count(self, counted_as: str) -> None:
        if counted_as:
            with self._counting:
                self._requests[counted_as] = self._requests.get(counted_as, 0) + 1

    def _opened(self) -> "tuple[Transport, float | None]":
        opened = self._open()
        return opened.transport, None if opened.lives_s is None else time.monotonic() + opened.lives_s

    def _current(self) -> "Transport":
        if self._ends_at is not None and time.monotonic() >= self._ends_at:
            self._renew(self._transport)
        return self._transport

    def _renew(self, used: "Transport") -> None:
        """Load the credentials again, unless another thread has done so since *used* was in use."""
        with self._renewing:
            if self._transport is used:
                self._transport, self._ends_at = self._opened()


def _logged(transport: "Transport", request: "Request", timeout_s: float) -> "Answer":
    """Send *request* and log how it went, without its body and its answer's: nobody's data stands in a log."""
    began = time.monotonic()
    outcome: int | str = "failed"
    try:
        answer = transport.send(request, timeout_s)
        outcome = answer.status
    except FailedAnswerError as failure:
        outcome = failure.status
        raise
    except NoAnswerError as failure:
        outcome = failure.cause
        raise
    else:
        return answer
    finally:
        if _LOG.isEnabledFor(logging.DEBUG):
            extra = {"method": request.method, "path": request.path, "query": dict(request.params)}
            taken_ms = round((time.monotonic() - began) * 1000)
            _LOG.debug("request.ended", extra={**extra, "outcome": outcome, "taken_ms": taken_ms})
