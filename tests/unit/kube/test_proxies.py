"""The way to the server is kubectl's way."""

from pathlib import Path

import pytest

from migrate.errors import UnreachableError
from migrate.kube.cluster import KubeCluster
from migrate.kube.connect import ConnectOptions, connect
from migrate.kube.proxies import proxy_for, shown
from tests.unit.kube.support import CONFIG_MAP, Reply, VirtualClock, kubeconfig, scripted

SERVER = "https://api.prod.cluster.example:6443"


@pytest.mark.parametrize(
    ("no_proxy", "is_direct"),
    [
        ("", False),
        (".cluster.example", True),
        ("cluster.example", True),
        ("*.cluster.example", True),
        ("api.prod.cluster.example", True),
        (".api.prod.cluster.example", False),
        ("luster.example", False),
        ("cluster.example:6443", True),
        ("cluster.example:443", False),
        ("127.0.0.1,localhost, .CLUSTER.example", True),
        ("*", True),
        ("10.0.0.0/8", False),
    ],
)
def test_no_proxy_matches_as_kubectl_matches(no_proxy: str, is_direct: bool) -> None:
    environ = {"HTTPS_PROXY": "http://proxy.corp.example:3128", "NO_PROXY": no_proxy}

    proxy = proxy_for(SERVER, environ)

    assert (proxy == "") is is_direct


@pytest.mark.parametrize(
    ("server", "no_proxy", "is_direct"),
    [
        ("https://10.1.2.3:6443", "10.0.0.0/8", True),
        ("https://10.1.2.3:6443", "10.1.2.3", True),
        ("https://10.1.2.3:6443", "10.1.2.4", False),
        ("https://[2001:db8::1]:6443", "2001:db8::/32", True),
        ("https://127.0.0.1:6443", "", True),
        ("https://localhost:6443", "", True),
    ],
)
def test_addresses_are_matched_as_addresses(server: str, no_proxy: str, is_direct: bool) -> None:
    environ = {"https_proxy": "proxy:3128", "no_proxy": no_proxy}

    assert proxy_for(server, environ) == ("" if is_direct else "http://proxy:3128")


def test_the_scheme_of_the_server_chooses_the_variable() -> None:
    environ = {"HTTP_PROXY": "http://plain:1", "HTTPS_PROXY": "http://secure:2"}

    assert proxy_for("http://a.example", environ) == "http://plain:1"
    assert proxy_for("https://a.example", environ) == "http://secure:2"


def test_a_password_in_a_proxy_is_never_shown() -> None:
    assert shown("http://me:secret@proxy.example:3128/") == "http://proxy.example:3128"


def test_ch_22_no_proxy_goes_direct_and_proxy_url_goes_through_the_proxy(tmp_path: Path) -> None:
    environ = {"HTTPS_PROXY": "http://proxy.corp.example:3128", "NO_PROXY": "127.0.0.1,localhost,.cluster.example"}
    first = kubeconfig(tmp_path / "first", SERVER)
    second = kubeconfig(tmp_path / "second", SERVER, cluster={"proxy-url": "http://bastion:8080"})

    direct = connect(ConnectOptions(kubeconfig=first), environ)
    # kubectl does not exempt a kubeconfig's own proxy by NO_PROXY.
    through = connect(ConnectOptions(kubeconfig=second), {"NO_PROXY": "*"})

    assert (direct.server, direct.proxy) == (SERVER, "")
    assert (through.server, through.proxy) == (SERVER, "http://bastion:8080")
    assert through.describe()["proxy"] == "http://bastion:8080"


def test_ch_22_a_connection_error_names_the_proxy_and_the_proxy_was_really_asked(tmp_path: Path) -> None:
    with scripted() as bastion:
        bastion.on("*", Reply(status=502, raw=b"no route"))
        path = kubeconfig(tmp_path / "k", SERVER, cluster={"proxy-url": bastion.url})
        cluster = KubeCluster(connect(ConnectOptions(kubeconfig=path, request_timeout_s=3), {}), VirtualClock())

        with pytest.raises(UnreachableError) as caught:
            cluster.read(CONFIG_MAP, timeout_s=0.5)

    assert f"through the proxy {bastion.url}" in caught.value.message
    assert bastion.seen[0].method == "CONNECT"
    assert bastion.seen[0].path == "api.prod.cluster.example:6443"


def test_a_direct_connection_that_fails_says_that_it_was_direct(tmp_path: Path) -> None:
    with scripted() as gone:
        path = kubeconfig(tmp_path / "k", gone.url)
    cluster = KubeCluster(connect(ConnectOptions(kubeconfig=path), {}), VirtualClock())

    with pytest.raises(UnreachableError) as caught:
        cluster.read(CONFIG_MAP, timeout_s=0.5)

    assert f"{gone.url} (directly) cannot be reached" in caught.value.message
