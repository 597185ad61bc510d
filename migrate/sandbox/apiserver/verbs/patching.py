"""PATCH: change an object by one of four kinds of patch."""

from typing import Any, Final

from migrate.sandbox.apiserver.patching.apply import ApplyConflictError, apply_document
from migrate.sandbox.apiserver.patching.jsonpatching import MalformedPatchError, PatchError, apply_json_patch
from migrate.sandbox.apiserver.patching.merge import merge
from migrate.sandbox.apiserver.patching.misfits import misfits
from migrate.sandbox.apiserver.patching.strategic import UnfitPatchError, strategic_merge
from migrate.sandbox.apiserver.protocol.statuses import (
    Cause,
    StatusError,
    bad_request,
    unsupported_media_type,
)
from migrate.sandbox.apiserver.protocol.values import Document, clone, decode, decode_yaml, metadata_of, without
from migrate.sandbox.apiserver.protocol.wire import Response
from migrate.sandbox.apiserver.schemas.typed import TypedDecodeError
from migrate.sandbox.apiserver.schemas.validation import validate
from migrate.sandbox.apiserver.verbs.bodies import check_kind, media_type, read_declared, shape_patched
from migrate.sandbox.apiserver.verbs.call import Call, Core, as_version, must_get
from migrate.sandbox.apiserver.verbs.creating import place
from migrate.sandbox.apiserver.verbs.writing import prepare_new, store_changed, store_new

JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
STRATEGIC_PATCH: Final = "application/strategic-merge-patch+json"
APPLY_PATCH: Final = "application/apply-patch+yaml"


def patch(core: Core, call: Call) -> Response:
    """
    Change the object by the patch in the body; an apply may create it.

    Raises:
        StatusError: The patch is no patch, does not fit, or breaks a rule.
    """
    kind = media_type(call)
    accepted = [JSON_PATCH, MERGE_PATCH, APPLY_PATCH] + ([] if call.resource.custom else [STRATEGIC_PATCH])
    if kind not in accepted:
        raise unsupported_media_type(accepted)
    call.must_have_usable_options()
    if kind == APPLY_PATCH:
        return _apply(core, call)
    if call.option("force"):
        cause = Cause.forbidden("force", "may not be specified for non-apply patch")
        raise call.invalid_option(cause)
    change = _read_patch(call)
    with core.store.lock:
        old = as_version(call.resource, must_get(core, call))
        new = shape_patched(call, _patched(call, kind, old, change))
        _keep_identity(call, new)
        stored = store_changed(core, call, old, new)
    return Response(document=as_version(call.resource, stored))


def _read_patch(call: Call) -> Any:
    try:
        return decode(call.request.body)
    except ValueError as error:
        raise bad_request(f"error decoding patch: {error}") from error


def _patched(call: Call, kind: str, old: Document, change: Any) -> Document:
    if kind == JSON_PATCH:
        return _by_json_patch(call, old, change)
    if not isinstance(change, dict):
        raise bad_request("error decoding patch: json: cannot unmarshal the value into an object")
    try:
        made: Document = merge(old, change) if kind == MERGE_PATCH else strategic_merge(call.schema, old, change)
    except UnfitPatchError as error:
        raise bad_request(f"error decoding patch: {error}") from error
    return made


def _by_json_patch(call: Call, old: Document, change: Any) -> Document:
    try:
        made = apply_json_patch(old, change)
    except MalformedPatchError as error:
        raise bad_request(f"error decoding patch: {error}") from error
    except PatchError as error:
        raise StatusError(422, "Invalid", str(error), details={}) from error
    if not isinstance(made, dict):
        raise bad_request("the patch leaves no object")
    result: Document = made
    del call
    return result


def _keep_identity(call: Call, new: Document) -> None:
    for field, wanted in (("apiVersion", call.resource.api_version), ("kind", call.resource.kind)):
        if new.get(field) != wanted:
            raise bad_request(f"the {field} of the object may not be changed by a patch")


def _apply(core: Core, call: Call) -> Response:
    if not call.option("fieldManager"):
        cause = Cause.required("fieldManager", "is required for apply patch")
        raise call.invalid_option(cause)
    applied = _read_applied(call)
    with core.store.lock:
        live = core.store.get(call.resource.key, call.slot)
        if live is None:
            return _create_by_apply(core, call, applied)
        live = as_version(call.resource, live)
        given = metadata_of(applied)
        version = given.pop("resourceVersion", None)
        uid = given.pop("uid", None)
        new = clone(_merged(core, call, live, applied))
        if version is not None:
            metadata_of(new)["resourceVersion"] = version
        if uid is not None:
            metadata_of(new)["uid"] = uid
        stored = store_changed(core, call, live, new, "Apply")
    return Response(document=as_version(call.resource, stored))


def _read_applied(call: Call) -> Document:
    try:
        applied = decode_yaml(call.request.body)
    except ValueError as error:
        raise bad_request(f"error decoding YAML: {error}") from error
    if not isinstance(applied, dict):
        raise bad_request("the patch is no object")
    check_kind(call, applied)
    applied = _own_part(call, _declared(call, applied))
    place(call, applied)
    metadata = metadata_of(applied)
    if metadata.pop("managedFields", None):
        raise bad_request("metadata.managedFields must be nil")
    name = metadata.setdefault("name", call.target.name)
    if name != call.target.name:
        raise bad_request(f"the name of the object ({name}) does not match the name on the URL ({call.target.name})")
    return applied


def _declared(call: Call, applied: Document) -> Document:
    # Apply has no use for fields that nobody declared, so it never lets them pass.
    try:
        made, unknown = read_declared(call, applied)
    except TypedDecodeError as error:
        raise _untyped(call, str(error)) from error
    wrong = misfits(validate(call.schema, applied), applied) if call.resource.custom else []
    wrong = wrong or [f".{path}: field not declared in schema" for path in unknown]
    if wrong:
        raise _untyped(call, ", ".join(wrong))
    return made


def _untyped(call: Call, problem: str) -> StatusError:
    resource, target = call.resource, call.target
    where = f"{target.namespace}/{target.name}; {resource.group}/{resource.version}, Kind={resource.kind}"
    return StatusError(500, "", f"failed to create typed patch object ({where}): {problem}")


def _own_part(call: Call, applied: Document) -> Document:
    if call.target.subresource == "status":
        return {key: value for key, value in applied.items() if key != "spec"}
    return without(applied, ["status"]) if call.resource.has("status") else applied


def _create_by_apply(core: Core, call: Call, applied: Document) -> Response:
    if call.target.subresource:
        raise call.not_found()
    if metadata_of(applied).get("uid"):
        raise _precondition(call, str(metadata_of(applied)["uid"]))
    new = _merged(core, call, {}, applied)
    managed = metadata_of(new).get("managedFields")
    prepare_new(core, call, new)
    if managed:
        metadata_of(new)["managedFields"] = managed
    return Response(status=201, document=store_new(core, call, new, "Apply"))


def _precondition(call: Call, uid: str) -> StatusError:
    message = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
    details = {"name": call.target.name, "kind": call.resource.plural}
    details |= {"group": call.resource.group} if call.resource.group else {}
    which = f"{call.resource.plural}.{call.resource.group}".rstrip(".")
    prefix = f'Operation cannot be fulfilled on {which} "{call.target.name}": '
    return StatusError(409, "Conflict", prefix + message, details=details)


def _merged(core: Core, call: Call, live: Document, applied: Document) -> Document:
    try:
        return apply_document(
            call.schema, live, applied, call.manager("Apply"), now=core.now(), force=call.is_set("force")
        )
    except ApplyConflictError as error:
        causes = [{"reason": "FieldManagerConflict", "message": owner, "field": path} for path, owner in error.owners]
        raise StatusError(409, "Conflict", str(error), details={"causes": causes}) from error
