"""
Kubeconfigs as kubectl reads them: several files merged, one context chosen, credentials loaded.

The client library does the reading; where it differs from kubectl, this is put right here: the first file
that names a current context wins, a user or context that is not there is an error and not an anonymous
request, and a credential plugin that fails is not passed over.
"""

# The library's package of loaders has no types.
# mypy: allow-untyped-calls

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml
from kubernetes.client import Configuration
from kubernetes.config import ConfigException
from kubernetes.config.dateutil import parse_rfc3339
from kubernetes.config.exec_provider import ExecProvider
from kubernetes.config.incluster_config import SERVICE_CERT_FILENAME, SERVICE_TOKEN_FILENAME, InClusterConfigLoader
from kubernetes.config.kube_config import FileOrData, KubeConfigLoader, KubeConfigMerger

from migrate.errors import BadInputError, NotAuthorisedError
from migrate.records.objects import get_in

TOKEN_FILE_LIFE_S = 60.0
"""How long a token read from a file is used before the file is read again; as client-go does."""

EXPIRY_SKEW_S = 30.0
"""A token of a plugin is replaced this long before it expires."""


class Access(msgspec.Struct, kw_only=True):
    """
    Where to connect, and as whom.

    Attributes:
        configuration: The library's, with server, TLS and credentials; without a proxy of the environment.

        proxy_url: The kubeconfig's own, ``""`` when it has none.

        source: The files it was read from, for messages.

        lives_s: How long the credentials are good for, None for as long as the server takes them.
    """

    configuration: Configuration
    server: str
    context: str
    user: str
    namespace: str
    proxy_url: str
    source: str
    lives_s: float | None = None


class _Loader(KubeConfigLoader):
    """The library's loader, except that a failing credential plugin is an error."""

    _user: Any

    def _load_from_exec_plugin(self) -> bool | None:
        if "exec" not in self._user:
            return None
        base = self._get_base_path(self._user.path)
        try:
            status = ExecProvider(self._user["exec"], base, self._cluster).run()
            self._take(status, base)
        except (ConfigException, OSError, ValueError, KeyError, TypeError) as error:
            command = self._user["exec"].safe_get("command")
            raise NotAuthorisedError(
                f"The credential plugin {command!r} of the kubeconfig failed: {error}.",
                resolution="Run it by hand, log in again, or choose another context with --context.",
            ) from error
        return True

    def _take(self, status: Mapping[str, Any], base: str) -> None:
        if "token" in status:
            self.token = f"Bearer {status['token']}"
        if "clientCertificateData" in status:
            self.cert_file = self._file(status, "clientCertificateData", base)
            self.key_file = self._file(status, "clientKeyData", base)
        elif "token" not in status:
            raise ConfigException("it gave neither a token nor a certificate")
        if status.get("expirationTimestamp"):
            self.expiry = parse_rfc3339(status["expirationTimestamp"])

    def _file(self, status: Mapping[str, Any], key: str, base: str) -> str:
        if key not in status:
            raise ConfigException(f"its answer lacks {key}")
        data = FileOrData(
            status,
            None,
            data_key_name=key,
            file_base_path=base,
            base64_file_content=False,
            temp_file_path=self._temp_file_path,
        )
        return str(data.as_file())

    def lives_s(self) -> float | None:
        """Return how long the credentials are good for."""
        if "expiry" in self.__dict__:
            return max(EXPIRY_SKEW_S, float(self.expiry.timestamp()) - time.time() - EXPIRY_SKEW_S)
        reads_file = self._user is not None and self._user.safe_get("tokenFile") and not self._user.safe_get("token")
        return TOKEN_FILE_LIFE_S if reads_file else None


def load_access(explicit: str, context: str, environ: Mapping[str, str]) -> Access:
    """
    Return where to connect: from *explicit* (a file), ``KUBECONFIG``, ``~/.kube/config``, or from inside a cluster.

    Raises:
        BadInputError: Names the file or context that is missing or cannot be used.

        NotAuthorisedError: A credential plugin failed.
    """
    files = _files(explicit, environ)
    if not files:
        return _in_cluster(context, environ)
    source = os.pathsep.join(files)
    documents = [_parse(path) for path in files]
    chosen = context or next((name for name in map(_current_context, documents) if name), "")
    _must_be_usable(chosen, documents, source)
    try:
        return _load(files, chosen, source)
    except (ConfigException, OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise BadInputError(
            f"The kubeconfig {source} cannot be used (context {chosen!r}): {error}.",
            resolution="Mend the kubeconfig, or name another with --kubeconfig or --context.",
        ) from error


def _files(explicit: str, environ: Mapping[str, str]) -> list[str]:
    if explicit:
        if not Path(explicit).is_file():
            raise BadInputError(
                f"There is no kubeconfig {explicit}.", resolution="Name an existing file with --kubeconfig."
            )
        return [explicit]
    named = [part for part in environ.get("KUBECONFIG", "").split(os.pathsep) if part]
    home = environ.get("HOME", "")
    wanted = named or ([str(Path(home) / ".kube" / "config")] if home else [])
    return [path for path in wanted if Path(path).is_file()]


def _in_cluster(context: str, environ: Mapping[str, str]) -> Access:
    if not environ.get("KUBERNETES_SERVICE_HOST") or context:
        looked = environ.get("KUBECONFIG") or "~/.kube/config"
        asked = f", so there is no context {context!r}" if context else ", and this is not a Pod of a cluster"
        raise BadInputError(
            f"No cluster is configured: there is no kubeconfig at {looked}{asked}.",
            resolution="Log in (oc login), set KUBECONFIG, or name a file with --kubeconfig.",
        )
    configuration = Configuration()
    try:
        InClusterConfigLoader(
            token_filename=SERVICE_TOKEN_FILENAME,
            cert_filename=SERVICE_CERT_FILENAME,
            try_refresh_token=False,
            environ=environ,
        ).load_and_set(configuration)
    except (ConfigException, OSError) as error:
        raise BadInputError(
            f"This looks like a Pod of a cluster, but its service account cannot be used: {error}.",
            resolution="Mount the service account's token, or name a file with --kubeconfig.",
        ) from error
    return Access(
        configuration=configuration,
        server=configuration.host,
        context="in-cluster",
        user="the Pod's service account",
        namespace="",
        proxy_url="",
        source=SERVICE_TOKEN_FILENAME,
        lives_s=TOKEN_FILE_LIFE_S,
    )


def _parse(path: str) -> Mapping[str, Any]:
    try:
        document = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise _unusable(path, f"{error.problem}{where}") from error
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise _unusable(path, str(error)) from error
    if document is None:
        return {}
    if not isinstance(document, Mapping):
        raise _unusable(path, "it is not a mapping")
    return document


def _unusable(path: str, why: str) -> BadInputError:
    return BadInputError(
        f"The kubeconfig {path} cannot be read: {why}.",
        resolution="Mend the file, or name another with --kubeconfig.",
    )


def _current_context(document: Mapping[str, Any]) -> str:
    name = document.get("current-context")
    return name if isinstance(name, str) else ""


def _must_be_usable(chosen: str, documents: Sequence[Mapping[str, Any]], source: str) -> None:
    contexts = _named(documents, "contexts")
    known = f"It has {', '.join(sorted(contexts))}." if contexts else "It has no contexts."
    choose = "Choose one with --context." if contexts else "Log in (oc login), or name another with --kubeconfig."
    if not chosen:
        raise BadInputError(f"The kubeconfig {source} names no current context. {known}", resolution=choose)
    if chosen not in contexts:
        raise BadInputError(f"The kubeconfig {source} has no context {chosen!r}. {known}", resolution=choose)
    for key, section in (("cluster", "clusters"), ("user", "users")):
        name = get_in(contexts[chosen], "context", key)
        if (name or key == "cluster") and name not in _named(documents, section):
            raise BadInputError(
                f"Context {chosen!r} of the kubeconfig {source} names the {key} {name!r}, which is not there.",
                resolution="Mend the kubeconfig, or choose another context with --context.",
            )


def _named(documents: Sequence[Mapping[str, Any]], section: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for document in documents:
        entries = document.get(section)
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, Mapping) and isinstance(entry.get("name"), str):
                found.setdefault(entry["name"], entry)
    return found


def _load(files: Sequence[str], context: str, source: str) -> Access:
    merger = KubeConfigMerger("")
    for path in files:
        if _parse(path):
            merger.load_config(path)
    loader = _Loader(config_dict=merger.config, active_context=context, config_base_path=None)
    configuration = Configuration()
    loader.load_and_set(configuration)
    # Credentials are renewed by the connection, between requests and not within the time of one.
    configuration.refresh_api_key_hook = None
    if not str(loader.__dict__.get("host", "")).startswith(("https://", "http://")):
        raise ConfigException("the cluster has no server, or one that does not begin with https://")
    entry = loader.current_context["context"]
    return Access(
        configuration=configuration,
        server=str(loader.host),
        context=context,
        user=str(entry.get("user") or ""),
        namespace=str(entry.get("namespace") or ""),
        proxy_url=str(getattr(loader, "proxy", "") or ""),
        source=source,
        lives_s=loader.lives_s(),
    )


AccessLoader = Callable[[], Access]
