"""Serving: the server behind a port, for as long as a block lasts."""

import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from migrate.sandbox.apiserver.server import ApiServer
from migrate.sandbox.apiserver.transport.handler import handler_for
from migrate.sandbox.apiserver.transport.listener import Listener


@dataclass(frozen=True, slots=True)
class Running:
    """
    A server that listens.

    Attributes:
        url: Such as ``http://127.0.0.1:34567``.
    """

    server: ApiServer
    url: str


@contextmanager
def serve(
    server: ApiServer,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    tokens: Mapping[str, str] | None = None,
    tls: ssl.SSLContext | None = None,
) -> Iterator[Running]:
    """
    Serve *server* over HTTP until the block ends; then open watches end and the port is free.

    Args:
        server: What answers.

        host: The address to listen at.

        port: 0 takes a free one.

        tokens: Bearer token to user name; None keeps those of *server*.

        tls: Speak HTTPS with this context.
    """
    if tokens is not None:
        server.tokens = dict(tokens)
    listener = Listener((host, port), handler_for(server.handle), tls)
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        scheme = "https" if tls else "http"
        yield Running(server, f"{scheme}://{host}:{listener.server_address[1]}")
    finally:
        listener.stopping.set()
        listener.shutdown()
        thread.join()
        listener.finish(server.close)
        listener.server_close()
