"""
Starting and stopping a real etcd, kube-apiserver and kube-controller-manager in a folder.

The control plane is small, quiet and quick: RBAC, tokens from a file, an audit
log of level Metadata, the real garbage collector, namespaces and Deployments,
no node. Each part can be stopped and started alone and keeps its data.
"""

import contextlib
import json
import os
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import urllib3
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from migrate.sandbox.kubeconfig import TOKENS, write_kubeconfig
from tests.servers.locate import API_SERVER, CONTROLLER_MANAGER, ETCD, Programs

READY_S: Final = 90.0
"""How long a part may take to be ready; some seconds on an idle machine."""
STOP_S: Final = 20.0
_LOOK_S: Final = 0.1
_ADMIN: Final = next(token for token, user in TOKENS.items() if user == "admin")
_AUDIT_POLICY: Final = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [{"level": "Metadata"}],
}
_MANAGER_LEASE: Final = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager"
_MANAGER_CONTROLLERS: Final = (
    "garbage-collector-controller",
    "namespace-controller",
    "deployment-controller",
    "replicaset-controller",
)


class ServerDiedError(RuntimeError):
    """A part of the control plane ended, or did not get ready; the message holds the end of what it said."""


class ControlPlane:
    """
    A real control plane in *folder*; ``admin-token`` may do all, ``user-token`` nothing.

    Attributes:
        url: Where the API server answers; the same after a restart.
    """

    def __init__(self, folder: Path, programs: Programs, *, flags: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self._programs = programs
        self._flags = flags
        self._etcd_port, self._peer_port, self._port = _free_ports(3)
        self.url = f"https://127.0.0.1:{self._port}"
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._prepare()

    @property
    def ca_file(self) -> Path:
        """Return what the server's certificate is verified with."""
        return self.folder / "certificates" / "apiserver.crt"

    @property
    def tokens_file(self) -> Path:
        """Return the file of tokens, users and groups; it is read when the API server starts."""
        return self.folder / "tokens.csv"

    @property
    def has_controller_manager(self) -> bool:
        """Whether garbage is collected, namespaces end and Deployments make Pods."""
        return self._programs.controller_manager is not None

    def start(self) -> None:
        """
        Start every part and wait until it is ready.

        Raises:
            ServerDiedError: One ended, or took too long.
        """
        self.start_etcd()
        self.start_api()
        self.start_manager()

    def stop(self) -> None:
        """Stop what runs, the API server before its store."""
        for name in (CONTROLLER_MANAGER, API_SERVER, ETCD):
            self._stop(name, at_once=name != ETCD)

    def start_etcd(self) -> None:
        """Start the store with the data it had."""
        client, peer = f"http://127.0.0.1:{self._etcd_port}", f"http://127.0.0.1:{self._peer_port}"
        urls = {
            "listen-client-urls": client,
            "advertise-client-urls": client,
            "listen-peer-urls": peer,
            "initial-advertise-peer-urls": peer,
            "initial-cluster": f"default={peer}",
        }
        flags = [f"--{key}={value}" for key, value in urls.items()]
        self._start(
            ETCD,
            self._programs.etcd,
            [*flags, f"--data-dir={self.folder / 'etcd'}", "--unsafe-no-fsync", "--log-level=error"],
        )
        self._until(ETCD, lambda: _answers(f"{client}/health"))

    def start_api(self) -> None:
        """Start the API server and wait for /readyz."""
        key = self.folder / "service-accounts.key"
        flags = {
            "etcd-servers": f"http://127.0.0.1:{self._etcd_port}",
            "secure-port": self._port,
            "bind-address": "127.0.0.1",
            "advertise-address": "127.0.0.1",
            "cert-dir": self.folder / "certificates",
            "authorization-mode": "RBAC",
            "token-auth-file": self.tokens_file,
            "service-account-issuer": "https://issuer.example.com",
            "service-account-key-file": key,
            "service-account-signing-key-file": key,
            "service-cluster-ip-range": "10.0.0.0/24",
            "disable-admission-plugins": "ServiceAccount",
            "audit-policy-file": self.folder / "audit-policy.yaml",
            "audit-log-path": self.folder / "audit.jsonl",
        }
        self._start(API_SERVER, self._programs.api_server, [f"--{k}={v}" for k, v in flags.items()] + [*self._flags])
        self._until(API_SERVER, self.is_ready)

    def start_manager(self) -> None:
        """Start kube-controller-manager when there is one."""
        if self._programs.controller_manager is None:
            return
        kubeconfig = self.write_kubeconfig(self.folder / "manager.kubeconfig")
        flags = {
            "kubeconfig": kubeconfig,
            "controllers": ",".join(_MANAGER_CONTROLLERS),
            "leader-elect": "true",  # Its Lease tells others that a controller manager runs.
            "leader-elect-lease-duration": "120s",  # It shall live through an API server that is away for a while.
            "leader-elect-renew-deadline": "100s",
            "secure-port": 0,
        }
        self._start(CONTROLLER_MANAGER, self._programs.controller_manager, [f"--{k}={v}" for k, v in flags.items()])
        self._until(CONTROLLER_MANAGER, lambda: _answers(f"{self.url}{_MANAGER_LEASE}", self.ca_file))

    def stop_etcd(self) -> None:
        """Stop the store; the API server stays and cannot read."""
        self._stop(ETCD)

    def compact_etcd(self) -> None:
        """Throw away all history of the store up to now."""
        store = f"http://127.0.0.1:{self._etcd_port}/v3/kv"
        with urllib3.PoolManager(retries=False) as pool:
            revision = pool.request("POST", f"{store}/range", json={"key": "AA=="}).json()["header"]["revision"]
            answer = pool.request("POST", f"{store}/compaction", json={"revision": revision, "physical": True})
            assert answer.status == 200, answer.data

    def stop_api(self) -> None:
        """Stop the API server as a power cut would: going down gently takes it half a minute."""
        self._stop(API_SERVER, at_once=True)

    @contextlib.contextmanager
    def manager_asleep(self) -> Iterator[None]:
        """Let kube-controller-manager do nothing while the block lasts; it keeps its Lease, so it goes on at once."""
        process = self._running.get(CONTROLLER_MANAGER)
        if process is None:
            yield
            return
        process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)

    def restart_api(self) -> None:
        """Stop and start the API server: its watch cache begins anew, so old history is gone."""
        self.stop_api()
        self.start_api()

    def is_ready(self) -> bool:
        """Whether the API server says so."""
        return self.ca_file.exists() and _answers(f"{self.url}/readyz", self.ca_file)

    def write_kubeconfig(self, path: Path) -> Path:
        """Write the administrator's kubeconfig, with the context ``user`` beside it; return *path*."""
        write_kubeconfig(path, self.url, self.ca_file.read_bytes())
        return path

    def audit(self) -> Iterator[dict[str, Any]]:
        """Yield every request that the API server has finished writing down, oldest first."""
        with contextlib.suppress(FileNotFoundError), (self.folder / "audit.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                if line.endswith("\n"):
                    yield json.loads(line)

    def _prepare(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        (self.folder / "service-accounts.key").write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
            )
        )
        groups = {"admin": '"system:masters"', "user": ""}
        rows = [f"{token},{user},uid-{user},{groups[user]}".rstrip(",") for token, user in TOKENS.items()]
        self.tokens_file.write_text("\n".join(rows) + "\n", encoding="utf-8")
        (self.folder / "audit-policy.yaml").write_text(yaml.safe_dump(_AUDIT_POLICY), encoding="utf-8")

    def _start(self, name: str, program: Path, flags: list[str]) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                [str(program), *flags], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=_bare()
            )

    def _stop(self, name: str, *, at_once: bool = False) -> None:
        process = self._running.pop(name, None)
        if process is None:
            return
        process.kill() if at_once else process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _until(self, name: str, ready: Callable[[], bool]) -> None:
        deadline = time.monotonic() + READY_S
        while not ready():
            if self._running[name].poll() is not None or time.monotonic() > deadline:
                said = (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")[-2000:]
                raise ServerDiedError(f"{name} is not ready: {said}")
            time.sleep(_LOOK_S)  # noqa: TID251 - another process gets ready; nothing tells when


@contextlib.contextmanager
def control_plane(folder: Path, programs: Programs, *, flags: tuple[str, ...] = ()) -> Iterator[ControlPlane]:
    """Run a real control plane in *folder* while the block lasts."""
    plane = ControlPlane(folder, programs, flags=flags)
    try:
        plane.start()
        yield plane
    finally:
        plane.stop()


def _bare() -> Mapping[str, str]:
    return {key: value for key, value in os.environ.items() if "proxy" not in key.lower()}


def _answers(url: str, ca_file: Path | None = None) -> bool:
    headers = {"Authorization": f"Bearer {_ADMIN}"}
    try:
        with urllib3.PoolManager(ca_certs=str(ca_file) if ca_file else None, retries=False) as pool:
            return pool.request("GET", url, headers=headers, timeout=3.0).status == 200
    except (urllib3.exceptions.HTTPError, ssl.SSLError, OSError):
        return False


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
