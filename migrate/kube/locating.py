"""Where a run finds the kinds it works on; kinds come and go while an operator upgrades."""

import threading
from typing import Final

from migrate.kube.connection import Connection
from migrate.kube.discovery import Discovery, discover
from migrate.kube.retrying import RUN_READS
from migrate.kube.timing import Clock
from migrate.records.objects import ObjectRef, group_of
from migrate.records.snapshot import KindInfo

FRESH_S: Final = 2.0
"""A discovery younger than this is not asked for again."""


class Locator:
    """Discovery that is asked once, and again when it does not know a kind; shared by threads."""

    def __init__(self, connection: Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._lock = threading.Lock()
        self._known: Discovery | None = None
        self._asked_at = 0.0

    def locate(self, ref: ObjectRef, *, timeout_s: float, anew: bool = False) -> KindInfo | None:
        """
        Return how the kind of *ref* is served, None when the server says that it is not.

        Args:
            ref: The object; its own version is taken where it is served.

            timeout_s: For a discovery, should one be needed.

            anew: Do not trust what was found before: a request for the kind met 404.

        Raises:
            RequestError: The kind's group cannot be asked; nothing is known.

            NotAuthorisedError, UnreachableError: Discovery is not possible at all.
        """
        group = group_of(ref.api_version)
        served = None if anew else self._latest(timeout_s).find(group, ref.kind)
        if served is None:
            discovery = self._latest(timeout_s, anew=True)
            served = discovery.find(group, ref.kind)
            if served is None and group in discovery.failed:
                raise discovery.failed[group]
        return served.at(ref.api_version) if served else None

    def _latest(self, timeout_s: float, *, anew: bool = False) -> Discovery:
        with self._lock:
            old = self._clock.monotonic() - self._asked_at >= FRESH_S
            if self._known is None or (anew and old):
                self._known = discover(self._connection, self._clock, timeout_s=timeout_s, policy=RUN_READS)
                self._asked_at = self._clock.monotonic()
            return self._known
