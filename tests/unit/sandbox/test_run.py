"""A sandbox from beginning to end, over HTTPS, as the command serves it."""

import threading
from pathlib import Path

import pytest
import yaml

from migrate.errors import BadInputError
from migrate.maas.resources import CONFIG_MAP, INSTALL_PLAN, MAAS_TENANT_CONFIG
from migrate.sandbox.controllers.client import Client
from migrate.sandbox.controllers.refusals import ForbiddenError
from migrate.sandbox.kubeconfig import USER_TOKEN, save_kubeconfig, transport_of
from migrate.sandbox.run import SandboxOptions, SandboxReady, opened, run_sandbox


def test_an_example_is_served_settled_and_stopped(tmp_path: Path) -> None:
    stop = threading.Event()
    seen: list[tuple[SandboxReady, str, int]] = []

    def ready(told: SandboxReady) -> None:
        client = Client(transport_of(told.kubeconfig), manager="test")
        configs, _ = client.list(MAAS_TENANT_CONFIG)
        plans, _ = client.list(INSTALL_PLAN)
        seen.append((told, configs[0]["status"]["phase"], len(plans)))
        stop.set()

    run_sandbox(SandboxOptions(example="default", kubeconfig=tmp_path / "kc", speed=100), ready=ready, stop=stop)

    [(told, phase, plans)] = seen
    assert told.server.startswith("https://127.0.0.1:")
    assert (phase, plans) == ("Active", 1)
    assert (tmp_path / "kc").stat().st_mode & 0o777 == 0o600


def test_the_second_token_is_somebody_who_may_do_nothing(tmp_path: Path) -> None:
    options = SandboxOptions(example="default", controllers="none", kubeconfig=tmp_path / "kc")

    with opened(options):
        config = yaml.safe_load((tmp_path / "kc").read_text())
        config["current-context"] = "user"
        (tmp_path / "user").write_text(yaml.safe_dump(config))
        user = Client(transport_of(tmp_path / "user"), manager="test")

        assert config["users"][1]["user"]["token"] == USER_TOKEN
        with pytest.raises(ForbiddenError):
            user.list(CONFIG_MAP)


def test_another_api_server_is_seeded_over_its_api_and_driven(tmp_path: Path) -> None:
    """A second sandbox stands for the real one: empty, served over HTTPS."""
    (tmp_path / "kube-system.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: x}}")
    other = SandboxOptions(objects=(tmp_path / "kube-system.yaml",), controllers="none", kubeconfig=tmp_path / "other")
    driven = SandboxOptions(
        example="customised", kubeconfig=tmp_path / "new" / "kc", api_server=str(tmp_path / "other"), speed=100
    )

    with opened(other), opened(driven) as sandbox:
        client = Client(transport_of(driven.kubeconfig), manager="test")
        settled = sandbox.context.troupe.wait_settled(120)
        plugins = client.get(CONFIG_MAP, "openshift-ingress", "payload-processing-plugins")
        configs, _ = client.list(MAAS_TENANT_CONFIG)

    assert sandbox.api is None
    assert driven.kubeconfig.stat().st_mode & 0o777 == 0o600
    assert settled
    assert configs[0]["status"]["phase"] == "Active"
    assert "metering" in plugins["data"]["custom-ipp-config.yaml"]
    assert plugins["metadata"]["managedFields"][0]["manager"] == "maas-controller"
    assert plugins["metadata"]["ownerReferences"][0]["uid"] != "config"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param({}, "either --objects or --example", id="neither"),
        pytest.param({"example": "default", "objects": (Path("x"),)}, "either --objects or --example", id="both"),
        pytest.param({"example": "default", "speed": 0.0}, "--speed", id="speed"),
        pytest.param({"example": "default", "build": "gaet=off"}, "--build", id="build"),
        pytest.param({"example": "default", "api_server": "/nowhere"}, "kubeconfig", id="api server"),
    ],
)
def test_options_that_cannot_be_used_are_refused(tmp_path: Path, options: dict[str, object], told: str) -> None:
    with (
        pytest.raises(BadInputError, match=told),
        opened(SandboxOptions(kubeconfig=tmp_path / "kc", **options)),  # type: ignore[arg-type]  # a table of options
    ):
        pass


def test_a_kubeconfig_is_written_as_kubectl_writes_one(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "not" / "there" / "kc"
    old.touch(mode=0o644)

    save_kubeconfig(old, "a: 1\n")
    save_kubeconfig(new, "a: 1\n")

    assert [path.read_text() for path in (old, new)] == ["a: 1\n"] * 2
    assert [path.stat().st_mode & 0o777 for path in (old, new)] == [0o600] * 2
    with pytest.raises(BadInputError, match="cannot be written"):
        save_kubeconfig(old / "kc", "a: 1\n")
