"""
A small world for the engine: one config, one ConfigMap, one Deployment, and a controller that moves them.

It knows as little of Models-as-a-Service as the engine does: ``engine: new`` on the config makes the
controller delete the ConfigMap, put another one there and say ``steady``; ``old`` goes back, with a default text.
"""

from typing import Any

from migrate.records.essence import fingerprint, outline
from migrate.records.objects import Json, KubeObject, ObjectRef
from migrate.records.plan import (
    AccessNeed,
    Ask,
    BackUp,
    BackUpItem,
    CheckAccess,
    DryRun,
    Failure,
    Gate,
    Ground,
    Hint,
    Pause,
    Plan,
    Restart,
    Restore,
    RunbookRef,
    SetFields,
    Step,
    Verify,
    VolatilePath,
    Wait,
    Withdrawal,
)
from migrate.records.predicates import All, Exists, FieldAbsent, FieldIs, Gone, HasKeys, SameUid
from migrate.records.snapshot import ClusterIdentity
from migrate.records.window import Window
from migrate.records.writes import Write
from tests.fakes import START, FakeCluster, FakeHands, KillSwitch

CONFIG = ObjectRef(api_version="example.com/v1", kind="Config", namespace="ns", name="config")
TEXTS = ObjectRef(api_version="v1", kind="ConfigMap", namespace="ns", name="texts")
PODS = ObjectRef(api_version="apps/v1", kind="Deployment", namespace="ns", name="pods")
ENGINE = ("metadata", "annotations", "engine")
STATUS = ("metadata", "annotations", "status")
MIGRATION = ("metadata", "annotations", "migration")
OPEN = Window()
CUSTOM = {"a.yaml": "custom: 1\n", "b.yaml": "x"}


def config(**annotations: str) -> Json:
    return {
        "apiVersion": "example.com/v1",
        "kind": "Config",
        "metadata": {"namespace": "ns", "name": "config", "uid": "config-1", "annotations": annotations},
        "spec": {"colour": "blue"},
    }


def texts(data: dict[str, str] | None = None, **more: Any) -> Json:
    metadata = {"namespace": "ns", "name": "texts", "labels": {"kept": "yes"}, "annotations": {"note": "mine"}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data or dict(CUSTOM), **more}


def pods() -> Json:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"namespace": "ns", "name": "pods"},
        "spec": {"replicas": 1, "template": {"metadata": {}}},
    }


class Controller:
    """Moves between the engines, step by step in virtual time, the way level-triggered controllers do."""

    def __init__(self, *, pace_s: float = 2.0, blocks: bool = False, stuck: bool = False) -> None:
        self.pace_s = pace_s
        self.blocks = blocks
        self.stuck = stuck
        self.busy = False

    def __call__(self, cluster: FakeCluster, write: Write) -> None:
        if write.object == CONFIG and not self.busy:
            self.busy = True
            cluster.clock.after(self.pace_s, lambda: self.reconcile(cluster))

    def reconcile(self, cluster: FakeCluster) -> None:
        self.busy = False
        live = cluster.get(CONFIG)
        if live is None or self.stuck:
            return
        wanted, status = live.annotations.get("engine"), live.annotations.get("status")
        if wanted == "new" and self.blocks and live.annotations.get("force") != "true":
            self._mark(cluster, migration="blocked")
        elif wanted == "new" and status != "steady":
            self._forward(cluster, status)
        elif wanted == "old" and (status is not None or cluster.get(TEXTS) is None):
            self._back(cluster, status)

    def _again(self, cluster: FakeCluster) -> None:
        self.busy = True
        cluster.clock.after(self.pace_s, lambda: self.reconcile(cluster))

    def _mark(self, cluster: FakeCluster, **annotations: str | None) -> None:
        cluster.foreign(CONFIG, {"metadata": {"annotations": annotations}}, "controller")

    def _forward(self, cluster: FakeCluster, status: str | None) -> None:
        if status is None and cluster.get(TEXTS) is not None:
            cluster.delete(TEXTS)
        elif status is None:
            self._mark(cluster, status="cleanup-complete", migration=None)
        else:
            cluster.put(texts({"new.yaml": "new"}), "new-controller")
            self._mark(cluster, status="steady")
        self._again(cluster)

    def _back(self, cluster: FakeCluster, status: str | None) -> None:
        live = cluster.get(TEXTS)
        if live is not None and "new.yaml" in (live.get("data") or {}):
            cluster.delete(TEXTS)
        elif live is None:
            cluster.put(texts({"a.yaml": "default", "b.yaml": "default"}), "controller")
        else:
            self._mark(cluster, status=None)
        self._again(cluster)


def a_step(kind: type[Any], step_id: str, **more: Any) -> Any:
    given = {"title": step_id, "phase": "move", "estimate_seconds": 5, "timeout_seconds": 120, **more}
    return kind(id=step_id, **given)


def withdrawal(cluster: FakeCluster, patch: Json | None = None) -> Withdrawal:
    texts_uid = must(cluster, TEXTS).uid
    return Withdrawal(
        object=CONFIG,
        patch=patch or {"metadata": {"annotations": {"engine": "old", "force": None}}},
        only_while=All(of=(FieldAbsent(object=CONFIG, path=STATUS), SameUid(object=TEXTS, uid=texts_uid))),
        then_holds=SameUid(object=TEXTS, uid=texts_uid),
    )


def must(cluster: FakeCluster, ref: ObjectRef) -> KubeObject:
    live = cluster.get(ref)
    assert live is not None
    return live


VOLATILE = (
    VolatilePath(group="example.com", kind="Config", path=STATUS),
    VolatilePath(group="example.com", kind="Config", path=MIGRATION),
)
IGNORED = (STATUS, MIGRATION)
BLOCKED = Failure(
    reason="Blocked",
    message="the controller refuses to move",
    resolution="Mend the ConfigMap, then resume.",
    when=FieldIs(object=CONFIG, path=MIGRATION, values=("blocked",)),
)


def flip_and_wait(cluster: FakeCluster, *, timeout_s: int = 120) -> tuple[Step, ...]:
    live, old = must(cluster, CONFIG), must(cluster, TEXTS)
    back = withdrawal(cluster)
    return (
        a_step(
            SetFields,
            "flip",
            object=CONFIG,
            uid=live.uid,
            expects=fingerprint(live, IGNORED),
            after={"metadata": {"annotations": {"engine": "new"}}},
            withdrawal=back,
            undo_estimate_seconds=60,
        ),
        a_step(
            Wait,
            "over",
            timeout_seconds=timeout_s,
            until=All(
                of=(
                    FieldIs(object=CONFIG, path=STATUS, values=("steady",)),
                    Gone(object=TEXTS, uid=old.uid),
                    HasKeys(object=TEXTS, path=("data",), all_of=("new.yaml",)),
                )
            ),
            fails=(BLOCKED,),
            hints=(Hint(when=Exists(object=TEXTS), says="the old texts are still there"),),
            accepts_as_base=(CONFIG,),
            withdrawal=back,
            forward_note="the controller goes on by itself",
        ),
    )


def forward_steps(cluster: FakeCluster) -> tuple[Step, ...]:
    live, old = must(cluster, CONFIG), must(cluster, TEXTS)
    items = (BackUpItem(object=CONFIG, uid=live.uid), BackUpItem(object=TEXTS, uid=old.uid))
    return (
        a_step(CheckAccess, "access", needs=(AccessNeed(verb="patch", group="example.com", resource="configs"),)),
        a_step(BackUp, "backup", items=items, window="outside"),
        a_step(DryRun, "dry-run", restores=(TEXTS,)),
        a_step(Ask, "review", question="Have you looked at it?", names=("model a",)),
        *flip_and_wait(cluster),
        a_step(Pause, "caches", seconds=30, why="the caches expire"),
        a_step(
            SetFields,
            "tidy",
            object=CONFIG,
            uid=live.uid,
            expects=fingerprint(live, IGNORED),
            after={"metadata": {"annotations": {"force": None}}},
            only_if=FieldIs(object=CONFIG, path=("metadata", "annotations", "force"), values=("true",)),
        ),
        a_step(Verify, "verify", final=True),
    )


def a_plan(steps: tuple[Step, ...], cluster: FakeCluster | None = None, **more: Any) -> Plan:
    live = cluster.get(CONFIG) if cluster else None
    grounds: tuple[Ground, ...] = ()
    if live is not None:
        grounds = (
            Ground(object=CONFIG, uid=live.uid, essence=fingerprint(live, IGNORED), outline=outline(live, IGNORED)),
        )
    given = {"created_at": START.isoformat(), "platform": "3.6", "volatile": VOLATILE, "grounds": grounds, **more}
    return Plan(
        cluster=ClusterIdentity(server="https://example.com", id="cluster-1"),
        runbook=RunbookRef(name="story", digest="d"),
        steps=steps,
        **given,
    ).with_id()


def forward_plan(cluster: FakeCluster) -> Plan:
    return a_plan(forward_steps(cluster), cluster)


def rollback_plan(fakes: FakeHands) -> Plan:
    saved = next(entry for entry in fakes.backups.entries if entry.object == str(TEXTS))
    steps = (
        a_step(
            SetFields,
            "back",
            object=CONFIG,
            uid="config-1",
            after={"metadata": {"annotations": {"engine": "old", "force": None}}},
        ),
        a_step(
            Wait,
            "old-again",
            until=All(
                of=(
                    FieldAbsent(object=CONFIG, path=STATUS),
                    HasKeys(object=TEXTS, path=("data",), all_of=("a.yaml", "b.yaml")),
                )
            ),
        ),
        a_step(
            Restore,
            "restore",
            object=TEXTS,
            file=saved.file,
            sha256=saved.sha256,
            sections=("data", "binaryData", "immutable"),
            set_annotations={"managed": "false"},
        ),
        a_step(Restart, "restart", object=PODS, only_after="restore"),
        a_step(Wait, "restored", until=FieldIs(object=TEXTS, path=("data", "a.yaml"), values=(CUSTOM["a.yaml"],))),
    )
    return a_plan(steps)


def a_world(controller: Controller | None = None, *, kill: KillSwitch | None = None, **annotations: str) -> FakeHands:
    fakes = FakeHands(config(**annotations), texts(), pods(), kill=kill)
    fakes.cluster.reactions.append(controller or Controller())
    return fakes


def gate_step() -> Gate:
    gate: Gate = a_step(
        Gate,
        "gate",
        closed_while=FieldAbsent(object=CONFIG, path=("spec", "version")),
        open_when=FieldIs(object=CONFIG, path=("spec", "version"), values=("3.6",)),
        waiting_for="the upgrade",
        timeout_seconds=600,
    )
    return gate
