"""What a verb needs of the world, as small as a test can have it."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from migrate.commands.context import Context
from migrate.commands.documents import LockHolder
from migrate.engine.ports import Answer, Cluster, Lock
from migrate.records.plan import Ask
from migrate.records.snapshot import ClusterIdentity, Snapshot
from migrate.store.run_directory import StateDirectory
from tests.fakes import TickingClock


class Nobody:
    """A person who cannot be asked."""

    def ask(self, step: Ask) -> Answer | None:
        return None

    def stop_requested(self) -> int:
        return 0

    def confirm(self, question: str) -> bool | None:
        return None


class OneLive:
    """A connection that knows its holder, its lock and one snapshot."""

    def __init__(self, *, holder: LockHolder | None = None, lock: Any = None, snapshot: Snapshot | None = None) -> None:
        self._holder = holder or LockHolder(state="free")
        self._lock = lock
        self._snapshot = snapshot
        self.identity = ClusterIdentity(server="https://cluster", id="kube-system-uid")

    def collect(self) -> Snapshot:
        assert self._snapshot is not None
        return self._snapshot

    def cluster(self) -> Cluster:
        raise AssertionError("this verb does not write")

    def lock(self, run_id: str) -> Lock:
        del run_id
        lock: Lock = self._lock
        return lock

    def keeping(self, lock: Lock) -> AbstractContextManager[None]:
        del lock
        return nullcontext()

    def holder(self) -> LockHolder:
        return self._holder


def a_context(place: Path, live: Callable[[], Any], **changes: Any) -> Context:
    """Return a context; what the verb says is kept in ``changes["said"]`` when that is a list."""
    said = changes.pop("said", [])
    return Context(
        clock=TickingClock(),
        person=Nobody(),
        live=live,
        state=lambda: StateDirectory(place / "state"),
        say=said.append,
        watch=lambda journal: journal,
        tell=lambda _: None,
        user="sre@host",
        cwd=place,
        **changes,
    )
