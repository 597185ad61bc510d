"""What a server tells about itself: versions, groups, schemas, tables. The same on both targets."""

import pytest

from tests.contract.likeness import Api, config_maps, lamps
from tests.contract.likeness_kinds import GROUP, lamp

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"


def test_it_tells_its_version(target: Api) -> None:
    assert target.get("/version").get("gitVersion").startswith("v1.")


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/livez"])
def test_it_is_well(target: Api, path: str) -> None:
    answer = target.get(path)
    assert (answer.status, answer.text) == (200, "ok")


def test_the_core_group_is_v1(target: Api) -> None:
    answer = target.get("/api")
    assert (answer.get("kind"), answer.get("versions")) == ("APIVersions", ["v1"])


def test_the_core_kinds_are_listed(target: Api) -> None:
    answer = target.get("/api/v1")
    assert answer.get("groupVersion") == "v1"
    assert {"configmaps", "secrets", "namespaces", "pods", "services"} <= {
        item["name"] for item in answer.get("resources")
    }


def test_a_group_prefers_its_newest_version(target: Api) -> None:
    (group,) = [group for group in target.get("/apis").get("groups") if group["name"] == GROUP]
    assert [version["version"] for version in group["versions"]] == ["v1", "v1alpha1"]
    assert group["preferredVersion"] == {"groupVersion": f"{GROUP}/v1", "version": "v1"}


def test_a_group_can_be_asked_for_alone(target: Api) -> None:
    answer = target.get(f"/apis/{GROUP}")
    assert (answer.get("kind"), answer.get("name")) == ("APIGroup", GROUP)


def test_a_custom_kind_is_listed_with_its_verbs_and_status(target: Api) -> None:
    answer = target.get(f"/apis/{GROUP}/v1")
    found = {item["name"]: item for item in answer.get("resources")}
    assert answer.get("groupVersion") == f"{GROUP}/v1"
    assert set(found) == {"lamps", "lamps/status", "streets", "streets/status"}
    assert found["lamps"]["namespaced"] is True
    assert found["streets"]["namespaced"] is False
    assert (found["lamps"]["kind"], found["lamps"]["singularName"], found["lamps"]["shortNames"]) == (
        "Lamp",
        "lamp",
        ["lp"],
    )
    verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
    assert sorted(found["lamps"]["verbs"]) == verbs
    assert sorted(found["lamps/status"]["verbs"]) == ["get", "patch", "update"]


def test_an_unknown_group_is_not_there(target: Api) -> None:
    assert target.get("/apis/nothing.example.com/v1").status == 404


@pytest.mark.parametrize("path", ["/api", "/apis"])
def test_discovery_comes_in_one_document_when_asked_for(target: Api, path: str) -> None:
    answer = target.get(path, accept=AGGREGATED)
    assert answer.get("kind") == "APIGroupDiscoveryList"
    assert answer.headers["Content-Type"].startswith("application/json;g=apidiscovery.k8s.io;v=v2")


def test_one_document_tells_scope_and_subresources(target: Api) -> None:
    answer = target.get("/apis", accept=AGGREGATED)
    (group,) = [item for item in answer.get("items") if item["metadata"]["name"] == GROUP]
    kinds = {item["resource"]: item for item in group["versions"][0]["resources"]}
    assert group["versions"][0]["version"] == "v1"
    assert kinds["lamps"]["scope"] == "Namespaced"
    assert kinds["streets"]["scope"] == "Cluster"
    assert [sub["subresource"] for sub in kinds["lamps"]["subresources"]] == ["status"]


def test_the_old_schema_document_is_there(target: Api) -> None:
    answer = target.get("/openapi/v2")
    assert answer.get("swagger") == "2.0"
    assert answer.get("definitions")


def test_the_schema_of_a_custom_kind_is_told(target: Api) -> None:
    assert f"apis/{GROUP}/v1" in target.get("/openapi/v3").get("paths")
    schemas = target.get(f"/openapi/v3/apis/{GROUP}/v1").get("components", "schemas")
    (found,) = [schema for schema in schemas.values() if _kinds(schema) == ["Lamp"]]
    assert found["properties"]["spec"]["properties"]["period"]["type"] == "string"


def _kinds(schema: dict[str, list[dict[str, str]]]) -> list[str]:
    return [kind["kind"] for kind in schema.get("x-kubernetes-group-version-kind", [])]


def test_a_table_has_the_columns_of_the_kind(target: Api) -> None:
    namespace = target.namespace()
    target.create(lamps(namespace), lamp("a"))
    answer = target.get(lamps(namespace), accept=TABLE)
    assert answer.get("kind") == "Table"
    assert [column["name"] for column in answer.get("columnDefinitions")] == ["Name", "Period", "Phase"]
    assert answer.get("rows", 0, "cells", 0) == "a"
    assert answer.get("rows", 0, "cells", 1) == "1h"
    assert answer.get("rows", 0, "object", "kind") == "PartialObjectMetadata"


def test_a_table_of_config_maps_counts_their_keys(target: Api) -> None:
    namespace = target.namespace()
    answer = target.get(config_maps(namespace), accept=TABLE)
    assert [column["name"] for column in answer.get("columnDefinitions")] == ["Name", "Data", "Age"]


def test_metadata_alone_can_be_listed(target: Api) -> None:
    namespace = target.namespace()
    target.create(lamps(namespace), lamp("a"))
    answer = target.get(lamps(namespace), accept=METADATA)
    assert (answer.get("kind"), answer.get("apiVersion")) == ("PartialObjectMetadataList", "meta.k8s.io/v1")
    assert answer.names == ["a"]
    assert "spec" not in answer.get("items", 0)
