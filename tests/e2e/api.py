"""What the tests ask the sandbox's server directly: quick reads, faults by rule, and the log of requests."""

import base64
import json
import ssl
import urllib.request
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import yaml

Json = dict[str, Any]

PLAYERS = "system:serviceaccount:kube-system:sandbox-controllers"
"""Who the played controllers are on the embedded server."""


class Api:
    """The server of one kubeconfig, as its administrator."""

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
        cluster = config["clusters"][0]["cluster"]
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self._server = str(cluster["server"])
        self._token = str(config["users"][0]["user"]["token"])
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}),
            urllib.request.HTTPSHandler(context=ssl.create_default_context(cadata=authority)),
        )

    def call(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Json:
        """Send one request and return its document. Raises HTTPError."""
        request = urllib.request.Request(
            f"{self._server}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": content_type},
        )
        with self._opener.open(request, timeout=30) as answer:
            found: Json = json.loads(answer.read() or b"{}")
            return found

    def get(self, path: str) -> Json:
        """Return an object or a list. Raises HTTPError."""
        return self.call("GET", path)

    def find(self, path: str) -> Json | None:
        """Return an object, None when it is not there."""
        try:
            return self.get(path)
        except HTTPError as error:
            if error.code == HTTPStatus.NOT_FOUND:
                return None
            raise

    def merge(self, path: str, body: Any, manager: str) -> Json:
        """Send a merge patch as the field manager *manager*."""
        return self.call("PATCH", f"{path}?fieldManager={manager}", body, "application/merge-patch+json")

    def fault(self, **rule: Any) -> None:
        """Plant a fault."""
        self.call("POST", "/sandbox/faults", rule)

    def clear_faults(self) -> None:
        """Take every fault away."""
        self.call("DELETE", "/sandbox/faults")

    def struck(self) -> list[int]:
        """Return how often each planted fault struck."""
        return [rule["done"] for rule in self.get("/sandbox/faults")["items"]]

    def requests(self) -> list[Json]:
        """Return the log of requests, oldest first."""
        found: list[Json] = self.get("/sandbox/requests")["items"]
        return found

    def forget_requests(self) -> None:
        """Empty the log of requests."""
        self.call("DELETE", "/sandbox/requests")

    def writes_of_the_tool(self) -> list[str]:
        """Return the tool's writes that were no dry-run, but for its lease and access reviews."""
        return [
            f"{entry['verb']} {entry['path']}"
            for entry in self.requests()
            if _is_write(entry) and entry["user_agent"].startswith("maas-migrate") and not entry["dry_run"]
        ]


def _is_write(entry: Mapping[str, Any]) -> bool:
    reads = {"get", "list", "watch"}
    return entry["verb"] not in reads and entry["resource"] not in {"leases", "selfsubjectaccessreviews", ""}
