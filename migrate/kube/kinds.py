"""Where a kind lives in the API: its plural, its paths."""

from typing import Any

import msgspec

from migrate.errors import InternalError
from migrate.kube.errors import NoAnswerError, RequestError
from migrate.records.objects import Json, get_in
from migrate.records.snapshot import KindInfo

SECRET = ("", "Secret")


class ServedKind(msgspec.Struct, frozen=True, kw_only=True):
    """
    A kind and every version it is served in.

    Attributes:
        info: The kind in its preferred version.

        versions: All versions, the preferred one first.
    """

    info: KindInfo
    versions: tuple[str, ...]

    def at(self, api_version: str) -> KindInfo:
        """Return the kind in *api_version* when it is served so, else in its preferred version."""
        version = api_version.rpartition("/")[2]
        return msgspec.structs.replace(self.info, version=version) if version in self.versions else self.info


def collection_path(kind: KindInfo, namespace: str = "") -> str:
    """Return the path of a collection, in one namespace or in all."""
    root = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
    where = f"/namespaces/{namespace}" if namespace and kind.namespaced else ""
    return f"{root}{where}/{kind.plural}"


def object_path(kind: KindInfo, namespace: str, name: str) -> str:
    """
    Return the path of one object.

    Raises:
        RequestError: The kind has another scope here than the caller thinks.

        InternalError: The name would change the path.
    """
    if not name or "/" in name or name in {".", ".."} or "/" in namespace:
        raise InternalError(
            f"{kind.kind} {namespace}/{name} is no name of an object.", resolution="Report this; nothing was sent."
        )
    if kind.namespaced != bool(namespace):
        raise RequestError(f"{resource_name(kind)} is {'namespaced' if kind.namespaced else 'cluster-scoped'} here")
    return f"{collection_path(kind, namespace)}/{name}"


def must_be_named(raw: Any, name: str) -> Json:
    """Return *raw*, the answer to a question for the object *name*. Raises NoAnswerError when it is something else."""
    if not isinstance(raw, dict) or get_in(raw, "metadata", "name") != name:
        raise NoAnswerError(f"the answer is not the object {name}", cause="garbled")
    return raw


def resource_name(kind: KindInfo) -> str:
    """Return the kind as rules of access name it: ``plural`` or ``plural.group``."""
    return f"{kind.plural}.{kind.group}" if kind.group else kind.plural


def must_not_be_secret(group: str, kind: str) -> None:
    """Raise InternalError for a Secret: none is ever read or written."""
    if (group, kind) == SECRET:
        raise InternalError(
            "Secrets are never read, and this was about to.", resolution="Report this; nothing was sent."
        )
