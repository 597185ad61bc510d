"""What stands in the Lease, and how long we have seen it stand."""

import contextlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import msgspec

from migrate.kube.microtime import parse_micro_time
from migrate.records.objects import Json, KubeObject, Record
from migrate.records.snapshot import KindInfo

LEASES: Final = KindInfo(group="coordination.k8s.io", version="v1", kind="Lease", plural="leases", namespaced=True)
NAMESPACES: Final = KindInfo(group="", version="v1", kind="Namespace", plural="namespaces", namespaced=False)

DURATION_S: Final = 60
"""``leaseDurationSeconds``: a holder that is silent for so long has lost it."""


def holder_identity(user: str, host: str, pid: int, run: str) -> str:
    """Return ``user@host/pid/run``, which is what people see when they look at the Lease."""
    return f"{user}@{host}/{pid}/{run}"


class Holder(Record, kw_only=True):
    """
    Who holds the lock.

    Attributes:
        identity: As written, ``user@host/pid/run``.

        run: The id of the run.

        since: When it was taken, by the holder's clock; ``""`` when it does not say.

        renewed: When it was renewed last, by the holder's clock.

        silent_s: How long we have seen it unchanged, by our own clock.

        expired: Whether that is longer than the lease lasts. Clocks of two machines differ, so the times
            in the record do not count.
    """

    identity: str
    run: str
    since: str = ""
    renewed: str = ""
    silent_s: float = 0.0
    duration_s: int = DURATION_S
    expired: bool = False


class LeaseRecord(msgspec.Struct, frozen=True, kw_only=True):
    """
    The Lease as read.

    Attributes:
        holder: ``""`` when nobody holds it.
    """

    uid: str
    resource_version: str
    holder: str
    duration_s: int
    acquired_at: datetime | None
    renewed_at: datetime | None
    transitions: int
    raw_times: tuple[str, str] = ("", "")

    @property
    def run(self) -> str:
        """The id of the run that holds it."""
        return self.holder.rpartition("/")[2]


def record_of(thing: KubeObject) -> LeaseRecord:
    """Return the record of a Lease; a field that is missing or odd gets a harmless value."""
    spec = thing.get("spec")
    fields: Mapping[str, Any] = spec if isinstance(spec, Mapping) else {}
    acquired, renewed = fields.get("acquireTime"), fields.get("renewTime")
    holder = fields.get("holderIdentity")
    return LeaseRecord(
        uid=thing.uid,
        resource_version=thing.resource_version,
        holder=holder if isinstance(holder, str) else "",
        duration_s=_number(fields.get("leaseDurationSeconds")) or DURATION_S,
        acquired_at=parse_micro_time(acquired),
        renewed_at=parse_micro_time(renewed),
        transitions=_number(fields.get("leaseTransitions")),
        raw_times=(str(acquired or ""), str(renewed or "")),
    )


def _number(value: Any) -> int:
    with contextlib.suppress(TypeError, ValueError):
        return max(0, int(value))
    return 0


def spec_of(*, identity: str, taken: str, renewed: str, transitions: int) -> Json:
    """Return the spec of a Lease that *identity* holds."""
    return {
        "holderIdentity": identity,
        "leaseDurationSeconds": DURATION_S,
        "acquireTime": taken,
        "renewTime": renewed,
        "leaseTransitions": transitions,
    }


class Sighting:
    """How long one record has been seen unchanged, on our own monotonic clock."""

    def __init__(self) -> None:
        self._seen: tuple[str, str, str] | None = None
        self._since = 0.0

    def look(self, record: LeaseRecord, now: float) -> Holder:
        """Return the holder with its silence; a record that differs from the last one starts anew."""
        seen = (record.uid, record.resource_version, record.holder)
        if seen != self._seen:
            self._seen, self._since = seen, now
        silent_s = now - self._since
        return Holder(
            identity=record.holder,
            run=record.run,
            since=record.raw_times[0],
            renewed=record.raw_times[1],
            silent_s=round(silent_s, 3),
            duration_s=record.duration_s,
            expired=silent_s > record.duration_s,
        )
