"""
How a played controller reaches an API server: over HTTP, or by any other carrier of the same shape.

A carrier inside the process makes virtual time possible: its streams are
polled and never waited for.
"""

import contextlib
import json
import math
import ssl
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from urllib.parse import urlencode

import urllib3

from migrate.sandbox.controllers.refusals import UnavailableError, refusal

CONNECT_TIMEOUT_S: Final = 5.0
READ_TIMEOUT_S: Final = 30.0
WATCH_SILENCE_S: Final = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """
    One request.

    Attributes:
        body: A JSON document, or None.
    """

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    content_type: str = "application/json"


class Stream(Protocol):
    """The events of a watch, as they come."""

    @property
    def closed(self) -> bool:
        """Whether it has ended and every event was taken."""
        ...

    def quiet_s(self) -> float:
        """Return in how many seconds there may be something to poll that ``on_event`` is not called for."""
        ...

    def poll(self) -> list[dict[str, Any]]:
        """Return the events since the last call; never waits."""
        ...

    def close(self) -> None:
        """End it."""
        ...


class Transport(Protocol):
    """A carrier of calls."""

    def send(self, call: Call) -> Any:
        """
        Return the JSON answer.

        Raises:
            ApiError: The server refused, or there was no answer.
        """
        ...

    def open(self, call: Call, on_event: Callable[[], None]) -> Stream:
        """
        Start a watch; *on_event* is called, from any thread, when there is something to poll.

        Raises:
            ApiError: The server refused, or there was no answer.
        """
        ...


class HttpTransport:
    """Calls over HTTP or HTTPS with a bearer token or a client certificate."""

    def __init__(self, url: str, *, token: str = "", tls: ssl.SSLContext | None = None) -> None:
        self.url = url.rstrip("/")
        self._headers = {"Accept": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._pool = urllib3.PoolManager(maxsize=16, retries=False, ssl_context=tls)

    def send(self, call: Call) -> Any:
        """Return the JSON answer."""
        response = self._request(call, preload=True, read_s=READ_TIMEOUT_S)
        document = _document(response.data)
        if response.status >= 400:
            raise refusal(response.status, document)
        return document

    def open(self, call: Call, on_event: Callable[[], None]) -> Stream:
        """Start a watch that a thread of its own reads."""
        response = self._request(call, preload=False, read_s=WATCH_SILENCE_S)
        if response.status >= 400:
            raise refusal(response.status, _document(response.read()))
        return HttpStream(response, on_event)

    def _request(self, call: Call, *, preload: bool, read_s: float) -> urllib3.BaseHTTPResponse:
        headers = dict(self._headers)
        body = None
        if call.body is not None:
            headers["Content-Type"] = call.content_type
            body = json.dumps(call.body, separators=(",", ":")).encode()
        try:
            return self._pool.request(
                call.method,
                self.url + call.path + (f"?{urlencode(call.query)}" if call.query else ""),
                body=body,
                headers=headers,
                preload_content=preload,
                timeout=urllib3.Timeout(connect=CONNECT_TIMEOUT_S, read=read_s),
            )
        except urllib3.exceptions.HTTPError as error:
            raise UnavailableError(f"{call.method} {call.path}: {error}") from error


class HttpStream:
    """A watch over HTTP, read line by line in a daemon thread."""

    def __init__(self, response: urllib3.BaseHTTPResponse, on_event: Callable[[], None]) -> None:
        self._response = response
        self._on_event = on_event
        self._events: deque[dict[str, Any]] = deque()
        self._ended = threading.Event()
        threading.Thread(target=self._read, name="watch", daemon=True).start()

    @property
    def closed(self) -> bool:
        """Whether it has ended and every event was taken."""
        return self._ended.is_set() and not self._events

    def quiet_s(self) -> float:
        """Return infinity: the thread that reads tells of everything."""
        return math.inf

    def poll(self) -> list[dict[str, Any]]:
        """Return the events since the last call."""
        taken = []
        while self._events:
            taken.append(self._events.popleft())
        return taken

    def close(self) -> None:
        """End it; the thread leaves when its read is cut."""
        self._ended.set()
        with contextlib.suppress(Exception):
            self._response.shutdown()

    def _read(self) -> None:
        rest = b""
        try:
            while not self._ended.is_set():
                chunk = self._response.read1()
                if not chunk:
                    break
                *lines, rest = (rest + chunk).split(b"\n")
                self._events.extend(json.loads(line) for line in lines if line.strip())
                if lines:
                    self._on_event()
        except (urllib3.exceptions.HTTPError, OSError, ValueError):
            pass  # A broken watch is opened again by whoever follows the kind.
        finally:
            self._ended.set()
            with contextlib.suppress(Exception):
                self._response.close()
            self._on_event()


def _document(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return {"message": body.decode(errors="replace")[:500]}
