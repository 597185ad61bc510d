"""The cluster's own controllers, and those of Kuadrant, Istio, KServe and IPP."""

from migrate.sandbox.controllers.collection import GarbageCollector, Namespaces
from migrate.sandbox.controllers.istio import Istio
from migrate.sandbox.controllers.kuadrant import Kuadrant
from migrate.sandbox.controllers.kubelet import Kubelet
from migrate.sandbox.controllers.models import ExternalModels, KServe
from migrate.sandbox.controllers.player import Player, PlayerContext
from migrate.sandbox.controllers.workloads import Deployments, ReplicaSets


def cast(context: PlayerContext) -> list[Player]:
    """Return the players; beside a real controller manager only the kubelet of the cluster's own."""
    cluster: list[Player] = [Kubelet(context)]
    if not context.real_cluster:
        cluster += [Deployments(context), ReplicaSets(context), GarbageCollector(context), Namespaces(context)]
    return [*cluster, Kuadrant(context), Istio(context), KServe(context), ExternalModels(context)]
