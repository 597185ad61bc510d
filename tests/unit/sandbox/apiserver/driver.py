"""What the tests of this folder share: a clock that stands still and a hand that sends requests."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from urllib.parse import urlencode

from migrate.sandbox.apiserver import ApiServer, EventStream, Request, Response

MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
WIDGETS = "/apis/example.com/v1/namespaces/default/widgets"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
NAMESPACES = "/api/v1/namespaces"


class StillClock:
    """A clock that moves only when it is told to."""

    def __init__(self) -> None:
        self.instant = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.instant

    def advance(self, seconds: float) -> None:
        self.instant += timedelta(seconds=seconds)


class Api:
    """Sends requests to a server in the same process."""

    def __init__(self, **options: Any) -> None:
        self.clock = StillClock()
        self.server = ApiServer(clock=self.clock, rng=Random(7), **options)

    def __call__(self, method: str, path: str, document: Any = None, kind: str = "", **query: Any) -> Response:
        target = path + ("?" + urlencode(query) if query else "")
        kind = kind or "application/json"
        headers = {"user-agent": "tester/1.0 (linux)"}
        return self.server.handle(Request.to(method, target, document, content_type=kind, headers=headers))

    def get(self, path: str, **query: Any) -> Any:
        return self("GET", path, **query).document

    def post(self, path: str, document: Any, **query: Any) -> Response:
        return self("POST", path, document, **query)

    def put(self, path: str, document: Any, **query: Any) -> Response:
        return self("PUT", path, document, **query)

    def merge(self, path: str, document: Any, **query: Any) -> Response:
        return self("PATCH", path, document, MERGE, **query)

    def apply(self, path: str, document: Any, manager: str, **query: Any) -> Response:
        return self("PATCH", path, document, APPLY, fieldManager=manager, **query)

    def delete(self, path: str, document: Any = None, **query: Any) -> Response:
        return self("DELETE", path, document, **query)

    def watch(self, path: str, **query: Any) -> EventStream:
        stream = self("GET", path, watch="true", **query).stream
        if stream is None:
            raise AssertionError("no stream was opened")
        return stream


def config_map(name: str, data: dict[str, str] | None = None, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": data or {}}


def widget(name: str, spec: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    head = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name, **metadata}}
    return {**head, "spec": spec if spec is not None else {"window": "1h"}}


def deployment(name: str) -> dict[str, Any]:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "main", "image": "i:1"}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template},
    }


SPEC: dict[str, Any] = {
    "type": "object",
    "required": ["window"],
    "properties": {
        "window": {"type": "string", "pattern": "^[1-9][0-9]*(s|m|h)$", "maxLength": 5},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
        "mode": {"type": "string", "enum": ["short", "legacy"]},
        "priority": {"type": "integer", "default": 7},
        "users": {"type": "array", "maxItems": 3, "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "rules": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["key"],
            "items": {"type": "object", "properties": {"key": {"type": "string"}, "v": {"type": "string"}}},
        },
        "fixed": {
            "type": "string",
            "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "fixed is immutable"}],
        },
        "port": {"x-kubernetes-int-or-string": True},
        "note": {"type": "string", "nullable": True},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
    "x-kubernetes-validations": [{"rule": "!has(self.limit) || self.limit != 13", "message": "13 brings bad luck"}],
}


def crd(spec: dict[str, Any] | None = None, *, status: bool = True) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {
            "spec": spec or SPEC,
            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        },
    }

    def version(name: str, *, storage: bool) -> dict[str, Any]:
        return {
            "name": name,
            "served": True,
            "storage": storage,
            "schema": {"openAPIV3Schema": schema},
            "subresources": {"status": {}} if status else {},
            "additionalPrinterColumns": [{"name": "Window", "type": "string", "jsonPath": ".spec.window"}],
            "selectableFields": [{"jsonPath": ".spec.mode"}],
        }

    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [version("v1alpha1", storage=False), version("v1", storage=True)],
        },
    }


def causes(response: Response) -> list[str]:
    """The fields that a refusal names."""
    return [cause["field"] for cause in response.document.get("details", {}).get("causes", [])]
