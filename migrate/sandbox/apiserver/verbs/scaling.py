"""The scale subresource: how many replicas, through one door for every kind that has some."""

from typing import Any, Final

from migrate.sandbox.apiserver.patching.jsonpatching import apply_json_patch
from migrate.sandbox.apiserver.patching.merge import merge
from migrate.sandbox.apiserver.protocol.statuses import bad_request
from migrate.sandbox.apiserver.protocol.values import Document, clone, decode, dig, metadata_of
from migrate.sandbox.apiserver.protocol.wire import Response
from migrate.sandbox.apiserver.verbs.bodies import media_type
from migrate.sandbox.apiserver.verbs.call import Call, Core, must_get
from migrate.sandbox.apiserver.verbs.patching import JSON_PATCH
from migrate.sandbox.apiserver.verbs.writing import store_changed

_BUILTIN_PATHS: Final = {
    "specReplicasPath": ".spec.replicas",
    "statusReplicasPath": ".status.replicas",
}
_KEPT: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def scale(core: Core, call: Call) -> Response:
    """
    Read or write the scale of an object.

    Raises:
        StatusError: It is absent, or the scale makes no sense.
    """
    with core.store.lock:
        found = must_get(core, call)
        shown = _scale_of(call, found)
        if call.target.verb == "get":
            return Response(document=shown)
        wanted = _wanted(call, shown)
        new = _with_replicas(call, found, wanted)
        return Response(document=_scale_of(call, store_changed(core, call, found, new)))


def _paths(call: Call) -> tuple[list[str], list[str]]:
    paths = call.resource.scale or _BUILTIN_PATHS
    return paths["specReplicasPath"][1:].split("."), paths["statusReplicasPath"][1:].split(".")


def _scale_of(call: Call, found: Document) -> Document:
    wanted, present = _paths(call)
    selector = dig(found, "spec", "selector", "matchLabels", default={})
    status: Document = {"replicas": dig(found, *present, default=0)}
    if selector:
        status["selector"] = ",".join(f"{key}={value}" for key, value in selector.items())
    metadata = metadata_of(found)
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {field: metadata[field] for field in _KEPT if field in metadata},
        "spec": {"replicas": dig(found, *wanted, default=0)},
        "status": status,
    }


def _wanted(call: Call, shown: Document) -> Document:
    try:
        body: Any = decode(call.request.body)
    except ValueError as error:
        raise bad_request(f"json parse error: {error}") from error
    if call.target.verb == "patch":
        body = apply_json_patch(shown, body) if media_type(call) == JSON_PATCH else merge(shown, body)
    if not isinstance(dig(body, "spec", "replicas", default=0), int):
        raise bad_request("spec.replicas is no number")
    result: Document = body
    return result


def _with_replicas(call: Call, found: Document, wanted: Document) -> Document:
    new: Document = clone(found)
    node = new
    *parents, last = _paths(call)[0]
    for name in parents:
        node = node.setdefault(name, {})
    node[last] = dig(wanted, "spec", "replicas", default=0)
    version = metadata_of(wanted).get("resourceVersion")
    if version:
        metadata_of(new)["resourceVersion"] = version
    return new
