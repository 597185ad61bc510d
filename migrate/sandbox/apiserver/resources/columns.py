"""What ``kubectl get`` shows of the built-in kinds, beside name and age."""

from collections.abc import Mapping
from typing import Final

from migrate.sandbox.apiserver.resources.resource import Column


def _column(name: str, path: str, kind: str = "string", priority: int = 0) -> Column:
    return Column(name=name, path=path, type=kind, priority=priority)


_AGE: Final = _column("Age", ".metadata.creationTimestamp", "date")
_ROLE: Final = _column("Role", "~role")
_SELECTOR: Final = _column("Selector", "~map:.spec.selector.matchLabels", priority=1)
_CONTAINERS: Final = _column("Containers", "~join:.spec.template.spec.containers[*].name", priority=1)
_IMAGES: Final = _column("Images", "~join:.spec.template.spec.containers[*].image", priority=1)

COLUMNS: Final[Mapping[str, tuple[Column, ...]]] = {
    "Namespace": (_column("Status", ".status.phase"), _AGE),
    "ConfigMap": (_column("Data", "~count:.data,.binaryData", "integer"), _AGE),
    "Secret": (_column("Type", ".type"), _column("Data", "~count:.data", "integer"), _AGE),
    "Pod": (
        _column("Ready", "~ready"),
        _column("Status", ".status.phase"),
        _column("Restarts", "~restarts", "integer"),
        _AGE,
        _column("IP", ".status.podIP", priority=1),
        _column("Node", ".spec.nodeName", priority=1),
    ),
    "Service": (
        _column("Type", ".spec.type"),
        _column("Cluster-IP", ".spec.clusterIP"),
        _column("External-IP", ".spec.externalIPs[0]"),
        _column("Port(s)", "~ports"),
        _AGE,
        _column("Selector", "~map:.spec.selector", priority=1),
    ),
    "ServiceAccount": (_AGE,),
    "Event": (
        _column("Last Seen", ".lastTimestamp", "date"),
        _column("Type", ".type"),
        _column("Reason", ".reason"),
        _column("Object", "~object"),
        _column("Message", ".message"),
    ),
    "Node": (_column("Status", "~condition:Ready"), _AGE, _column("Version", ".status.nodeInfo.kubeletVersion")),
    "PersistentVolumeClaim": (
        _column("Status", ".status.phase"),
        _column("Volume", ".spec.volumeName"),
        _column("Capacity", ".status.capacity.storage"),
        _column("StorageClass", ".spec.storageClassName"),
        _AGE,
    ),
    "Deployment": (
        _column("Ready", "~of:.status.readyReplicas,.spec.replicas"),
        _column("Up-to-date", "~zero:.status.updatedReplicas", "integer"),
        _column("Available", "~zero:.status.availableReplicas", "integer"),
        _AGE,
        _CONTAINERS,
        _IMAGES,
        _SELECTOR,
    ),
    "ReplicaSet": (
        _column("Desired", "~zero:.spec.replicas", "integer"),
        _column("Current", "~zero:.status.replicas", "integer"),
        _column("Ready", "~zero:.status.readyReplicas", "integer"),
        _AGE,
        _CONTAINERS,
        _IMAGES,
        _SELECTOR,
    ),
    "StatefulSet": (_column("Ready", "~of:.status.readyReplicas,.spec.replicas"), _AGE, _CONTAINERS, _IMAGES),
    "DaemonSet": (
        _column("Desired", "~zero:.status.desiredNumberScheduled", "integer"),
        _column("Current", "~zero:.status.currentNumberScheduled", "integer"),
        _column("Ready", "~zero:.status.numberReady", "integer"),
        _column("Up-to-date", "~zero:.status.updatedNumberScheduled", "integer"),
        _column("Available", "~zero:.status.numberAvailable", "integer"),
        _AGE,
    ),
    "Job": (
        _column("Status", "~jobstatus"),
        _column("Completions", "~of:.status.succeeded,.spec.completions"),
        _AGE,
    ),
    "CronJob": (
        _column("Schedule", ".spec.schedule"),
        _column("Timezone", ".spec.timeZone"),
        _column("Suspend", "~false:.spec.suspend"),
        _column("Active", "~count:.status.active", "integer"),
        _column("Last Schedule", ".status.lastScheduleTime", "date"),
        _AGE,
    ),
    "HorizontalPodAutoscaler": (
        _column("Reference", "~scaletarget"),
        _column("MinPods", ".spec.minReplicas", "integer"),
        _column("MaxPods", ".spec.maxReplicas", "integer"),
        _column("Replicas", "~zero:.status.currentReplicas", "integer"),
        _AGE,
    ),
    "NetworkPolicy": (_column("Pod-Selector", "~map:.spec.podSelector.matchLabels"), _AGE),
    "PodDisruptionBudget": (
        _column("Min Available", ".spec.minAvailable"),
        _column("Max Unavailable", ".spec.maxUnavailable"),
        _column("Allowed Disruptions", "~zero:.status.disruptionsAllowed", "integer"),
        _AGE,
    ),
    "Role": (_column("Created At", ".metadata.creationTimestamp"),),
    "ClusterRole": (_column("Created At", ".metadata.creationTimestamp"),),
    "RoleBinding": (_ROLE, _AGE),
    "ClusterRoleBinding": (_ROLE, _AGE),
    "Lease": (_column("Holder", ".spec.holderIdentity"), _AGE),
    "CustomResourceDefinition": (_column("Created At", ".metadata.creationTimestamp"),),
}
