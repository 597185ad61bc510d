"""From the flags that kubectl has, and the environment, to a connection."""

import os
from collections.abc import Mapping

from migrate import __version__
from migrate.errors import BadInputError
from migrate.kube.connection import Connection, Opened
from migrate.kube.pacing import REQUESTS_PER_S
from migrate.kube.proxies import proxy_for, shown
from migrate.records.objects import Record

USER_AGENT = f"maas-migrate/{__version__}"

FOREVER_S = 24 * 3600.0
"""What ``--request-timeout 0`` comes to."""


class ConnectOptions(Record, kw_only=True):
    """
    How to connect, as kubectl's flags say it.

    Attributes:
        kubeconfig: One file; ``""`` takes ``KUBECONFIG`` (several files are merged), then ``~/.kube/config``,
            then the service account of the Pod this runs in.

        context: A context of it, ``""`` for the current one.

        as_user: Whom to impersonate.

        as_groups: As which groups; needs *as_user*.

        request_timeout_s: The longest that one request may take; 0 for no limit.

        requests_per_s: How fast a collection asks; 0 for no limit.
    """

    kubeconfig: str = ""
    context: str = ""
    as_user: str = ""
    as_groups: tuple[str, ...] = ()
    request_timeout_s: float = 30.0
    requests_per_s: float = REQUESTS_PER_S


def connect(options: ConnectOptions, environ: Mapping[str, str] | None = None) -> Connection:
    """
    Return a connection as *options* and *environ* (``os.environ`` when None) say; no request is sent yet.

    Raises:
        BadInputError: Names the file or context that is missing or cannot be used.

        NotAuthorisedError: A credential plugin failed.
    """
    # The client library costs a third of a second; a command that needs no cluster does not pay for it.
    from migrate.kube.kubeconfig import Access, load_access  # noqa: PLC0415  see above
    from migrate.kube.transport import Transport  # noqa: PLC0415  see above

    if options.as_groups and not options.as_user:
        raise BadInputError("--as-group was given without --as.", resolution="Say whom to impersonate with --as USER.")
    surroundings = os.environ if environ is None else environ
    latest: list[Access] = []

    def open_transport() -> Opened:
        access = load_access(options.kubeconfig, options.context, surroundings)
        latest[:] = [access]
        proxy = access.proxy_url or proxy_for(access.server, surroundings)
        configuration = access.configuration
        # The stock client sends again by itself, and exempts a kubeconfig's proxy by NO_PROXY; kubectl does neither.
        configuration.retries = False
        configuration.proxy = proxy or None
        configuration.no_proxy = ""
        configuration.keep_alive = True
        configuration.connection_pool_maxsize = 64
        way = f"through the proxy {shown(proxy)}" if proxy else "directly"
        try:
            transport = Transport(configuration, _headers(options), f"{shown(access.server)} ({way})")
        except (OSError, ValueError, ImportError) as error:
            raise BadInputError(
                f"The kubeconfig {access.source} cannot be used: {error}.",
                resolution="Mend its certificates or its proxy-url, or choose another context with --context.",
            ) from error
        return Opened(transport=transport, lives_s=access.lives_s)

    first = open_transport()
    pending = [first]
    access = latest[0]
    proxy = access.configuration.proxy
    return Connection(
        lambda: pending.pop() if pending else open_transport(),
        server=shown(access.server),
        proxy=shown(proxy) if proxy else "",
        context=access.context,
        user=access.user,
        acting_as=options.as_user,
        request_timeout_s=options.request_timeout_s or FOREVER_S,
        requests_per_s=options.requests_per_s,
    )


def _headers(options: ConnectOptions) -> tuple[tuple[str, str], ...]:
    headers = [("User-Agent", USER_AGENT)]
    if options.as_user:
        headers.append(("Impersonate-User", options.as_user))
    headers.extend(("Impersonate-Group", group) for group in options.as_groups)
    return tuple(headers)
