"""Finalizers on what has to go: told before, named by the wait that hangs on them, and gone on from afterwards."""

import pytest

from migrate.maas import annotations as key
from tests.e2e.rig import Rig, a_rig
from tests.torture.world import settle

pytestmark = pytest.mark.slow

HOLD = "example.com/hold"
CONFIG = "/apis/maas.opendatahub.io/v1alpha1/namespaces/models-as-a-service/maastenantconfigs/default-tenant"
NETWORK_POLICY = (
    "NetworkPolicy openshift-ingress/payload-processing",
    "/apis/networking.k8s.io/v1/namespaces/openshift-ingress/networkpolicies/payload-processing",
)
HELD = {
    "ConfigMap openshift-ingress/payload-processing-plugins": (
        "/api/v1/namespaces/openshift-ingress/configmaps/payload-processing-plugins"
    ),
    "Service openshift-ingress/payload-pre-processing": (
        "/api/v1/namespaces/openshift-ingress/services/payload-pre-processing"
    ),
}


def hold(rig: Rig, path: str, *finalizers: str) -> None:
    done = rig.as_somebody("PATCH", path, {"metadata": {"finalizers": list(finalizers) or None}})
    assert done["kind"] != "Status", done
    settle(rig.time, rig.players)


def status(rig: Rig) -> str | None:
    found: dict[str, str] = rig.get(CONFIG)["metadata"]["annotations"]
    return found.get(key.PAYLOAD_PROCESSING_STATUS)


@pytest.mark.parametrize("name", HELD)
def test_what_a_finalizer_holds_is_told_before_and_named_by_the_move_that_hangs_on_it(name: str) -> None:
    path = HELD[name]
    with a_rig("default") as rig:
        hold(rig, path, HOLD)
        (told,) = (found for found in rig.planned().findings if found.code == "HeldByFinalizer")
        assert (str(told.object), told.impact) == (name, "advisory")

        hung = rig.go()

        assert hung.code == 22
        assert f"{name} is being deleted since " in hung.message
        assert f"held by the finalizer {HOLD}" in hung.message
        hold(rig, path)
        assert rig.go_on("").code == 0
        assert status(rig) == "steady"


def test_what_holds_praxis_is_named_by_the_way_back_that_hangs_on_it() -> None:
    name, path = NETWORK_POLICY
    with a_rig("default") as rig:
        assert rig.go().code == 0
        hold(rig, path, HOLD)

        back = rig.back()

        assert back.code == 22
        assert f"{name} is being deleted since " in back.message
        hold(rig, path)
        assert rig.back().code == 0
        assert status(rig) is None
