"""DELETE: one object, or all that are selected."""

from datetime import datetime

from migrate.sandbox.apiserver.protocol.statuses import Cause, bad_request, conflict, success
from migrate.sandbox.apiserver.protocol.values import Document, clone, metadata_of, name_of, namespace_of
from migrate.sandbox.apiserver.protocol.wire import Response
from migrate.sandbox.apiserver.storage.store import Slot
from migrate.sandbox.apiserver.verbs.bodies import parse_body
from migrate.sandbox.apiserver.verbs.call import Call, Core, as_version, must_get
from migrate.sandbox.apiserver.verbs.reading import selected
from migrate.sandbox.apiserver.verbs.writing import is_released

_POLICIES = {"Foreground": "foregroundDeletion", "Orphan": "orphan"}


def delete(core: Core, call: Call) -> Response:
    """
    Delete the object, or mark it while finalizers hold it.

    Raises:
        StatusError: It is absent, or a precondition fails.
    """
    options = _read_options(call)
    with core.store.lock:
        found = must_get(core, call)
        _check_preconditions(call, options.get("preconditions") or {}, found)
        left = _remove(core, call, found, options)
    if left is not None:
        return Response(document=as_version(call.resource, left))
    metadata = metadata_of(found)
    details = {"name": call.target.name, "group": call.resource.group, "kind": call.resource.plural}
    told = {key: value for key, value in {**details, "uid": metadata["uid"]}.items() if value}
    return Response(document=success(told))


def delete_collection(core: Core, call: Call) -> Response:
    """Delete every selected object."""
    options = _read_options(call)
    with core.store.lock:
        found = selected(core, call)
        for document in found:
            _remove(core, call, document, options)
        revision = str(core.store.revision)
    items = [as_version(call.resource, document) for document in found]
    head = {"kind": call.resource.list_kind, "apiVersion": call.resource.api_version}
    return Response(document={**head, "metadata": {"resourceVersion": revision}, "items": items})


def _read_options(call: Call) -> Document:
    options: Document = {}
    if call.request.body:
        options = parse_body(call)
        if not isinstance(options.get("preconditions") or {}, dict):
            raise bad_request("preconditions is no JSON object")
    policy = call.option("propagationPolicy") or options.get("propagationPolicy") or ""
    if policy not in {"", "Background", *_POLICIES}:
        allowed = ["Foreground", "Background", "Orphan", "nil"]
        raise call.invalid_option(Cause.unsupported("propagationPolicy", policy, allowed))
    if call.option("orphanDependents").lower() == "true" or options.get("orphanDependents"):
        policy = "Orphan"
    dry_run = call.dry_run or options.get("dryRun") == ["All"]
    return {**options, "propagationPolicy": policy, "dryRun": dry_run}


def _check_preconditions(call: Call, wanted: Document, found: Document) -> None:
    resource, metadata = call.resource, metadata_of(found)
    for field, word, guess in (
        ("uid", "UID", "deleted and then recreated"),
        ("resourceVersion", "ResourceVersion", "modified"),
    ):
        if wanted.get(field) and wanted[field] != metadata.get(field):
            why = (
                f"the {word} in the precondition ({wanted[field]}) does not match the {word} in record "
                f"({metadata.get(field)}). The object might have been {guess}"
            )
            raise conflict(resource.kind, resource.group, name_of(found), why)


def _remove(core: Core, call: Call, found: Document, options: Document) -> Document | None:
    """Delete *found* and return None, or mark it and return what stays."""
    slot = Slot(namespace_of(found), name_of(found))
    marked = _marked(core.clock.now(), call, found, options)
    if is_released(marked):
        if not options["dryRun"]:
            core.store.remove(call.resource.key, slot)
        return None
    if options["dryRun"] or marked == found:
        return marked
    return core.store.put(call.resource.key, marked)


def _marked(now: datetime, call: Call, found: Document, options: Document) -> Document:
    marked: Document = clone(found)
    metadata = metadata_of(marked)
    finalizer = _POLICIES.get(options["propagationPolicy"])
    if finalizer and finalizer not in (metadata.get("finalizers") or []):
        metadata["finalizers"] = [*(metadata.get("finalizers") or []), finalizer]
    if "deletionTimestamp" not in metadata:
        metadata["deletionTimestamp"] = now.strftime("%Y-%m-%dT%H:%M:%SZ")
        metadata["deletionGracePeriodSeconds"] = 0
        if "generation" in metadata:
            metadata["generation"] += 1
    if call.resource.kind == "Namespace" and not call.resource.group:
        metadata.pop("deletionGracePeriodSeconds", None)
        marked["status"] = {**(marked.get("status") or {}), "phase": "Terminating"}
    return marked
