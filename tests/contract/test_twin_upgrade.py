"""The whole twin, served over HTTPS: a person with a kubeconfig takes a cluster from 3.5 to Praxis and back."""

import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from migrate.maas import resources
from migrate.records.objects import Json, KubeObject
from migrate.sandbox.controllers.client import Client
from migrate.sandbox.kubeconfig import transport_of
from migrate.sandbox.run import Sandbox, SandboxOptions, opened

REAL = Path(__file__).parents[3] / "shared" / "clusters" / "real-3.5"
TYPE = "maas.opendatahub.io/payload-processing-type"
STATUS = "maas.opendatahub.io/payload-processing-status"
MIGRATION = "maas.opendatahub.io/payload-processing-migration"
SPEED = 50.0


class Person:
    """Somebody with a kubeconfig."""

    def __init__(self, sandbox: Sandbox, kubeconfig: Path) -> None:
        self._troupe = sandbox.context.troupe
        self.client = Client(transport_of(kubeconfig), manager="kubectl")

    def all(self, kind: resources.Kind) -> list[KubeObject]:
        return [KubeObject(thing) for thing in self.client.list(kind)[0]]

    def config(self, namespace: str = "models-as-a-service") -> KubeObject:
        return KubeObject(self.client.get(resources.MAAS_TENANT_CONFIG, namespace, "default-tenant"))

    def ask_for(self, engine: str, namespace: str = "models-as-a-service") -> None:
        config: Json = {"metadata": {"namespace": namespace, "name": "default-tenant"}}
        body: Mapping[str, Json] = {"metadata": {"annotations": {TYPE: engine}}}
        self.client.patch(resources.MAAS_TENANT_CONFIG, config, body)

    def approve(self) -> None:
        (plan,) = self.client.list(resources.INSTALL_PLAN)[0]
        self.client.patch(resources.INSTALL_PLAN, plan, {"spec": {"approved": True}})

    def is_upgraded(self) -> bool:
        return any(plan.get("status", "phase") == "Complete" for plan in self.all(resources.INSTALL_PLAN))

    def wait(self, until: Callable[[], bool], timeout_s: float = 60) -> bool:
        pause = threading.Event()
        for _ in range(int(timeout_s / 0.1)):
            if until():
                return self._troupe.wait_settled(timeout_s)
            pause.wait(0.1)
        return False


@pytest.fixture
def on_35(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Person]:
    """A settled cluster with 3.5: an example by name, or a folder of manifests."""
    objects = request.param if isinstance(request.param, Path) else None
    options = SandboxOptions(
        objects=(objects,) if objects else (),
        example="" if objects else request.param,
        kubeconfig=tmp_path / "kubeconfig",
        speed=SPEED,
    )
    with opened(options) as sandbox:
        assert sandbox.context.troupe.wait_settled(120)
        yield Person(sandbox, options.kubeconfig)


@pytest.mark.slow
@pytest.mark.parametrize("on_35", ["default"], indirect=True)
def test_from_35_to_praxis_and_back(on_35: Person) -> None:
    on_35.ask_for("ipp")
    on_35.approve()
    assert on_35.wait(on_35.is_upgraded)
    stamps = {thing.get("status", "rateLimitIdentity") for thing in on_35.all(resources.MAAS_SUBSCRIPTION)}
    assert stamps == {"legacy"}
    assert STATUS not in on_35.config().annotations

    on_35.ask_for("praxis")
    assert on_35.wait(lambda: on_35.config().annotations.get(STATUS) == "steady")
    assert (on_35.config().condition("Ready") or {})["status"] == "True"

    on_35.ask_for("ipp")
    assert on_35.wait(lambda: STATUS not in on_35.config().annotations)
    assert (on_35.config().condition("Ready") or {})["status"] == "True"


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.skipif(not REAL.exists(), reason="the shared folder is not beside the checkout")
@pytest.mark.parametrize("on_35", [REAL], indirect=True)
def test_a_real_installation_goes_the_same_way_tenant_by_tenant(on_35: Person) -> None:
    on_35.approve()
    assert on_35.wait(on_35.is_upgraded)
    for namespace in ("models-as-a-service", "ai-tenant-redteam"):
        on_35.ask_for("praxis", namespace)

    assert on_35.wait(lambda: on_35.config("ai-tenant-redteam").annotations.get(STATUS) == "steady")

    assert on_35.config().annotations[MIGRATION] == "blocked"  # Its default tenant has a legacy Azure model.
    assert {thing.get("status", "phase") for thing in on_35.all(resources.MAAS_SUBSCRIPTION)} == {"Active"}
    for policy in on_35.all(resources.TOKEN_RATE_LIMIT_POLICY):
        assert all(name.startswith("tokens-") for name in policy.get("spec", "limits", default={}))
