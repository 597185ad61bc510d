"""A client as plain as HTTP, for cases that hold on any API server: nothing is retried, nothing is hidden."""

import itertools
import json
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import urllib3

from tests.contract.likeness_kinds import GROUP, KINDS

__all__ = [
    "APPLY",
    "JSON",
    "JSON_PATCH",
    "KINDS",
    "MERGE",
    "STRATEGIC",
    "Answer",
    "Api",
    "Seen",
    "config_maps",
    "lamps",
]

MERGE: Final = "application/merge-patch+json"
JSON_PATCH: Final = "application/json-patch+json"
STRATEGIC: Final = "application/strategic-merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"
JSON: Final = "application/json"
ADMIN: Final = "admin-token"
USER: Final = "user-token"
CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PATIENCE_S: Final = 30.0
"""How long something that a server does by itself may take."""
_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back: ``body`` is the JSON document, or an empty one where there was none."""

    status: int
    headers: Any
    body: dict[str, Any]
    text: str

    def get(self, *path: str | int) -> Any:
        """Return what stands at *path*, None where nothing does."""
        found: Any = self.body
        for key in path:
            try:
                found = found[key]
            except (KeyError, IndexError, TypeError):
                return None
        return found

    @property
    def version(self) -> int:
        """The resourceVersion as a number, 0 without one."""
        return int(self.get("metadata", "resourceVersion") or 0)

    @property
    def names(self) -> list[str]:
        """The names of a list's items, without what a server puts into every namespace by itself."""
        found = [item["metadata"]["name"] for item in self.body.get("items", [])]
        return [name for name in found if name != "kube-root-ca.crt"]

    @property
    def fields(self) -> list[str]:
        """The fields that a refusal names."""
        return [str(cause.get("field")) for cause in self.get("details", "causes") or []]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a watch told, and after how many seconds the server ended it; None when it did not."""

    status: int
    events: list[dict[str, Any]]
    ended_after_s: float | None

    @property
    def told(self) -> list[tuple[str, str]]:
        """Types and names."""
        return [(event["type"], event["object"]["metadata"].get("name", "")) for event in self.events]


class Api:
    """One target: ``call`` sends anything, the rest is short for it."""

    def __init__(self, name: str, url: str, ca_file: Path) -> None:
        self.name = name
        self.url = url
        self.ca_file = ca_file
        self._pool = urllib3.PoolManager(ca_certs=str(ca_file), retries=False, maxsize=40, timeout=30.0)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        kind: str = JSON,
        accept: str = JSON,
        token: str | None = ADMIN,
        headers: dict[str, str] | None = None,
        **query: Any,
    ) -> Answer:
        """Send one request; a body that is text goes as it stands."""
        sent = {"Accept": accept, **(headers or {})}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        data = None
        if body is not None:
            sent["Content-Type"] = kind
            data = body if isinstance(body, str | bytes) else json.dumps(body)
        where = self.url + path + (f"?{urlencode(query)}" if query else "")
        answer = self._pool.request(method, where, body=data, headers=sent)
        text = answer.data.decode("utf-8", "replace")
        return Answer(status=answer.status, headers=answer.headers, body=_document(text), text=text)

    def get(self, path: str, **query: Any) -> Answer:
        """Read."""
        return self.call("GET", path, **query)

    def create(self, path: str, body: Any, **query: Any) -> Answer:
        """POST."""
        return self.call("POST", path, body, **query)

    def put(self, path: str, body: Any, **query: Any) -> Answer:
        """Replace."""
        return self.call("PUT", path, body, **query)

    def merge(self, path: str, body: Any, **query: Any) -> Answer:
        """JSON merge patch."""
        return self.call("PATCH", path, body, kind=MERGE, **query)

    def patch(self, path: str, body: Any, kind: str, **query: Any) -> Answer:
        """Patch of any kind."""
        return self.call("PATCH", path, body, kind=kind, **query)

    def apply(self, path: str, body: Any, manager: str, **query: Any) -> Answer:
        """Server-side apply."""
        return self.call("PATCH", path, json.dumps(body), kind=APPLY, fieldManager=manager, **query)

    def delete(self, path: str, options: Any = None, **query: Any) -> Answer:
        """DELETE."""
        return self.call("DELETE", path, options, **query)

    def namespace(self) -> str:
        """Create a namespace that nobody else uses, and return its name."""
        name = f"likeness-{os.getpid()}-{next(_NUMBERS)}"
        made = self.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        assert made.status == 201, made
        return name

    def watch(self, path: str, *, count: int = 99, within_s: float = 5.0, last: str = "", **query: Any) -> Seen:
        """Watch until *count* events or one of *last* came, the server ended it, or nothing came for *within_s*."""
        headers = {"Accept": JSON, "Authorization": f"Bearer {ADMIN}"}
        where = f"{self.url}{path}?{urlencode({'watch': 'true', **query})}"
        timeout = urllib3.Timeout(connect=5.0, read=within_s)
        began = time.monotonic()
        answer = self._pool.request("GET", where, headers=headers, preload_content=False, timeout=timeout)
        if answer.status != 200:
            refused = _document(answer.read().decode())
            answer.release_conn()
            return Seen(status=answer.status, events=[{"type": "ERROR", "object": refused}], ended_after_s=0.0)
        events, ended = _events(answer, count, last)
        answer.close()
        after = time.monotonic() - began if ended else None
        return Seen(status=200, events=events, ended_after_s=after)

    def install(self, kinds: Sequence[dict[str, Any]]) -> None:
        """Create CRDs."""
        for kind in kinds:
            assert self.create(CRDS, kind).status in {201, 409}, kind["metadata"]["name"]

    def await_kinds(self, kinds: Sequence[dict[str, Any]]) -> None:
        """Wait until discovery and OpenAPI know the kinds: a real server learns them by and by."""
        wanted = {kind["spec"]["names"]["plural"] for kind in kinds}
        path = f"/apis/{GROUP}/v1"
        until(lambda: wanted <= {item["name"] for item in self.get(path).get("resources") or []})
        until(lambda: path.removeprefix("/") in (self.get("/openapi/v3").get("paths") or {}))

    def kubeconfig(self, path: Path, token: str = ADMIN) -> Path:
        """Write a kubeconfig into *path* and return it."""
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "it",
            "clusters": [{"name": "it", "cluster": {"server": self.url, "certificate-authority": str(self.ca_file)}}],
            "users": [{"name": "me", "user": {"token": token}}],
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "me", "namespace": "default"}}],
        }
        path.write_text(json.dumps(document))
        return path


class Kubectl:
    """The stock command, as a process of its own."""

    def __init__(self, program: Path, kubeconfig: Path) -> None:
        self._command = [str(program), "--kubeconfig", str(kubeconfig), "--cache-dir", str(kubeconfig.parent / "cache")]

    def __call__(self, *words: str, given: Any = None, code: int = 0) -> str:
        """Run it, expect *code*, return everything it said."""
        text = None if given is None else json.dumps(given)
        done = subprocess.run(
            [*self._command, *words], input=text, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr


def config_maps(namespace: str, name: str = "") -> str:
    """Return the path of ConfigMaps, or of one."""
    return f"/api/v1/namespaces/{namespace}/configmaps" + (f"/{name}" if name else "")


def lamps(namespace: str, *rest: str, version: str = "v1") -> str:
    """Return the path of lamps, of one, or of its subresource."""
    return "/".join((f"/apis/{GROUP}/{version}/namespaces/{namespace}/lamps", *rest))


def until(holds: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    """Wait for what a server does by itself; fail when it does not."""
    deadline = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.05)  # noqa: TID251 - a server does it by itself; nothing tells when


def _events(answer: Any, count: int, last: str) -> tuple[list[dict[str, Any]], bool]:
    events: list[dict[str, Any]] = []
    left = b""
    try:
        while len(events) < count and not (last and any(_name(event) == last for event in events)):
            chunk = answer.read1(65536)
            if not chunk:
                return events, True
            *lines, left = (left + chunk).split(b"\n")
            events.extend(json.loads(line) for line in lines if line.strip())
    except (urllib3.exceptions.ReadTimeoutError, urllib3.exceptions.ProtocolError):
        return events, False
    return events, False


def _name(event: dict[str, Any]) -> str:
    return str(event["object"].get("metadata", {}).get("name", ""))


def _document(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
