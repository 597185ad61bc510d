"""PUT: replace an object."""

from migrate.sandbox.apiserver.protocol.statuses import bad_request, conflict
from migrate.sandbox.apiserver.protocol.values import Document, metadata_of
from migrate.sandbox.apiserver.protocol.wire import Response
from migrate.sandbox.apiserver.verbs.bodies import read_body, shape
from migrate.sandbox.apiserver.verbs.call import Call, Core, as_version
from migrate.sandbox.apiserver.verbs.creating import place
from migrate.sandbox.apiserver.verbs.writing import prepare_new, store_changed, store_new


def update(core: Core, call: Call) -> Response:
    """
    Replace the object by the one in the body.

    Raises:
        StatusError: It cannot be replaced.
    """
    call.must_have_usable_options()
    document = shape(call, read_body(call))
    place(call, document)
    name = metadata_of(document).setdefault("name", call.target.name)
    if name != call.target.name:
        raise bad_request(f"the name of the object ({name}) does not match the name on the URL ({call.target.name})")
    with core.store.lock:
        old = core.store.get(call.resource.key, call.slot)
        if old is None and not call.resource.created_by_update:
            raise call.not_found()  # Preconditions are looked at where there is something, or something may come.
        _must_be_same_object(call, old or {}, document)
        if old is None:
            return _create(core, call, document)
        stored = store_changed(core, call, old, document)
    return Response(document=as_version(call.resource, stored))


def _create(core: Core, call: Call, document: Document) -> Response:
    if not call.resource.created_by_update or call.target.subresource:
        raise call.not_found()
    prepare_new(core, call, document)
    return Response(status=201, document=store_new(core, call, document))


def _must_be_same_object(call: Call, old: Document, document: Document) -> None:
    given, known = metadata_of(document).get("uid"), metadata_of(old).get("uid", "")
    if given and given != known:
        resource = call.resource
        where = "/".join(part for part in (resource.plural, call.target.namespace, call.target.name) if part)
        raise conflict(
            resource.plural,
            resource.group,
            call.target.name,
            f"StorageError: invalid object, Code: 4, Key: /registry/{where}, ResourceVersion: 0, "
            f"AdditionalErrorMsg: Precondition failed: UID in precondition: {given}, UID in object meta: {known}",
        )
