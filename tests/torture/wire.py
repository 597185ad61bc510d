"""The way from the tool to the server: in this process, on virtual time, and not always whole."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from migrate.kube.connection import Connection, Opened
from migrate.kube.errors import FailedAnswerError, NoAnswerError
from migrate.kube.transport import Answer, Stream
from migrate.kube.transport import Request as ToolRequest
from migrate.records.objects import Json
from migrate.sandbox.apiserver import ApiServer, Request, Response
from tests.torture.clock import Time
from tests.torture.points import Points

WHERE: Final = "https://simulated:6443 directly"
USER: Final = "admin"
SLOW_S: Final = 5.0


@dataclass(frozen=True, kw_only=True)
class Sent:
    """
    One request of ours that could change something, and what became of it.

    Attributes:
        code: 0 when it never arrived.

        before: The object as it was on the server just before, None for none.

        told: Whether the tool was told that code.
    """

    process: int
    method: str
    path: str
    body: Json
    at_s: float
    code: int
    before: Json | None = None
    told: bool = True
    dry_run: bool = False

    @property
    def is_lease(self) -> bool:
        return "/leases" in self.path

    @property
    def took_effect(self) -> bool:
        return 200 <= self.code < 300 and not self.dry_run


@dataclass(kw_only=True)
class Wire:
    """
    Carries requests of one process; fits what ``Connection`` asks of a transport.

    Attributes:
        before_write: Called with each request that may change something, just before it arrives.

        unknown: Paths of writes whose outcome the tool was not told and has not looked up since.
    """

    server: ApiServer
    time: Time
    points: Points
    process: int
    sent: list[Sent]
    before_write: list[Callable[[str, str, Json], None]] = field(default_factory=list)
    steal_lease: Callable[[], None] = lambda: None
    touch: Callable[[str], None] = lambda _: None
    reads: int = 0
    unknown: set[str] = field(default_factory=set)

    def connection(self) -> Connection:
        return Connection(
            lambda: Opened(transport=self), server="https://simulated:6443", context="torture", user="admin"
        )

    def send(self, request: ToolRequest, timeout_s: float) -> Answer:
        timeout_s = max(1.0, float(round(timeout_s)))
        if request.method == "GET" or request.path.endswith("reviews"):
            return self._read(request, timeout_s)
        dry_run = ("dryRun", "All") in request.params
        return self._dry_run(request, timeout_s) if dry_run else self._write(request, timeout_s)

    def stream(self, request: ToolRequest, *, connect_s: float, idle_s: float) -> Stream:
        raise NotImplementedError(f"nothing is watched here: {request.path}, {connect_s}, {idle_s}")

    def close(self) -> None:
        """Close nothing."""

    def _read(self, request: ToolRequest, timeout_s: float) -> Answer:
        self.reads += 1
        self.unknown = {path for path in self.unknown if not request.path.startswith(path)}
        self._happens(self.points.reach("read", "read"), timeout_s)
        return _answer(self._ask(request))

    def _dry_run(self, request: ToolRequest, timeout_s: float) -> Answer:
        fault = self.points.reach("dry-run", f"{request.method} {_resource(request.path)}")
        if fault == "conflict":
            self.touch(request.path)
        else:
            self._happens(fault, timeout_s)
        response = self._ask(request)
        self._note(request, response.status, None, dry_run=True)
        return _answer(response)

    def _write(self, request: ToolRequest, timeout_s: float) -> Answer:
        what = f"{request.method} {_resource(request.path)}"
        fault = self.points.reach("api.before", what)
        if fault == "conflict":
            self.touch(request.path)
        elif fault == "lease-lost":
            self.steal_lease()
        else:
            if fault in {"dropped", "failed"}:
                self.unknown.add(request.path)
            self._happens(fault, timeout_s, lambda: self._note(request, 0, None))
        body = _body(request)
        for happens in self.before_write:
            happens(request.method, request.path, body)
        before = self.server.get(request.path) if request.method != "POST" else None
        response = self._ask(request)
        self._note(request, response.status, before)
        fault = self.points.reach("api.after", what)
        if fault:
            self.unknown.add(request.path)
        self._happens(fault, timeout_s)
        return _answer(response)

    def _happens(self, fault: str, timeout_s: float, note: Callable[[], None] = lambda: None) -> None:
        """Raise what *fault* means for the request."""
        if fault:
            note()
        match fault:
            case "dropped" | "lost":
                self.time.pass_by(timeout_s)
                raise NoAnswerError(f"{WHERE} gave no answer in time", cause="timeout", where=WHERE)
            case "reset":
                raise NoAnswerError(f"{WHERE}: connection reset", cause="reset", where=WHERE)
            case "throttled":
                raise _failure(429, "TooManyRequests", {"retry-after": "1"})
            case "failed":
                raise _failure(500, "InternalError", {})
            case "slow":
                self.time.pass_by(min(SLOW_S, timeout_s / 2))
            case _:
                return

    def _ask(self, request: ToolRequest) -> Response:
        asked = Request(
            method=request.method,
            path=request.path,
            query=dict(request.params),
            headers={name.lower(): value for name, value in request.headers.items()},
            body=request.body or b"",
            user=USER,
        )
        return self.server.handle(asked)

    def _note(self, request: ToolRequest, code: int, before: Json | None, *, dry_run: bool = False) -> None:
        self.sent.append(
            Sent(
                process=self.process,
                method=request.method,
                path=request.path,
                body=_body(request),
                at_s=self.time.passed_s,
                code=code,
                before=before,
                dry_run=dry_run,
            )
        )


def _answer(response: Response) -> Answer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    if not 200 <= response.status < 300:
        raise FailedAnswerError(response.status, headers, response.body)
    return Answer(status=response.status, headers=headers, body=response.body)


def _failure(code: int, reason: str, headers: dict[str, str]) -> FailedAnswerError:
    status = {"kind": "Status", "apiVersion": "v1", "code": code, "reason": reason, "message": f"simulated {reason}"}
    return FailedAnswerError(code, headers, json.dumps(status).encode())


def _body(request: ToolRequest) -> Json:
    found: Any = json.loads(request.body) if request.body else {}
    return dict(found) if isinstance(found, dict) else {}


def _resource(path: str) -> str:
    """Return the plural that a path is about."""
    parts = path.split("/")
    if "namespaces" in parts:
        after = parts[parts.index("namespaces") + 2 :]
        return after[0] if after else "namespaces"
    return parts[-2] if len(parts) > 5 else parts[-1]
