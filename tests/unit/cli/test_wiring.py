"""The real parts put together: what no Lease tells of the lock."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.cli.person import Stop, SystemClock
from migrate.cli.wiring import LiveCluster
from migrate.errors import BadInputError
from migrate.sandbox.apiserver import ApiServer, serve
from tests.unit.kube.support import connected

RBAC = "rbac.authorization.k8s.io/v1"
RULE = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get"]}
REF = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "leases"}
SEEDS = (
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "llm"}},
    {"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": "leases"}, "rules": [RULE]},
    {
        "apiVersion": RBAC,
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "leases"},
        "roleRef": REF,
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "user"}],
    },
)


@pytest.fixture
def url() -> Iterator[str]:
    """A cluster that has the namespace ``llm`` and not the default one of the lock."""
    server = ApiServer(tokens={"t": "admin", "weak": "user"})
    server.seed(SEEDS)
    with serve(server) as running:
        yield running.url


def live(folder: Path, url: str, namespace: str, token: str = "t") -> LiveCluster:
    stop = Stop()
    return LiveCluster(connected(folder, url, token=token), SystemClock(stop), stop, namespace)


def test_a_lock_that_was_never_taken_is_free(url: str, tmp_path: Path) -> None:
    assert live(tmp_path, url, "llm").holder().state == "free"


def test_a_named_namespace_that_is_not_there_is_bad_input(url: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no namespace nowhere") as caught:
        live(tmp_path, url, "nowhere").holder()

    assert "kubectl get leases -A" in caught.value.resolution


def test_without_the_default_namespace_nobody_knows_where_the_lock_is(url: str, tmp_path: Path) -> None:
    holder = live(tmp_path, url, "").holder()

    assert (holder.state, "no namespace models-as-a-service" in holder.message) == ("unknown", True)


def test_a_namespace_that_may_not_be_read_is_said(url: str, tmp_path: Path) -> None:
    holder = live(tmp_path, url, "", token="weak").holder()

    assert (holder.state, "may not be read" in holder.message) == ("free", True)


@pytest.mark.parametrize("name", ["a/b", "..", "UPPER", "a" * 64])
def test_what_cannot_be_a_namespace_is_refused_before_anything_is_asked(url: str, tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInputError, match="is no name of a namespace"):
        live(tmp_path, url, name)
