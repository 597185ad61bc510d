"""GET: one object, a list, or a watch."""

from bisect import bisect_right
from datetime import timedelta
from typing import Any, Final

from migrate.sandbox.apiserver.documents.layouts import Layout, layout_of
from migrate.sandbox.apiserver.protocol.statuses import Cause, StatusError, bad_request, expired
from migrate.sandbox.apiserver.protocol.values import Document
from migrate.sandbox.apiserver.protocol.wire import Response
from migrate.sandbox.apiserver.storage.paging import NOW, Bookmark, from_token
from migrate.sandbox.apiserver.storage.selectors import Predicate, both, parse_fields, parse_labels
from migrate.sandbox.apiserver.storage.store import CompactedError, Entry
from migrate.sandbox.apiserver.storage.watching import Selection, Watch
from migrate.sandbox.apiserver.verbs.call import Call, Core, as_version, must_get, whole_number

_INITIAL_EVENTS_END: Final = {"k8s.io/initial-events-end": "true"}
_FORGOTTEN_PAGE: Final = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list "
    "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
    "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
    "modified, or deleted between the time the first chunk was returned and now may show up in the list."
)


def get(core: Core, call: Call) -> Response:
    """
    Return the object.

    Raises:
        StatusError: It is absent.
    """
    layout = layout_of(core, call.request, call.resource)
    return Response(document=layout.one(as_version(call.resource, must_get(core, call))))


def _predicate(call: Call) -> Predicate | None:
    labels = parse_labels(call.option("labelSelector"))
    fields = parse_fields(call.option("fieldSelector"), call.resource.fields)
    return both(labels, fields)


def selected(core: Core, call: Call) -> list[Document]:
    """Return the objects that the selectors of *call* choose."""
    holds = _predicate(call)
    found = core.store.items(call.resource.key, call.target.namespace)
    return [document for _, document in found if holds is None or holds(document)]


def list_objects(core: Core, call: Call) -> Response:
    """
    Return a list, or one page of it.

    Raises:
        StatusError: A parameter makes no sense, or the moment of the list is forgotten.
    """
    layout = layout_of(core, call.request, call.resource)
    holds = _predicate(call)
    with core.store.lock:
        revision, found = _moment(core, call)
    if holds is not None:
        found = [entry for entry in found if holds(entry[1])]
    metadata: Document = {"resourceVersion": str(revision)}
    limit = whole_number(call, "limit") or 0
    if 0 < limit < len(found):
        if holds is None:
            metadata["remainingItemCount"] = len(found) - limit
        found = found[:limit]
        metadata["continue"] = Bookmark(revision, found[-1][0]).to_token()
    items = [as_version(call.resource, document) for _, document in found]
    return Response(document=layout.many(items, metadata))


def _moment(core: Core, call: Call) -> tuple[int, list[Entry]]:
    key, namespace = call.resource.key, call.target.namespace
    if token := call.option("continue"):
        return _continued(core, call, token)
    match = call.option("resourceVersionMatch")
    version = _revision(call)
    if match and version is None and not call.option("sendInitialEvents"):
        raise bad_request(
            "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"
        )
    if version is not None and version > core.store.revision:
        raise _too_new(version, core.store.revision)
    if version and match == "Exact":
        try:
            return version, core.store.items_at(key, version, namespace)
        except CompactedError:
            raise expired("The resourceVersion for the provided list is too old.") from None
    return core.store.revision, core.store.items(key, namespace)


def _continued(core: Core, call: Call, token: str) -> tuple[int, list[Entry]]:
    key, namespace = call.resource.key, call.target.namespace
    if call.option("resourceVersion") not in {"", "0"}:
        raise bad_request("specifying resource version is not allowed when using continue")
    bookmark = from_token(token)
    if bookmark.revision == NOW:
        found, revision = core.store.items(key, namespace), core.store.revision
    else:
        revision = bookmark.revision
        try:
            found = core.store.items_at(key, revision, namespace)
        except CompactedError:
            refusal = expired(_FORGOTTEN_PAGE)
            refusal.continue_token = Bookmark(NOW, bookmark.last).to_token()
            raise refusal from None
    return revision, found[bisect_right(found, bookmark.last.order, key=lambda entry: entry[0].order) :]


def _revision(call: Call) -> int | None:
    text = call.option("resourceVersion")
    if not text:
        return None
    if not text.isdigit():
        why = f'strconv.ParseUint: parsing "{text}": invalid syntax'
        raise bad_request(f'invalid resource version: resourceVersion: Invalid value: "{text}": {why}')
    return int(text)


def _too_new(version: int, current: int) -> StatusError:
    cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    message = f"Timeout: Too large resource version: {version}, current: {current}"
    return StatusError(504, "Timeout", message, details={"causes": [cause], "retryAfterSeconds": 1})


def watch(core: Core, call: Call) -> Response:
    """
    Return a stream of changes; it may begin with what there is.

    Raises:
        StatusError: A parameter makes no sense.
    """
    layout = layout_of(core, call.request, call.resource)
    opened = Watch(
        core.store,
        core.clock,
        _selection(call, layout),
        ends_at=_ends_at(core, call),
        bookmarks=call.is_set("allowWatchBookmarks"),
    )
    with core.store.lock:
        _start(core, call, opened)
    return Response(stream=opened)


def _selection(call: Call, layout: Layout) -> Selection:
    resource = call.resource

    def bookmark(version: str) -> Document:
        head: dict[str, Any] = {"kind": resource.kind, "apiVersion": resource.api_version}
        return {**head, "metadata": {"resourceVersion": version, "creationTimestamp": None}}

    holds = _predicate(call)
    if call.target.name:
        only = parse_fields(f"metadata.name={call.target.name}", resource.fields)
        holds = both(holds, only)
    return Selection(
        key=resource.key,
        namespace=call.target.namespace,
        holds=holds,
        render=lambda document: layout.event(as_version(resource, document)),
        bookmark=bookmark,
    )


def _ends_at(core: Core, call: Call) -> Any:
    seconds = whole_number(call, "timeoutSeconds")
    return core.clock.now() + timedelta(seconds=seconds) if seconds else None


def _start(core: Core, call: Call, opened: Watch) -> None:
    version = _revision(call)
    initial = call.is_set("sendInitialEvents")
    if call.option("sendInitialEvents") and call.option("resourceVersionMatch") != "NotOlderThan":
        why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        raise call.invalid_option(Cause.forbidden("resourceVersionMatch", why))
    if version and not initial:
        try:
            changes = core.store.changes_after(call.resource.key, version)
        except CompactedError:
            opened.fail(expired(f"too old resource version: {version} ({core.store.compacted})").to_document())
            return
        opened.start([], changes)
        return
    first = []
    if initial or call.option("sendInitialEvents") != "false":
        first = _present(core, opened)
    if initial:
        first.append(opened.bookmark(dict(_INITIAL_EVENTS_END)))
    opened.start(first, [])


def _present(core: Core, opened: Watch) -> list[Document]:
    selection = opened.selection
    return [
        {"type": "ADDED", "object": selection.render(document)}
        for _, document in core.store.items(selection.key, selection.namespace)
        if selection.admits(document)
    ]
