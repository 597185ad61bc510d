"""HTTP/1.1 before the server: a thread a connection, watches in chunks, an end without loose ones."""

import contextlib
import select
import socket
import ssl
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from migrate.sandbox.apiserver.protocol.statuses import status_document
from migrate.sandbox.apiserver.protocol.values import encode
from migrate.sandbox.apiserver.protocol.wire import EventStream, Request, Response
from migrate.sandbox.apiserver.server import ApiServer

_TICK_S: Final = 1.0
_GRACE_S: Final = 3.0
_JSON: Final = "application/json"


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
    listener = _Listener((host, port), _handler(server), tls)
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


class _Listener(ThreadingHTTPServer):
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


def _handler(server: ApiServer) -> type[BaseHTTPRequestHandler]:
    return type("Handler", (_Handler,), {"answer": staticmethod(server.handle)})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "sandbox"
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = 300
    answer: ClassVar[Callable[[Request], Response]]
    server: _Listener

    def handle_one_request(self) -> None:
        """Read one request and answer it; a broken connection ends quietly."""
        try:
            super().handle_one_request()
        except (ConnectionError, ssl.SSLError, TimeoutError):
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing; the request log knows."""

    def _serve(self) -> None:
        request = self._read()
        if request is not None:
            with self.server.busy():
                self._respond(self._answer(request))

    def _answer(self, request: Request) -> Response:
        try:
            return type(self).answer(request)
        except Exception as error:  # noqa: BLE001 - a client must not hang for a mistake of ours
            traceback.print_exc()
            return Response(status=500, document=status_document(500, "InternalError", f"Internal error: {error!r}"))

    def _respond(self, response: Response) -> None:
        if response.delay_s:
            self.server.stopping.wait(response.delay_s)
        if response.reset:
            self._reset()
        elif response.stream is not None:
            self._send_stream(response, response.stream)
        else:
            self._send(response)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = _serve  # noqa: N815 - so they are called

    def _read(self) -> Request | None:
        body = self._read_body()
        if body is None:
            return None
        parts = urlsplit(self.path)
        headers = {name.lower(): ",".join(self.headers.get_all(name) or ()) for name in self.headers}
        return Request(
            method=self.command,
            path=unquote(parts.path),
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers=headers,
            body=body,
        )

    def _read_body(self) -> bytes | None:
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            return b"".join(self._read_chunks())
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit():
            self.send_error(400, "Bad Content-Length")
            self.close_connection = True
            return None
        return self.rfile.read(int(length))

    def _read_chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass

    def _send(self, response: Response) -> None:
        body = response.body
        self._send_head(response, {"Content-Length": str(len(body))})
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()

    def _send_head(self, response: Response, more: Mapping[str, str]) -> None:
        self.send_response(response.status)
        headers = {"Content-Type": _JSON, "Cache-Control": "no-cache, private", **response.headers, **more}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _send_stream(self, response: Response, stream: EventStream) -> None:
        try:
            self._send_head(response, {"Transfer-Encoding": "chunked"})
            self.wfile.flush()
            while not stream.closed:
                self._send_events(stream)
                if not stream.closed:
                    stream.wait(_TICK_S)
                if self._hung_up():
                    self.close_connection = True
                    return
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()
        finally:
            stream.close()

    def _send_events(self, stream: EventStream) -> None:
        events = stream.poll()
        for event in events:
            line = encode(event) + b"\n"
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
        if events:
            self.wfile.flush()

    def _hung_up(self) -> bool:
        readable, _, _ = select.select([self.connection], [], [], 0)
        if not readable:
            return False
        try:
            if not isinstance(self.connection, ssl.SSLSocket):
                return not self.connection.recv(1, socket.MSG_PEEK)
            # TLS cannot peek. Nobody sends anything while he watches, so whatever comes is the end.
            self.connection.settimeout(0.01)
            self.connection.recv(1)
        except (TimeoutError, ssl.SSLWantReadError):
            self.connection.settimeout(self.timeout)
            return False
        except OSError:
            return True
        return True

    def _reset(self) -> None:
        # With a linger of zero the kernel answers RST, which is what a crashed server looks like.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        self.close_connection = True
        self.connection.close()


def wait_until_ready(url: str, *, timeout_s: float = 10.0) -> None:
    """
    Return as soon as somebody listens at *url*.

    Raises:
        TimeoutError: Nobody does in time.
    """
    parts = urlsplit(url)
    ends_at = time.monotonic() + timeout_s
    while time.monotonic() < ends_at:
        with contextlib.suppress(OSError), socket.create_connection((parts.hostname or "", parts.port or 80), 1):
            return
    raise TimeoutError(f"nobody listens at {url}")
