"""What is answered at paths that name no resource: discovery, health, versions."""

from collections.abc import Callable, Mapping
from typing import Final

from migrate.sandbox.apiserver.documents import discovery, openapi
from migrate.sandbox.apiserver.protocol.statuses import PageNotFoundError
from migrate.sandbox.apiserver.protocol.values import Document
from migrate.sandbox.apiserver.protocol.wire import Request, Response
from migrate.sandbox.apiserver.resources.catalogue import Catalogue

RELEASE: Final = "v1.35.4"
"""The version that this server says it is."""

_HEALTH: Final = frozenset({"healthz", "readyz", "livez"})
_V2_MARK: Final = "as=APIGroupDiscoveryList"


def page(catalogue: Catalogue, request: Request) -> Response:
    """
    Return the page at the path of *request*.

    Raises:
        PageNotFoundError: There is none.
    """
    parts = [part for part in request.path.split("/") if part]
    if parts and parts[0] in _HEALTH:
        return Response(text="ok", headers={"Content-Type": "text/plain; charset=utf-8"})
    if not parts:
        paths = ["/api", "/api/v1", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"]
        return Response(document={"paths": paths})
    handler = _PAGES.get(parts[0])
    found = handler(catalogue, request, parts[1:]) if handler else None
    if found is None:
        raise PageNotFoundError(request.path)
    return found


def _version(catalogue: Catalogue, request: Request, rest: list[str]) -> Response | None:
    del catalogue, request
    if rest:
        return None
    major, minor = RELEASE.removeprefix("v").split(".")[:2]
    return Response(
        document={
            "major": major,
            "minor": minor,
            "gitVersion": RELEASE,
            "gitCommit": "",
            "gitTreeState": "clean",
            "buildDate": "2026-01-01T00:00:00Z",
            "goVersion": "",
            "compiler": "",
            "platform": "linux/amd64",
        }
    )


def _as_told(request: Request) -> bool:
    accept = request.header("accept")
    return any(_V2_MARK in each and "v=v2" in each and "v2beta1" not in each for each in accept.split(","))


def _api(catalogue: Catalogue, request: Request, rest: list[str]) -> Response | None:
    if not rest:
        if _as_told(request):
            return _aggregated(discovery.aggregated(catalogue, core_only=True))
        return Response(document=discovery.core_versions())
    return _or_none(discovery.resource_list(catalogue, "", rest[0])) if len(rest) == 1 else None


def _apis(catalogue: Catalogue, request: Request, rest: list[str]) -> Response | None:
    if not rest:
        if _as_told(request):
            return _aggregated(discovery.aggregated(catalogue, core_only=False))
        return Response(document=discovery.group_list(catalogue))
    if len(rest) == 1:
        return _or_none(discovery.group(catalogue, rest[0]))
    return _or_none(discovery.resource_list(catalogue, rest[0], rest[1])) if len(rest) == 2 else None


def _aggregated(document: Document) -> Response:
    return Response(document=document, headers={"Content-Type": discovery.AGGREGATED})


def _openapi(catalogue: Catalogue, request: Request, rest: list[str]) -> Response | None:
    match rest:
        case ["v2"]:
            if openapi.SWAGGER_PROTOBUF in request.header("accept"):
                head = {"Content-Type": openapi.SWAGGER_CONTENT}
                return Response(text=openapi.swagger_protobuf(RELEASE), headers=head)
            return Response(document=openapi.swagger(catalogue, RELEASE))
        case ["v3"]:
            return Response(document=openapi.index(catalogue, RELEASE))
        case ["v3", "api", version]:
            return _or_none(openapi.document(catalogue, "", version, RELEASE))
        case ["v3", "apis", group, version]:
            return _or_none(openapi.document(catalogue, group, version, RELEASE))
        case _:
            return None


def _or_none(document: Document | None) -> Response | None:
    return None if document is None else Response(document=document)


_PAGES: Final[Mapping[str, Callable[[Catalogue, Request, list[str]], Response | None]]] = {
    "version": _version,
    "api": _api,
    "apis": _apis,
    "openapi": _openapi,
}
