"""
The back door under ``/sandbox``: faults and the request log over HTTP.

It is no part of Kubernetes, and only the administrator may use it.
"""

from typing import Final, Protocol

from migrate.sandbox.apiserver.meddling.faults import Fault, Faults
from migrate.sandbox.apiserver.meddling.requestlog import RequestLog
from migrate.sandbox.apiserver.protocol.statuses import PageNotFoundError, bad_request
from migrate.sandbox.apiserver.protocol.values import decode
from migrate.sandbox.apiserver.protocol.wire import Request, Response

ROOT: Final = "/sandbox/"


class Server(Protocol):
    """What the back door opens to."""

    @property
    def faults(self) -> Faults:
        """The planted rules."""
        ...

    @property
    def log(self) -> RequestLog:
        """What was asked."""
        ...

    def plant(self, fault: Fault) -> int:
        """Plant *fault*."""
        ...

    def compact(self, revision: int | None = None) -> None:
        """Forget history."""
        ...

    def drop_watches(self, fault: Fault | None = None) -> int:
        """End watches."""
        ...


def answer(server: Server, request: Request) -> Response:
    """
    Return what lies behind the path of *request*.

    ``/sandbox/faults`` takes POST (one rule), GET and DELETE (``?id=``);
    ``/sandbox/requests`` GET and DELETE; ``/sandbox/compact`` and ``/sandbox/drop-watches`` POST.

    Raises:
        PageNotFoundError: Nothing does.
    """
    match request.method, request.path.removeprefix(ROOT).rstrip("/"):
        case "POST", "faults":
            return Response(status=201, document={"id": server.plant(_fault(request))})
        case "GET", "faults":
            return Response(document={"items": server.faults.listed()})
        case "DELETE", "faults":
            number = request.query.get("id")
            server.faults.clear(int(number) if number else None)
        case "GET", "requests":
            return Response(document={"items": [each.to_document() for each in server.log.entries()]})
        case "DELETE", "requests":
            server.log.clear()
        case "POST", "compact":
            server.compact()
        case "POST", "drop-watches":
            return Response(document={"ended": server.drop_watches(_fault(request) if request.body else None)})
        case _:
            raise PageNotFoundError(request.path)
    return Response(document={})


def _fault(request: Request) -> Fault:
    try:
        return Fault.from_document(decode(request.body))
    except (ValueError, TypeError) as error:
        raise bad_request(str(error)) from error
