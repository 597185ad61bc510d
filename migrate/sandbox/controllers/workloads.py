"""
Deployments and ReplicaSets, as kube-controller-manager drives them.

A rollout first brings the new Pods up, then takes the old ones away. Pods that
have lost their ReplicaSet (a dump may hold Pods without it) are adopted.
"""

import copy
import hashlib
import json
from collections.abc import Sequence
from typing import Any, ClassVar, Final

from migrate.maas.resources import DEPLOYMENT, POD, REPLICA_SET, Kind
from migrate.records.objects import Json
from migrate.sandbox.controllers.player import Player, PlayerContext
from migrate.sandbox.controllers.shapes import condition, condition_of, contains, is_true, merged_conditions

TEMPLATE_HASH: Final = "pod-template-hash"
REVISION: Final = "deployment.kubernetes.io/revision"
_SAFE: Final = "bcdfghjklmnpqrstvwxz2456789"


class Deployments(Player):
    """Deployment -> ReplicaSet, rollouts, and the status of Deployments."""

    name = "deployments"
    manager = "kube-controller-manager"
    kinds: ClassVar[tuple[Kind, ...]] = (DEPLOYMENT, REPLICA_SET, POD)

    def __init__(self, context: PlayerContext) -> None:
        super().__init__(context)
        self._taken_over: set[str] = set()

    def reconcile(self) -> None:
        """Drive every Deployment one step on."""
        self.each([found for found in self.view.list(DEPLOYMENT) if not _deleting(found)], self._drive)

    def _drive(self, deployment: Json) -> None:
        sets = self.view.follow(REPLICA_SET).derived(_by_controller).get(_place_of(deployment), [])
        template = deployment["spec"]["template"]
        current = next((rs for rs in sets if _same_template(rs, template)), None)
        wanted = int(deployment["spec"].get("replicas", 1))
        if current is None:
            if not sets and _is_complete(deployment):
                self._taken_over.add(deployment["metadata"]["uid"])
            current = self._keep(REPLICA_SET, self.client.create(REPLICA_SET, self._new_set(deployment, sets)))
        self._scale(current, wanted)
        for old in sets:
            if old is not current and _ready(current) >= wanted:
                self._scale(old, 0)
        live = self.ensure_patched(
            DEPLOYMENT, deployment, {"metadata": {"annotations": {REVISION: _revision(current)}}}
        )
        if _ready(current) >= wanted:
            self._taken_over.discard(deployment["metadata"]["uid"])
        if deployment["metadata"]["uid"] not in self._taken_over:
            # One out of a dump is complete already, although its ReplicaSet and Pods are only coming.
            self._tell(live, current, [rs for rs in sets if rs is not current])

    def _new_set(self, deployment: Json, sets: list[Json]) -> Json:
        template = copy.deepcopy(deployment["spec"]["template"])
        digest = self._orphans_hash(deployment) or _told_hash(deployment) or template_hash(template)
        template.setdefault("metadata", {}).setdefault("labels", {})[TEMPLATE_HASH] = digest
        selector = copy.deepcopy(deployment["spec"]["selector"])
        selector.setdefault("matchLabels", {})[TEMPLATE_HASH] = digest
        revision = 1 + max((int(_revision(rs)) for rs in sets), default=_known_revision(deployment))
        return {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": f"{deployment['metadata']['name']}-{digest}",
                "namespace": _namespace(deployment),
                "labels": template["metadata"]["labels"],
                "annotations": {REVISION: str(revision)},
                "ownerReferences": [owner_reference(DEPLOYMENT, deployment)],
            },
            "spec": {
                "replicas": int(deployment["spec"].get("replicas", 1)),
                "selector": selector,
                "template": template,
            },
        }

    def _orphans_hash(self, deployment: Json) -> str:
        for pod in self.view.list(POD, _namespace(deployment)):
            metadata = pod["metadata"]
            digest = str((metadata.get("labels") or {}).get(TEMPLATE_HASH, ""))
            prefix = f"{deployment['metadata']['name']}-{digest}-"
            mine = bool(digest) and str(metadata["name"]).startswith(prefix) and not _controller(pod)
            if mine and _runs_template(pod, deployment["spec"]["template"]):
                return digest
        return ""

    def _scale(self, replica_set: Json, replicas: int) -> None:
        self.ensure_patched(REPLICA_SET, replica_set, {"spec": {"replicas": replicas}})

    def _tell(self, deployment: Json, current: Json, old: list[Json]) -> None:
        wanted = int(deployment["spec"].get("replicas", 1))
        total = sum(_replicas(rs) for rs in (current, *old))
        available = sum(_ready(rs) for rs in (current, *old))
        missing = max(0, wanted - available)
        done = _replicas(current) == total == wanted and _ready(current) >= wanted
        status: Json = {
            "observedGeneration": deployment["metadata"].get("generation", 1),
            "replicas": total or None,
            "updatedReplicas": _replicas(current) or None,
            "readyReplicas": available or None,
            "availableReplicas": available or None,
            "unavailableReplicas": missing or None,
        }
        told = (deployment.get("status") or {}).get("conditions")
        new = [_available(enough=missing == 0), _progressing(str(current["metadata"]["name"]), done=done)]
        status["conditions"] = _with_update_times(told, merged_conditions(told, new, self.now()), self.now())
        self.ensure_status(DEPLOYMENT, deployment, status)


class ReplicaSets(Player):
    """ReplicaSet -> Pods."""

    name = "replicasets"
    manager = "kube-controller-manager"
    kinds: ClassVar[tuple[Kind, ...]] = (REPLICA_SET, POD)

    def reconcile(self) -> None:
        """Make as many Pods as each ReplicaSet asks for."""
        self.each([found for found in self.view.list(REPLICA_SET) if not _deleting(found)], self._drive)

    def _drive(self, replica_set: Json) -> None:
        pods = [pod for pod in self._pods(replica_set) if not _deleting(pod)]
        wanted = int(replica_set["spec"].get("replicas", 1))
        missing = [self._new_pod(replica_set, index) for index in range(wanted - len(pods))]
        pods.extend(self._keep(POD, self.client.create(POD, pod)) for pod in missing)
        for pod in sorted(pods, key=lambda pod: is_true(pod, "Ready"))[: max(0, len(pods) - wanted)]:
            self.remove(POD, pod)
            pods.remove(pod)
        ready = sum(is_true(pod, "Ready") for pod in pods)
        self.ensure_status(
            REPLICA_SET,
            replica_set,
            {
                "observedGeneration": replica_set["metadata"].get("generation", 1),
                "replicas": len(pods),
                "fullyLabeledReplicas": len(pods) or None,
                "readyReplicas": ready or None,
                "availableReplicas": ready or None,
            },
        )

    def _pods(self, replica_set: Json) -> list[Json]:
        labels = replica_set["spec"]["selector"].get("matchLabels", {})
        pods = self.view.follow(POD).derived(_by_controller)
        mine, orphans = pods.get(_place_of(replica_set), []), pods.get((_namespace(replica_set), ""), [])
        if not orphans:
            return list(mine)
        found = []
        for pod in sorted([*mine, *orphans], key=lambda pod: str(pod["metadata"]["name"])):
            if _controlled_by(pod, replica_set):
                found.append(pod)
            elif contains(pod["metadata"].get("labels"), labels) and not _deleting(pod):
                owners = [owner_reference(REPLICA_SET, replica_set)]
                found.append(self.ensure_patched(POD, pod, {"metadata": {"ownerReferences": owners}}))
        return found

    def _new_pod(self, replica_set: Json, index: int) -> Json:
        template = copy.deepcopy(replica_set["spec"]["template"])
        name = str(replica_set["metadata"]["name"])
        seed = f"{replica_set['metadata']['uid']}/{index}/{self.context.clock.monotonic()}"
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                **template.get("metadata", {}),
                "name": f"{name}-{_letters(seed, 5)}",
                "generateName": f"{name}-",
                "namespace": _namespace(replica_set),
                "ownerReferences": [owner_reference(REPLICA_SET, replica_set)],
            },
            "spec": template["spec"],
        }


def owner_reference(kind: Kind, owner: Json, *, controller: bool = True, block: bool = True) -> Json:
    """Return the reference that makes *owner* an owner; as a rule its controller, and blocking its deletion."""
    reference: Json = {
        "apiVersion": owner.get("apiVersion") or kind.api_version,
        "kind": kind.kind,
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
    }
    if controller:
        reference["controller"] = True
    if block:
        reference["blockOwnerDeletion"] = True
    return reference


def template_hash(template: Json) -> str:
    """Return ten safe letters that stand for *template*."""
    return _letters(json.dumps(template, sort_keys=True), 10)


def _letters(seed: str, count: int) -> str:
    digest = hashlib.sha256(seed.encode()).digest()
    return "".join(_SAFE[byte % len(_SAFE)] for byte in digest[:count])


def _deleting(obj: Json) -> bool:
    return bool(obj["metadata"].get("deletionTimestamp"))


def _namespace(obj: Json) -> str:
    return str(obj["metadata"]["namespace"])


def _controller(obj: Json) -> Json | None:
    references = obj["metadata"].get("ownerReferences") or []
    return next((reference for reference in references if reference.get("controller")), None)


def _by_controller(objects: Sequence[Json]) -> dict[tuple[str, str], list[Json]]:
    """Return the objects by their namespace and the UID of their controller, which is empty for those without."""
    found: dict[tuple[str, str], list[Json]] = {}
    for obj in objects:
        controller = _controller(obj)
        uid = "" if controller is None else str(controller.get("uid") or "nobody")
        found.setdefault((_namespace(obj), uid), []).append(obj)
    return found


def _place_of(owner: Json) -> tuple[str, str]:
    return _namespace(owner), str(owner["metadata"]["uid"])


def _controlled_by(obj: Json, owner: Json) -> bool:
    controller = _controller(obj)
    return controller is not None and controller.get("uid") == owner["metadata"]["uid"]


def _same_template(replica_set: Json, template: Json) -> bool:
    own = replica_set["spec"]["template"]
    return bool(own["spec"] == template["spec"]) and _marks(own) == _marks(template)


def _marks(template: Json) -> tuple[Json, Json]:
    metadata = template.get("metadata") or {}
    labels = {key: value for key, value in (metadata.get("labels") or {}).items() if key != TEMPLATE_HASH}
    return labels, metadata.get("annotations") or {}


def _runs_template(pod: Json, template: Json) -> bool:
    metadata = template.get("metadata") or {}
    marks = {key: metadata[key] for key in ("labels", "annotations") if metadata.get(key)}
    images = [container.get("image") for container in template["spec"]["containers"]]
    return contains(pod["metadata"], marks) and images == [
        container.get("image") for container in pod["spec"]["containers"]
    ]


def _revision(replica_set: Json) -> str:
    return str((replica_set["metadata"].get("annotations") or {}).get(REVISION, "1"))


def _known_revision(deployment: Json) -> int:
    # A Deployment out of a dump goes on with the revision that it had.
    return int((deployment["metadata"].get("annotations") or {}).get(REVISION, "1")) - 1


def _is_complete(deployment: Json) -> bool:
    status = deployment.get("status") or {}
    seen = status.get("observedGeneration") == deployment["metadata"].get("generation", 1)
    return bool(seen) and int(status.get("availableReplicas", 0)) >= int(deployment["spec"].get("replicas", 1)) > 0


def _told_hash(deployment: Json) -> str:
    # A complete Deployment out of a dump names the ReplicaSet that it had.
    told = str((condition_of(deployment, "Progressing") or {}).get("message", ""))
    prefix = f'ReplicaSet "{deployment["metadata"]["name"]}-'
    return told.removeprefix(prefix).partition('"')[0] if told.startswith(prefix) and _is_complete(deployment) else ""


def _replicas(replica_set: Json) -> int:
    return int((replica_set.get("status") or {}).get("replicas") or 0)


def _ready(replica_set: Json) -> int:
    return int((replica_set.get("status") or {}).get("availableReplicas") or 0)


def _available(*, enough: bool) -> Json:
    if enough:
        return condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    return condition(
        "Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."
    )


def _progressing(replica_set: str, *, done: bool) -> Json:
    if done:
        return condition(
            "Progressing",
            "True",
            "NewReplicaSetAvailable",
            f'ReplicaSet "{replica_set}" has successfully progressed.',
        )
    return condition("Progressing", "True", "ReplicaSetUpdated", f'ReplicaSet "{replica_set}" is progressing.')


def _with_update_times(old: Any, conditions: list[Json], now: str) -> list[Json]:
    """Add ``lastUpdateTime``, which moves whenever anything of the condition does."""
    known = {entry.get("type"): entry for entry in old or [] if isinstance(entry, dict)}
    made = []
    for entry in conditions:
        before = known.get(entry["type"], {})
        same = contains(before, {key: value for key, value in entry.items() if key != "lastUpdateTime"})
        made.append({**entry, "lastUpdateTime": before.get("lastUpdateTime", now) if same else now})
    return made
