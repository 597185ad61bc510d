"""OpenAPI: the schemas of everything served, one document a group and version."""

import hashlib
from typing import Any, Final

from migrate.sandbox.apiserver.protocol.values import Document
from migrate.sandbox.apiserver.resources.catalogue import Catalogue
from migrate.sandbox.apiserver.resources.definitions import OBJECT_META, definition_names, raw_definitions
from migrate.sandbox.apiserver.resources.resource import Resource

_PREFIX: Final = "#/components/schemas/"
_JSON: Final = "application/json"
SWAGGER_PROTOBUF: Final = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
"""How kubectl asks for the old document; it reads no other form."""
SWAGGER_CONTENT: Final = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
"""What the answer is called: the name that is asked for is no legal media type."""
_DELETE_OPTIONS: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"


def index(catalogue: Catalogue, version: str) -> Document:
    """Return the document at ``/openapi/v3``: where the others are."""
    mark = hashlib.sha256(f"{version}/{catalogue.edition}".encode()).hexdigest().upper()
    paths = {}
    for group, versions in catalogue.groups().items():
        for each in versions:
            path = f"apis/{group}/{each}" if group else f"api/{each}"
            paths[path] = {"serverRelativeURL": f"/openapi/v3/{path}?hash={mark}"}
    return {"paths": paths}


def document(catalogue: Catalogue, group: str, version: str, release: str) -> Document | None:
    """Return the OpenAPI v3 document of one group and version, or None where nothing is served."""
    served = [each for each in catalogue.all() if (each.group, each.version) == (group, version)]
    if not served:
        return None
    schemas: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    for resource in served:
        _add_schema(resource, schemas)
        paths.update(_paths(resource))
    _add_definition(_DELETE_OPTIONS, schemas)
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": release},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def swagger(catalogue: Catalogue, release: str) -> Document:
    """Return the Swagger 2.0 document of all that is served."""
    schemas: dict[str, Any] = {}
    for resource in catalogue.all():
        _add_schema(resource, schemas)
    return {
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": release},
        "paths": {},
        "definitions": {name: _to_swagger(schema) for name, schema in schemas.items()},
    }


def swagger_protobuf(release: str) -> str:
    """
    Return the Swagger 2.0 document as protobuf, with its head alone.

    kubectl asks for it when it is given a ``List``. Where no kind is described it checks nothing itself
    and leaves that to the server, which is told to be strict.
    """
    info = _text_field(1, "Kubernetes") + _text_field(2, release)
    return _text_field(1, "2.0") + _text_field(2, info)


def _text_field(number: int, text: str) -> str:
    """Return a length-delimited protobuf field; *text* is ASCII and shorter than 128 characters."""
    return chr(number << 3 | 2) + chr(len(text)) + text


def schema_name(resource: Resource) -> str:
    """Return how the documents name the schema of *resource*."""
    known = None if resource.custom else definition_names().get((resource.group, resource.version, resource.kind))
    return known or ".".join([*reversed(resource.group.split(".")), resource.version, resource.kind])


def _add_schema(resource: Resource, schemas: dict[str, Any]) -> None:
    name = schema_name(resource)
    if name in raw_definitions():
        _add_definition(name, schemas)
        return
    given = dict(resource.schema or {"type": "object"})
    meta = {"$ref": _PREFIX + OBJECT_META}
    given["properties"] = {**(given.get("properties") or {}), "metadata": meta}
    given["x-kubernetes-group-version-kind"] = [_kind(resource)]
    schemas[name] = given
    _add_definition(OBJECT_META, schemas)


def _add_definition(name: str, schemas: dict[str, Any]) -> None:
    if name in schemas or name not in raw_definitions():
        return
    schemas[name] = raw_definitions()[name]
    for found in _references(schemas[name]):
        _add_definition(found, schemas)


def _references(value: Any) -> set[str]:
    found: set[str] = set()
    if isinstance(value, dict):
        reference = value.get("$ref")
        if isinstance(reference, str):
            found.add(reference.rsplit("/", 1)[1])
        for item in value.values():
            found |= _references(item)
    elif isinstance(value, list):
        for item in value:
            found |= _references(item)
    return found


def _kind(resource: Resource) -> Document:
    return {"group": resource.group, "version": resource.version, "kind": resource.kind}


def _paths(resource: Resource) -> dict[str, Any]:
    base = f"/apis/{resource.group}/{resource.version}" if resource.group else f"/api/{resource.version}"
    if resource.namespaced:
        base += "/namespaces/{namespace}"
    base += f"/{resource.plural}"
    body = {"content": {_JSON: {"schema": {"$ref": _PREFIX + schema_name(resource)}}}}
    every: dict[str, Any] = {"get": "list", "post": "create"}
    single: dict[str, Any] = {"get": "get", "put": "update", "patch": "patch", "delete": "delete"}
    made = {
        base: {method: _operation(resource, verb, body) for method, verb in every.items() if verb in resource.verbs},
        base + "/{name}": {
            method: _operation(resource, verb, body) for method, verb in single.items() if verb in resource.verbs
        },
    }
    return {path: operations for path, operations in made.items() if operations}


def _operation(resource: Resource, verb: str, body: Document) -> Document:
    names = ["dryRun", "fieldManager", "fieldValidation"] if verb in {"create", "update", "patch"} else ["pretty"]
    made: Document = {
        "operationId": f"{verb}{resource.version.capitalize()}{resource.kind}",
        "parameters": [{"name": name, "in": "query", "schema": {"type": "string"}} for name in names],
        "responses": {"200": {"description": "OK", **body}},
        "x-kubernetes-action": {"create": "post", "update": "put"}.get(verb, verb),
        "x-kubernetes-group-version-kind": _kind(resource),
    }
    if verb in {"create", "update", "patch"}:
        made["requestBody"] = body
    return made


def _to_swagger(value: Any) -> Any:
    if isinstance(value, dict):
        made = {name: _to_swagger(item) for name, item in value.items()}
        if isinstance(made.get("$ref"), str):
            made["$ref"] = made["$ref"].replace(_PREFIX, "#/definitions/")
        return made
    if isinstance(value, list):
        return [_to_swagger(item) for item in value]
    return value
