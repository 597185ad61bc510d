"""Rules of Pods and of the kinds that make them."""

from typing import Any

from migrate.sandbox.apiserver.protocol.statuses import Cause
from migrate.sandbox.apiserver.protocol.values import Document, dig


def _fill(target: Document, defaults: Document) -> None:
    for name, value in defaults.items():
        target.setdefault(name, value)


def fill_pod_spec(spec: Document) -> None:
    """Fill the defaults of a Pod's spec."""
    _fill(
        spec,
        {
            "restartPolicy": "Always",
            "dnsPolicy": "ClusterFirst",
            "schedulerName": "default-scheduler",
            "terminationGracePeriodSeconds": 30,
            "securityContext": {},
        },
    )
    if "serviceAccountName" in spec:
        spec.setdefault("serviceAccount", spec["serviceAccountName"])
    for container in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]:
        _fill_container(container)
    for volume in spec.get("volumes") or ():
        for kind in ("configMap", "secret", "projected", "downwardAPI"):
            if isinstance(volume.get(kind), dict):
                volume[kind].setdefault("defaultMode", 420)


def _fill_container(container: Document) -> None:
    image = str(container.get("image", ""))
    latest = image.endswith(":latest") or ":" not in image.rsplit("/", 1)[-1]
    _fill(
        container,
        {
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
            "imagePullPolicy": "Always" if latest and "@" not in image else "IfNotPresent",
        },
    )
    for port in container.get("ports") or ():
        port.setdefault("protocol", "TCP")
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        if isinstance(container.get(probe), dict):
            _fill_probe(container[probe])


def _fill_probe(probe: Document) -> None:
    _fill(probe, {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3})
    if isinstance(probe.get("httpGet"), dict):
        probe["httpGet"].setdefault("scheme", "HTTP")


def _fill_template(document: Document) -> None:
    spec = dig(document, "spec", "template", "spec")
    if isinstance(spec, dict):
        fill_pod_spec(spec)


def fill_pod(document: Document) -> None:
    """Fill the defaults of a Pod."""
    if isinstance(document.get("spec"), dict):
        fill_pod_spec(document["spec"])
        document["spec"].setdefault("enableServiceLinks", True)


def begin_pod(document: Document) -> None:
    """Let a new Pod wait."""
    document["status"] = {"phase": "Pending", "qosClass": "BestEffort"}


def begin_workload(document: Document) -> None:
    """Give a new workload an empty status."""
    document["status"] = {}


def begin_replica_set(document: Document) -> None:
    """Give a new set of replicas a status of none."""
    document["status"] = {"replicas": 0}


def begin_daemon_set(document: Document) -> None:
    """Give a new DaemonSet a status of none."""
    counts = ("currentNumberScheduled", "desiredNumberScheduled", "numberMisscheduled", "numberReady")
    document["status"] = dict.fromkeys(counts, 0)


def fill_replicas(document: Document) -> None:
    """Fill the defaults of a ReplicaSet."""
    document.setdefault("spec", {}).setdefault("replicas", 1)
    _fill_template(document)


def fill_deployment(document: Document) -> None:
    """Fill the defaults of a Deployment."""
    spec = document.setdefault("spec", {})
    _fill(spec, {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600})
    strategy = spec.setdefault("strategy", {})
    strategy.setdefault("type", "RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        _fill(strategy.setdefault("rollingUpdate", {}), {"maxSurge": "25%", "maxUnavailable": "25%"})
    _fill_template(document)


def fill_stateful_set(document: Document) -> None:
    """Fill the defaults of a StatefulSet."""
    spec = document.setdefault("spec", {})
    _fill(spec, {"replicas": 1, "revisionHistoryLimit": 10, "podManagementPolicy": "OrderedReady"})
    strategy = spec.setdefault("updateStrategy", {})
    strategy.setdefault("type", "RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        strategy.setdefault("rollingUpdate", {"partition": 0})
    _fill_template(document)


def fill_daemon_set(document: Document) -> None:
    """Fill the defaults of a DaemonSet."""
    spec = document.setdefault("spec", {})
    spec.setdefault("revisionHistoryLimit", 10)
    strategy = spec.setdefault("updateStrategy", {})
    strategy.setdefault("type", "RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        _fill(strategy.setdefault("rollingUpdate", {}), {"maxSurge": 0, "maxUnavailable": 1})
    _fill_template(document)


def _fill_job_spec(spec: Document) -> None:
    _fill(
        spec,
        {
            "backoffLimit": 6,
            "completionMode": "NonIndexed",
            "suspend": False,
            "podReplacementPolicy": "TerminatingOrFailed",
        },
    )
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = 1
    spec.setdefault("parallelism", 1)


def fill_job(document: Document) -> None:
    """Fill the defaults of a Job."""
    _fill_job_spec(document.setdefault("spec", {}))
    _fill_template(document)


def fill_cron_job(document: Document) -> None:
    """Fill the defaults of a CronJob."""
    _fill(
        document.setdefault("spec", {}),
        {
            "concurrencyPolicy": "Allow",
            "suspend": False,
            "successfulJobsHistoryLimit": 3,
            "failedJobsHistoryLimit": 1,
        },
    )
    pod = dig(document, "spec", "jobTemplate", "spec", "template", "spec")
    if isinstance(pod, dict):
        fill_pod_spec(pod)


def check_pod(document: Document, old: Document | None) -> list[Cause]:
    """Return what is wrong with a Pod."""
    del old
    return _check_containers(document.get("spec"), "spec")


def check_workload(document: Document, old: Document | None) -> list[Cause]:
    """Return what is wrong with a workload: its selector must choose its own Pods and never change."""
    spec: Document = document.get("spec") or {}
    selector = spec.get("selector")
    if not selector:
        return [Cause.required("spec.selector")]
    causes = []
    if old is not None and selector != dig(old, "spec", "selector"):
        causes.append(Cause.invalid("spec.selector", selector, "field is immutable"))
    labels = dig(spec, "template", "metadata", "labels", default={})
    wanted: dict[str, Any] = selector.get("matchLabels") or {}
    if any(labels.get(key) != value for key, value in wanted.items()):
        detail = "`selector` does not match template `labels`"
        causes.append(Cause.invalid("spec.template.metadata.labels", labels, detail))
    return causes + _check_containers(dig(spec, "template", "spec"), "spec.template.spec")


def _check_containers(spec: Any, path: str) -> list[Cause]:
    containers = (spec or {}).get("containers") or []
    if not containers:
        return [Cause.required(f"{path}.containers")]
    return [
        Cause.required(f"{path}.containers[{index}].{field}")
        for index, container in enumerate(containers)
        for field in ("name", "image")
        if not container.get(field)
    ]
