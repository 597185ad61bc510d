"""What holds up the Pods of a Deployment, in the words of the cluster: for a wait that ran out of time."""

from collections.abc import Collection, Iterator
from typing import Any

from migrate.changes.platform.reading import maps
from migrate.maas import resources
from migrate.records.objects import KubeObject, ObjectRef, get_in
from migrate.records.predicates import one_line
from migrate.records.snapshot import Snapshot


def pod_troubles(snapshot: Snapshot, refs: Collection[ObjectRef]) -> tuple[str, ...]:
    """Return what the Pods of the Deployments among *refs* say of why they do not run; sorted, nothing when they do."""
    deployments = [thing for ref in refs if ref.kind == resources.DEPLOYMENT.kind and (thing := snapshot.find_ref(ref))]
    pods = snapshot.of_kind(*resources.POD.key)
    told = {text for deployment in deployments for pod in pods if _is_of(pod, deployment) for text in _troubles(pod)}
    return tuple(sorted(told))


def _is_of(pod: KubeObject, deployment: KubeObject) -> bool:
    wanted = deployment.get("spec", "selector", "matchLabels", default={})
    return pod.namespace == deployment.namespace and bool(wanted) and wanted.items() <= pod.labels.items()


def _troubles(pod: KubeObject) -> Iterator[str]:
    for name in ("initContainerStatuses", "containerStatuses"):
        for status in maps(pod.get("status", name)):
            reason = get_in(status, "state", "waiting", "reason")
            if reason and reason not in {"ContainerCreating", "PodInitializing"}:
                yield _told(pod, f"container {status.get('name')} waits", reason, get_in(status, "state", "waiting"))
    for condition in maps(pod.get("status", "conditions")):
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            yield _told(pod, "not scheduled", condition.get("reason"), condition)


def _told(pod: KubeObject, what: str, reason: Any, place: Any) -> str:
    message = one_line(get_in(place, "message", default="") or "")
    return f"{pod.ref}: {what}: {one_line(reason)}" + (f": {message}" if message else "")
