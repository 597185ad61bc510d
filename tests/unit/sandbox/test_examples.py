"""The examples: what each holds, for 3.5 and for 3.6."""

import pytest

from migrate.errors import BadInputError
from migrate.maas.providers import bindings_of, qualify
from migrate.records.objects import Json, KubeObject
from migrate.sandbox.apiserver import ApiServer
from migrate.sandbox.crds import RELEASES, crds_of
from migrate.sandbox.examples import EXAMPLES, example

EXTERNAL = {"ExternalModel"}


def verdicts(objects: list[Json]) -> set[str]:
    known = [KubeObject(obj) for obj in objects]
    providers = {(found.namespace, found.name): found for found in known if found.kind == "ExternalProvider"}
    models = [found for found in known if found.kind in EXTERNAL]
    return {qualify(binding).verdict for model in models for binding in bindings_of(model, providers)}


def plugins(objects: list[Json]) -> Json:
    return next(obj for obj in objects if obj["kind"] == "ConfigMap")


@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_can_be_seeded_and_names_its_release(name: str, version: str) -> None:
    server = ApiServer()

    server.seed(crds_of(version))
    server.seed(example(name, version))

    dsc = server.get("/apis/datasciencecluster.opendatahub.io/v2/datascienceclusters/default-dsc")
    controllers = server.get("/apis/apps/v1/namespaces/redhat-ods-applications/deployments")["items"]
    assert dsc["status"]["release"]["version"] == f"{version}.0"
    assert ("ai-gateway-controller" in {found["metadata"]["name"] for found in controllers}) == (version == "3.6")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("default", {"qualified"}),
        ("customised", {"qualified"}),
        ("response-translation", {"qualified", "needs-translation"}),
        ("azure-model", {"qualified", "needs-translation", "unqualified"}),
    ],
)
def test_the_external_models_of_an_example(name: str, expected: set[str]) -> None:
    assert verdicts(example(name, "3.5")) == expected


def test_the_plugins_config_maps_differ_as_their_names_say() -> None:
    found = {name: plugins(example(name, "3.5"))["data"]["custom-ipp-config.yaml"] for name in EXAMPLES}

    assert found["azure-model"] == found["default"]
    assert found["response-translation"].endswith("response:\n    - pluginRef: api-translation\n")
    assert "external-metering" in found["customised"]


def test_maas_controller_runs_with_a_short_cache() -> None:
    deployment = next(obj for obj in example("default", "3.5") if obj["metadata"]["name"] == "maas-controller")

    container = deployment["spec"]["template"]["spec"]["containers"][0]
    assert "--metadata-cache-ttl=5" in container["args"]
    assert container["image"].endswith(":v3.5")


def test_an_unknown_example_gets_a_near_match() -> None:
    with pytest.raises(BadInputError) as caught:
        example("customized", "3.5")

    assert "customised" in caught.value.resolution
