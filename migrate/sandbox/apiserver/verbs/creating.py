"""POST: create an object."""

from migrate.sandbox.apiserver.protocol.statuses import StatusError, bad_request
from migrate.sandbox.apiserver.protocol.values import Document, metadata_of
from migrate.sandbox.apiserver.protocol.wire import Response
from migrate.sandbox.apiserver.verbs.bodies import read_body, shape
from migrate.sandbox.apiserver.verbs.call import Call, Core
from migrate.sandbox.apiserver.verbs.writing import prepare_new, store_new


def create(core: Core, call: Call) -> Response:
    """
    Create the object in the body.

    Raises:
        StatusError: It cannot be created.
    """
    call.must_have_usable_options()
    document = shape(call, read_body(call))
    place(call, document)
    version = metadata_of(document).get("resourceVersion")
    with core.store.lock:
        prepare_new(core, call, document)
        if version and not call.dry_run:
            raise StatusError(500, "", "resourceVersion should not be set on objects to be created")
        stored = store_new(core, call, document)
    return Response(status=201, document=stored)


def place(call: Call, document: Document) -> None:
    """
    Fill the namespace of the path into *document*, in place.

    Raises:
        StatusError: The document names another one.
    """
    metadata = document.setdefault("metadata", {})
    if not call.resource.namespaced:
        metadata.pop("namespace", None)
        return
    given = metadata.setdefault("namespace", call.target.namespace)
    if given != call.target.namespace:
        raise bad_request(
            f"the namespace of the provided object does not match the namespace sent on the request"
            f" ({given} != {call.target.namespace})"
        )
