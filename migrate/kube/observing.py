"""The state of many objects at once, kept current by watches."""

import queue
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from migrate.kube.connection import Connection
from migrate.kube.feed import Feed, News
from migrate.kube.locating import Locator
from migrate.kube.timing import Clock, Deadline
from migrate.records.objects import KubeObject, ObjectRef
from migrate.records.predicates import View

FEW: Final = 5
"""Up to so many objects of a kind and namespace get a watch each; more share one over the whole namespace."""

AT_LEAST_EVERY_S: Final = 0.8
LOOK_UP_EVERY_S: Final = 0.2


def observe(
    connection: Connection,
    clock: Clock,
    locator: Locator,
    refs: Sequence[ObjectRef],
    *,
    timeout_s: float,
    stopped: Callable[[], bool],
) -> Iterator[View]:
    """
    Yield the state of all *refs*: as soon as it is known, after each change, and at least every second.

    Nothing is yielded while a part of it is not known, or no longer: a state that might be old is no state.
    Ends after *timeout_s*, and early when *stopped* says so.

    Raises:
        NotAuthorisedError: Reading is not permitted.
    """
    deadline, news = Deadline(clock, timeout_s), queue.SimpleQueue[News]()
    feeds = [Feed(connection, clock, locator, group, news.put) for group in _grouped(refs)]
    states: dict[ObjectRef, KubeObject | None] = {}
    shown_at = float("-inf")
    try:
        for feed in feeds:
            feed.start()
        while (left_s := deadline.left_s()) > 0 and not stopped():
            changed = _take(news, states, min(left_s, LOOK_UP_EVERY_S if feeds else AT_LEAST_EVERY_S))
            due = clock.monotonic() - shown_at >= AT_LEAST_EVERY_S
            if (changed or due) and len(states) == len(set(refs)) and all(feed.fresh for feed in feeds):
                yield dict(states)
                shown_at = clock.monotonic()
    finally:
        for feed in feeds:
            feed.stop()
        for feed in feeds:
            feed.join(0.5)


def _grouped(refs: Sequence[ObjectRef]) -> list[tuple[ObjectRef, ...]]:
    groups: dict[tuple[str, str, str], list[ObjectRef]] = {}
    for ref in sorted(set(refs)):
        groups.setdefault((ref.api_version, ref.kind, ref.namespace), []).append(ref)
    few = [(ref,) for group in groups.values() if len(group) <= FEW for ref in group]
    return few + [tuple(group) for group in groups.values() if len(group) > FEW]


def _take(news: queue.SimpleQueue[News], states: dict[ObjectRef, KubeObject | None], wait_s: float) -> bool:
    """Take all news that are there, waiting *wait_s* for the first, and return whether anything changed."""
    changed = False
    while True:
        try:
            item = news.get(timeout=wait_s) if wait_s else news.get_nowait()
        except queue.Empty:
            return changed
        if item.error is not None:
            raise item.error
        for ref, state in item.states.items():
            changed = changed or ref not in states or states[ref] != state
            states[ref] = state
        wait_s = 0.0
