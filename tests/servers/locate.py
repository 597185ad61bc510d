"""
Where the real servers are found.

In this order: the folder of ``KUBEBUILDER_ASSETS``, single programs in
``TEST_ASSET_ETCD``, ``TEST_ASSET_KUBE_APISERVER`` and
``TEST_ASSET_KUBE_CONTROLLER_MANAGER`` (the conventions of envtest), a build in
the user's cache folder.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
ETCD: Final = "etcd"
API_SERVER: Final = "kube-apiserver"
CONTROLLER_MANAGER: Final = "kube-controller-manager"
PROGRAMS: Final = (ETCD, API_SERVER, CONTROLLER_MANAGER)
ABSENT: Final = "no real kube-apiserver on this machine: `make apiserver` builds one where Go is installed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """
    The programs of a control plane.

    Attributes:
        controller_manager: None where a ready-made set has none, as envtest's own.
    """

    etcd: Path
    api_server: Path
    controller_manager: Path | None


def find(environment: Mapping[str, str] = os.environ) -> Programs | None:
    """Return the real programs, or None when etcd or kube-apiserver is nowhere."""
    found = {name: path for name in PROGRAMS if (path := _find_one(name, environment))}
    if ETCD not in found or API_SERVER not in found:
        return None
    return Programs(etcd=found[ETCD], api_server=found[API_SERVER], controller_manager=found.get(CONTROLLER_MANAGER))


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return where a build of exactly this module with this Go lies; the newest build when there is no Go to ask."""
    builds = cache_base(environment) / "servers"
    version = go_version(environment)
    if version is not None:
        return builds / digest(version)
    there = sorted(builds.glob("*/" + API_SERVER), key=lambda path: path.stat().st_mtime)
    return there[-1].parent if there else None


def cache_base(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of what the tests keep from one time to the next."""
    base = environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME", "/")) / ".cache"
    return Path(base) / "maas-migrate"


def digest(version: str) -> str:
    """Return the digest of what decides the binaries: the module, its lock, the programs, the compiler."""
    told = hashlib.sha256(version.encode())
    for path in (HERE / "go.mod", HERE / "go.sum", *sorted((HERE / "cmd").rglob("*.go"))):
        told.update(path.relative_to(HERE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return told.hexdigest()[:16]


def go_program(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the path of ``go``, also where it is installed and not on the path."""
    return shutil.which("go", path=environment.get("PATH", os.defpath) + os.pathsep + "/usr/local/go/bin")


def go_version(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return what ``go`` in this module calls itself, or None without Go."""
    go = go_program(environment)
    if go is None:
        return None
    done = subprocess.run(
        [go, "env", "GOVERSION", "GOOS", "GOARCH"], cwd=HERE, capture_output=True, text=True, check=False
    )
    return done.stdout if done.returncode == 0 else None


def _find_one(name: str, environment: Mapping[str, str]) -> Path | None:
    assets = environment.get("KUBEBUILDER_ASSETS")
    single = environment.get("TEST_ASSET_" + name.upper().replace("-", "_"))
    cache = cache_folder(environment)
    places = (
        Path(assets) / name if assets else None,
        Path(single) if single else None,
        cache / name if cache else None,
    )
    return next((path.resolve() for path in places if path and path.is_file() and os.access(path, os.X_OK)), None)
