"""Kubeconfigs are read as kubectl reads them, and what is wrong is named."""

import os
import sys
from pathlib import Path

import pytest
import yaml

from migrate.errors import BadInputError, NotAuthorisedError
from migrate.kube.connect import ConnectOptions, connect
from tests.unit.kube.support import Reply, kubeconfig, scripted

PLUGIN = """
import json, sys
print(json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                  "status": {"token": open(sys.argv[1]).read()}}))
"""


def _exec(folder: Path, *args: str) -> dict[str, object]:
    script = folder / "plugin.py"
    script.write_text(PLUGIN)
    return {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": sys.executable,
            "args": [str(script), *args],
            "interactiveMode": "Never",
        }
    }


def test_the_first_file_that_names_a_current_context_wins(tmp_path: Path) -> None:
    one = kubeconfig(tmp_path / "one", "https://one.example", context="one")
    two = tmp_path / "two"
    document = yaml.safe_load(Path(one).read_text())
    document["current-context"] = "two"
    document["contexts"] = [{"name": "two", "context": {"cluster": "d", "user": "u"}}]
    document["clusters"] = [{"name": "d", "cluster": {"server": "https://two.example"}}]
    two.write_text(yaml.safe_dump(document))
    environ = {"KUBECONFIG": os.pathsep.join([str(tmp_path / "missing"), one, str(two)])}

    assert connect(ConnectOptions(), environ).server == "https://one.example"
    # A context of the second file finds its user in the first.
    assert connect(ConnectOptions(context="two"), environ).server == "https://two.example"


def test_the_default_is_the_file_in_the_home_directory(tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    kubeconfig(tmp_path / ".kube" / "config", "https://home.example")

    connection = connect(ConnectOptions(), {"HOME": str(tmp_path)})

    assert (connection.server, connection.context, connection.user) == ("https://home.example", "prod", "u")


def test_a_missing_context_is_bad_input_and_the_known_ones_are_listed(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "k", "https://a.example")

    with pytest.raises(BadInputError, match=r"has no context 'prd'\. It has prod") as caught:
        connect(ConnectOptions(kubeconfig=path, context="prd"), {})

    assert path in caught.value.message


def test_a_missing_file_is_bad_input_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"no kubeconfig .*nowhere"):
        connect(ConnectOptions(kubeconfig=str(tmp_path / "nowhere")), {})


def test_nothing_configured_at_all_is_said_clearly() -> None:
    with pytest.raises(BadInputError, match="No cluster is configured") as caught:
        connect(ConnectOptions(), {})

    assert "KUBECONFIG" in caught.value.resolution


def test_a_pod_without_a_service_account_token_is_said_clearly() -> None:
    with pytest.raises(BadInputError, match="service account cannot be used"):
        connect(ConnectOptions(), {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"})


def test_a_file_that_is_no_yaml_names_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "k"
    path.write_text("apiVersion: v1\nclusters: [\n  }\n")

    with pytest.raises(BadInputError, match=r"line 3, column 3"):
        connect(ConnectOptions(kubeconfig=str(path)), {})


@pytest.mark.parametrize(
    "text",
    [
        "- a\n",
        "",
        "contexts: 7\ncurrent-context: x\n",
        "contexts: [{name: x, context: {cluster: c}}]\nclusters: [{name: c}]\ncurrent-context: x\n",
        "contexts: [{name: x, context: {cluster: c}}]\nclusters: [{name: c, cluster: {}}]\ncurrent-context: x\n",
        "contexts: [{name: x, context: {cluster: c}}]\nclusters: [{}]\ncurrent-context: x\n",
        "contexts: [{name: x, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: a}}]\ncurrent-context: x",
        "contexts: [{name: x}]\nclusters: [{name: c, cluster: {server: a}}]\ncurrent-context: x\n",
        "\x00\x01",
    ],
)
def test_a_kubeconfig_of_another_shape_is_bad_input_and_no_traceback(tmp_path: Path, text: str) -> None:
    path = tmp_path / "k"
    path.write_text(text)

    with pytest.raises(BadInputError):
        connect(ConnectOptions(kubeconfig=str(path)), {})


def test_a_user_that_is_not_there_is_no_anonymous_request(tmp_path: Path) -> None:
    path = tmp_path / "k"
    kubeconfig(path, "https://a.example")
    document = yaml.safe_load(path.read_text())
    document["users"] = []
    path.write_text(yaml.safe_dump(document))

    with pytest.raises(BadInputError, match="names the user 'u', which is not there"):
        connect(ConnectOptions(kubeconfig=str(path)), {})


def test_a_certificate_authority_that_is_not_there_names_the_file(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "k", "https://a.example", cluster={"certificate-authority": "missing.crt"})

    with pytest.raises(BadInputError, match=r"missing\.crt"):
        connect(ConnectOptions(kubeconfig=path), {})


def test_groups_without_a_user_are_refused() -> None:
    with pytest.raises(BadInputError, match="--as-group was given without --as"):
        connect(ConnectOptions(as_groups=("admins",)), {})


def test_the_request_says_who_we_are_and_whom_we_impersonate(tmp_path: Path) -> None:
    with scripted() as script:
        script.on("/version", Reply(body={}))
        path = kubeconfig(tmp_path / "k", script.url)
        connection = connect(ConnectOptions(kubeconfig=path, as_user="ops", as_groups=("a", "b")), {})

        connection.get("/version", timeout_s=5)

    request = script.seen[0]
    assert request.all("User-Agent")[0].startswith("maas-migrate/")
    assert request.all("Authorization") == ["Bearer t"]
    assert request.all("Impersonate-User") == ["ops"]
    assert request.all("Impersonate-Group") == ["a", "b"]
    assert connection.describe()["user"] == "ops (by u)"


def test_a_refused_read_loads_the_credentials_again_once(tmp_path: Path) -> None:
    with scripted() as script:
        token = tmp_path / "token"
        token.write_text("old")
        script.on("/version", Reply(status=401), Reply(body={"gitVersion": "v1"}))
        path = kubeconfig(tmp_path / "k", script.url, {"tokenFile": str(token)})
        connection = connect(ConnectOptions(kubeconfig=path), {})
        token.write_text("new")

        answer = connection.get("/version", timeout_s=5)

    assert answer == {"gitVersion": "v1"}
    assert [seen.all("Authorization") for seen in script.seen] == [["Bearer old"], ["Bearer new"]]


def test_a_refused_write_is_not_repeated(tmp_path: Path) -> None:
    from migrate.kube.errors import FailedAnswerError  # noqa: PLC0415  the only test here that needs it

    with scripted() as script:
        script.on("/x", Reply(status=401))
        connection = connect(ConnectOptions(kubeconfig=kubeconfig(tmp_path / "k", script.url)), {})

        with pytest.raises(FailedAnswerError):
            connection.send("PATCH", "/x", body={}, timeout_s=5)

    assert len(script.seen) == 1


def test_a_credential_plugin_is_asked_and_asked_again_after_401(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("first")
    with scripted() as script:
        script.on("/version", Reply(status=401), Reply(body={}))
        connection = connect(
            ConnectOptions(kubeconfig=kubeconfig(tmp_path / "k", script.url, _exec(tmp_path, str(token)))), {}
        )
        token.write_text("second")

        connection.get("/version", timeout_s=5)

    assert [seen.all("Authorization") for seen in script.seen] == [["Bearer first"], ["Bearer second"]]


def test_a_credential_plugin_that_fails_is_an_error_and_no_anonymous_request(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "k", "https://a.example", _exec(tmp_path, str(tmp_path / "missing")))

    with pytest.raises(NotAuthorisedError, match="credential plugin"):
        connect(ConnectOptions(kubeconfig=path), {})
