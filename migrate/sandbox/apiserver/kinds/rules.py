"""Where the server knows more of a kind than its schema: one table of functions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from migrate.sandbox.apiserver.kinds import cluster, config, crd, workloads
from migrate.sandbox.apiserver.protocol.statuses import Cause
from migrate.sandbox.apiserver.protocol.values import Document

Check = Callable[[Document, Document | None], list[Cause]]


def _nothing(document: Document) -> None:
    del document


def _fine(document: Document, old: Document | None) -> list[Cause]:
    del document, old
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRules:
    """
    What is special about a kind.

    Attributes:
        fill: Fills defaults in place.

        begin: Fills, in place, what a new object starts with, such as its status.

        check: Returns what is wrong with a document, given the stored one or None.
    """

    fill: Callable[[Document], None] = _nothing
    begin: Callable[[Document], None] = _nothing
    check: Check = _fine


_PLAIN: Final = KindRules()

_RULES: Final[Mapping[tuple[str, str], KindRules]] = {
    ("", "Namespace"): KindRules(fill=cluster.fill_namespace, begin=cluster.begin_namespace),
    ("", "ConfigMap"): KindRules(check=config.check_config_map),
    ("", "Secret"): KindRules(fill=config.fill_secret, check=config.check_secret),
    ("", "Service"): KindRules(fill=cluster.fill_service, begin=cluster.begin_service),
    ("", "Pod"): KindRules(fill=workloads.fill_pod, begin=workloads.begin_pod, check=workloads.check_pod),
    ("apps", "Deployment"): KindRules(
        fill=workloads.fill_deployment, begin=workloads.begin_workload, check=workloads.check_workload
    ),
    ("apps", "ReplicaSet"): KindRules(
        fill=workloads.fill_replicas, begin=workloads.begin_replica_set, check=workloads.check_workload
    ),
    ("apps", "StatefulSet"): KindRules(
        fill=workloads.fill_stateful_set, begin=workloads.begin_replica_set, check=workloads.check_workload
    ),
    ("apps", "DaemonSet"): KindRules(
        fill=workloads.fill_daemon_set, begin=workloads.begin_daemon_set, check=workloads.check_workload
    ),
    ("batch", "Job"): KindRules(fill=workloads.fill_job, begin=workloads.begin_workload),
    ("batch", "CronJob"): KindRules(fill=workloads.fill_cron_job, begin=workloads.begin_workload),
    ("rbac.authorization.k8s.io", "RoleBinding"): KindRules(fill=cluster.fill_binding, check=cluster.check_binding),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): KindRules(
        fill=cluster.fill_binding, check=cluster.check_binding
    ),
    ("networking.k8s.io", "NetworkPolicy"): KindRules(fill=cluster.fill_network_policy),
    ("autoscaling", "HorizontalPodAutoscaler"): KindRules(fill=cluster.fill_autoscaler),
    ("coordination.k8s.io", "Lease"): KindRules(check=config.check_lease),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): KindRules(
        fill=crd.fill_crd, begin=crd.begin_crd, check=crd.check_crd
    ),
}


def rules_of(group: str, kind: str) -> KindRules:
    """Return the rules of a kind; those of most kinds say nothing."""
    return _RULES.get((group, kind), _PLAIN)
