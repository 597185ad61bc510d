"""Puts the real parts together: cluster, state dir, terminal, clock."""

import getpass
import logging
import math
import os
import re
import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path

from migrate.changes.survey import queries
from migrate.cli.logs import logging_into
from migrate.cli.person import Stop, SystemClock, TerminalPerson
from migrate.cli.progress import ShowingJournal, WaitLine
from migrate.cli.settings import Settings
from migrate.cli.terminal import say
from migrate.commands.context import Context
from migrate.commands.documents import LockHolder
from migrate.engine.ports import Cluster, Lock
from migrate.errors import BadInputError
from migrate.kube.cluster import KubeCluster
from migrate.kube.collect import collect
from migrate.kube.connect import ConnectOptions, connect
from migrate.kube.connection import Connection
from migrate.kube.lease import NAMESPACE, KubeLock, keeping
from migrate.kube.lease_record import Holder, holder_identity
from migrate.kube.pacing import REQUESTS_PER_S
from migrate.records.snapshot import ClusterIdentity, Snapshot
from migrate.render.escape import escaped
from migrate.store.run_directory import StateDirectory, find_state_dir

_FACTORS = {"plain": 1.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_NUMBER = r"\d{1,9}(?:\.\d{1,9})?"
_DURATION = re.compile(
    rf"(?P<plain>{_NUMBER})|(?:(?P<h>{_NUMBER})h)?(?:(?P<m>{_NUMBER})m)?(?:(?P<s>{_NUMBER})s)?(?:(?P<ms>{_NUMBER})ms)?",
    re.ASCII,
)
_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")
_FIND = (
    "Name with --lock-namespace the one that the runs were given; "
    "'kubectl get leases -A --field-selector metadata.name=maas-migrate' lists where a lock was taken."
)
_LOG = logging.getLogger(__name__)


class LiveCluster:
    """One connection, and everything a verb asks of it."""

    def __init__(self, connection: Connection, clock: SystemClock, stop: Stop, lock_namespace: str) -> None:
        self._connection = connection
        self._clock = clock
        self._stop = stop
        self._named = bool(lock_namespace)
        self._namespace = _must_be_a_namespace(lock_namespace or NAMESPACE)
        self._cluster = KubeCluster(connection, clock, lambda: bool(stop.signal), lock_namespace=lock_namespace)
        self._identity: ClusterIdentity | None = None

    @property
    def identity(self) -> ClusterIdentity:
        """Which cluster this is."""
        if self._identity is None:
            self._identity = self._cluster.identity()
            if self._identity.proxy:
                say(f"{self._identity.server} through the proxy {self._identity.proxy}", level=1)
        return self._identity

    def collect(self) -> Snapshot:
        """Read all that the assessment needs."""
        began = self._clock.monotonic()
        snapshot = collect(self._connection, queries, self._clock)
        counts = {"objects": len(snapshot.objects), "gaps": len(snapshot.gaps)}
        _LOG.info("cluster.read", extra={**counts, "taken_s": round(self._clock.monotonic() - began, 2)})
        return snapshot

    def cluster(self) -> Cluster:
        """Return the port that the engine works through."""
        return self._cluster

    def lock(self, run_id: str) -> Lock:
        """Return the lock for a run; not yet taken."""
        return self._lock(run_id)

    def _lock(self, run_id: str) -> KubeLock:
        return KubeLock(
            self._connection,
            self._clock,
            identity=holder_identity(_user(), socket.gethostname(), os.getpid(), run_id),
            namespace=self._namespace,
            waiting=_Once(),
            stopped=lambda: bool(self._stop.signal),
        )

    def keeping(self, lock: Lock) -> AbstractContextManager[None]:
        """Keep *lock* alive through whatever takes long."""
        if not isinstance(lock, KubeLock):
            raise TypeError(lock)
        return keeping(lock)

    def holder(self) -> LockHolder:
        """Return who holds the lock. Raises BadInputError when a namespace was named for it that is not there."""
        lock = self._lock("nobody")
        holder = lock.read_holder()
        if holder is None:
            return self._nobody(has_namespace=lock.has_namespace())
        return LockHolder(
            state="held", holder=holder.identity, run=holder.run, since=holder.since, renewed=holder.renewed
        )

    def _nobody(self, *, has_namespace: bool | None) -> LockHolder:
        """Return what no Lease means: that nobody holds the lock only where the namespace of it is there."""
        where = self._namespace
        if has_namespace:
            return LockHolder(state="free")
        if has_namespace is None:
            return LockHolder(state="free", message=f"it was never taken; the namespace {where} may not be read")
        if self._named:
            raise BadInputError(
                f"There is no namespace {where}, so no lock is in it; nothing was written.", resolution=_FIND
            )
        return LockHolder(
            state="unknown", message=f"there is no namespace {where}; was it taken in another, with --lock-namespace?"
        )


class _Once:
    """Says once by whom the lock is held while it is watched."""

    def __init__(self) -> None:
        self._said = False

    def __call__(self, holder: Holder) -> None:
        if not self._said:
            say(f"the lock is held by {escaped(holder.identity)}; watching whether it is alive")
        self._said = True


def context_of(settings: Settings, *, yes: bool = False, lock_namespace: str = "", stop: Stop | None = None) -> Context:
    """Return what a verb needs of the world; nothing is connected or opened yet."""
    stop = stop or Stop()
    clock = SystemClock(stop)

    @cache
    def live() -> LiveCluster:
        connection = connect(_options(settings))
        _LOG.info("cluster.chosen", extra=dict(connection.describe()))
        return LiveCluster(connection, clock, stop, lock_namespace)

    @cache
    def state() -> StateDirectory:
        return find_state_dir(settings.state_dir or None, os.environ, Path.cwd())

    return Context(
        clock=clock,
        person=TerminalPerson(settings, stop, yes=yes),
        live=live,
        state=state,
        say=say,
        watch=ShowingJournal,
        tell=WaitLine().tell,
        user=f"{_user()}@{socket.gethostname()}",
        cwd=Path.cwd(),
        tenants=settings.tenant,
        warn=_warn,
        log_into=logging_into,
    )


def _warn(text: str) -> None:
    say(f"warning: {text}", always=True)


@contextmanager
def running_context(settings: Settings, *, yes: bool, lock_namespace: str) -> Iterator[Context]:
    """Return the context of a verb that writes: signals stop it at a safe point."""
    with Stop().listening() as stop:
        yield context_of(settings, yes=yes, lock_namespace=lock_namespace, stop=stop)


def _must_be_a_namespace(name: str) -> str:
    if not _LABEL.fullmatch(name):
        raise BadInputError(f"--lock-namespace {name!r} is no name of a namespace.", resolution=_FIND)
    return name


def _options(settings: Settings) -> ConnectOptions:
    timeout_s = 30.0
    if settings.request_timeout:
        timeout_s = _seconds(settings.request_timeout)
    return ConnectOptions(
        kubeconfig=settings.kubeconfig,
        context=settings.context,
        as_user=settings.as_user,
        as_groups=settings.as_group,
        request_timeout_s=timeout_s,
        requests_per_s=_requests_per_s(settings.qps),
    )


def _requests_per_s(qps: float | None) -> float:
    if qps is None:
        return REQUESTS_PER_S
    if not math.isfinite(qps):
        raise BadInputError(
            f"--qps {qps} is no number of requests.", resolution="Write it like --qps 20, or --qps 0 for no limit."
        )
    return qps


def _seconds(text: str) -> float:
    """Return a time as kubectl takes it: ``10``, ``1m30s``, ``1.5s``, ``500ms``; 0 for no limit."""
    parts = _DURATION.fullmatch(text)
    if not text or parts is None:
        raise BadInputError(
            f"--request-timeout {text!r} is no duration.",
            resolution="Write it like --request-timeout 10s, 1m30s or 500ms.",
        )
    return sum(float(parts[name] or 0) * factor for name, factor in _FACTORS.items())


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())
