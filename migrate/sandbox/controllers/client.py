"""
A small Kubernetes client for played controllers.

It sends one request for each call, names a field manager on every write and
retries nothing: what failed is tried again in the controller's next pass.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from migrate.maas.resources import Kind
from migrate.records.objects import Json
from migrate.sandbox.controllers.refusals import NotFoundError
from migrate.sandbox.controllers.transport import Call, Stream, Transport

PAGE: Final = 500
MERGE_PATCH: Final = "application/merge-patch+json"
APPLY_PATCH: Final = "application/apply-patch+yaml"

Propagation = Literal["Background", "Foreground", "Orphan"]


class Counter:
    """How many writes were sent; shared by all clients of one context."""

    def __init__(self) -> None:
        self.writes = 0


class Client:
    """
    Calls to one API server.

    Attributes:
        manager: The field manager of writes that name none.

        counter: Counts the writes sent, refused ones included.
    """

    def __init__(self, transport: Transport, *, manager: str, counter: Counter | None = None) -> None:
        self.transport = transport
        self.manager = manager
        self.counter = counter or Counter()
        self._versions: dict[str, tuple[str, ...]] = {}

    def served(self, kind: Kind) -> Kind:
        """
        Return *kind* in the version that the server prefers, else in the one named, else in any it has.

        Raises:
            NotFoundError: The group or the kind is not served.
        """
        if not kind.group:
            return kind
        group = self.transport.send(Call(method="GET", path=f"/apis/{kind.group}"))
        versions = [str(entry["version"]) for entry in group.get("versions", [])]
        preferred = str(group.get("preferredVersion", {}).get("version", ""))
        for version in (preferred, kind.version, *versions):
            if version in versions and self._serves(kind.group, version, kind.plural):
                return Kind(
                    group=kind.group, version=version, kind=kind.kind, plural=kind.plural, namespaced=kind.namespaced
                )
        raise NotFoundError(f"{kind.plural}.{kind.group} is not served", status=404)

    def _serves(self, group: str, version: str, plural: str) -> bool:
        listing = self.transport.send(Call(method="GET", path=f"/apis/{group}/{version}"))
        return any(entry.get("name") == plural for entry in listing.get("resources", []))

    def discover(self, group: str, version: str, kind: str) -> Kind:
        """
        Return the kind of that name as the server serves it in that group and version.

        Raises:
            NotFoundError: It does not.
        """
        root = f"/apis/{group}/{version}" if group else f"/api/{version}"
        for entry in self.transport.send(Call(method="GET", path=root)).get("resources", []):
            if entry.get("kind") == kind and "/" not in entry["name"]:
                namespaced = bool(entry.get("namespaced"))
                return Kind(group=group, version=version, kind=kind, plural=entry["name"], namespaced=namespaced)
        raise NotFoundError(f"{root} has no {kind}", status=404)

    def get(self, kind: Kind, namespace: str, name: str) -> Json:
        """
        Return the object as it is now.

        Raises:
            NotFoundError: There is none.
        """
        return self._call("GET", path_of(kind, namespace, name))

    def find(self, kind: Kind, namespace: str, name: str) -> Json | None:
        """Return the object as it is now, or None."""
        try:
            return self.get(kind, namespace, name)
        except NotFoundError:
            return None

    def list(self, kind: Kind, namespace: str = "", *, selector: str = "") -> "tuple[list[Json], str]":
        """Return all objects, page by page, and the resourceVersion to watch from."""
        query = {"limit": str(PAGE)} | ({"labelSelector": selector} if selector else {})
        found: list[Json] = []
        while True:
            page = self._call("GET", path_of(kind, namespace), query)
            items = page.get("items") or []
            found.extend({"apiVersion": kind.api_version, "kind": kind.kind} | item for item in items)
            metadata = page.get("metadata", {})
            if not metadata.get("continue"):
                return found, str(metadata.get("resourceVersion", ""))
            query["continue"] = metadata["continue"]

    def create(self, kind: Kind, obj: Json, *, manager: str = "") -> Json:
        """
        Create *obj* and return it as stored.

        Raises:
            AlreadyExistsError: The name is taken.
        """
        namespace = str(obj.get("metadata", {}).get("namespace", ""))
        return self._write("POST", path_of(kind, namespace), {}, obj, manager)

    def update(self, kind: Kind, obj: Json, *, subresource: str = "", manager: str = "") -> Json:
        """
        Replace the object by *obj* and return it as stored.

        Raises:
            ConflictError: The resourceVersion of *obj* is not the current one.
        """
        return self._write("PUT", _path_of_object(kind, obj, subresource), {}, obj, manager)

    def patch(
        self, kind: Kind, obj: Json, body: Mapping[str, Any], *, subresource: str = "", manager: str = ""
    ) -> Json:
        """
        Send *body* as a merge patch to the object that *obj* names; return it as stored.

        Raises:
            ConflictError: *body* holds a resourceVersion that is not the current one.
        """
        path = _path_of_object(kind, obj, subresource)
        return self._write("PATCH", path, {}, dict(body), manager, content_type=MERGE_PATCH)

    def apply(self, kind: Kind, obj: Json, *, subresource: str = "", manager: str = "", force: bool = True) -> Json:
        """
        Apply *obj* on the server's side and return it as stored.

        Raises:
            ConflictError: Not *force*, and another manager owns a field.
        """
        path = _path_of_object(kind, obj, subresource)
        query = {"force": "true"} if force else {}
        return self._write("PATCH", path, query, obj, manager, content_type=APPLY_PATCH)

    def delete(
        self,
        kind: Kind,
        obj: Json,
        *,
        propagation: Propagation = "Background",
        precondition: bool = True,
        grace_s: int | None = None,
    ) -> None:
        """
        Delete the object; with *precondition* exactly *obj*, by UID and resourceVersion.

        Raises:
            NotFoundError: There is none.

            ConflictError: It is another object, or has changed.
        """
        metadata = obj["metadata"]
        body: Json = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": propagation}
        if grace_s is not None:
            body["gracePeriodSeconds"] = grace_s
        if precondition:
            body["preconditions"] = {key: metadata[key] for key in ("uid", "resourceVersion") if metadata.get(key)}
        self.counter.writes += 1
        self.transport.send(Call(method="DELETE", path=_path_of_object(kind, obj), body=body))

    def watch(self, kind: Kind, resource_version: str, on_event: Callable[[], None]) -> Stream:
        """
        Watch all objects of *kind* from *resource_version* on.

        Raises:
            GoneError: The version is too old; list again.
        """
        query = {"watch": "true", "resourceVersion": resource_version, "allowWatchBookmarks": "true"}
        return self.transport.open(Call(method="GET", path=path_of(kind), query=query), on_event)

    def finalize_namespace(self, namespace: Json) -> Json:
        """Send *namespace* with the finalizers that are left to its ``finalize`` subresource."""
        path = f"/api/v1/namespaces/{namespace['metadata']['name']}/finalize"
        return self._write("PUT", path, {}, namespace, "")

    def _call(self, method: str, path: str, query: Mapping[str, str] | None = None) -> Json:
        answer: Json = self.transport.send(Call(method=method, path=path, query=query or {}))
        return answer

    def _write(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Json,
        manager: str,
        content_type: str = "application/json",
    ) -> Json:
        self.counter.writes += 1
        asked = {"fieldManager": manager or self.manager, **query}
        answer: Json = self.transport.send(
            Call(method=method, path=path, query=asked, body=body, content_type=content_type)
        )
        return answer


def path_of(kind: Kind, namespace: str = "", name: str = "") -> str:
    """Return the URL path of the object, or of the list when there is no *name*."""
    root = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
    where = f"/namespaces/{namespace}" if kind.namespaced and namespace else ""
    return f"{root}{where}/{kind.plural}" + (f"/{name}" if name else "")


def _path_of_object(kind: Kind, obj: Json, subresource: str = "") -> str:
    metadata = obj["metadata"]
    path = path_of(kind, str(metadata.get("namespace", "")), str(metadata["name"]))
    return f"{path}/{subresource}" if subresource else path
