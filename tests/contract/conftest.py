"""The target of the likeness cases: each is an API server over HTTPS with the same tokens, kinds and rules."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.sandbox.apiserver import ApiServer, make_certificates, serve
from migrate.sandbox.kubeconfig import TOKENS
from tests.contract.differences import EMBEDDED_DIFFERS
from tests.contract.likeness import KINDS, Api
from tests.real.servers import control_plane
from tests.servers.locate import Programs

REAL = pytest.mark.real
GROUPED = pytest.mark.xdist_group


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        name = item.name.partition("[")[0]
        if name in EMBEDDED_DIFFERS and "[embedded" in item.name:
            item.add_marker(pytest.mark.xfail(reason=EMBEDDED_DIFFERS[name], strict=True))


@pytest.fixture(
    scope="session",
    params=[
        pytest.param("embedded", marks=GROUPED("likeness-embedded")),
        pytest.param("real", marks=(REAL, GROUPED("likeness-real"))),
    ],
)
def target(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """An API server that serves the kinds of the likeness cases and whose early history is gone."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "embedded":
        yield from _embedded(folder / "ca.crt")
        return
    programs: Programs = request.getfixturevalue("programs")
    with control_plane(folder / "plane", programs) as plane:
        api = Api("real", plane.url, plane.ca_file)
        api.install(KINDS)
        api.await_kinds(KINDS)
        plane.restart_api()  # The watch cache begins anew, so a watch from the beginning is too old.
        api.await_kinds(KINDS)
        yield api


def _embedded(ca_file: Path) -> Iterator[Api]:
    certificates = make_certificates()
    ca_file.write_bytes(certificates.ca_pem)
    server = ApiServer()
    with serve(server, tokens=TOKENS, tls=certificates.context) as running:
        api = Api("embedded", running.url, ca_file)
        api.install(KINDS)
        api.await_kinds(KINDS)
        server.compact()
        yield api
