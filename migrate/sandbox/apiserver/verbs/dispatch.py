"""From a verb and a subresource to what carries it out."""

from collections.abc import Callable, Mapping
from typing import Final

from migrate.sandbox.apiserver.protocol.statuses import method_not_allowed, resource_not_found
from migrate.sandbox.apiserver.protocol.wire import Response
from migrate.sandbox.apiserver.resources.crds import CRD_KEY
from migrate.sandbox.apiserver.verbs.call import Call, Core
from migrate.sandbox.apiserver.verbs.creating import create
from migrate.sandbox.apiserver.verbs.deleting import delete, delete_collection
from migrate.sandbox.apiserver.verbs.establishing import hold_for_cleanup, settle
from migrate.sandbox.apiserver.verbs.patching import patch
from migrate.sandbox.apiserver.verbs.reading import get, list_objects, watch
from migrate.sandbox.apiserver.verbs.scaling import scale
from migrate.sandbox.apiserver.verbs.updating import update

_Verb = Callable[[Core, Call], Response]

_READS: Final[Mapping[str, _Verb]] = {"get": get, "list": list_objects, "watch": watch}
_WRITES: Final[Mapping[str, _Verb]] = {
    "create": create,
    "update": update,
    "patch": patch,
    "delete": delete,
    "deletecollection": delete_collection,
}
_SUBRESOURCE_VERBS: Final = frozenset({"get", "patch", "update"})


def perform(core: Core, call: Call) -> Response:
    """
    Carry out *call*.

    Raises:
        StatusError: It is refused.
    """
    verb, subresource = call.target.verb, call.target.subresource
    if not _is_path(call):
        raise resource_not_found()
    if verb not in call.resource.verbs or (subresource and verb not in _SUBRESOURCE_VERBS):
        raise method_not_allowed()
    if not _fits_path(call):
        raise method_not_allowed()
    if subresource == "scale":
        return scale(core, call)
    if verb in _READS:
        return _READS[verb](core, call)
    return _write(core, call)


def _is_path(call: Call) -> bool:
    target, resource = call.target, call.resource
    if target.subresource and not resource.has(target.subresource):
        return False
    if not resource.namespaced:
        return not target.namespace
    return bool(target.namespace) or not target.name


def _fits_path(call: Call) -> bool:
    target = call.target
    if target.verb in {"create", "deletecollection"}:
        return not target.name and bool(target.namespace or not call.resource.namespaced)
    if target.verb in {"update", "patch"}:
        return bool(target.name)
    return True


def _write(core: Core, call: Call) -> Response:
    with core.store.lock:
        if call.resource.key == CRD_KEY and call.target.verb == "delete" and not call.dry_run:
            hold_for_cleanup(core, call.target.name)
        response = _WRITES[call.target.verb](core, call)
        if not call.dry_run:
            settle(core, call)
    return response
