"""
HTTP with one promise more than the client library gives: the time asked for is the time taken.

The library builds the pool (TLS, client certificates, proxy); requests go through that pool here. Its
own time limits hold for one step each (connect, one read), not for a name server that hangs or a body
that trickles; so each request runs in a thread that is left behind, its socket shut, when time is up.
"""

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
import urllib3
from kubernetes.client import Configuration
from kubernetes.client.rest import RESTClientObject
from urllib3.connection import HTTPConnection, HTTPSConnection

from migrate.kube.errors import FailedAnswerError, NoAnswerError, no_answer_from

_LOCAL = threading.local()


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One HTTP request; *path* is not escaped yet, *params* are in order."""

    method: str
    path: str
    params: Sequence[tuple[str, str]] = ()
    headers: Mapping[str, str] = {}
    body: bytes | None = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A 2xx answer; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Exchange:
    """One request on its way; ``abandon`` shuts its socket, and keeps it from being sent if it has not been yet."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: Any = None
        self._abandoned = False

    def use(self, connection: Any) -> None:
        """Remember the connection. Raises TimeoutError when nobody waits for the answer any more."""
        with self._lock:
            if self._abandoned:
                raise TimeoutError("given up before it was sent")
            self._connection = connection

    def abandon(self) -> None:
        """Shut the socket, which wakes whoever reads from it."""
        with self._lock:
            self._abandoned = True
            wrapped = getattr(self._connection, "sock", None)
        raw = getattr(wrapped, "socket", wrapped)
        if isinstance(raw, socket.socket):
            with suppress(OSError):
                # Not the TLS socket's own method: that one takes the cipher from under the reading thread.
                socket.socket.shutdown(raw, socket.SHUT_RDWR)


def _register(connection: Any) -> None:
    exchange = getattr(_LOCAL, "exchange", None)
    if exchange is not None:
        exchange.use(connection)


class _PlainConnection(HTTPConnection):
    def connect(self) -> None:
        super().connect()
        _register(self)

    def request(self, *args: Any, **kwargs: Any) -> None:
        _register(self)
        super().request(*args, **kwargs)


class _SecureConnection(HTTPSConnection):
    def connect(self) -> None:
        super().connect()
        _register(self)

    def request(self, *args: Any, **kwargs: Any) -> None:
        _register(self)
        super().request(*args, **kwargs)


class _PlainPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _PlainConnection


class _SecurePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


class Stream:
    """An answer that goes on, line by line: ``open`` and ``lines`` in one thread, ``close`` from any."""

    def __init__(self, transport: "Transport", request: Request, limits: urllib3.Timeout) -> None:
        self._transport = transport
        self._request = request
        self._limits = limits
        self._exchange = _Exchange()
        self._response: urllib3.BaseHTTPResponse | None = None

    def open(self) -> None:
        """
        Send the request.

        Raises:
            FailedAnswerError, NoAnswerError: There is nothing to read.
        """
        response = self._transport.start(self._request, self._limits, self._exchange)
        if not 200 <= response.status < 300:
            body = self._transport.read(response)
            self.close()
            raise FailedAnswerError(response.status, _lower(response.headers), body)
        self._response = response

    def lines(self) -> Iterator[bytes]:
        """Yield each line. Raises NoAnswerError when the connection breaks."""
        rest = b""
        try:
            for chunk in self._response.stream(1 << 16) if self._response else ():
                *lines, rest = (rest + chunk).split(b"\n")
                yield from (line for line in lines if line.strip())
        except (urllib3.exceptions.HTTPError, OSError, ValueError, AttributeError) as error:
            raise self._transport.broken(error) from error
        finally:
            self.close()

    def close(self) -> None:
        """End it at once; a thread that waits for it wakes up."""
        self._exchange.abandon()


class Transport:
    """The pool of connections to one API server, with one set of credentials."""

    def __init__(self, configuration: Configuration, headers: Sequence[tuple[str, str]], where: str) -> None:
        self._configuration = configuration
        self._headers = tuple(headers)
        self._where = where
        if not configuration.verify_ssl:
            # The kubeconfig asks for it; kubectl does not repeat at each request that it is unwise.
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        self._pool: urllib3.PoolManager = RESTClientObject(configuration).pool_manager
        self._pool.pool_classes_by_scheme = {"http": _PlainPool, "https": _SecurePool}

    def send(self, request: Request, timeout_s: float) -> Answer:
        """
        Send *request* once.

        Raises:
            FailedAnswerError: Answered, not with 2xx.

            NoAnswerError: Not answered within *timeout_s*, body included, or not at all.
        """
        call = _Call(self, request, timeout_s)
        threading.Thread(target=call.run, name="maas-migrate-request", daemon=True).start()
        return call.result()

    def stream(self, request: Request, *, connect_s: float, idle_s: float) -> Stream:
        """Return the answer to *request* as a stream that is not opened yet; *idle_s* is the longest silence."""
        return Stream(self, request, urllib3.Timeout(connect=connect_s, read=idle_s))

    def read(self, response: urllib3.BaseHTTPResponse) -> bytes:
        """Return the body. Raises NoAnswerError when it breaks off."""
        try:
            return response.data or b""
        except (urllib3.exceptions.HTTPError, OSError, ValueError, AttributeError) as error:
            raise self.broken(error) from error

    def broken(self, error: BaseException) -> NoAnswerError:
        """Return what an exception of the libraries means here."""
        return no_answer_from(error, self._where)

    def start(self, request: Request, limits: urllib3.Timeout, exchange: _Exchange) -> urllib3.BaseHTTPResponse:
        """Send *request* in this thread and return the answer with its body unread."""
        _LOCAL.exchange = exchange
        try:
            return self._pool.request(
                request.method,
                self._url(request),
                headers=self._all_headers(request),
                body=request.body,
                timeout=limits,
                preload_content=False,
                redirect=False,
            )
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            raise self.broken(error) from error
        finally:
            _LOCAL.exchange = None

    def finish(self, request: Request, limits: urllib3.Timeout, exchange: _Exchange) -> Answer:
        """Send *request* in this thread and return the whole answer."""
        response = self.start(request, limits, exchange)
        body = self.read(response)
        headers = _lower(response.headers)
        if not 200 <= response.status < 300:
            raise FailedAnswerError(response.status, headers, body)
        return Answer(status=response.status, headers=headers, body=body)

    def too_late(self) -> NoAnswerError:
        """Return the error of a request whose time is up."""
        return NoAnswerError(f"{self._where} gave no answer in time", cause="timeout", where=self._where)

    def close(self) -> None:
        """Close all idle connections."""
        self._pool.clear()

    def _url(self, request: Request) -> str:
        query = f"?{urlencode(request.params)}" if request.params else ""
        return f"{self._configuration.host}{quote(request.path)}{query}"

    def _all_headers(self, request: Request) -> urllib3.HTTPHeaderDict:
        headers = urllib3.HTTPHeaderDict()
        for name, value in (*self._headers, *request.headers.items()):
            headers.add(name, value)
        token = self._configuration.auth_settings().get("BearerToken", {}).get("value")
        if token:
            headers["Authorization"] = str(token)
        return headers


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


class _Call:
    """One request in a thread of its own, and somebody who waits for it no longer than agreed."""

    def __init__(self, transport: Transport, request: Request, timeout_s: float) -> None:
        self._transport = transport
        self._request = request
        self._timeout_s = timeout_s
        self._exchange = _Exchange()
        self._done = threading.Event()
        self._answer: Answer | None = None
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            limits = urllib3.Timeout(total=max(self._timeout_s, 0.001))
            self._answer = self._transport.finish(self._request, limits, self._exchange)
        except BaseException as error:  # noqa: BLE001  handed to the thread that waits, whatever it is
            self._error = error
        finally:
            self._done.set()

    def result(self) -> Answer:
        try:
            on_time = self._done.wait(self._timeout_s)
        finally:
            if not self._done.is_set():
                self._exchange.abandon()
        if not on_time:
            raise self._transport.too_late()
        if self._error is not None:
            raise self._error
        if self._answer is None:
            raise self._transport.too_late()
        return self._answer
