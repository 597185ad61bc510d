"""One connection: requests in, responses and events out."""

import select
import socket
import ssl
import traceback
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from migrate.sandbox.apiserver.protocol.statuses import status_document
from migrate.sandbox.apiserver.protocol.values import encode
from migrate.sandbox.apiserver.protocol.wire import EventStream, Request, Response
from migrate.sandbox.apiserver.transport.listener import Listener

_TICK_S: Final = 1.0
_JSON: Final = "application/json"


def handler_for(answer: Callable[[Request], Response]) -> type[BaseHTTPRequestHandler]:
    """Return the class whose objects put every request to *answer*."""
    return type("Handler", (_Handler,), {"answer": staticmethod(answer)})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "sandbox"
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = 300
    answer: ClassVar[Callable[[Request], Response]]
    server: Listener

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
