"""JSON patches (RFC 6902)."""

from types import MappingProxyType
from typing import Any

import jsonpatch
import jsonpointer

from migrate.sandbox.apiserver.protocol.values import clone


class PatchError(Exception):
    """The patch cannot be applied to this document."""


class _Replace(jsonpatch.ReplaceOperation):
    """Replaces as the real server's library does: a key that an object lacks is set."""

    def apply(self, obj: Any) -> Any:
        parent, part = self.pointer.to_last(obj)
        if isinstance(parent, dict) and part is not None and part not in parent:
            if "value" not in self.operation:
                raise jsonpatch.InvalidJsonPatch("The operation does not contain a 'value' member")
            parent[part] = self.operation["value"]
            return obj
        return super().apply(obj)


class _Patch(jsonpatch.JsonPatch):
    operations = MappingProxyType({**jsonpatch.JsonPatch.operations, "replace": _Replace})


class MalformedPatchError(Exception):
    """It is no patch."""


def apply_json_patch(document: Any, operations: Any) -> Any:
    """
    Return a copy of *document* after *operations*.

    Raises:
        MalformedPatchError: They are no JSON patch.
        PatchError: A path is absent or a test failed.
    """
    if not isinstance(operations, list) or not all(isinstance(each, dict) for each in operations):
        raise MalformedPatchError("json: cannot unmarshal object into Go value of type jsonpatch.Patch")
    try:
        patch = _Patch(operations)
    except (jsonpatch.InvalidJsonPatch, jsonpointer.JsonPointerException) as error:
        raise MalformedPatchError(str(error)) from error
    try:
        return patch.apply(clone(document))
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError) as error:
        raise PatchError(f"the server rejected our request due to an error in our request: {error}") from error
