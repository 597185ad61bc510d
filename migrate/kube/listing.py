"""One list, page by page: whole and without doubles, or not at all."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from migrate.kube.errors import FailedAnswerError, NoAnswerError
from migrate.records.objects import Json, get_in

PAGE_SIZE: Final = 500

MOST_STARTS: Final = 3
"""How often one list is begun: its continue token lives five minutes, so a second expiry means a slow server."""

Page = Callable[[list[tuple[str, str]]], Any]
"""Fetches one page of a list with these parameters; raises RequestError."""


def read_list(
    page: Page, keep: Callable[[Mapping[str, Any]], Json], params: list[tuple[str, str]]
) -> tuple[list[Json], str]:
    """
    Return all objects of a list, each through *keep*, and the resourceVersion the list stands for.

    When a continue token has expired, all pages read so far are forgotten and the list begins anew: pages of
    two moments put together would lack objects or hold them twice. The token that the server offers for going
    on regardless is not used.

    Raises:
        FailedAnswerError: With status 410 when it expired ``MOST_STARTS`` times; else as *page*.
    """
    for start in range(1, MOST_STARTS + 1):
        try:
            return _read_once(page, keep, params)
        except FailedAnswerError as failure:
            if not failure.expired or start == MOST_STARTS:
                raise
    raise NoAnswerError("the list was never begun", cause="garbled")


def _read_once(
    page: Page, keep: Callable[[Mapping[str, Any]], Json], params: list[tuple[str, str]]
) -> tuple[list[Json], str]:
    found: list[Json] = []
    seen: set[str] = set()
    token = ""
    while True:
        more = [("continue", token)] if token else []
        document = page([*params, ("limit", str(PAGE_SIZE)), *more])
        items = get_in(document, "items", default=[]) or []
        if not isinstance(items, list) or not str(get_in(document, "kind", default="")).endswith("List"):
            raise NoAnswerError("the answer is not a list", cause="garbled")
        for item in items:
            raw = _complete(item, document)
            identity = str(get_in(raw, "metadata", "uid") or (get_in(raw, "metadata")))
            if identity in seen:
                raise _doubled(raw)
            seen.add(identity)
            found.append(keep(raw))
        token = str(get_in(document, "metadata", "continue", default="") or "")
        if not token:
            return found, str(get_in(document, "metadata", "resourceVersion", default="") or "")


def _complete(item: Any, document: Mapping[str, Any]) -> Json:
    """Return *item* with the apiVersion and kind that lists of built-in kinds leave out."""
    raw: Json = dict(item) if isinstance(item, Mapping) else {}
    kind = str(document.get("kind", "")).removesuffix("List")
    return {"apiVersion": document.get("apiVersion", ""), "kind": kind, **raw}


def _doubled(raw: Mapping[str, Any]) -> FailedAnswerError:
    name = get_in(raw, "metadata", "name")
    return FailedAnswerError(410, {}, f"{name} came twice: the pages are not of one moment".encode())
