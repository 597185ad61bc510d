"""The clients that people and this tool use, against both targets: the Python client and kubectl."""

import base64
import json
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client, dynamic, watch

from tests.contract.likeness import Api, Kubectl, config_maps, lamps
from tests.contract.likeness_kinds import GROUP, deployment, lamp, settings

dynamic_client: Any = dynamic.DynamicClient
watching: Any = watch.Watch


@pytest.fixture
def home(target: Api) -> str:
    return target.namespace()


@pytest.fixture
def api(target: Api) -> Iterator[client.ApiClient]:
    configuration = client.Configuration()
    configuration.host = target.url
    configuration.ssl_ca_cert = str(target.ca_file)
    configuration.api_key = {"authorization": "Bearer admin-token"}
    with client.ApiClient(configuration) as found:
        yield found


@pytest.fixture
def kubectl(target: Api, kubectl_program: Path, tmp_path: Path) -> Kubectl:
    return Kubectl(kubectl_program, target.kubeconfig(tmp_path / "kubeconfig"))


def test_typed_calls_read_and_write(api: client.ApiClient, home: str) -> None:
    core: Any = client.CoreV1Api(api)
    metadata = client.V1ObjectMeta(name="a")
    core.create_namespaced_config_map(home, client.V1ConfigMap(metadata=metadata, data={"x": "1"}))
    core.patch_namespaced_config_map("a", home, {"data": {"y": "2"}})
    assert core.read_namespaced_config_map("a", home).data == {"x": "1", "y": "2"}
    core.replace_namespaced_config_map("a", home, settings("a", {"z": "3"}))
    found = {item.metadata.name: item.data for item in core.list_namespaced_config_map(home).items}
    assert found["a"] == {"z": "3"}
    core.delete_namespaced_config_map("a", home)
    with pytest.raises(client.ApiException) as refused:
        core.read_namespaced_config_map("a", home)
    assert refused.value.status == 404


def test_typed_calls_know_secrets_leases_and_deployments(api: client.ApiClient, home: str) -> None:
    core: Any = client.CoreV1Api(api)
    core.create_namespaced_secret(home, client.V1Secret(metadata=client.V1ObjectMeta(name="s"), string_data={"k": "v"}))
    assert base64.b64decode(core.read_namespaced_secret("s", home).data["k"]) == b"v"
    lease = client.V1Lease(
        metadata=client.V1ObjectMeta(name="l"), spec=client.V1LeaseSpec(holder_identity="me", lease_duration_seconds=15)
    )
    coordination: Any = client.CoordinationV1Api(api)
    assert coordination.create_namespaced_lease(home, lease).spec.holder_identity == "me"
    apps: Any = client.AppsV1Api(api)
    apps.create_namespaced_deployment(home, deployment("d"))
    containers = apps.read_namespaced_deployment("d", home).spec.template.spec.containers
    assert [each.name for each in containers] == ["main", "side"]


def test_custom_objects_are_written_and_read(api: client.ApiClient, home: str) -> None:
    custom: Any = client.CustomObjectsApi(api)
    where = (GROUP, "v1", home, "lamps")
    custom.create_namespaced_custom_object(*where, lamp("a"))
    assert custom.patch_namespaced_custom_object(*where, "a", {"spec": {"count": 9}})["spec"]["count"] == 9
    custom.patch_namespaced_custom_object_status(*where, "a", {"status": {"phase": "Active"}})
    found = custom.get_namespaced_custom_object(*where, "a")
    custom.replace_namespaced_custom_object(*where, "a", {**found, "spec": {"period": "2h"}})
    listed = custom.list_namespaced_custom_object(*where)
    assert listed["kind"] == "LampList"
    assert listed["items"][0]["status"] == {"phase": "Active"}
    custom.delete_namespaced_custom_object(*where, "a")


def test_the_dynamic_client_finds_its_way(api: client.ApiClient, home: str) -> None:
    kinds = dynamic_client(api).resources.get(api_version=f"{GROUP}/v1", kind="Lamp")
    kinds.create(body=lamp("a"), namespace=home)
    assert kinds.get(name="a", namespace=home).spec.period == "1h"
    patched = kinds.patch(
        name="a", namespace=home, body={"spec": {"count": 4}}, content_type="application/merge-patch+json"
    )
    assert patched.spec.count == 4
    assert kinds.server_side_apply(name="b", namespace=home, body=lamp("b"), field_manager="m").metadata.name == "b"
    assert len(kinds.get(namespace=home).items) == 2
    assert next(iter(kinds.watch(namespace=home, timeout=2)))["type"] == "ADDED"


def test_the_stock_watch_sees_what_is_there(api: client.ApiClient, home: str) -> None:
    core: Any = client.CoreV1Api(api)
    core.create_namespaced_config_map(home, settings("a"))
    stream = watching().stream(
        core.list_namespaced_config_map, home, field_selector="metadata.name=a", timeout_seconds=5
    )
    assert next(iter(stream))["object"].metadata.name == "a"


def test_kubectl_knows_the_server_and_its_kinds(kubectl: Kubectl) -> None:
    assert "Server Version: v1." in kubectl("version")
    assert re.search(rf"^lamps +lp +{re.escape(GROUP)}/v1 +true +Lamp$", kubectl("api-resources"), re.MULTILINE)
    assert "period\t<string> -required-" in kubectl("explain", "lamp.spec")
    assert kubectl("auth", "can-i", "list", "configmaps").strip() == "yes"


def test_kubectl_applies_in_both_ways(kubectl: Kubectl, home: str) -> None:
    body = lamp("a", namespace=home)
    assert "lamp.likeness.example.com/a created" in kubectl("apply", "-f", "-", given=body)
    assert "lamp.likeness.example.com/a unchanged" in kubectl("apply", "-f", "-", given=body)
    more = {**body, "spec": {"period": "2h"}}
    assert "lamp.likeness.example.com/a configured" in kubectl("apply", "-f", "-", given=more)
    assert "count" not in kubectl("get", "lamp", "a", "-n", home, "-o", "json")
    assert "serverside-applied" in kubectl("apply", "--server-side", "-f", "-", given=lamp("b", namespace=home))


def test_kubectl_shows_tables_and_fields(kubectl: Kubectl, home: str) -> None:
    kubectl("create", "-f", "-", given=lamp("a", namespace=home, labels={"l": "1"}))
    assert re.search(r"NAME +PERIOD +PHASE\na +1h", kubectl("get", "lp", "-n", home))
    assert "period: 1h" in kubectl("get", "lamps", "a", "-n", home, "-o", "yaml")
    assert kubectl("get", "lamps", "-n", home, "-l", "l=1", "-o", "name").strip() == "lamp.likeness.example.com/a"
    assert "Period:" in kubectl("describe", "lamp", "a", "-n", home)
    assert "NotFound" in kubectl("get", "lamp", "nothing", "-n", home, code=1)


def test_kubectl_changes_what_is_there(kubectl: Kubectl, home: str) -> None:
    kubectl("create", "-f", "-", given=lamp("a", namespace=home))
    kubectl("patch", "lamp", "a", "-n", home, "--type=merge", "-p", '{"spec":{"count":8}}')
    kubectl("patch", "lamp", "a", "-n", home, "--type=json", "-p", '[{"op":"add","path":"/spec/rank","value":3}]')
    kubectl("annotate", "lamp", "a", "-n", home, "x/y=true", "--overwrite")
    kubectl("label", "lamp", "a", "-n", home, "l=1")
    found = json.loads(kubectl("get", "lamp", "a", "-n", home, "-o", "json"))
    assert found["spec"] == {"period": "1h", "count": 8, "rank": 3}
    assert found["metadata"]["annotations"]["x/y"] == "true"
    kubectl("annotate", "lamp", "a", "-n", home, "x/y-")
    kubectl("replace", "-f", "-", given=lamp("a", {"period": "3h"}, namespace=home))
    assert kubectl("get", "lamp", "a", "-n", home, "-o", "jsonpath={.spec.period}") == "3h"
    assert "(server dry run)" in kubectl("delete", "lamp", "a", "-n", home, "--dry-run=server")
    assert "deleted" in kubectl("delete", "lamp", "a", "-n", home, "--timeout=20s")


def test_kubectl_waits_and_tries(kubectl: Kubectl, target: Api, home: str) -> None:
    kubectl("create", "-f", "-", given=lamp("a", namespace=home))
    ready = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    kubectl("patch", "lamp", "a", "-n", home, "--subresource=status", "--type=merge", "-p", json.dumps(ready))
    assert "condition met" in kubectl("wait", "lamp/a", "-n", home, "--for=condition=Ready", "--timeout=10s")
    told = kubectl("create", "-f", "-", "--dry-run=server", given=lamp("z", namespace=home))
    assert "created (server dry run)" in told
    assert target.get(lamps(home, "z")).status == 404
    assert "unknown field" in kubectl(
        "create", "-f", "-", given=lamp("y", {"period": "1h", "odd": 1}, namespace=home), code=1
    )


def test_kubectl_shows_a_difference(kubectl: Kubectl, home: str) -> None:
    kubectl("apply", "-f", "-", given=lamp("a", namespace=home))
    told = kubectl("diff", "-f", "-", given=lamp("a", {"period": "7h"}, namespace=home), code=1)
    assert "+  period: 7h" in told
    assert "-  period: 1h" in told


def test_kubectl_reads_text_from_a_config_map(kubectl: Kubectl, home: str) -> None:
    kubectl("create", "configmap", "m", "-n", home, "--from-literal=a=b")
    assert kubectl("get", "cm", "m", "-n", home, "-o", "jsonpath={.data.a}") == "b"


def test_no_update_is_lost_when_many_write(target: Api, home: str) -> None:
    target.create(config_maps(home), settings("a", {"n": "0"}))

    def count_up(_: int) -> int:
        done = tries = 0
        while done < 5 and tries < 1000:
            body = target.get(config_maps(home, "a")).body
            body["data"]["n"] = str(int(body["data"]["n"]) + 1)
            done += target.put(config_maps(home, "a"), body).status == 200
            tries += 1
        return done

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(count_up, range(8))) == [5] * 8
    assert target.get(config_maps(home, "a")).get("data", "n") == "40"


def test_one_of_many_takes_a_lease(target: Api, home: str) -> None:
    path = f"/apis/coordination.k8s.io/v1/namespaces/{home}/leases"
    lease: dict[str, Any] = {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": "l"},
        "spec": {},
    }
    made = target.create(path, lease).body
    gate = threading.Barrier(12)

    def take(number: int) -> int:
        gate.wait()
        return target.put(f"{path}/l", {**made, "spec": {"holderIdentity": f"h{number}"}}).status

    with ThreadPoolExecutor(12) as pool:
        assert sorted(pool.map(take, range(12))) == [200] + [409] * 11
