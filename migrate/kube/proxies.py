"""Which proxy a request goes through, by the rules that kubectl follows."""

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit, urlunsplit


def proxy_for(server: str, environ: Mapping[str, str]) -> str:
    """
    Return the proxy that the environment names for *server*, ``""`` for a direct connection.

    ``HTTPS_PROXY`` or ``HTTP_PROXY`` by the server's scheme, capital or small; ``NO_PROXY`` and loopback
    addresses are exempt. Source: Go's ``golang.org/x/net/http/httpproxy``, which kubectl uses.
    """
    url = urlsplit(server)
    name = "HTTPS_PROXY" if url.scheme == "https" else "HTTP_PROXY"
    proxy = environ.get(name) or environ.get(name.lower()) or ""
    if not proxy or _is_exempt(server, environ.get("NO_PROXY") or environ.get("no_proxy") or ""):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def shown(url: str) -> str:
    """Return *url* fit for a screen: without user and password."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", "")).rstrip("/")


def _is_exempt(server: str, no_proxy: str) -> bool:
    url = urlsplit(server)
    host = (url.hostname or "").rstrip(".")
    port = url.port or (443 if url.scheme == "https" else 80)
    address = _address(host)
    if host == "localhost" or (address is not None and address.is_loopback):
        return True
    entries = (entry.strip().lower() for entry in no_proxy.split(","))
    return any(_matches(entry, host, port, address) for entry in entries if entry)


def _matches(entry: str, host: str, port: int, address: ipaddress.IPv4Address | ipaddress.IPv6Address | None) -> bool:
    if entry == "*":
        return True
    if address is not None and _network_holds(entry, address):
        return True
    name, wanted_port = _split_port(entry)
    if wanted_port is not None and wanted_port != port:
        return False
    if _address(name) is not None:
        return address is not None and address == _address(name)
    # A leading dot (or "*.") means subdomains only, a bare name the domain itself as well.
    name = name.removeprefix("*")
    return host.endswith(name) if name.startswith(".") else host == name or host.endswith(f".{name}")


def _network_holds(entry: str, address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    try:
        return "/" in entry and address in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return False


def _split_port(entry: str) -> tuple[str, int | None]:
    if _address(entry) is not None:
        return entry, None
    name, colon, port = entry.rpartition(":")
    if colon and port.isdigit():
        return name.strip("[]"), int(port)
    return entry.strip("[]"), None


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return None
