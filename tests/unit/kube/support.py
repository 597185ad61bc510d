"""A server that answers by script, a clock that passes by sleeping, and the kubeconfig that leads there."""

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import yaml

from migrate.kube.connect import ConnectOptions, connect
from migrate.kube.connection import Connection
from migrate.records.objects import ObjectRef

START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
CONFIG_MAP = ObjectRef(api_version="v1", kind="ConfigMap", namespace="default", name="settings")


class RealClock:
    """Real time."""

    def now(self) -> datetime:
        return datetime.fromtimestamp(time.time(), UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        threading.Event().wait(seconds)


class VirtualClock:
    """Time that passes only by sleeping; remembers each sleep."""

    def __init__(self) -> None:
        self.passed_s = 0.0
        self.slept: list[float] = []

    def now(self) -> datetime:
        return START + timedelta(seconds=self.passed_s)

    def monotonic(self) -> float:
        return self.passed_s

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.passed_s += seconds


class Reply(msgspec.Struct, kw_only=True):
    """
    One answer of the script.

    Attributes:
        reset: Break the connection instead.

        hang_s: Say nothing for so long; ``head_gap_s`` and ``body_gap_s`` trickle byte by byte.
    """

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = {}
    raw: bytes | None = None
    reset: bool = False
    hang_s: float = 0.0
    head_gap_s: float = 0.0
    body_gap_s: float = 0.0


class Seen(msgspec.Struct, kw_only=True):
    """One request as it came."""

    method: str
    path: str
    headers: list[tuple[str, str]]
    body: Any

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]


def status(code: int, reason: str = "", message: str = "", **details: Any) -> Reply:
    """Return a Status as a reply."""
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason}
    return Reply(status=code, body={**body, "message": message, "details": details})


class Script:
    """A server: per path the replies in order, the last one for ever; unknown paths answer a bare 404."""

    def __init__(self) -> None:
        self.replies: dict[str, list[Reply]] = {}
        self.seen: list[Seen] = []
        self.url = ""
        self.stopping = threading.Event()

    def on(self, path: str, *replies: Reply, method: str = "") -> None:
        self.replies[f"{method} {path}"] = list(replies)

    def next(self, method: str, path: str) -> Reply:
        bare = path.partition("?")[0]
        for key in (f"{method} {path}", f" {path}", f"{method} {bare}", f" {bare}", " *"):
            waiting = self.replies.get(key)
            if waiting:
                return waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return Reply(status=404, raw=b"404 page not found\n")

    def paths(self) -> list[str]:
        return [f"{seen.method} {seen.path.partition('?')[0]}" for seen in self.seen]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    script: Script

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that give up are part of the game."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base class's name
        pass

    def _serve(self) -> None:
        server = self.server
        assert isinstance(server, _Server)
        length = int(self.headers.get("Content-Length") or 0)
        text = self.rfile.read(length) if length else b""
        body = json.loads(text) if text else None
        server.script.seen.append(
            Seen(method=self.command, path=self.path, headers=list(self.headers.items()), body=body)
        )
        self._answer(server.script.next(self.command, self.path), server.script)

    do_GET = do_POST = do_PATCH = do_DELETE = do_CONNECT = _serve  # noqa: N815  names of the base class

    def _answer(self, reply: Reply, script: Script) -> None:
        script.stopping.wait(reply.hang_s)
        if reply.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
            return
        text = reply.raw if reply.raw is not None else json.dumps(reply.body).encode()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(text)), **reply.headers}
        lines = [f"HTTP/1.1 {reply.status} X", *(f"{key}: {value}" for key, value in headers.items())]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode()
        self._trickle(head, reply.head_gap_s, script)
        self._trickle(text, reply.body_gap_s, script)

    def _trickle(self, text: bytes, gap_s: float, script: Script) -> None:
        if not gap_s:
            self.wfile.write(text)
            return
        for byte in text:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            if script.stopping.wait(gap_s):
                return


@contextmanager
def scripted() -> Iterator[Script]:
    """Serve a script until the block ends."""
    script = Script()
    server = _Server(("127.0.0.1", 0), _Handler)
    server.script = script
    script.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        script.stopping.set()
        server.shutdown()
        thread.join()
        server.server_close()


def kubeconfig(
    path: Path,
    server: str,
    user: Mapping[str, Any] | None = None,
    *,
    context: str = "prod",
    cluster: Mapping[str, Any] | None = None,
) -> str:
    """Write a kubeconfig with one context and return its path."""
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": context,
        "contexts": [{"name": context, "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": server, **(cluster or {})}}],
        "users": [{"name": "u", "user": dict(user if user is not None else {"token": "t"})}],
    }
    path.write_text(yaml.safe_dump(document))
    return str(path)


def connected(folder: Path, server: str, *, timeout_s: float = 5.0, token: str = "t") -> Connection:
    """Return a connection to *server* with a token."""
    path = kubeconfig(folder / f"{token}.kubeconfig", server, {"token": token})
    return connect(ConnectOptions(kubeconfig=path, request_timeout_s=timeout_s), {})


def serve_core(script: Script) -> None:
    """Let *script* serve ConfigMaps, and nothing else."""
    script.on("/api", Reply(body={"kind": "APIVersions", "versions": ["v1"]}))
    script.on("/apis", Reply(body={"kind": "APIGroupList", "groups": []}))
    resource = {"name": "configmaps", "kind": "ConfigMap", "namespaced": True}
    script.on("/api/v1", Reply(body={"kind": "APIResourceList", "resources": [resource]}))
    script.on("/version", Reply(body={"gitVersion": "v1.35.4"}))
    script.on("/api/v1/namespaces/kube-system", Reply(body={"metadata": {"uid": "cluster-1"}}))


def config_map(name: str = "settings", **more: Any) -> dict[str, Any]:
    """Return a ConfigMap as a server gives it."""
    metadata = {"name": name, "namespace": "default", "uid": f"uid-{name}", "resourceVersion": "7"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "1"}, **more}
