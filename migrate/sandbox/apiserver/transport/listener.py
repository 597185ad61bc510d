"""The socket that listens, and the connections that are open."""

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

_GRACE_S: Final = 3.0


class Listener(ThreadingHTTPServer):
    """
    Takes connections, over TLS if it has a context, and gives each a thread.

    Attributes:
        stopping: Set when the server is about to end.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(
        self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], tls: ssl.SSLContext | None
    ) -> None:
        self.stopping = threading.Event()
        self._tls = tls
        self._connections: set[socket.socket] = set()
        self._busy = 0
        self._changed = threading.Condition()
        super().__init__(address, handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        """Take a connection."""
        connection, address = super().get_request()
        if self._tls is None:
            return connection, address
        # The handshake waits until the connection has its own thread.
        return self._tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remember the connection until it is closed."""
        with self._changed:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget the connection and close it."""
        with self._changed:
            self._connections.discard(request)
        super().shutdown_request(request)

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Count a request as being answered."""
        with self._changed:
            self._busy += 1
        try:
            yield
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def finish(self, end_watches: Callable[[], None]) -> None:
        """Let what is being answered end, then close the connections that clients keep."""
        ends_at = time.monotonic() + _GRACE_S
        with self._changed:
            while self._busy and time.monotonic() < ends_at:
                end_watches()
                self._changed.wait(0.05)
            idle = list(self._connections)
        for connection in idle:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that hangs up is no error of ours."""
