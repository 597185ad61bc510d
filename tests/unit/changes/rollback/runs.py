"""Runs as their journals tell them, short: what was saved, what was written, and the cluster as it is now."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from migrate.changes.rollback import plan_rollback
from migrate.records.journal import BackupEntry, Event, EventName
from migrate.records.objects import KubeObject
from migrate.records.plan import BackUp, Plan, SetFields, plan_bytes
from migrate.records.progress import fold
from tests import builders as b

NOW = datetime(2026, 10, 3, 23, tzinfo=UTC)


class Journal:
    """Writes the events of a run by its plans, as the engine would."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.plans: list[Plan] = []
        self.objects: dict[str, KubeObject] = {}
        self.entries: list[BackupEntry] = []

    def add(self, event: EventName, step: str = "", **data: Any) -> "Journal":
        plain = msgspec.to_builtins(data, str_keys=True)
        self.events.append(
            Event(seq=len(self.events) + 1, at="2026-10-03T22:00:00Z", event=event, step=step, data=plain)
        )
        return self

    def begin(self, plan: Plan) -> "Journal":
        if not self.plans:
            self.add("run.started", plan=plan.id, cluster=plan.cluster.id)
        self.plans.append(plan)
        self.add("run.planned", plan=plan.id, part=plan.part, steps=[step.id for step in plan.steps])
        return self.add("lock.acquired")

    def back_up(self, things: list[Mapping[str, Any]]) -> "Journal":
        """Seal what the plan's BackUp step names, as it is on a cluster of *things*."""
        step = next(step for step in self.plans[-1].steps if isinstance(step, BackUp))
        snapshot = b.a_snapshot(*things)
        saved = [thing for item in step.items if (thing := snapshot.find_ref(item.object))]
        sealed = []
        for thing in saved:
            file = f"objects/{step.id}/{len(self.objects)}.json"
            entry = BackupEntry(object=str(thing.ref), file=file, sha256=f"sha-{file}", uid=thing.uid, verified=True)
            self.objects[file] = thing
            self.entries.append(entry)
            sealed.append({"entry": entry, "object": thing.ref, "uid": thing.uid, "essence": ""})
        self.add("step.started", step.id)
        self.add("backup.sealed", step.id, label=step.id, objects=sealed)
        return self.add("step.succeeded", step.id)

    def write(self, *names: str, applied: bool = True) -> "Journal":
        """Send the writes of these steps; without *applied* nobody knows whether they arrived."""
        for name in names:
            step = next(step for step in self.plans[-1].steps if step.id == name)
            assert isinstance(step, SetFields)
            intent = {"object": step.object, "verb": "patch", "patch": step.after, "uid": step.uid}
            self.add("step.started", name).add("write.intended", name, intent=intent)
            if applied:
                self.add("write.applied", name, uid=step.uid, resourceVersion="2").add("step.succeeded", name)
        return self

    def gate(self, step: str = "gate") -> "Journal":
        self.add("step.started", step).add("gate.reached", step).add("run.stopped", exitCode=20)
        return self.add("run.resumed").add("gate.passed", step)

    def back(self, things: list[Mapping[str, Any]], **snapshot: Any) -> Plan:
        """Return the way back on a cluster of *things*."""
        events = tuple(self.events)
        made = plan_rollback(
            state=fold("r1", events),
            events=events,
            plans=tuple(self.plans),
            backups=tuple(self.entries),
            objects=self.objects,
            snapshot=b.a_snapshot(*things, **snapshot),
        )
        assert msgspec.json.decode(plan_bytes(made), type=Plan) == made
        return made
