"""A carrier of calls that ends at an API server in this very process: no socket, no thread, virtual time."""

from collections.abc import Callable
from typing import Any

from migrate.sandbox.apiserver import ApiServer, EventStream, Request
from migrate.sandbox.controllers.refusals import UnavailableError, refusal
from migrate.sandbox.controllers.transport import Call, Stream


class InProcessTransport:
    """Calls ``ApiServer.handle`` as *user*; watches are polled, so *on_event* is never called."""

    def __init__(self, server: ApiServer, user: str = "admin") -> None:
        self._server = server
        self._user = user

    def send(self, call: Call) -> Any:
        """Return the JSON answer."""
        response = self._server.handle(self._request(call))
        if response.reset:
            raise UnavailableError(f"{call.method} {call.path}: the connection was reset")
        document = response.json()
        if response.status >= 400:
            raise refusal(response.status, document)
        return document

    def open(self, call: Call, on_event: Callable[[], None]) -> Stream:
        """Start a watch."""
        del on_event
        response = self._server.handle(self._request(call))
        if response.stream is None:
            raise refusal(response.status, response.json())
        return _Events(response.stream)

    def _request(self, call: Call) -> Request:
        request = Request.to(call.method, call.path, call.body, content_type=call.content_type, user=self._user)
        return Request(
            method=request.method,
            path=request.path,
            query=dict(call.query),
            headers=request.headers,
            body=request.body,
            user=self._user,
        )


class _Events:
    def __init__(self, stream: EventStream) -> None:
        self._stream = stream

    @property
    def closed(self) -> bool:
        return self._stream.closed

    def poll(self) -> list[dict[str, Any]]:
        return self._stream.poll()

    def close(self) -> None:
        self._stream.close()
