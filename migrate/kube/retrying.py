"""
When a request is sent again, and after how long. Each policy is a constant with its reason.

Reads may be repeated freely. A write is repeated here only after a 429, which says that it was not
carried out; whatever else becomes of it is settled by reading, by whoever sent it.
"""

import random
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from migrate.kube.errors import FailedAnswerError, NoAnswerError, RequestError, is_transient
from migrate.kube.timing import Clock, Deadline

T = TypeVar("T")


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """
    How patient to be.

    Attributes:
        first_wait_s: The wait after the first failure; each further one is twice as long.

        longest_wait_s: No wait of our own is longer.

        jitter: Up to this part of a wait is added at random, so that many clients do not come back together.

        connect_attempts: How often a server that does not take the connection is tried, 0 for no limit but the time.

        statuses: Sent again after these answers; none means after all that may pass.
    """

    first_wait_s: float = 0.25
    longest_wait_s: float = 8.0
    jitter: float = 0.25
    connect_attempts: int = 0
    statuses: frozenset[int] = frozenset()


SURVEY_READS = Policy(connect_attempts=3)
"""Reads of a collection: a person waits, and a wrong address should not look like a slow one."""

RUN_READS = Policy()
"""Reads of a run: API servers restart while an operator upgrades; patience until the step's deadline."""

THROTTLED_WRITES = Policy(statuses=frozenset({429}))
"""Writes: 429 is given before a request is looked at, every other failure may hide a success."""

WATCHES = Policy(first_wait_s=0.5, longest_wait_s=10.0)
"""Opening a watch again: a server that fills its caches answers 429 for a while."""

LEAST_TRY_S = 0.5
"""A last try with less time than this would end as "no answer in time" and hide what the server had said."""


def wait_s(policy: Policy, attempt: int, failure: RequestError | None, chance: Callable[[], float]) -> float:
    """Return how long to wait after *attempt* (from 1): as told, else growing, with jitter from *chance* (0 to 1)."""
    told = failure.retry_after_s if isinstance(failure, FailedAnswerError) else None
    grown = min(policy.longest_wait_s, policy.first_wait_s * 2.0 ** min(attempt - 1, 16))
    return (grown if told is None else told) * (1.0 + policy.jitter * chance())


def persist(
    attempt: Callable[[float], T],
    policy: Policy,
    clock: Clock,
    timeout_s: float,
    chance: Callable[[], float] | None = None,
) -> T:
    """
    Call *attempt* with the seconds left until it succeeds; all tries and waits together stay within *timeout_s*.

    Raises:
        RequestError: The last failure, when it will not pass or the next wait would not fit.
    """
    deadline = Deadline(clock, timeout_s)
    try:
        return attempt(deadline.left_s())
    except RequestError as failure:
        if not _may_pass(policy, failure, 1):
            raise
        # Few requests need a second try, and what it takes.
        return _persist_after(failure, lambda: attempt(deadline.left_s()), policy, clock, deadline, chance)


def _persist_after(
    first: RequestError,
    attempt: Callable[[], T],
    policy: Policy,
    clock: Clock,
    deadline: Deadline,
    chance: Callable[[], float] | None,
) -> T:
    """Go on after the *first* try has failed."""
    import tenacity  # noqa: PLC0415  start-up cost

    draw, naps, met = chance or random.random, _Naps(clock), [first]

    def next_try() -> T:
        if met:
            raise met.pop()
        return attempt()

    def may_pass(state: Any) -> bool:
        failure = state.outcome.exception()
        fits = isinstance(failure, RequestError) and _may_pass(policy, failure, state.attempt_number)
        return fits and not naps.cut_short

    def too_late(state: Any) -> bool:
        return bool(state.upcoming_sleep + LEAST_TRY_S > deadline.left_s())

    def how_long(state: Any) -> float:
        return wait_s(policy, state.attempt_number, state.outcome.exception(), draw)

    calls = tenacity.Retrying(retry=may_pass, stop=too_late, wait=how_long, sleep=naps.take, reraise=True)
    return calls(next_try)


class _Naps:
    """Sleeps on a clock; one that is cut short means that somebody wants to stop, so the next try is the last."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.cut_short = False

    def take(self, seconds: float) -> None:
        began = self._clock.monotonic()
        self._clock.sleep(seconds)
        self.cut_short = self._clock.monotonic() - began < seconds * 0.9


def _may_pass(policy: Policy, failure: RequestError, attempt: int) -> bool:
    if policy.statuses:
        return isinstance(failure, FailedAnswerError) and failure.status in policy.statuses
    refused = isinstance(failure, NoAnswerError) and failure.cause in {"connect", "proxy"}
    if refused and policy.connect_attempts and attempt >= policy.connect_attempts:
        return False
    return is_transient(failure)
