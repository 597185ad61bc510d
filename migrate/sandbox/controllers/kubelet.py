"""Pods become Running and Ready: the part of the workloads that is played beside a real controller manager too."""

from typing import ClassVar, Final

from migrate.maas.resources import CONFIG_MAP, POD, Kind
from migrate.records.objects import Json
from migrate.sandbox.controllers.player import Player
from migrate.sandbox.controllers.shapes import condition, is_true, merged_conditions

START_S: Final = 3.0
"""From the creation of a Pod until it is ready."""

STOP_S: Final = 2.0
"""From the deletion of a Pod that the server keeps until it is gone."""

BY_THE_PLATFORM: Final = ("openshift-service-ca.crt", "kube-root-ca.crt")
"""ConfigMaps that the platform keeps in every namespace; their absence in a dump says nothing."""


class Kubelet(Player):
    """Starts Pods whose ConfigMaps are there, and lets deleted ones go."""

    name = "kubelet"
    manager = "kubelet"
    kinds: ClassVar[tuple[Kind, ...]] = (POD, CONFIG_MAP)

    def reconcile(self) -> None:
        """Look at every Pod."""
        self.each(self.view.list(POD), self._drive)

    def _drive(self, pod: Json) -> None:
        uid = pod["metadata"]["uid"]
        if pod["metadata"].get("deletionTimestamp"):
            if self.timers.elapsed(("stop", uid), STOP_S):
                self.client.delete(POD, pod, grace_s=0, precondition=False)
        elif not is_true(pod, "Ready") and self._mountable(pod) and self.timers.elapsed(("start", uid), START_S):
            self.timers.forget(("start", uid))
            self._start(pod)

    def _mountable(self, pod: Json) -> bool:
        namespace = str(pod["metadata"]["namespace"])
        sources = [volume.get("configMap") or {} for volume in pod["spec"].get("volumes") or []]
        needed = {str(source.get("name", "")) for source in sources if not source.get("optional")}
        return all(self.view.get(CONFIG_MAP, namespace, name) for name in needed - {"", *BY_THE_PLATFORM})

    def _start(self, pod: Json) -> None:
        now = self.now()
        status = pod.get("status") or {}
        new = [condition(kind, "True", "") for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")]
        for entry in new:
            del entry["reason"], entry["message"]
        self.ensure_status(
            POD,
            pod,
            {
                "phase": "Running",
                "startTime": status.get("startTime") or now,
                "conditions": merged_conditions(status.get("conditions"), new, now),
                "containerStatuses": [_container(container, now) for container in pod["spec"]["containers"]],
            },
        )


def _container(container: Json, now: str) -> Json:
    return {
        "name": container["name"],
        "image": container.get("image", ""),
        "imageID": "",
        "ready": True,
        "started": True,
        "restartCount": 0,
        "lastState": {},
        "state": {"running": {"startedAt": now}},
    }
