"""What is permitted is asked for before it is needed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.kube.cluster import KubeCluster
from migrate.records.plan import AccessNeed
from migrate.sandbox.apiserver import ApiServer, Fault, serve
from tests.unit.kube.support import VirtualClock, connected

NEEDS = (
    AccessNeed(verb="get", group="", resource="configmaps", namespace="openshift-ingress"),
    AccessNeed(verb="create", group="", resource="configmaps", namespace="openshift-ingress"),
    AccessNeed(verb="delete", group="", resource="configmaps", namespace="openshift-ingress"),
    AccessNeed(verb="get", group="limitador.kuadrant.io", resource="limitadors", namespace="kuadrant-system"),
    AccessNeed(verb="create", group="coordination.k8s.io", resource="leases", namespace="models-as-a-service"),
    AccessNeed(verb="patch", group="apps", resource="deployments/scale", namespace="openshift-ingress", name="x"),
)


@pytest.fixture
def server() -> ApiServer:
    rules = [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "create"]},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create"]},
        {"apiGroups": ["apps"], "resources": ["deployments/scale"], "resourceNames": ["x"], "verbs": ["patch"]},
    ]
    api = {"apiVersion": "rbac.authorization.k8s.io/v1"}
    role = {"kind": "ClusterRole", "apiGroup": "rbac.authorization.k8s.io", "name": "some"}
    server = ApiServer(tokens={"t": "user"})
    server.seed(
        [
            {**api, "kind": "ClusterRole", "metadata": {"name": "some"}, "rules": rules},
            {
                **api,
                "kind": "ClusterRoleBinding",
                "metadata": {"name": "some"},
                "roleRef": role,
                "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "user"}],
            },
        ]
    )
    return server


@pytest.fixture
def cluster(server: ApiServer, tmp_path: Path) -> Iterator[KubeCluster]:
    with serve(server) as running:
        yield KubeCluster(connected(tmp_path, running.url), VirtualClock())


def test_ch_29_every_verb_is_asked_for_and_answered_in_order(cluster: KubeCluster) -> None:
    answers = cluster.review(NEEDS)

    assert tuple(answer.need for answer in answers) == NEEDS
    assert [answer.allowed for answer in answers] == [True, True, False, False, True, True]


def test_ch_29_a_forbidden_review_says_so_instead_of_no(cluster: KubeCluster, server: ApiServer) -> None:
    server.plant(Fault(resource="selfsubjectaccessreviews", code=403, message="reviews are forbidden", times=None))

    answers = cluster.review(NEEDS)

    assert {answer.allowed for answer in answers} == {None}
    assert answers[0].message == "reviews are forbidden"


def test_the_lock_is_asked_for_in_the_namespace_it_lives_in(cluster: KubeCluster, tmp_path: Path) -> None:
    elsewhere = KubeCluster(connected(tmp_path, cluster.identity().server), VirtualClock(), lock_namespace="ops")

    assert [answer.need.namespace for answer in elsewhere.review(NEEDS[3:5])] == ["kuadrant-system", "ops"]


def test_a_review_is_no_write(cluster: KubeCluster, server: ApiServer) -> None:
    cluster.review(NEEDS)

    posts = {entry.resource for entry in server.log.entries() if entry.verb not in {"get", "list", "watch"}}
    assert posts == {"selfsubjectaccessreviews"}
