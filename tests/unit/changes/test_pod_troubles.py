"""What Pods say of why they do not run."""

from typing import Any

from migrate.changes.pod_troubles import pod_troubles
from migrate.records.objects import KubeObject
from tests import builders as b

SELECTOR = {"selector": {"matchLabels": {"app": "payload-processing"}}}
ENGINE = b.a_deployment("payload-processing", "openshift-ingress", spec=SELECTOR)


def troubles(*pods: Any) -> tuple[str, ...]:
    return pod_troubles(b.a_snapshot(ENGINE, *pods), [KubeObject(ENGINE).ref])


def a_pod(status: dict[str, Any], *, app: str = "payload-processing", namespace: str = "openshift-ingress") -> Any:
    return b.a_pod("p", namespace, app=app, status=status)


PULL = {
    "containerStatuses": [{"name": "ipp", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no\nx"}}}]
}


def test_a_container_that_waits_is_named_with_its_reason() -> None:
    assert troubles(a_pod(PULL)) == ("Pod openshift-ingress/p: container ipp waits: ImagePullBackOff: no x",)


def test_a_pod_that_has_no_node_is_named() -> None:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes"}

    assert troubles(a_pod({"conditions": [condition]})) == (
        "Pod openshift-ingress/p: not scheduled: Unschedulable: 0/3 nodes",
    )


def test_pods_that_run_or_start_and_pods_of_others_say_nothing() -> None:
    starting = {"containerStatuses": [{"name": "ipp", "state": {"waiting": {"reason": "ContainerCreating"}}}]}

    assert troubles(a_pod(starting)) == troubles(a_pod({})) == ()
    assert troubles(a_pod(PULL, app="other")) == troubles(a_pod(PULL, namespace="other")) == ()
