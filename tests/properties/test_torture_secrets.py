"""
Goal: no secret of a cluster shows where it does not belong.

Method: canaries in every string that could hold one: Secrets, environment values, the text of the plugins
ConfigMap, annotations. The whole way forward and back is gone, then every byte on the disk and every word on the
screen is searched.
"""

from pathlib import Path

import msgspec
import pytest

from tests.torture.fates import OPEN
from tests.torture.invariants import CONFIG, PLUGINS
from tests.torture.sweep import CUSTOMISED
from tests.torture.world import World

IN_A_SECRET, IN_THE_TEXT, IN_THE_ENVIRONMENT = "canary-in-a-secret", "canary-in-the-text", "canary-in-the-environment"
IN_AN_ANNOTATION = "canary-in-an-annotation"
API = "/apis/apps/v1/namespaces/redhat-ai-gateway-infra/deployments/maas-api"


def plant(world: World) -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "maas-db-config"}}
    path = "/api/v1/namespaces/redhat-ai-gateway-infra/secrets"
    world.as_somebody("POST", path, {**secret, "stringData": {"DB_CONNECTION_URL": IN_A_SECRET}})
    container = world.server.get(API)["spec"]["template"]["spec"]["containers"][0]
    with_secret = {**container, "env": [*container.get("env", []), {"name": "TOKEN", "value": IN_THE_ENVIRONMENT}]}
    world.as_somebody("PATCH", API, {"spec": {"template": {"spec": {"containers": [with_secret]}}}})
    data = world.server.get(PLUGINS)["data"]
    entry = f"plugins:\n- type: external-metering\n  name: sneaky\n  parameters:\n    apiKey: {IN_THE_TEXT}\n"
    changed = {name: text.replace("plugins:\n", entry, 1) for name, text in data.items()}
    world.as_somebody("PATCH", PLUGINS, {"data": changed})
    applied = {"kubectl.kubernetes.io/last-applied-configuration": IN_AN_ANNOTATION}
    world.as_somebody("PATCH", CONFIG, {"metadata": {"annotations": applied}})


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    """Everything that the tool wrote and said, by file."""
    world = World(story=CUSTOMISED)
    try:
        plant(world)
        world.time.pass_by(30.0)
        assert world.apply(OPEN).code == 0
        assert world.rollback(world.runs()[-1].id).code == 0
        root = world.platter().root
        found = {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}
        states = [msgspec.json.encode(outcome.state).decode() for outcome in world.outcomes]
        return {**found, "the screen": "\n".join(world.said), "the documents": "\n".join(states)}
    finally:
        world.close()


def where(told: dict[str, str], canary: str) -> list[str]:
    return sorted(name for name, text in told.items() if canary in text)


def test_what_is_in_a_secret_is_read_by_nobody(told: dict[str, str]) -> None:
    assert where(told, IN_A_SECRET) == []


@pytest.mark.parametrize("canary", [IN_THE_TEXT, IN_THE_ENVIRONMENT, IN_AN_ANNOTATION])
def test_what_is_in_an_object_is_in_its_backup_and_in_the_snapshot_alone(told: dict[str, str], canary: str) -> None:
    own = {IN_THE_TEXT: "ConfigMap.", IN_THE_ENVIRONMENT: "Deployment.", IN_AN_ANNOTATION: "MaasTenantConfig."}[canary]

    shown = [name for name in where(told, canary) if not name.endswith("snapshot.json")]

    assert [name for name in shown if not Path(name).name.startswith(own)] == []


def test_the_text_is_where_it_belongs(told: dict[str, str]) -> None:
    assert any("ConfigMap." in name for name in where(told, IN_THE_TEXT)), "the canary was never in what was saved"
