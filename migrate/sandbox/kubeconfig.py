"""Kubeconfigs: the one that a sandbox writes, and the one of a real API server that it drives."""

import base64
import os
import ssl
import stat
import tempfile
from pathlib import Path
from typing import Any, Final

import yaml

from migrate.errors import BadInputError
from migrate.sandbox.controllers.transport import HttpTransport

ADMIN_TOKEN: Final = "admin-token"  # noqa: S105 - of a cluster that lives in this process
USER_TOKEN: Final = "user-token"  # noqa: S105 - the name is part of the command's contract
TOKENS: Final = {ADMIN_TOKEN: "admin", USER_TOKEN: "user"}
"""Who is who on a sandbox cluster; ``user`` may do nothing."""

CLUSTER: Final = "sandbox"
_MODE: Final = 0o600


def write_kubeconfig(path: Path, url: str, ca_pem: bytes) -> None:
    """
    Write the kubeconfig of a sandbox: the current context is the administrator's, ``user`` is the other one.

    Raises:
        BadInputError: The file cannot be written.
    """
    authority = base64.b64encode(ca_pem).decode()
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": CLUSTER, "cluster": {"server": url, "certificate-authority-data": authority}}],
        "users": [{"name": name, "user": {"token": token}} for token, name in TOKENS.items()],
        "contexts": [
            {"name": CLUSTER if name == "admin" else name, "context": {"cluster": CLUSTER, "user": name}}
            for name in TOKENS.values()
        ],
        "current-context": CLUSTER,
    }
    save_kubeconfig(path, yaml.safe_dump(document, sort_keys=False))


def save_kubeconfig(path: Path, text: str) -> None:
    """
    Write a kubeconfig as kubectl does: over an older one, for its owner alone, and its folder is made.

    Raises:
        BadInputError: The file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _MODE)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.fchmod(descriptor, _MODE)
            file.write(text)
    except OSError as error:
        raise BadInputError(f"{path} cannot be written: {error}.", resolution="Name another --kubeconfig.") from error


def transport_of(path: Path) -> HttpTransport:
    """
    Return the carrier to the cluster of a kubeconfig's current context.

    Raises:
        BadInputError: The file is missing, no kubeconfig, or its context names what it does not hold.
    """
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
        context = _named(config["contexts"], config["current-context"])["context"]
        cluster = _named(config["clusters"], context["cluster"])["cluster"]
        user = _named(config["users"], context["user"])["user"]
    except (OSError, yaml.YAMLError, KeyError, TypeError, StopIteration) as error:
        raise BadInputError(
            f"{path} is no usable kubeconfig: {error!r}.", resolution="Give another one with --api-server."
        ) from error
    return HttpTransport(str(cluster["server"]), token=str(user.get("token", "")), tls=_tls(path.parent, cluster, user))


def _named(entries: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(entry for entry in entries if entry["name"] == name)


def _tls(folder: Path, cluster: dict[str, Any], user: dict[str, Any]) -> ssl.SSLContext | None:
    if not str(cluster["server"]).startswith("https"):
        return None
    authority = _bytes(folder, cluster, "certificate-authority")
    context = ssl.create_default_context(cadata=authority.decode() if authority else None)
    if cluster.get("insecure-skip-tls-verify"):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    certificate, key = _bytes(folder, user, "client-certificate"), _bytes(folder, user, "client-key")
    if certificate and key:
        with tempfile.NamedTemporaryFile() as file:  # The library takes files only.
            file.write(certificate + b"\n" + key)
            file.flush()
            context.load_cert_chain(file.name)
    return context


def _bytes(folder: Path, entry: dict[str, Any], key: str) -> bytes:
    if entry.get(f"{key}-data"):
        return base64.b64decode(entry[f"{key}-data"])
    return (folder / entry[key]).read_bytes() if entry.get(key) else b""
