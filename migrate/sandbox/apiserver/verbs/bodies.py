"""Bodies: from bytes to a document of the right kind, unknown fields told or refused."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from migrate.sandbox.apiserver.protocol.protobuf import MEDIA_TYPE, UnknownMessageError, decode_protobuf
from migrate.sandbox.apiserver.protocol.statuses import Cause, StatusError, bad_request, invalid, unsupported_media_type
from migrate.sandbox.apiserver.protocol.values import Document, decode, decode_yaml
from migrate.sandbox.apiserver.resources.definitions import object_meta
from migrate.sandbox.apiserver.schemas.pruning import prune
from migrate.sandbox.apiserver.schemas.repeated import find_repeated
from migrate.sandbox.apiserver.schemas.typed import TypedDecodeError, read_typed
from migrate.sandbox.apiserver.verbs.call import Call

ACCEPTED: Final = ("application/json", "application/yaml", MEDIA_TYPE)

_DECODERS: Final[Mapping[str, Callable[[bytes], Any]]] = {
    "": decode,
    "application/json": decode,
    "application/yaml": decode_yaml,
    MEDIA_TYPE: decode_protobuf,
}


def media_type(call: Call) -> str:
    """Return the type of the body, without parameters."""
    return call.request.header("content-type").split(";")[0].strip().lower()


def read_body(call: Call) -> Document:
    """
    Return the body of a create or an update.

    Raises:
        StatusError: It is no object, or no object of the kind that the path names.
    """
    body = parse_body(call)
    check_kind(call, body)
    return body


def parse_body(call: Call) -> Document:
    """
    Return the body as an object of whatever kind.

    Raises:
        StatusError: It is of an unknown type, or no object.
    """
    decoder = _DECODERS.get(media_type(call))
    if decoder is None:
        raise unsupported_media_type(ACCEPTED)
    try:
        body = decoder(call.request.body)
    except UnknownMessageError as error:
        raise unsupported_media_type(ACCEPTED) from error
    except ValueError as error:
        message = f"couldn't get version/kind; json parse error: {error}"
        raise bad_request(message) from error
    if not isinstance(body, dict):
        raise bad_request("the body is no JSON object")
    return body


def check_kind(call: Call, body: Document) -> None:
    """
    Refuse a *body* of another kind than the path names; fill what it leaves out.

    Raises:
        StatusError: Kind or version differ.
    """
    wanted = call.resource
    kind = body.setdefault("kind", wanted.kind)
    version = body.setdefault("apiVersion", wanted.api_version)
    if version != wanted.api_version:
        raise bad_request(
            f"the API version in the data ({version}) does not match the expected API version ({wanted.api_version})"
        )
    if kind != wanted.kind:
        raise bad_request(
            f'{kind} in version "{wanted.version}" cannot be handled as a {wanted.kind}: unknown conversion'
        )


def shape(call: Call, body: Document) -> Document:
    """
    Return *body* with only the fields that its kind has.

    Raises:
        StatusError: A value has a wrong type, or fields are unknown and validation is strict.
    """
    try:
        made, problem = read_as_kind(call, body)
    except TypedDecodeError as error:
        raise bad_request(_cannot(call, str(error))) from error
    if problem:
        raise bad_request(_cannot(call, problem))
    return made


def shape_patched(call: Call, patched: Document) -> Document:
    """
    Return *patched* with only the fields that its kind has.

    Raises:
        StatusError: As for ``shape``; but what a patch makes is invalid, not malformed.
    """
    try:
        made, problem = read_as_kind(call, patched)
    except TypedDecodeError as error:
        made, problem = patched, str(error)
    if problem:
        raise _bad_patch(patched, problem)
    return made


def _bad_patch(patched: Document, problem: str) -> StatusError:
    shown = json.dumps(patched, separators=(",", ":"))
    return invalid("", "", "", [Cause.invalid("patch", shown, problem)])


def _cannot(call: Call, problem: str) -> str:
    resource = call.resource
    return f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: {problem}'


def read_as_kind(call: Call, body: Document) -> tuple[Document, str]:
    """Return *body* as its kind holds it and, where validation is strict, what is wrong with its fields."""
    made, unknown = read_declared(call, body)
    if call.field_validation == "Ignore":
        return made, ""
    twice = find_repeated(call.request.body) if media_type(call) in {"", "application/json"} else []
    if not unknown and not twice:
        return made, ""
    told = [f'duplicate field "{path}"' for path in twice] + [f'unknown field "{path}"' for path in unknown]
    if call.field_validation == "Strict":
        return made, "strict decoding error: " + ", ".join(told)
    call.warnings.extend(told)
    return made, ""


def read_declared(call: Call, body: Document) -> tuple[Document, list[str]]:
    """
    Return *body* with only the fields that its kind declares, and the paths of the others.

    Raises:
        TypedDecodeError: A value has another type than its field.
    """
    resource = call.resource
    if resource.schema is None:
        return body, []
    return _read_custom(resource.schema, body) if resource.custom else read_typed(resource.schema, body, resource.kind)


def _read_custom(schema: Document, body: Document) -> tuple[Document, list[str]]:
    given: Any = body.get("metadata") or {}
    if not isinstance(given, dict):
        raise TypedDecodeError("metadata is no JSON object")
    metadata, unknown_metadata = read_typed(object_meta(), given, "ObjectMeta.metadata")
    made, unknown = prune(schema, body)
    return {**made, "metadata": metadata}, [f"metadata.{path}" for path in unknown_metadata] + [
        path for path in unknown if not path.startswith("metadata.")
    ]
