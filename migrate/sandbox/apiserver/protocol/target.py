"""What a request is aimed at: its verb and the parts of its path."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from migrate.sandbox.apiserver.protocol.wire import Request

_VERBS: Final = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_OF_MANY: Final = frozenset({"list", "watch", "deletecollection"})
_NAME: Final = re.compile(r"(?:^|,)metadata\.name==?([^,/%]+)(?:,|$)")
_NAMESPACE_SUBRESOURCES: Final = frozenset({"status", "finalize"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """
    Where a request goes.

    Attributes:
        verb: As RBAC names it; for other paths the method in lower case.

        plural: Empty where the path names no resource.

        chosen: The one name that the field selector of a list leaves: a role that names objects covers such a list.
    """

    verb: str
    path: str
    group: str = ""
    version: str = ""
    plural: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    chosen: str = ""

    @property
    def is_resource(self) -> bool:
        """Whether the path names a resource."""
        return bool(self.plural)


def target_of(request: Request) -> Target:
    """Return what *request* is aimed at; that need not exist."""
    query = request.query
    return _target(request.method, request.path, query.get("watch", ""), query.get("fieldSelector", ""))


@lru_cache(maxsize=4096)
def _target(method: str, path: str, watch: str, selector: str) -> Target:
    # The same paths are asked for again and again.
    parts = [part for part in path.split("/") if part]
    watching = watch.lower() in {"1", "true"}
    found: Target | None = None
    if parts[:1] == ["api"] and len(parts) > 2:
        found = _resource(method, "", parts[1], parts[2:], watching=watching)
    elif parts[:1] == ["apis"] and len(parts) > 3:
        found = _resource(method, parts[1], parts[2], parts[3:], watching=watching)
    if found is None:
        return Target(verb=method.lower(), path=path)
    chosen = "" if found.name or found.verb not in _OF_MANY else _only_name(selector)
    return replace(found, path=path, chosen=chosen)


def _resource(method: str, group: str, version: str, rest: list[str], *, watching: bool) -> Target:
    if rest[0] == "watch" and len(rest) > 1:
        watching, rest = True, rest[1:]
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2 and not (rest[2] in _NAMESPACE_SUBRESOURCES and len(rest) == 3):
        namespace, rest = rest[1], rest[2:]
    plural, name, *more = [*rest, ""] if len(rest) == 1 else rest
    verb = _verb(method, has_name=bool(name), watching=watching)
    if plural == "namespaces" and not group:
        namespace = ""
    return Target(
        verb=verb,
        path="",
        group=group,
        version=version,
        plural=plural,
        namespace=namespace,
        name=name,
        subresource="/".join(more),
    )


def _only_name(selector: str) -> str:
    found = _NAME.search(selector)
    return found[1] if found else ""


def _verb(method: str, *, has_name: bool, watching: bool) -> str:
    if method in {"GET", "HEAD"}:
        return "watch" if watching else "get" if has_name else "list"
    if method == "DELETE" and not has_name:
        return "deletecollection"
    return _VERBS.get(method, method.lower())
