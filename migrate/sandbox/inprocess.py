"""A carrier of calls that ends at an API server in this very process: no socket, no thread, virtual time."""

from collections.abc import Callable
from typing import Any

from migrate.sandbox.apiserver import ApiServer, Request, Response
from migrate.sandbox.apiserver.protocol.values import encode
from migrate.sandbox.controllers.refusals import UnavailableError, refusal
from migrate.sandbox.controllers.transport import Call, Stream


class InProcessTransport:
    """Calls ``ApiServer.handle`` as *user*; watches are polled."""

    def __init__(self, server: ApiServer, user: str = "admin") -> None:
        self._server = server
        self._user = user

    def send(self, call: Call) -> Any:
        """Return the JSON answer."""
        response = self._server.handle(self._request(call))
        if response.reset:
            raise UnavailableError(f"{call.method} {call.path}: the connection was reset")
        if response.status >= 400:
            raise refusal(response.status, _told(response))
        return response.json()

    def open(self, call: Call, on_event: Callable[[], None]) -> Stream:
        """Start a watch."""
        response = self._server.handle(self._request(call))
        if response.stream is None:
            raise refusal(response.status, _told(response))
        response.stream.tell(on_event)
        return response.stream

    def _request(self, call: Call) -> Request:
        body = b"" if call.body is None else encode(call.body)
        return Request(
            method=call.method,
            path=call.path,
            query=dict(call.query),
            headers={"content-type": call.content_type} if body else {},
            body=body,
            user=self._user,
        )


def _told(response: Response) -> Any:
    return response.json() if response.text is None else {"message": response.text.strip()}
