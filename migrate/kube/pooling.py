"""Several requests at a time."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

AT_ONCE: Final = 4
"""How many requests are under way at a time; a cluster in production notices more."""


def work_off(work: Callable[[Item], Result], items: Sequence[Item], at_once: int = AT_ONCE) -> list[Result]:
    """
    Return what *work* makes of each of *items*, in their order; one at a time needs no thread.

    The first error is raised; what has not begun by then is left.
    """
    if at_once == 1:
        return [work(item) for item in items]
    pool = ThreadPoolExecutor(max_workers=at_once, thread_name_prefix="maas-migrate-reads")
    try:
        return list(pool.map(work, items))
    finally:
        # An error or Ctrl-C does not wait for requests whose answer nobody will look at.
        pool.shutdown(wait=False, cancel_futures=True)
