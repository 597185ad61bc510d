"""The custom kinds of the likeness cases: one of each feature of a schema that the product's CRDs use."""

from typing import Any, Final

GROUP: Final = "likeness.example.com"
LAMPS: Final = f"lamps.{GROUP}"
STREETS: Final = f"streets.{GROUP}"

_SPEC: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["period"],
    "properties": {
        "period": {"type": "string", "pattern": r"^[1-9]\d{0,3}(s|m|h)$"},
        "count": {"type": "integer", "minimum": 1, "maximum": 1_000_000_000},
        "identity": {"type": "string", "enum": ["short", "legacy"]},
        "rank": {"type": "integer", "default": 7},
        "name": {"type": "string", "minLength": 1, "maxLength": 8},
        "people": {
            "type": "object",
            "properties": {
                "users": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
                "groups": {"type": "array", "items": {"type": "string"}},
            },
            "x-kubernetes-validations": [
                {"rule": "size(self.users) > 0 || size(self.groups) > 0", "message": "somebody must own it"}
            ],
        },
        "refs": {
            "type": "array",
            "minItems": 1,
            "maxItems": 3,
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "value": {"type": "string"}},
            },
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
        },
        "limits": {"type": "object", "additionalProperties": {"type": "integer"}},
        "gateway": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "it stays"}]},
        "anything": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "port": {"x-kubernetes-int-or-string": True},
        "remark": {"type": "string", "nullable": True},
        "isOn": {"type": "boolean"},
    },
}
_STATUS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "phase": {"type": "string", "enum": ["Pending", "Active"]},
        "observedGeneration": {"type": "integer"},
        "conditions": {
            "type": "array",
            "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        },
    },
}
_SCHEMA: Final = {"type": "object", "properties": {"spec": _SPEC, "status": _STATUS}}


def definition(plural: str, kind: str, scope: str, *short: str, schema: Any = None) -> dict[str, Any]:
    """Return a CRD with two served versions, of which v1 is stored."""
    versions: list[dict[str, Any]] = [
        {
            "name": name,
            "served": True,
            "storage": name == "v1",
            "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": schema or _SCHEMA},
            "additionalPrinterColumns": [
                {"name": "Period", "type": "string", "jsonPath": ".spec.period"},
                {"name": "Phase", "type": "string", "jsonPath": ".status.phase"},
            ],
            "selectableFields": [{"jsonPath": ".spec.identity"}],
        }
        for name in ("v1alpha1", "v1")
    ]
    names = {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"}
    if short:
        names["shortNames"] = [*short]  # type: ignore[assignment]
    return {  # The group is the same for all: what a case needs beside it, it changes itself.
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {"group": GROUP, "scope": scope, "names": names, "versions": versions},
    }


KINDS: Final = (definition("lamps", "Lamp", "Namespaced", "lp"), definition("streets", "Street", "Cluster"))
"""A namespaced kind and a cluster-wide one."""


def lamp(name: str, spec: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    """Return a manifest of the namespaced kind; a usable spec unless one is given."""
    given = {"period": "1h", "count": 5} if spec is None else spec
    return {"apiVersion": f"{GROUP}/v1", "kind": "Lamp", "metadata": {"name": name, **metadata}, "spec": given}


def street(name: str) -> dict[str, Any]:
    """Return a manifest of the cluster-wide kind."""
    return {**lamp(name), "kind": "Street"}


def settings(name: str, data: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    """Return a ConfigMap's manifest."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": data or {}}


def deployment(name: str) -> dict[str, Any]:
    """Return a Deployment of two containers."""
    labels = {"app": name}
    containers = [
        {"name": "main", "image": "main:1", "env": [{"name": "MODE", "value": "plain"}]},
        {"name": "side", "image": "side:1"},
    ]
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}
