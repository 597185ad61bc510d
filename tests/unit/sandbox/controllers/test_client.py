"""The players' client, over HTTP against the embedded server."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from migrate.maas.resources import CONFIG, CONFIG_MAP, DEPLOYMENT, LLM_INFERENCE_SERVICE, MAAS_SUBSCRIPTION
from migrate.sandbox.apiserver import ApiServer, Fault, serve
from migrate.sandbox.controllers.client import Client
from migrate.sandbox.controllers.refusals import (
    AlreadyExistsError,
    ConflictError,
    ForbiddenError,
    GoneError,
    InvalidError,
    NotFoundError,
    UnavailableError,
)
from migrate.sandbox.controllers.transport import HttpTransport
from migrate.sandbox.crds import crds_of
from tests.unit.sandbox.controllers.builders import NAMESPACE, a_config_map


@pytest.fixture
def server() -> ApiServer:
    made = ApiServer(tokens={"t": "admin", "u": "user"})
    made.seed([*crds_of("3.5"), a_config_map("seeded")])
    return made


@pytest.fixture
def url(server: ApiServer) -> Iterator[str]:
    with serve(server) as running:
        yield running.url


@pytest.fixture
def client(url: str) -> Client:
    return Client(HttpTransport(url, token="t"), manager="me")


def test_a_write_names_its_field_manager(client: Client) -> None:
    made = client.create(CONFIG_MAP, a_config_map("one"))
    patched = client.patch(CONFIG_MAP, made, {"data": {"other": "x"}}, manager="you")

    assert [entry["manager"] for entry in patched["metadata"]["managedFields"]] == ["me", "you"]
    assert client.counter.writes == 2


def test_a_list_goes_through_all_pages(client: Client, server: ApiServer) -> None:
    server.seed([a_config_map(f"cm-{number:04}") for number in range(1203)])

    found, version = client.list(CONFIG_MAP, NAMESPACE)

    assert len(found) == 1204
    assert found[0]["kind"] == "ConfigMap"
    assert version.isdigit()


def test_what_is_not_there_is_none_or_an_error(client: Client) -> None:
    assert client.find(CONFIG_MAP, NAMESPACE, "nothing") is None
    with pytest.raises(NotFoundError):
        client.get(CONFIG_MAP, NAMESPACE, "nothing")


def test_refusals_have_their_own_types(client: Client, url: str) -> None:
    made = client.create(CONFIG_MAP, a_config_map("one"))
    client.patch(CONFIG_MAP, made, {"data": {"a": "b"}})
    stranger = Client(HttpTransport(url, token="u"), manager="me")

    with pytest.raises(AlreadyExistsError):
        client.create(CONFIG_MAP, a_config_map("one"))
    with pytest.raises(ConflictError):
        client.update(CONFIG_MAP, made)
    with pytest.raises(ConflictError):
        client.delete(CONFIG_MAP, made)
    with pytest.raises(InvalidError):
        client.create(CONFIG, {"apiVersion": CONFIG.api_version, "kind": "Config", "metadata": {"name": "other"}})
    with pytest.raises(ForbiddenError):
        stranger.list(CONFIG_MAP)


def test_an_old_version_is_an_error_in_the_stream(client: Client, server: ApiServer) -> None:
    client.create(CONFIG_MAP, a_config_map("one"))
    server.compact()
    woken = threading.Event()

    stream = client.watch(CONFIG_MAP, "1", woken.set)

    assert woken.wait(10)
    assert [(event["type"], event["object"]["code"]) for event in stream.poll()] == [("ERROR", 410)]


def test_a_continue_token_that_is_too_old_is_gone(client: Client, server: ApiServer) -> None:
    server.seed([a_config_map(f"cm-{number:04}") for number in range(600)])
    server.plant(Fault(verb="list", resource="configmaps", code=410, skip=1))

    with pytest.raises(GoneError):
        client.list(CONFIG_MAP)


def test_no_answer_and_a_busy_server_are_unavailable(client: Client, server: ApiServer) -> None:
    server.plant(Fault(verb="get", reset=True))
    with pytest.raises(UnavailableError):
        client.get(CONFIG_MAP, NAMESPACE, "seeded")

    server.plant(Fault(verb="get", code=429))
    with pytest.raises(UnavailableError):
        client.get(CONFIG_MAP, NAMESPACE, "seeded")

    assert client.get(CONFIG_MAP, NAMESPACE, "seeded")["data"] == {"key": "value"}


def test_apply_takes_ownership(client: Client) -> None:
    first = client.create(CONFIG_MAP, a_config_map("one"))
    body: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "one", "namespace": NAMESPACE},
        "data": {"key": "new"},
    }

    applied = client.apply(CONFIG_MAP, body, manager="maas-controller")

    assert applied["data"] == {"key": "new"}
    assert applied["metadata"]["uid"] == first["metadata"]["uid"]
    assert ("maas-controller", "Apply") in {
        (entry["manager"], entry["operation"]) for entry in applied["metadata"]["managedFields"]
    }


def test_a_watch_tells_what_happens(client: Client) -> None:
    _, version = client.list(CONFIG_MAP)
    woken = threading.Event()
    stream = client.watch(CONFIG_MAP, version, woken.set)

    client.create(CONFIG_MAP, a_config_map("one"))

    assert woken.wait(10)
    events = stream.poll()
    assert [(event["type"], event["object"]["metadata"]["name"]) for event in events] == [("ADDED", "one")]
    stream.close()


def test_the_version_is_the_one_that_the_server_prefers(client: Client) -> None:
    assert client.served(LLM_INFERENCE_SERVICE).version == "v1alpha2"
    assert client.served(DEPLOYMENT) == DEPLOYMENT
    assert client.discover("maas.opendatahub.io", "v1alpha1", "MaaSSubscription") == MAAS_SUBSCRIPTION
