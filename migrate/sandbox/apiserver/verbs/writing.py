"""What all writes share: the way from a wanted document to a stored one."""

import uuid
from typing import Final

from migrate.sandbox.apiserver.access.escalation import check_grant
from migrate.sandbox.apiserver.access.rbac import RoleBasedAccess
from migrate.sandbox.apiserver.kinds.metadata import (
    carry_system_fields,
    check_metadata,
    check_metadata_update,
    is_same,
)
from migrate.sandbox.apiserver.kinds.rules import rules_of
from migrate.sandbox.apiserver.patching.ownership import Operation, track_update
from migrate.sandbox.apiserver.protocol.statuses import Cause, already_exists, conflict, forbidden, invalid, not_found
from migrate.sandbox.apiserver.protocol.values import Document, clone, metadata_of, name_of, namespace_of, without
from migrate.sandbox.apiserver.schemas.cel_rules import check_rules
from migrate.sandbox.apiserver.schemas.defaulting import fill_defaults
from migrate.sandbox.apiserver.schemas.validation import validate
from migrate.sandbox.apiserver.storage.store import Slot, StorageKey
from migrate.sandbox.apiserver.verbs.call import Call, Core, as_version

NAMESPACES: Final = StorageKey("", "namespaces")
_SUFFIX: Final = "bcdfghjklmnpqrstvwxz2456789"
BLOCKING: Final = frozenset(
    {
        "FieldValueNotSupported",
        "FieldValueRequired",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid",
    }
)
"""What must be mended before the rules of a kind are looked at."""
UNCHECKED: Final = [
    Cause.invalid(
        "<nil>",
        None,
        "some validation rules were not checked because the object was invalid; "
        "correct the existing errors to complete validation",
    )
]
_SYSTEM_FIELDS: Final = (
    "uid",
    "creationTimestamp",
    "resourceVersion",
    "generation",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
)


def prepare_new(core: Core, call: Call, document: Document) -> None:
    """
    Turn *document*, in place, into what a create would store, resourceVersion apart.

    Raises:
        StatusError: It may not be created, or not like this.
    """
    resource = call.resource
    metadata = document.setdefault("metadata", {})
    for field in _SYSTEM_FIELDS:
        metadata.pop(field, None)
    if metadata.get("generateName") and not metadata.get("name"):
        suffix = "".join(core.rng.choice(_SUFFIX) for _ in range(5))
        metadata["name"] = metadata["generateName"][:58] + suffix
    _must_have_namespace(core, call, name_of(document))
    metadata["uid"] = str(uuid.UUID(int=core.rng.getrandbits(128), version=4))
    metadata["creationTimestamp"] = core.now()
    if resource.generation != "none":
        metadata["generation"] = 1
    if resource.has("status"):
        document.pop("status", None)
    rules = rules_of(resource.group, resource.kind)
    rules.fill(document)
    rules.begin(document)
    complete(call, document, None)


def complete(call: Call, document: Document, old: Document | None) -> None:
    """
    Fill the defaults of *document*, in place, and hold it against all rules.

    Raises:
        StatusError: It breaks some.
    """
    resource = call.resource
    causes = check_metadata(document, resource.kind)
    if resource.custom and resource.schema is not None:
        fill_defaults(resource.schema, document)
        found = validate(resource.schema, document)
        causes += found
        if resource.rules is not None:
            causes += UNCHECKED if any(each.reason in BLOCKING for each in found) else _broken(call, document, old)
    else:
        causes += rules_of(resource.group, resource.kind).check(document, old)
    if causes:
        raise invalid(resource.kind, resource.group, name_of(document), _unique(causes))


def _broken(call: Call, document: Document, old: Document | None) -> list[Cause]:
    return check_rules(call.resource.rules, document, old)


def _unique(causes: list[Cause]) -> list[Cause]:
    return list(dict.fromkeys(causes))


def _must_have_namespace(core: Core, call: Call, name: str) -> None:
    if not call.resource.namespaced:
        return
    namespace = call.target.namespace
    found = core.store.get(NAMESPACES, Slot("", namespace))
    if found is None:
        raise not_found("namespaces", "", namespace)
    if metadata_of(found).get("deletionTimestamp"):
        why = f"unable to create new content in namespace {namespace} because it is being terminated"
        refusal = forbidden(call.resource.plural, call.resource.group, name, why)
        cause = {"reason": "NamespaceTerminating", "message": f"namespace {namespace} is being terminated"}
        refusal.details = {**(refusal.details or {}), "causes": [{**cause, "field": "metadata.namespace"}]}
        raise refusal


def store_new(core: Core, call: Call, document: Document, operation: Operation = "Update") -> Document:
    """
    Store *document*, which ``prepare_new`` made ready.

    Raises:
        StatusError: The name is taken.
    """
    resource = call.resource
    check_grant(RoleBasedAccess(core.store), call.user, document)
    if core.store.get(resource.key, Slot(namespace_of(document), name_of(document))) is not None:
        raise already_exists(resource.plural, resource.group, name_of(document))
    if operation == "Update":
        track_update(call.schema, None, document, call.manager("Update"), core.now())
    return document if call.dry_run else core.store.put(resource.key, document)


def store_changed(core: Core, call: Call, old: Document, new: Document, operation: Operation = "Update") -> Document:
    """
    Store *new* in place of *old*, or return *old* where nothing changes.

    The caller gives *new* away. What the subresource may not touch is taken from *old*.

    Raises:
        StatusError: It rests on an old version or breaks a rule.
    """
    resource = call.resource
    old = as_version(resource, old)
    check_version(call, old, new)
    carry_system_fields(old, new)
    new = _only_own_part(call, old, new)
    rules_of(resource.group, resource.kind).fill(new)
    _count_generation(call, old, new)
    causes = check_metadata_update(old, new)
    if causes:
        raise invalid(resource.kind, resource.group, name_of(old), causes)
    complete(call, new, old)
    check_grant(RoleBasedAccess(core.store), call.user, new, old)
    if operation == "Update":
        track_update(call.schema, old, new, call.manager("Update"), core.now())
    if is_same(old, new):
        return old
    if call.dry_run:
        return new
    if is_released(new):
        return core.store.remove(resource.key, Slot(namespace_of(old), name_of(old)), new)
    return core.store.put(resource.key, new)


def is_released(document: Document) -> bool:
    """Whether a document is being deleted and nothing holds it any more."""
    metadata = metadata_of(document)
    held = metadata.get("finalizers")
    if document.get("kind") == "Namespace" and document.get("apiVersion") == "v1":
        held = held or (document.get("spec") or {}).get("finalizers")
    return bool(metadata.get("deletionTimestamp")) and not held


def check_version(call: Call, old: Document, new: Document) -> None:
    """
    Refuse *new* if it names another version than *old* is, or none where one is needed.

    Raises:
        StatusError: The versions differ.
    """
    resource = call.resource
    wanted = metadata_of(new).get("resourceVersion")
    if not wanted:
        if resource.unconditional or call.request.method == "PATCH":
            metadata_of(new)["resourceVersion"] = metadata_of(old)["resourceVersion"]
            return
        cause = Cause(
            "FieldValueInvalid",
            "metadata.resourceVersion",
            "Invalid value: 0: must be specified for an update",
        )
        raise invalid(resource.plural, resource.group, name_of(old), [cause])
    if wanted != metadata_of(old)["resourceVersion"]:
        raise conflict(resource.plural, resource.group, name_of(old))


def _only_own_part(call: Call, old: Document, new: Document) -> Document:
    resource, subresource = call.resource, call.target.subresource
    if subresource == "status":
        return _with_status(call, old, new)
    if subresource == "finalize":
        return {**clone(old), "spec": new.get("spec") or {}}
    if resource.has("status"):
        made = without(new, ["status"])
        return {**made, "status": clone(old["status"])} if "status" in old else made
    return new


def _with_status(call: Call, old: Document, new: Document) -> Document:
    made: Document = clone(without(old, ["status"]))
    if "status" in new:
        made["status"] = new["status"]
    # Finalizers and owners are out of reach through this door; labels of built-in kinds are not.
    metadata = dict(metadata_of(old))
    if not call.resource.custom:
        for field in ("labels", "annotations"):
            if field in metadata_of(new):
                metadata[field] = metadata_of(new)[field]
    if "managedFields" in metadata_of(new):
        metadata["managedFields"] = metadata_of(new)["managedFields"]
    made["metadata"] = metadata
    return made


def _count_generation(call: Call, old: Document, new: Document) -> None:
    resource = call.resource
    if resource.generation == "none" or call.target.subresource == "status":
        return
    if resource.generation == "spec" and not resource.custom:
        changed = old.get("spec") != new.get("spec")
    else:
        # Defaults come later; a custom object counts all but metadata and a separate status.
        left_out = ["metadata", "apiVersion", "kind"] + (["status"] if resource.has("status") else [])
        filled = new
        if resource.schema is not None:
            fill_defaults(resource.schema, filled)
        changed = without(old, left_out) != without(filled, left_out)
    if changed:
        metadata_of(new)["generation"] = int(metadata_of(old).get("generation") or 0) + 1
