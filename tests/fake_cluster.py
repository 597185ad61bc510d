"""A cluster in memory: UIDs, versions, faults, and controllers that react to writes."""

import copy
from collections.abc import Callable, Iterator, Sequence

from migrate.engine.ports import (
    AccessAnswer,
    ObjectGoneError,
    OtherObjectError,
    Write,
    WriteConflictError,
    WriteRefusedError,
    WriteUnknownError,
)
from migrate.errors import UnreachableError
from migrate.records.merging import merge
from migrate.records.objects import Json, KubeObject, ObjectRef
from migrate.records.plan import AccessNeed
from migrate.records.predicates import View
from tests.fake_clock import KillSwitch, TickingClock

Reaction = Callable[["FakeCluster", Write], None]
FAULTS = ("lost", "dropped", "conflict", "webhook-down")


class FakeCluster:
    """
    Objects in memory, with UIDs, resourceVersions and preconditions as on a server.

    Attributes:
        reactions: Called after each write of ours; they play the controllers.

        faults: What happens to our n-th write, from 0: ``lost`` and ``dropped`` replies, ``conflict``,
            ``webhook-down`` (500, not written), ``refused``, ``gone``, ``other``.

        before_write: Called before our n-th write arrives: a foreign writer in the gap.

        writes: Every write that changed something, dry runs not among them.
    """

    def __init__(self, clock: TickingClock, *objects: Json, kill: KillSwitch | None = None) -> None:
        self.clock = clock
        self.kill = kill or KillSwitch()
        self.objects: dict[ObjectRef, Json] = {}
        self.version = 100
        self.uids = 0
        self.reactions: list[Reaction] = []
        self.faults: dict[int, str] = {}
        self.before_write: dict[int, Callable[[], None]] = {}
        self.writes: list[Write] = []
        self.dry_runs: list[Write] = []
        self.sent = 0
        self.unreachable = 0
        self.refuses: Callable[[Write], str] = lambda _: ""
        self.denied: set[str] = set()
        for thing in objects:
            self.put(thing)

    def put(self, thing: Json, manager: str = "somebody") -> KubeObject:
        """Put an object there, whatever was there before."""
        thing = copy.deepcopy(thing)
        metadata = thing.setdefault("metadata", {})
        ref = KubeObject(thing).ref
        if "uid" not in metadata:
            self.uids += 1
            metadata["uid"] = f"uid-{self.uids}"
        return self._store(ref, thing, manager)

    def _store(self, ref: ObjectRef, thing: Json, manager: str) -> KubeObject:
        self.version += 1
        thing["metadata"]["resourceVersion"] = str(self.version)
        entry = {"manager": manager, "operation": "Update", "time": self.clock.now().isoformat()}
        others = [old for old in thing["metadata"].get("managedFields", []) if old["manager"] != manager]
        thing["metadata"]["managedFields"] = [*others, entry]
        self.objects[ref] = thing
        return KubeObject(copy.deepcopy(thing))

    def foreign(self, ref: ObjectRef, patch: Json, manager: str = "somebody") -> None:
        """Change an object as somebody else."""
        if ref in self.objects:
            self._store(ref, merge(self.objects[ref], patch), manager)

    def delete(self, ref: ObjectRef) -> None:
        """Delete an object as somebody else."""
        self.objects.pop(ref, None)

    def get(self, ref: ObjectRef) -> KubeObject | None:
        """Look without asking."""
        return KubeObject(copy.deepcopy(self.objects[ref])) if ref in self.objects else None

    def read(self, ref: ObjectRef, *, timeout_s: float) -> KubeObject | None:
        if self.unreachable > 0:
            self.unreachable -= 1
            self.clock.sleep_through(timeout_s)
            raise UnreachableError("no answer", resolution="Try again.")
        return self.get(ref)

    def write(self, write: Write, *, timeout_s: float) -> KubeObject | None:
        if write.dry_run:
            self.dry_runs.append(write)
            refusal = self.refuses(write)
            if refusal:
                raise WriteRefusedError(refusal, status=422)
            return self.get(write.object)
        number, self.sent = self.sent, self.sent + 1
        self.kill.point()
        self.before_write.pop(number, lambda: None)()
        fault = self.faults.get(number, "")
        self._fail(fault, write)
        answer = self._commit(write)
        self.kill.point()
        if fault == "lost":
            raise WriteUnknownError("connection reset", status=0)
        return answer

    def _fail(self, fault: str, write: Write) -> None:
        refusal = self.refuses(write)
        if refusal:
            raise WriteRefusedError(refusal, status=422)
        match fault:
            case "dropped":
                raise WriteUnknownError("connection reset", status=0)
            case "webhook-down":
                raise WriteUnknownError('failed calling webhook "v": no endpoints available', status=500)
            case "conflict":
                if write.object in self.objects:
                    self._store(write.object, self.objects[write.object], "status-writer")
                raise WriteConflictError("the object has been modified", status=409)
            case "refused":
                raise WriteRefusedError('admission webhook "v" denied the request: no', status=400)
            case "gone":
                self.delete(write.object)
                raise ObjectGoneError("not found", status=404)
            case _:
                return

    def _commit(self, write: Write) -> KubeObject | None:
        live = self.objects.get(write.object)
        if write.verb == "create":
            if live is not None:
                raise OtherObjectError("already exists", status=409)
            answer: KubeObject | None = self.put(dict(write.body or {}), "maas-migrate")
        else:
            if live is None:
                raise ObjectGoneError("not found", status=404)
            if live["metadata"]["uid"] != write.uid:
                raise OtherObjectError("metadata.uid", status=422)
            if live["metadata"]["resourceVersion"] != write.resource_version:
                raise WriteConflictError("the object has been modified", status=409)
            answer = self._change(write, live)
        self.writes.append(write)
        for reaction in self.reactions:
            reaction(self, write)
        return answer

    def _change(self, write: Write, live: Json) -> KubeObject | None:
        if write.verb == "delete":
            del self.objects[write.object]
            return None
        body = write.body or {}
        if live.get("immutable") is True and any(
            body.get(name, live.get(name)) != live.get(name) for name in ("data", "immutable")
        ):
            raise WriteRefusedError("field is immutable when `immutable` is set", status=422)
        return self._store(write.object, merge(live, body), "maas-migrate")

    def observe(self, refs: Sequence[ObjectRef], *, timeout_s: float) -> Iterator[View]:
        end = self.clock.monotonic() + timeout_s
        while self.clock.monotonic() < end:
            if self.unreachable > 0:
                self.unreachable -= 1
                self.clock.sleep_through(timeout_s)
                raise UnreachableError("no answer", resolution="Try again.")
            yield {ref: self.get(ref) for ref in refs}
            self.clock.sleep_through(1.0)

    def review(self, needs: Sequence[AccessNeed]) -> tuple[AccessAnswer, ...]:
        return tuple(
            AccessAnswer(need=need, allowed=f"{need.verb} {need.resource}" not in self.denied) for need in needs
        )

    def content(self) -> Json:
        """Return what is declared in all objects, to compare two clusters."""
        return {
            str(ref): {key: value for key, value in thing.items() if key not in {"metadata", "status"}}
            | {name: thing["metadata"].get(name) or {} for name in ("labels", "annotations")}
            for ref, thing in sorted(self.objects.items())
        }
