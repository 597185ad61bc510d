"""Starting the two targets: both serve the kinds of the likeness cases, and the early history of both is gone."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from migrate.sandbox.apiserver import ApiServer, make_certificates, serve
from migrate.sandbox.kubeconfig import TOKENS
from tests.contract.likeness import KINDS, Api
from tests.real.servers import control_plane
from tests.servers.locate import Programs


@contextmanager
def embedded_api(folder: Path) -> Iterator[Api]:
    """Serve an embedded server in this process."""
    ca_file = folder / "ca.crt"
    certificates = make_certificates()
    ca_file.write_bytes(certificates.ca_pem)
    server = ApiServer()
    with serve(server, tokens=TOKENS, tls=certificates.context) as running:
        api = Api("embedded", running.url, ca_file)
        api.install(KINDS)
        api.await_kinds(KINDS)
        server.compact()
        yield api


@contextmanager
def real_api(folder: Path, programs: Programs) -> Iterator[Api]:
    """Run a real control plane in *folder*."""
    with control_plane(folder / "plane", programs) as plane:
        api = Api("real", plane.url, plane.ca_file)
        api.install(KINDS)
        api.await_kinds(KINDS)
        plane.restart_api()  # The watch cache begins anew, so a watch from the beginning is too old.
        api.await_kinds(KINDS)
        yield api
