"""Requests and responses as values, so that the core never sees a socket."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self
from urllib.parse import parse_qsl, urlsplit

from migrate.sandbox.apiserver.protocol.values import Document, decode, encode


class EventStream(Protocol):
    """
    The body of a watch: events that come by and by.

    ``poll`` never blocks, so a simulation pumps it; a thread sleeps in ``wait``.
    """

    @property
    def closed(self) -> bool:
        """Whether the stream has ended and every event of it was taken."""
        ...

    def poll(self) -> list[Document]:
        """Return the events since the last call. They may be shared with the store: read them, never change them."""
        ...

    def tell(self, on_event: Callable[[], None]) -> None:
        """Call *on_event*, from any thread, whenever events have been queued or the stream has ended."""
        ...

    def quiet_s(self) -> float:
        """Return in how many seconds something may come that nobody is told of: a bookmark, or the end."""
        ...

    def wait(self, timeout_s: float) -> None:
        """Block until there may be something to poll, at most *timeout_s*."""
        ...

    def close(self) -> None:
        """End the stream; what was queued may still be polled."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """
    One call.

    Attributes:
        headers: Names in lower case.

        user: Who calls, for callers inside the process that need no token.
            Over HTTP it is always None and the token decides.
    """

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    user: str | None = None

    @classmethod
    def to(
        cls,
        method: str,
        target: str,
        document: Any = None,
        *,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
        user: str | None = None,
    ) -> Self:
        """Return the request for *target*, a path with an optional query, that carries *document*."""
        parts = urlsplit(target)
        named = {name.lower(): value for name, value in (headers or {}).items()}
        body = b"" if document is None else document if isinstance(document, bytes) else encode(document)
        if body:
            named.setdefault("content-type", content_type)
        return cls(
            method=method,
            path=parts.path,
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers=named,
            body=body,
            user=user,
        )

    def header(self, name: str) -> str:
        """Return the header *name*, or an empty string."""
        return self.headers.get(name.lower(), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """
    One answer.

    Attributes:
        document: The JSON body. It may be shared with the store: read it, never change it.

        text: The body where it is no JSON.

        stream: The events of a watch; then there is no other body.

        delay_s: How long the transport (or a simulation) holds the answer back.

        reset: The caller gets no answer at all: the connection breaks.
    """

    status: int = 200
    document: Any = None
    text: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: EventStream | None = None
    delay_s: float = 0.0
    reset: bool = False

    @property
    def body(self) -> bytes:
        """The body as it goes over the wire."""
        return encode(self.document) if self.text is None else self.text.encode()

    def json(self) -> Any:
        """Return a copy of the body that is the caller's own."""
        return decode(self.body)
