"""Every behaviour that was seen on a real API server holds here too."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.sandbox.apiserver import ApiServer, make_certificates, serve

PROBE = Path(__file__).parents[3] / "shared" / "apiserver-probe" / "probe.py"


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.skipif(not PROBE.exists(), reason="the shared folder is not beside the checkout")
def test_the_probe_finds_nothing_missing(tmp_path: Path) -> None:
    kubectl = shutil.which("kubectl", path=str(Path(sys.executable).parent)) or shutil.which("kubectl")
    if kubectl is None:
        pytest.fail("kubectl is missing; it comes with the development dependencies: make setup")
    certificates = make_certificates()
    ca_file, out = tmp_path / "ca.crt", tmp_path / "probe.json"
    ca_file.write_bytes(certificates.ca_pem)

    with serve(ApiServer(), tokens={"admin-token": "admin", "user-token": "user"}, tls=certificates.context) as running:
        command = [sys.executable, str(PROBE), "--url", running.url, "--ca", str(ca_file), "--json", str(out)]
        tokens = ["--token", "admin-token", "--user-token", "user-token", "--kubectl", kubectl]
        subprocess.run([*command, *tokens], check=True, capture_output=True, timeout=240)

    rows = json.loads(out.read_text())["rows"]
    missing = [(row["id"], name, seen) for row in rows for name, holds, seen in row["items"] if not holds]
    assert missing == []
    assert sum(row["checks"] for row in rows) >= 225
