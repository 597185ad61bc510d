"""
The API server behind HTTP, met by the clients that people use: kubectl and the Python client.

The server runs in the process of the tests; kubectl is a process of its own.
"""

import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import urllib3
from kubernetes import client, dynamic, watch

from migrate.sandbox.apiserver import ApiServer, Certificates, Fault, Running, make_certificates, serve

TOKENS = {"admin-token": "admin", "user-token": "user"}
WIDGETS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wd"]},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "properties": {"limit": {"type": "integer"}}},
                            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                        },
                    }
                },
            }
        ],
    },
}
Kubectl = Callable[..., str]


def widget(name: str, limit: int = 1) -> dict[str, Any]:
    head = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name, "namespace": "default"}}
    return {**head, "spec": {"limit": limit}}


@pytest.fixture(scope="module")
def certificates() -> Certificates:
    return make_certificates()


@pytest.fixture
def running(certificates: Certificates) -> Iterator[Running]:
    server = ApiServer()
    server.seed([WIDGETS])
    with serve(server, tokens=TOKENS, tls=certificates.context) as found:
        yield found


@pytest.fixture
def ca_file(certificates: Certificates, tmp_path: Path) -> str:
    path = tmp_path / "ca.crt"
    path.write_bytes(certificates.ca_pem)
    return str(path)


@pytest.fixture
def api(running: Running, ca_file: str) -> Iterator[client.ApiClient]:
    configuration = client.Configuration()
    configuration.host = running.url
    configuration.ssl_ca_cert = ca_file
    configuration.api_key = {"authorization": "Bearer admin-token"}
    with client.ApiClient(configuration) as found:
        yield found


@pytest.fixture
def kubectl(running: Running, ca_file: str, tmp_path: Path) -> Kubectl:
    program = shutil.which("kubectl", path=str(Path(sys.executable).parent)) or shutil.which("kubectl")
    if program is None:
        pytest.fail("kubectl is missing; it comes with the development dependencies: make setup")
    config = tmp_path / "kubeconfig"
    config.write_text(
        json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "admin",
                "clusters": [{"name": "c", "cluster": {"server": running.url, "certificate-authority": ca_file}}],
                "users": [{"name": name, "user": {"token": token}} for token, name in TOKENS.items()],
                "contexts": [
                    {"name": name, "context": {"cluster": "c", "user": name, "namespace": "default"}}
                    for name in TOKENS.values()
                ],
            }
        )
    )

    def run(*arguments: str, given: Any = None, code: int = 0) -> str:
        command = [program, "--kubeconfig", str(config), "--cache-dir", str(tmp_path / "cache"), *arguments]
        text = None if given is None else json.dumps(given)
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def test_kubectl_applies_reads_and_deletes(kubectl: Kubectl) -> None:
    assert "created" in kubectl("apply", "-f", "-", given=widget("a"))
    assert "unchanged" in kubectl("apply", "-f", "-", given=widget("a"))
    assert "configured" in kubectl("apply", "-f", "-", given=widget("a", 2))
    assert "serverside-applied" in kubectl("apply", "--server-side", "-f", "-", given=widget("b"))
    assert kubectl("get", "wd", "a", "-o", "jsonpath={.spec.limit}") == "2"
    assert "limit" in kubectl("explain", "widget.spec")
    assert "deleted" in kubectl("delete", "widget", "a", "--timeout=5s")


def test_kubectl_takes_a_list_and_the_server_is_strict_about_what_is_in_it(kubectl: Kubectl) -> None:
    head = {"apiVersion": "v1", "kind": "List"}
    assert kubectl("apply", "-f", "-", given={**head, "items": [widget("a"), widget("b")]}).count("created") == 2

    wrong = {**widget("b"), "spec": {"colour": "red"}}

    assert "spec.colour" in kubectl("apply", "-f", "-", given={**head, "items": [widget("a"), wrong]}, code=1)


def test_kubectl_meets_an_owner(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=widget("a"))

    refused = kubectl("apply", "--server-side", "-f", "-", given=widget("a", 2), code=1)
    taken = kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", given=widget("a", 2))

    assert 'conflict with "kubectl-create"' in refused
    assert "serverside-applied" in taken


def test_kubectl_runs_a_deployment(kubectl: Kubectl) -> None:
    kubectl("create", "deployment", "web", "--image=web:1")
    kubectl("scale", "deployment/web", "--replicas=3")
    kubectl("set", "image", "deployment/web", "web=web:2")
    kubectl("rollout", "restart", "deployment/web")
    status = {"observedGeneration": 4, "replicas": 3, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3}
    kubectl("patch", "deployment", "web", "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))

    assert "successfully rolled out" in kubectl("rollout", "status", "deployment/web", "--timeout=5s")
    assert "3/3" in kubectl("get", "deployments")
    assert "web:2" in kubectl("describe", "deployment", "web")


def test_kubectl_waits(kubectl: Kubectl, running: Running) -> None:
    kubectl("create", "-f", "-", given=widget("a"))
    ready = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    later = threading.Timer(
        0.5,
        lambda: kubectl("patch", "widget", "a", "--subresource=status", "--type=merge", "-p", json.dumps(ready)),
    )
    later.start()

    assert "met" in kubectl("wait", "widget/a", "--for=condition=Ready", "--timeout=10s")
    later.join()
    assert any(entry.verb == "watch" for entry in running.server.log.entries())


def test_kubectl_creates_by_typed_commands(kubectl: Kubectl) -> None:
    """These send protobuf."""
    kubectl("create", "configmap", "m", "--from-literal=a=b")
    kubectl("create", "secret", "generic", "s", "--from-literal=k=v")
    kubectl("create", "role", "r", "--verb=get", "--resource=configmaps")
    kubectl("create", "rolebinding", "b", "--role=r", "--user=user")

    assert kubectl("get", "configmap", "m", "-o", "jsonpath={.data.a}", "--context", "user") == "b"
    assert kubectl("get", "secret", "s", "-o", "jsonpath={.data.k}") == "dg=="
    assert kubectl("auth", "can-i", "get", "configmaps", "--context", "user").strip() == "yes"
    assert kubectl("auth", "can-i", "delete", "configmaps", "--context", "user", code=1).strip() == "no"


def test_the_other_user_may_do_nothing(kubectl: Kubectl) -> None:
    assert "Forbidden" in kubectl("get", "configmaps", "--context", "user", code=1)


def test_the_typed_client_reads_what_it_writes(api: client.ApiClient) -> None:
    core = client.CoreV1Api(api)
    body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="a"), data={"x": "1"})
    core.create_namespaced_config_map("default", body)
    core.patch_namespaced_config_map("a", "default", {"data": {"y": "2"}})

    assert core.read_namespaced_config_map("a", "default").data == {"x": "1", "y": "2"}
    core.delete_namespaced_config_map("a", "default")
    with pytest.raises(client.ApiException) as caught:
        core.read_namespaced_config_map("a", "default")
    assert caught.value.status == 404


def test_the_dynamic_client_finds_custom_kinds(api: client.ApiClient) -> None:
    make: Any = dynamic.DynamicClient
    resource = make(api).resources.get(api_version="example.com/v1", kind="Widget")
    resource.create(body=widget("a"), namespace="default")

    applied = resource.server_side_apply(body=widget("b", 5), name="b", namespace="default", field_manager="m")

    assert applied.spec.limit == 5
    assert [each.metadata.name for each in resource.get(namespace="default").items] == ["a", "b"]


def test_a_watch_ends_cleanly_when_the_server_does(certificates: Certificates) -> None:
    del certificates
    server = ApiServer()
    seen: list[str] = []
    make: Any = watch.Watch

    def follow(url: str) -> None:
        configuration = client.Configuration()
        configuration.host = url
        with client.ApiClient(configuration) as plain:
            events = make().stream(client.CoreV1Api(plain).list_namespace, timeout_seconds=60)
            seen.extend(event["object"].metadata.name for event in events)

    with serve(server) as running:
        thread = threading.Thread(target=follow, args=(running.url,), daemon=True)
        thread.start()
        ends_at = time.monotonic() + 5
        while len(seen) < 4 and time.monotonic() < ends_at:
            thread.join(0.02)
    thread.join(5)

    assert sorted(seen) == ["default", "kube-node-lease", "kube-public", "kube-system"]


@pytest.mark.parametrize(
    ("rule", "outcome"),
    [
        ({"reset": True}, urllib3.exceptions.ProtocolError),
        ({"code": 429, "headers": {"Retry-After": "1"}}, 429),
        ({"delay_s": 0.3}, 200),
    ],
)
def test_faults_reach_a_client(rule: dict[str, Any], outcome: Any) -> None:
    server = ApiServer()
    pool = urllib3.PoolManager(retries=False)
    with serve(server) as running:
        planted = pool.request("POST", running.url + "/sandbox/faults", json={"verb": "list", **rule})
        assert planted.status == 201
        path = running.url + "/api/v1/namespaces"
        started = time.monotonic()

        if isinstance(outcome, int):
            assert pool.request("GET", path).status == outcome
        else:
            with pytest.raises(outcome):
                pool.request("GET", path)

        assert time.monotonic() - started >= rule.get("delay_s", 0)
        assert pool.request("GET", path).status == 200
    pool.clear()


def test_nobody_answers_after_the_end() -> None:
    pool = urllib3.PoolManager(retries=False)
    with serve(ApiServer()) as running:
        assert pool.request("GET", running.url + "/version").status == 200

    with pytest.raises(urllib3.exceptions.HTTPError):
        pool.request("GET", running.url + "/version")
    pool.clear()


def test_plant_by_hand_is_what_the_back_door_does(running: Running, api: client.ApiClient) -> None:
    running.server.plant(Fault(verb="get", resource="namespaces", code=503))

    with pytest.raises(client.ApiException) as caught:
        client.CoreV1Api(api).read_namespace("default")

    assert caught.value.status == 503
