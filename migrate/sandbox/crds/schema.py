"""A short way to write structural schemas, and the frame of a CRD around one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

Schema = dict[str, Any]

ANYTHING: Final[Schema] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
BOOL: Final[Schema] = {"type": "boolean"}
LABEL: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
LABEL_OR_EMPTY: Final = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$"


def text(*, least: int = 0, most: int = 0, pattern: str = "", default: str | None = None) -> Schema:
    """Return a string of *least* to *most* characters that matches *pattern*."""
    made: Schema = {"type": "string"}
    made |= {"minLength": least} if least else {}
    made |= {"maxLength": most} if most else {}
    made |= {"pattern": pattern} if pattern else {}
    return made | ({"default": default} if default is not None else {})


def choice(*values: str) -> Schema:
    """Return a string that is one of *values*."""
    return {"type": "string", "enum": list(values)}


def flag(*, default: bool) -> Schema:
    """Return a boolean with a default."""
    return {"type": "boolean", "default": default}


def number(
    least: int | None = None, most: int | None = None, *, default: int | None = None, form: str = "int32"
) -> Schema:
    """Return an integer from *least* to *most*."""
    made: Schema = {"type": "integer", "format": form}
    made |= {"minimum": least} if least is not None else {}
    made |= {"maximum": most} if most is not None else {}
    return made | ({"default": default} if default is not None else {})


def items(of: Schema, *, least: int = 0, most: int = 0) -> Schema:
    """Return a list of *of*."""
    made: Schema = {"type": "array", "items": of}
    made |= {"minItems": least} if least else {}
    return made | ({"maxItems": most} if most else {})


def texts() -> Schema:
    """Return a map from strings to strings."""
    return {"type": "object", "additionalProperties": {"type": "string"}}


def thing(properties: Schema, *, required: Sequence[str] = (), rules: Sequence[tuple[str, str]] = ()) -> Schema:
    """Return an object; *rules* are CEL rules with their messages."""
    made: Schema = {"type": "object", "properties": properties}
    made |= {"required": list(required)} if required else {}
    found = [{"rule": rule, "message": message} for rule, message in rules]
    return made | ({"x-kubernetes-validations": found} if found else {})


def conditions() -> Schema:
    """Return a list of ``metav1.Condition``."""
    fields = {
        "type": text(most=316),
        "status": choice("True", "False", "Unknown"),
        "reason": text(least=1, most=1024, pattern="^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"),
        "message": text(most=32768),
        "observedGeneration": number(0, form="int64"),
        "lastTransitionTime": {"type": "string", "format": "date-time"},
    }
    made = items(thing(fields, required=("type", "status", "reason", "message", "lastTransitionTime")))
    return {**made, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]}


@dataclass(frozen=True, slots=True)
class CustomKind:
    """
    A kind that a CRD defines, always with a status subresource.

    Attributes:
        versions: All served; the first is stored and preferred.

        short_names: Other names for kubectl.

        schema: Of the whole object; None keeps whatever comes.

        columns: Name, type and path of the columns for kubectl, besides the age.
    """

    group: str
    versions: tuple[str, ...]
    kind: str
    plural: str
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    schema: Schema | None = None
    columns: tuple[tuple[str, str, str], ...] = ()

    def to_crd(self) -> dict[str, Any]:
        """Return the CRD."""
        names: dict[str, Any] = {
            "kind": self.kind,
            "listKind": f"{self.kind}List",
            "plural": self.plural,
            "singular": self.kind.lower(),
        }
        if self.short_names:
            names["shortNames"] = list(self.short_names)
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{self.plural}.{self.group}"} | self._approval(),
            "spec": {
                "group": self.group,
                "names": names,
                "scope": "Namespaced" if self.namespaced else "Cluster",
                "versions": [self._version(version) for version in self.versions],
            },
        }

    def _approval(self) -> dict[str, Any]:
        """Return the annotation without which a server takes no CRD for a group of the Kubernetes project."""
        if not self.group.endswith((".k8s.io", ".kubernetes.io")):
            return {}
        return {"annotations": {"api-approved.kubernetes.io": "unapproved, a small stand-in for a sandbox"}}

    def _version(self, version: str) -> dict[str, Any]:
        shown = [{"name": name, "type": form, "jsonPath": path} for name, form, path in self.columns]
        shown.append({"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"})
        return {
            "name": version,
            "served": True,
            "storage": version == self.versions[0],
            "schema": {"openAPIV3Schema": self.schema or _open_schema()},
            "subresources": {"status": {}},
            "additionalPrinterColumns": shown,
        }


def _open_schema() -> Schema:
    return {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {"spec": ANYTHING, "status": ANYTHING},
    }


def whole(spec: Schema, status: Schema, *, rules: Sequence[tuple[str, str]] = (), needs_spec: bool = True) -> Schema:
    """Return the schema of a whole object."""
    base = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}
    required = ("spec",) if needs_spec else ()
    return thing({**base, "spec": spec, "status": status}, required=required, rules=rules)
