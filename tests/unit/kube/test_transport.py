"""The time asked for is the time taken, and each way to fail has its name."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.errors import BadInputError
from migrate.kube.cluster import KubeCluster
from migrate.kube.connect import ConnectOptions, connect
from migrate.kube.errors import FailedAnswerError, NoAnswerError
from migrate.sandbox.apiserver import ApiServer, make_certificates, serve
from tests.unit.kube.support import CONFIG_MAP, Reply, Script, VirtualClock, connected, kubeconfig, scripted


@pytest.fixture
def script() -> Iterator[Script]:
    with scripted() as running:
        yield running


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body={}, hang_s=20),
        Reply(body={"a": "b" * 500}, body_gap_s=0.05),
        Reply(body={}, headers={f"x-{number}": "y" for number in range(30)}, head_gap_s=0.05),
    ],
    ids=["never answers", "trickles its body", "trickles its head"],
)
def test_a_slow_server_takes_no_longer_than_was_asked_for(script: Script, tmp_path: Path, reply: Reply) -> None:
    script.on("/version", reply)
    connection = connected(tmp_path, script.url)
    began = time.monotonic()

    with pytest.raises(NoAnswerError) as caught:
        connection.get("/version", timeout_s=0.5)

    assert caught.value.cause == "timeout"
    assert 0.4 < time.monotonic() - began < 1.5


@pytest.mark.parametrize("code", [429, 500, 503, 301])
def test_the_stock_client_does_not_send_again_by_itself(script: Script, tmp_path: Path, code: int) -> None:
    script.on("/x", Reply(status=code, headers={"Retry-After": "0", "Location": "/y"}))

    with pytest.raises(FailedAnswerError):
        connected(tmp_path, script.url).send("PATCH", "/x", body={}, timeout_s=5)

    assert script.paths() == ["PATCH /x"]


def test_a_broken_connection_is_not_tried_again_by_the_client(script: Script, tmp_path: Path) -> None:
    script.on("/x", Reply(reset=True))

    with pytest.raises(NoAnswerError) as caught:
        connected(tmp_path, script.url).send("PATCH", "/x", body={}, timeout_s=5)

    assert caught.value.cause == "reset"
    assert script.paths() == ["PATCH /x"]


def test_a_refused_connection_is_known_not_to_have_been_sent(tmp_path: Path) -> None:
    with scripted() as gone:
        url = gone.url

    with pytest.raises(NoAnswerError) as caught:
        connected(tmp_path, url).get("/version", timeout_s=5)

    assert caught.value.cause == "connect"


def test_an_answer_that_is_not_json_is_no_answer(script: Script, tmp_path: Path) -> None:
    script.on("/version", Reply(raw=b"<html>log in</html>"))

    with pytest.raises(NoAnswerError) as caught:
        connected(tmp_path, script.url).get("/version", timeout_s=5)

    assert caught.value.cause == "garbled"


def test_a_certificate_nobody_vouches_for_is_bad_input_and_not_tried_twice(tmp_path: Path) -> None:
    clock = VirtualClock()
    with serve(ApiServer(), tls=make_certificates().context) as running:
        path = kubeconfig(tmp_path / "k", running.url)

        with pytest.raises(BadInputError, match="certificate that is not trusted"):
            KubeCluster(connect(ConnectOptions(kubeconfig=path), {}), clock).read(CONFIG_MAP, timeout_s=5)

    assert clock.slept == []


def test_a_certificate_the_kubeconfig_vouches_for_is_taken(tmp_path: Path) -> None:
    certificates = make_certificates()
    authority = tmp_path / "ca.crt"
    authority.write_bytes(certificates.ca_pem)
    with serve(ApiServer(), tls=certificates.context) as running:
        # A relative path is relative to the kubeconfig.
        path = kubeconfig(tmp_path / "k", running.url, cluster={"certificate-authority": "ca.crt"})
        connection = connect(ConnectOptions(kubeconfig=path), {})

        answer = connection.get("/version", timeout_s=5)

    assert answer["gitVersion"].startswith("v1.")


def test_a_kubeconfig_that_skips_verification_is_obeyed_without_noise(tmp_path: Path) -> None:
    with serve(ApiServer(), tls=make_certificates("elsewhere.example").context) as running:
        path = kubeconfig(tmp_path / "k", running.url, cluster={"insecure-skip-tls-verify": True})

        answer = connect(ConnectOptions(kubeconfig=path), {}).get("/version", timeout_s=5)

    assert answer["gitVersion"].startswith("v1.")
