"""What is served, and what is only not known."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from migrate.errors import NotAuthorisedError, UnreachableError
from migrate.kube.discovery import Discovery, discover
from tests.unit.kube.support import Reply, Script, VirtualClock, connected, scripted, status


@pytest.fixture
def script() -> Iterator[Script]:
    with scripted() as running:
        running.on("/api", Reply(body={"kind": "APIVersions", "versions": ["v1"]}))
        running.on("/api/v1", _resources(("configmaps", "ConfigMap", True), ("configmaps/status", "ConfigMap", True)))
        yield running


def _resources(*entries: tuple[str, str, bool]) -> Reply:
    resources = [{"name": name, "kind": kind, "namespaced": namespaced} for name, kind, namespaced in entries]
    return Reply(body={"kind": "APIResourceList", "resources": resources})


def _group(name: str, *versions: str, preferred: str) -> dict[str, Any]:
    return {
        "name": name,
        "versions": [{"groupVersion": f"{name}/{version}", "version": version} for version in versions],
        "preferredVersion": {"groupVersion": f"{name}/{preferred}", "version": preferred},
    }


def _discover(script: Script, folder: Path) -> Discovery:
    return discover(connected(folder, script.url), VirtualClock(), timeout_s=5)


def test_the_classic_discovery_is_read_group_by_group_preferred_version_first(script: Script, tmp_path: Path) -> None:
    script.on(
        "/apis", Reply(body={"kind": "APIGroupList", "groups": [_group("a.example", "v1", "v2", preferred="v2")]})
    )
    script.on("/apis/a.example/v1", _resources(("olds", "Old", False), ("boths", "Both", True)))
    script.on("/apis/a.example/v2", _resources(("boths", "Both", True)))

    found = _discover(script, tmp_path)

    both, old = found.find("a.example", "Both"), found.find("a.example", "Old")
    assert both is not None
    assert old is not None
    assert (both.info.version, both.versions, both.info.plural) == ("v2", ("v2", "v1"), "boths")
    assert (old.info.version, old.info.namespaced) == ("v1", False)
    assert both.at("a.example/v1").version == "v1"
    assert both.at("a.example/v9").version == "v2"
    assert [info.kind for info in found.infos()] == ["ConfigMap", "Both", "Old"]


def test_the_aggregated_discovery_is_one_request_for_all_groups(script: Script, tmp_path: Path) -> None:
    resource = {"resource": "as", "responseKind": {"group": "", "version": "", "kind": "A"}, "scope": "Namespaced"}
    versions = [{"version": "v2", "resources": [resource]}, {"version": "v1", "resources": [resource]}]
    items = [{"metadata": {"name": "a.example"}, "versions": versions}]
    script.on("/apis", Reply(body={"kind": "APIGroupDiscoveryList", "items": items}))

    served = _discover(script, tmp_path).find("a.example", "A")

    assert served is not None
    assert (served.info.api_version, served.info.namespaced, served.versions) == ("a.example/v2", True, ("v2", "v1"))
    assert script.paths() == ["GET /api", "GET /api/v1", "GET /apis"]


def test_a_group_whose_discovery_fails_is_not_a_group_without_kinds(script: Script, tmp_path: Path) -> None:
    groups = [_group("down.example", "v1", preferred="v1"), _group("up.example", "v1", preferred="v1")]
    script.on("/apis", Reply(body={"kind": "APIGroupList", "groups": groups}))
    script.on("/apis/down.example/v1", status(503, "ServiceUnavailable", "the server is unable"))
    script.on("/apis/up.example/v1", _resources(("ups", "Up", True)))

    found = _discover(script, tmp_path)

    assert found.find("up.example", "Up") is not None
    assert set(found.failed) == {"down.example"}


def test_a_stale_group_of_the_aggregated_discovery_is_not_known(script: Script, tmp_path: Path) -> None:
    items = [{"metadata": {"name": "down.example"}, "versions": [{"version": "v1", "freshness": "Stale"}]}]
    script.on("/apis", Reply(body={"kind": "APIGroupDiscoveryList", "items": items}))

    assert set(_discover(script, tmp_path).failed) == {"down.example"}


def test_a_version_that_is_gone_by_now_is_not_served(script: Script, tmp_path: Path) -> None:
    script.on("/apis", Reply(body={"kind": "APIGroupList", "groups": [_group("a.example", "v1", preferred="v1")]}))

    found = _discover(script, tmp_path)

    assert found.failed == {}
    assert found.find("a.example", "A") is None


def test_a_server_that_refuses_discovery_is_refused_and_one_that_fails_is_unreachable(tmp_path: Path) -> None:
    with scripted() as script:
        script.on("*", status(403, "Forbidden", "no"))
        with pytest.raises(NotAuthorisedError):
            _discover(script, tmp_path)
        script.on("*", Reply(status=503))
        with pytest.raises(UnreachableError):
            _discover(script, tmp_path)


@pytest.mark.parametrize("body", [{"kind": "Status"}, {}, []], ids=["status", "empty", "list"])
def test_an_answer_that_is_no_discovery_is_not_a_server_without_kinds(tmp_path: Path, body: Any) -> None:
    with scripted() as script:
        script.on("/api", Reply(body=body))

        with pytest.raises(UnreachableError):
            _discover(script, tmp_path)
