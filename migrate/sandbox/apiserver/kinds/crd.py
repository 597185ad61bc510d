"""Rules of CustomResourceDefinitions: their schemas must be structural."""

from typing import Any

from migrate.sandbox.apiserver.protocol.statuses import Cause
from migrate.sandbox.apiserver.protocol.values import Document, dig, name_of
from migrate.sandbox.apiserver.resources.definitions import schema_of
from migrate.sandbox.apiserver.schemas.required import missing

_STILL_STORED = "was previously a storage version, and must remain in spec.versions"
_APPROVED = "api-approved.kubernetes.io"
_APPROVALS = "https://github.com/kubernetes/enhancements/pull/1111"
_VALUE_PARTS = ("allOf", "anyOf", "oneOf")


def fill_crd(document: Document) -> None:
    """Fill the names and the conversion that a CRD leaves out."""
    spec = document.setdefault("spec", {})
    names = spec.setdefault("names", {})
    if names.get("kind"):
        names.setdefault("singular", names["kind"].lower())
        names.setdefault("listKind", names["kind"] + "List")
    spec.setdefault("conversion", {"strategy": "None"})


def begin_crd(document: Document) -> None:
    """Leave a new CRD without status; it is set when the CRD is stored."""
    document.pop("status", None)


def check_crd(document: Document, old: Document | None) -> list[Cause]:
    """Return what is wrong with a CRD."""
    spec = document["spec"]
    causes = list(missing(_spec_schema(), spec, "spec")) + _check_names(document, spec)
    if spec.get("scope") not in {"Cluster", "Namespaced"}:
        causes.append(Cause.unsupported("spec.scope", spec.get("scope", ""), ["Cluster", "Namespaced"]))
    versions = spec.get("versions") or []
    if sum(bool(version.get("storage")) for version in versions) != 1:
        detail = "must have exactly one version marked as storage version"
        causes.append(Cause.invalid("spec.versions", [version.get("name") for version in versions], detail))
    for index, version in enumerate(versions):
        path = f"spec.versions[{index}].schema.openAPIV3Schema"
        schema = dig(version, "schema", "openAPIV3Schema")
        if schema is None:
            causes.append(Cause.required(path, "schemas are required"))
        else:
            causes += check_structural(schema, path)
    return causes + _check_fixed(spec, old) + _check_approval(document, old)


def _spec_schema() -> Document:
    found = schema_of("apiextensions.k8s.io", "v1", "CustomResourceDefinition") or {}
    spec: Document = found["properties"]["spec"]
    return spec


def _check_names(document: Document, spec: Document) -> list[Cause]:
    names = spec["names"]
    causes = [Cause.required(f"spec.names.{field}") for field in ("plural", "kind") if not names.get(field)]
    if not spec.get("group"):
        causes.append(Cause.required("spec.group"))
    wanted = f"{names.get('plural')}.{spec.get('group')}"
    if not causes and name_of(document) != wanted:
        detail = 'must be spec.names.plural+"."+spec.group'
        causes.append(Cause.invalid("metadata.name", name_of(document), detail))
    return causes


def _check_approval(document: Document, old: Document | None) -> list[Cause]:
    """Return what is missing where a new kind's group belongs to the Kubernetes project."""
    group = str(document["spec"].get("group", ""))
    if (
        old is not None
        or not group.endswith((".k8s.io", ".kubernetes.io"))
        or dig(document, "metadata", "annotations", _APPROVED)
    ):
        return []
    detail = f'protected groups must have approval annotation "{_APPROVED}", see {_APPROVALS}'
    return [Cause.required(f"metadata.annotations[{_APPROVED}]", detail)]


def _check_fixed(spec: Document, old: Document | None) -> list[Cause]:
    if old is None:
        return []
    pairs: tuple[tuple[str, Any, Any], ...] = (
        ("spec.group", spec.get("group"), old["spec"].get("group")),
        ("spec.scope", spec.get("scope"), old["spec"].get("scope")),
        ("spec.names.plural", dig(spec, "names", "plural"), dig(old, "spec", "names", "plural")),
        ("spec.names.kind", dig(spec, "names", "kind"), dig(old, "spec", "names", "kind")),
    )
    fixed = [Cause.invalid(path, new, "field is immutable") for path, new, was in pairs if new != was]
    served = [version.get("name") for version in spec.get("versions") or ()]
    stored: list[str] = dig(old, "status", "storedVersions", default=[])
    return fixed + [
        Cause.invalid(f"status.storedVersions[{index}]", name, f"missing from spec.versions; {name} {_STILL_STORED}")
        for index, name in enumerate(stored)
        if name not in served
    ]


def check_structural(schema: Document, path: str) -> list[Cause]:
    """Return where *schema* is not structural."""
    causes = []
    loose = schema.get("x-kubernetes-int-or-string") or schema.get("x-kubernetes-preserve-unknown-fields")
    if not schema.get("type") and not loose:
        root = path.endswith("openAPIV3Schema")
        detail = "must not be empty at the root" if root else "must not be empty for specified object fields"
        causes.append(Cause.required(f"{path}.type", detail))
    if not isinstance(schema.get("items", {}), dict):
        causes.append(Cause.forbidden(f"{path}.items", "items must be a schema object and not an array"))
    elif schema.get("type") == "array" and not schema.get("items"):
        causes.append(Cause.required(f"{path}.items", "must be specified"))
    if schema.get("properties") and schema.get("additionalProperties"):
        detail = "additionalProperties and properties are mutual exclusive"
        causes.append(Cause.forbidden(f"{path}.additionalProperties", detail))
    for name, node in (schema.get("properties") or {}).items():
        causes += check_structural(node, f"{path}.properties[{name}]")
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            causes += check_structural(schema[name], f"{path}.{name}")
    for part in _VALUE_PARTS:
        for index, node in enumerate(schema.get(part) or ()):
            causes += _check_value_part(node, f"{path}.{part}[{index}]")
    return causes


def _check_value_part(schema: Document, path: str) -> list[Cause]:
    words = ("description", "default", "additionalProperties", "nullable")
    return [Cause.forbidden(f"{path}.{word}", "must be empty to be structural") for word in words if schema.get(word)]
