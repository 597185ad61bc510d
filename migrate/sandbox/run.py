"""
A sandbox cluster from beginning to end: server, seeds, players, until it is stopped.

This is what ``maas-migrate sandbox`` and a rehearsal run.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from migrate.errors import BadInputError, UnreachableError
from migrate.records.objects import Json
from migrate.sandbox.apiserver import ApiServer, make_certificates, serve
from migrate.sandbox.controllers import registry
from migrate.sandbox.controllers.approval import Approver
from migrate.sandbox.controllers.build_36 import Build, as_built, as_stamped
from migrate.sandbox.controllers.planting import Planter, has_controller_manager
from migrate.sandbox.controllers.player import STUCK_S, PlayerContext
from migrate.sandbox.controllers.refusals import ApiError
from migrate.sandbox.controllers.timing import MachineClock, timestamp
from migrate.sandbox.crds import crds_of
from migrate.sandbox.examples import example
from migrate.sandbox.inprocess import InProcessTransport
from migrate.sandbox.kubeconfig import TOKENS, save_kubeconfig, transport_of, write_kubeconfig
from migrate.sandbox.seeding import Loaded, load_objects, prepared

Controllers = Literal["3.5", "3.6", "none"]

EMBEDDED: Final = "embedded"
SETTLE_S: Final = 300.0
"""How long the players may take to settle before that is a fault of theirs."""

PLAYERS_USER: Final = "system:serviceaccount:kube-system:sandbox-controllers"
"""Who the players are on the embedded server, so that a fault may spare or hit them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxOptions:
    """
    What cluster to serve.

    Attributes:
        objects: Files and folders of manifests; or else *example*.

        subscriptions: How many are generated beside those of the example; None for as many as it has by itself.

        controllers: Whose controllers are played; ``none`` plays nobody at all.

        kubeconfig: Where the kubeconfig is written.

        port: 0 takes a free one.

        speed: Divides the product's delays.

        build: Which generations of 3.6, ``handshake=D,gate=off``.

        upgrade_after_s: How many seconds after *ready* the InstallPlan is approved by itself; None never.

        api_server: ``embedded``, or the kubeconfig of another API server to seed and drive.
    """

    objects: tuple[Path, ...] = ()
    example: str = ""
    subscriptions: int | None = None
    controllers: Controllers = "3.5"
    kubeconfig: Path
    port: int = 0
    speed: float = 10.0
    build: str = ""
    upgrade_after_s: float | None = None
    api_server: str = EMBEDDED


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxReady:
    """Where the cluster that is ready answers."""

    server: str
    kubeconfig: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """
    A cluster that is being served.

    Attributes:
        api: The embedded server, None when another one is driven.
    """

    url: str
    context: PlayerContext
    api: ApiServer | None


def run_sandbox(options: SandboxOptions, *, ready: Callable[[SandboxReady], None], stop: threading.Event) -> None:
    """
    Serve a sandbox until *stop* is set; call *ready* once the players have settled.

    Raises:
        BadInputError: An option, a manifest or a kubeconfig cannot be used.

        UnreachableError: The players did not settle, or another API server refused the seeds.
    """
    with opened(options) as sandbox:
        settled = sandbox.context.troupe.wait_settled(SETTLE_S + STUCK_S / options.speed, stop)
        if stop.is_set():
            return
        if not settled:
            raise UnreachableError(
                f"The played controllers did not settle within {SETTLE_S:.0f} s; nothing was served as ready.",
                resolution="Look for manifests that contradict each other, or seed with --controllers none.",
            )
        ready(SandboxReady(server=sandbox.url, kubeconfig=options.kubeconfig))
        if options.upgrade_after_s is not None:
            sandbox.context.troupe.add(Approver(sandbox.context, options.upgrade_after_s))
        stop.wait()


@contextlib.contextmanager
def opened(options: SandboxOptions) -> Iterator[Sandbox]:
    """
    Seed, serve and play while the block lasts.

    Raises:
        BadInputError: An option, a manifest or a kubeconfig cannot be used.

        UnreachableError: Another API server refused the seeds.
    """
    _check(options)
    build = Build.parse(options.build)
    seeds = seeds_of(options)
    if options.api_server != EMBEDDED:
        with _playing(_driven(options, build, seeds), options) as context:
            yield Sandbox(url=context[0], context=context[1], api=None)
        return
    server = ApiServer(tokens=TOKENS)
    server.seed([*_rights(), *seeds], manager="installer")
    certificates = make_certificates()
    with serve(server, port=options.port, tls=certificates.context) as running:
        write_kubeconfig(options.kubeconfig, running.url, certificates.ca_pem)
        transport = InProcessTransport(server, PLAYERS_USER)
        context_ = PlayerContext(transport=transport, speed=options.speed, build=build)
        with _playing((running.url, context_), options) as playing:
            yield Sandbox(url=playing[0], context=playing[1], api=server)


def seeds_of(options: SandboxOptions) -> list[Json]:
    """
    Return everything that is put into the cluster, CRDs first.

    Raises:
        BadInputError: A manifest cannot be read, or there is no such example.
    """
    version = "3.6" if options.controllers == "3.6" else "3.5"
    build = Build.parse(options.build)
    loaded = (
        load_objects(options.objects)
        if options.objects
        else Loaded(example(options.example, version, options.subscriptions), {})
    )
    definitions = crds_of(version)
    if version == "3.6":
        definitions = as_built(definitions, build)
        loaded = Loaded(as_stamped(loaded.objects, build), loaded.plurals) if not options.objects else loaded
    return prepared(loaded, definitions, timestamp(MachineClock().now()))


def _check(options: SandboxOptions) -> None:
    if bool(options.objects) == bool(options.example):
        raise BadInputError(
            "A sandbox needs either --objects or --example.",
            resolution="Give one of the two: --objects PATH, or --example default.",
        )
    if options.subscriptions is not None and not options.example:
        raise BadInputError(
            "--subscriptions goes with --example.", resolution="Leave it out, or seed an example: --example default."
        )
    if options.speed <= 0:
        raise BadInputError(
            f"--speed {options.speed} is not above 0.", resolution="Give a number above 0, such as --speed 10."
        )


def _driven(options: SandboxOptions, build: Build, seeds: list[Json]) -> tuple[str, PlayerContext]:
    path = Path(options.api_server)
    transport = transport_of(path)
    context = PlayerContext(transport=transport, speed=options.speed, build=build)
    try:
        context.real_cluster = has_controller_manager(context.client)
        Planter(context.client, context.clock).plant(seeds)
    except ApiError as error:
        raise UnreachableError(
            f"The API server of {path} did not take the seeds: {error}",
            resolution="Give an empty cluster, or mend the manifest that is named.",
        ) from error
    if path.resolve() != options.kubeconfig.resolve():
        save_kubeconfig(options.kubeconfig, path.read_text(encoding="utf-8"))
    return transport.url, context


@contextlib.contextmanager
def _playing(stage: tuple[str, PlayerContext], options: SandboxOptions) -> Iterator[tuple[str, PlayerContext]]:
    context = stage[1]
    if options.controllers != "none":
        parts = ("platform", options.controllers, *(("olm",) if options.controllers == "3.5" else ()))
        for part in parts:
            context.troupe.add(*registry.cast(part, context))
    context.troupe.start()
    try:
        yield stage
    finally:
        context.troupe.stop()


def _rights() -> list[Json]:
    _, _, namespace, name = PLAYERS_USER.split(":")
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}
    rules = [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
        {"nonResourceURLs": ["*"], "verbs": ["*"]},
    ]
    version = "rbac.authorization.k8s.io/v1"
    return [
        {"apiVersion": version, "kind": "ClusterRole", "metadata": {"name": "cluster-admin"}, "rules": rules},
        {
            "apiVersion": version,
            "kind": "ClusterRoleBinding",
            "metadata": {"name": "sandbox-controllers"},
            "roleRef": role,
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": namespace}],
        },
    ]
