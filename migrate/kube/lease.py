"""
The right to write, held by one run at a time: a Lease.

It is renewed every third of its duration. Writing stops when the last renewal is two thirds old on the
monotonic clock, so that the rest is left for a request in flight. Others count its expiry from when they
saw it change. Whoever loses it stays without it: it is never taken again behind a run's back.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from migrate.errors import MigrateError, NeedsPersonError, RunLockedError, UnreachableError
from migrate.kube.connection import Connection
from migrate.kube.lease_record import DURATION_S, Holder, LeaseRecord, Sighting, spec_of
from migrate.kube.lease_requests import LeaseRequests
from migrate.kube.microtime import micro_time, parse_micro_time
from migrate.kube.retrying import SURVEY_READS
from migrate.kube.timing import Clock
from migrate.records.writes import ObjectGoneError, OtherObjectError, WriteConflictError, WriteError, WriteUnknownError

NAMESPACE: Final = "models-as-a-service"

RENEW_AFTER_S: Final = DURATION_S / 3
STOP_AFTER_S: Final = DURATION_S * 2 / 3
TRY_AGAIN_S: Final = 2.0
"""The wait after a renewal that failed."""

LOOK_EVERY_S: Final = 2.0
"""How often a Lease that another run holds is looked at."""

MOST_TRIES: Final = 20
"""So many times the Lease may change under our hands before we give up taking it."""


class KubeLock:
    """
    The lock of one run; fits the engine's port ``Lock``.

    Args:
        connection: The way to the cluster.

        clock: Wall clock for what is written, monotonic clock for what is counted.

        identity: ``user@host/pid/run``, see ``holder_identity``. The caller has made sure, by the lock on the run
            directory, that no other process works on this run.

        namespace: Where the Lease lives; it must exist.

        timeout_s: The longest that one request takes.

        waiting: Told of the holder while it is watched whether that one is still alive.

        stopped: Whether a stop is requested.
    """

    def __init__(  # noqa: PLR0913  all but three have a good default
        self,
        connection: Connection,
        clock: Clock,
        *,
        identity: str,
        namespace: str = NAMESPACE,
        timeout_s: float = 10.0,
        waiting: Callable[[Holder], None] = lambda _: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._clock = clock
        self._identity = identity
        self._run = identity.rpartition("/")[2]
        self._lease = LeaseRequests(connection, clock, namespace, timeout_s)
        self._waiting = waiting
        self._stopped = stopped
        self._sighting = Sighting()
        self._guard = threading.RLock()
        self._mine: LeaseRecord | None = None
        self._renewed_at: float | None = None
        self._unsettled: tuple[str, float] | None = None
        self._next_try = 0.0
        self._trouble = ""
        self._lost = ""

    @property
    def lost(self) -> str:
        """Why it was lost, ``""`` while it was not."""
        return self._lost

    def acquire(self) -> None:
        """
        Take it: when it is free, when this run holds it, or when its holder has been silent for as long as it lasts.

        Raises:
            RunLockedError: Another run holds it and is alive.

            BlockedError: Its namespace does not exist.

            NotAuthorisedError, UnreachableError: It cannot be read or written.
        """
        with self._guard:
            for _ in range(MOST_TRIES):
                record = self._lease.read()
                if record is not None and record.holder and record.run != self._run:
                    record = self._outwait(record)
                if self._try_to_take(record):
                    return
        raise UnreachableError(
            f"{self._lease.ref} could not be taken: it changes, or its writes get no answer.",
            resolution="Look at the Lease, then try again.",
            object=str(self._lease.ref),
        )

    def keep(self) -> None:
        """Renew it when a third of its duration is over. Never raises; what went wrong is told by ``must_hold``."""
        if not self._guard.acquire(blocking=False):
            return  # Another thread is at it.
        try:
            age_s = self._age_s()
            if age_s is None or self._lost:
                return
            if age_s >= STOP_AFTER_S:
                self._lose(f"it could not be renewed for {age_s:.0f} s: {self._trouble or 'nothing was tried'}")
            elif age_s >= RENEW_AFTER_S and self._clock.monotonic() >= self._next_try:
                self._renew()
        finally:
            self._guard.release()

    def must_hold(self, for_s: float) -> None:
        """
        Raise NeedsPersonError unless it is held, and stays so for *for_s* seconds without a renewal.

        A renewal is tried first where only that is missing.
        """
        if self._holds(for_s):
            return
        with self._guard:
            if self._holds(0.0) and for_s <= DURATION_S:
                self._renew()
            if not self._holds(for_s):
                why = self._lost or self._trouble or self._why_not(for_s)
                raise NeedsPersonError(
                    f"The lock {self._lease.ref} is not held: {why}. Nothing more was written.",
                    resolution="See with 'status' who holds it, then resume or roll back this run.",
                    object=str(self._lease.ref),
                    run=self._run,
                )

    def release(self) -> None:
        """Give it back; nothing happens when it is not held. Never raises: an unreleased Lease expires by itself."""
        with self._guard, suppress(WriteError, MigrateError):
            if self._renewed_at is not None and not self._lost:
                self._settle()
                if self._mine is not None and not self._lost:
                    self._lease.patch({"holderIdentity": None, "renewTime": micro_time(self._clock.now())}, self._mine)
        self._renewed_at = None

    def read_holder(self) -> Holder | None:
        """
        Return who holds it, None when nobody does. Asked again, it tells for how long the holder has been silent.

        Raises:
            NotAuthorisedError, UnreachableError: It cannot be read.
        """
        record = self._lease.read(policy=SURVEY_READS)  # A person waits, and nothing runs that could be lost.
        if record is None or not record.holder:
            return None
        return self._sighting.look(record, self._clock.monotonic())

    def has_namespace(self) -> bool | None:
        """Return whether its namespace is there, None when that may not be read. Raises UnreachableError."""
        return self._lease.has_namespace()

    def unlock(self, run: str) -> bool:
        """
        Take it away from *run*, once that has been silent for as long as it lasts; False when nobody holds it.

        Raises:
            RunLockedError: Another run holds it, or the run is alive.
        """
        record = self._lease.read()
        if record is None or not record.holder:
            return False
        if record.run != run:
            raise self._locked(self._sighting.look(record, self._clock.monotonic()), f"It is not held by run {run}.")
        latest = self._outwait(record)
        if latest is not None and latest.holder:
            try:
                self._lease.patch({"holderIdentity": None}, latest)
            except (WriteConflictError, ObjectGoneError, OtherObjectError) as error:
                holder = self._sighting.look(latest, self._clock.monotonic())
                raise self._locked(holder, "It changed at the last moment.") from error
            except WriteError as error:
                raise self._lease.refused("patch", error) from error
        return True

    def _age_s(self) -> float | None:
        return None if self._renewed_at is None else self._clock.monotonic() - self._renewed_at

    def _holds(self, for_s: float) -> bool:
        age_s = self._age_s()
        return age_s is not None and not self._lost and age_s < STOP_AFTER_S and age_s + for_s <= DURATION_S

    def _why_not(self, for_s: float) -> str:
        age_s = self._age_s()
        if age_s is None:
            return "it was never taken"
        if age_s >= STOP_AFTER_S:
            return f"it was last renewed {age_s:.0f} s ago"
        return f"it does not last the {for_s:.0f} s that are needed"

    def _lose(self, why: str) -> None:
        self._lost = why

    def _outwait(self, record: LeaseRecord) -> LeaseRecord | None:
        """Return the Lease once it may be taken: free, ours, or unchanged for as long as it lasts."""
        first = record
        while True:
            holder = self._sighting.look(record, self._clock.monotonic())
            if holder.expired:
                return record
            if record.resource_version != first.resource_version:
                raise self._locked(holder, "It is alive: it has just renewed its lock.")
            if self._stopped():
                raise self._locked(holder, "A stop was requested while waiting for it.")
            self._waiting(holder)
            self._clock.sleep(LOOK_EVERY_S)
            latest = self._lease.read()
            if latest is None or not latest.holder or latest.run == self._run:
                return latest
            record = latest

    def _try_to_take(self, record: LeaseRecord | None) -> bool:
        began, stamp = self._clock.monotonic(), micro_time(self._clock.now())
        transitions = 0 if record is None else record.transitions + (record.holder != self._identity)
        spec = spec_of(identity=self._identity, taken=stamp, renewed=stamp, transitions=transitions)
        try:
            self._mine = self._lease.create(spec) if record is None else self._lease.patch(spec, record)
        except (WriteConflictError, OtherObjectError, ObjectGoneError):
            return False
        except WriteUnknownError:
            # It may be ours already; the next read tells.
            self._clock.sleep(TRY_AGAIN_S)
            return False
        except WriteError as error:
            raise self._lease.refused("create" if record is None else "patch", error) from error
        self._renewed_at, self._unsettled, self._lost, self._trouble = began, None, "", ""
        return True

    def _renew(self) -> None:
        if self._settle() or self._lost or self._unsettled or self._mine is None:
            return
        began, stamp = self._clock.monotonic(), micro_time(self._clock.now())
        within_s = min(self._lease.timeout_s, STOP_AFTER_S - (self._age_s() or 0.0))
        if within_s <= 0:
            return
        try:
            self._mine = self._lease.patch({"renewTime": stamp}, self._mine, within_s)
            self._renewed_at, self._trouble = began, ""
        except (WriteConflictError, OtherObjectError, ObjectGoneError) as error:
            self._lose(self._who_changed_it(error.message))
        except (WriteError, MigrateError) as error:
            if isinstance(error, WriteUnknownError):
                self._unsettled = (stamp, began)
            self._put_off(error.message)

    def _who_changed_it(self, trouble: str) -> str:
        """Return who holds it now, as far as a read tells."""
        try:
            record = self._lease.read(self._lease.timeout_s)
        except MigrateError:
            return f"somebody else has changed it ({trouble})"
        if record is None:
            return "it was deleted"
        if record.holder == self._identity:
            return f"somebody else has changed it ({trouble})"
        return f"it is held by {record.holder or 'nobody'} now"

    def _put_off(self, trouble: str) -> None:
        self._trouble = trouble
        self._next_try = self._clock.monotonic() + TRY_AGAIN_S

    def _settle(self) -> bool:
        """Find out by reading whether a renewal without answer took place; True when it did."""
        if self._unsettled is None or self._mine is None:
            return False
        stamp, began = self._unsettled
        try:
            record = self._lease.read(self._lease.timeout_s)
        except MigrateError as error:
            self._put_off(error.message)
            return False
        self._unsettled = None
        if record is None or record.uid != self._mine.uid or record.holder != self._identity:
            self._lose(f"it is held by {record.holder or 'nobody'} now" if record else "it was deleted")
        elif record.renewed_at == parse_micro_time(stamp):
            self._mine = record
            self._renewed_at, self._trouble = began, ""
            return True
        elif record.resource_version != self._mine.resource_version:
            self._lose("somebody else has changed it")
        return False

    def _locked(self, holder: Holder, why: str) -> RunLockedError:
        return RunLockedError(
            f"Run {holder.run} holds the lock {self._lease.ref} ({holder.identity}, since {holder.since or 'unknown'}, "
            f"renewed {holder.renewed or 'never'}). {why} Nothing was written.",
            resolution=f"Let that run end; if it is dead: maas-migrate unlock {holder.run}",
            object=str(self._lease.ref),
            run=holder.run,
        )


@contextmanager
def keeping(lock: KubeLock, every_s: float = 1.0) -> Iterator[None]:
    """Call ``lock.keep()`` from a thread meanwhile, so that a long prompt or request does not lose it."""
    done = threading.Event()

    def run() -> None:
        while not done.wait(every_s):
            lock.keep()

    thread = threading.Thread(target=run, name="maas-migrate-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(every_s)
