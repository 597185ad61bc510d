"""
The schemas of the built-in kinds.

They are read from the data files of ``kubernetes-validate``, which carry the
merge keys and list types too; the library itself, slow to import, is not loaded.
"""

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from migrate.sandbox.apiserver.protocol.values import Document, decode

NEWEST: Final = (1, 35)
"""The version that this server says it is."""

OBJECT_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_QUANTITY: Final = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_INT_OR_STRING: Final = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
_ANY_PREFIX: Final = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON"
_JSON_SCHEMA: Final = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"


@cache
def raw_definitions() -> dict[str, Document]:
    """
    Return the OpenAPI v3 definitions by name, references as ``#/components/schemas/...``.

    Raises:
        FileNotFoundError: The data files are not installed.
    """
    loaded = decode((_folder() / "_definitions.json").read_bytes())
    found: dict[str, Document] = {name: _to_openapi(schema) for name, schema in loaded["$defs"].items()}
    found[_QUANTITY] = {"description": found[_QUANTITY].get("description", ""), "type": "string"}
    found[_INT_OR_STRING] = {"format": "int-or-string", "type": "string", "x-kubernetes-int-or-string": True}
    return found


@cache
def definition_names() -> dict[tuple[str, str, str], str]:
    """Return the name of the definition for each group, version and kind."""
    return {
        (each["group"], each["version"], each["kind"]): name
        for name, schema in raw_definitions().items()
        for each in schema.get("x-kubernetes-group-version-kind", ())
        if len(schema["x-kubernetes-group-version-kind"]) == 1
    }


def schema_of(group: str, version: str, kind: str) -> Document | None:
    """Return the schema of a built-in kind with all references resolved, or None."""
    name = definition_names().get((group, version, kind))
    return None if name is None else _resolved()[name]


def object_meta() -> Document:
    """Return the schema of ``metadata``."""
    return _resolved()[OBJECT_META]


@cache
def _resolved() -> dict[str, Document]:
    # Schemas of schemas refer to themselves, so the result is a graph, not a tree.
    found: dict[str, Document] = {name: {} for name in raw_definitions()}
    for name, schema in raw_definitions().items():
        found[name].update(_linked(schema, found))
    found[_QUANTITY].update({"x-any-scalar": True})
    for name, node in found.items():
        if name.startswith(_ANY_PREFIX) and name != _JSON_SCHEMA:
            node.clear()
            if name.startswith(_JSON_SCHEMA):
                node["x-if-object"] = found[_JSON_SCHEMA]
    return found


def _linked(value: Any, found: dict[str, Document]) -> Any:
    if isinstance(value, list):
        return [_linked(item, found) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("$ref"), str):
        return _referred(value, found)
    return {key: _linked(item, found) for key, item in value.items() if key != "description" or isinstance(item, dict)}


def _referred(value: Document, found: dict[str, Document]) -> Document:
    target = found[value["$ref"].rsplit("/", 1)[1]]
    extra = {key: item for key, item in value.items() if key.startswith("x-kubernetes")}
    if not extra:
        return target
    return _Overlay(target, extra)


class _Overlay(dict[str, Any]):
    """A schema that refers to another and adds to it; looked up late, since the other may not be filled yet."""

    def __init__(self, target: Document, extra: Document) -> None:
        super().__init__(extra)
        self._target = target

    def __missing__(self, key: str) -> Any:
        return self._target[key]

    def get(self, key: str, default: Any = None) -> Any:
        return super().get(key, self._target.get(key, default))

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or key in self._target


def _folder() -> Path:
    spec = find_spec("kubernetes_validate")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("kubernetes-validate is not installed")
    root = Path(spec.submodule_search_locations[0]) / "kubernetes-json-schema"
    by_version = {
        (int(found[1]), int(found[2])): path
        for path in root.iterdir()
        if (found := re.match(r"v(\d+)\.(\d+)\.\d+-local$", path.name))
    }
    fitting = [version for version in by_version if version <= NEWEST]
    return by_version[max(fitting) if fitting else min(by_version)]


def _to_openapi(value: Any) -> Any:
    if isinstance(value, list):
        return [_to_openapi(item) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: _to_openapi(item) for key, item in value.items()}
    if isinstance(made.get("type"), list):
        made["type"] = next(kind for kind in made["type"] if kind != "null")
    if isinstance(made.get("$ref"), str):
        made["$ref"] = "#/components/schemas/" + made["$ref"].rsplit("/", 1)[1]
    if isinstance(made.get("enum"), list) and None in made["enum"]:
        made["enum"] = [item for item in made["enum"] if item is not None]
    return made
