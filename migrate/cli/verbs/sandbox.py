"""``maas-migrate sandbox``."""

import json
import signal
import threading
from pathlib import Path
from types import FrameType

import click

from migrate.cli.settings import common_but
from migrate.errors import BadInputError
from migrate.records.window import WindowError, parse_duration
from migrate.sandbox.examples import EXAMPLES, MOST_SUBSCRIPTIONS, summary
from migrate.sandbox.run import Controllers, SandboxOptions, SandboxReady, run_sandbox


def _examples() -> str:
    width = max(map(len, EXAMPLES))
    lines = [f"  {name:<{width}}  {summary(name).replace('``', '')}" for name in EXAMPLES]
    return "\n".join(["\b", "Examples, each on 3.5 and on 3.6:", *lines])


# --kubeconfig means something else here than elsewhere: where the new one is written.
@click.command(name="sandbox", epilog=_examples())
@click.option("--objects", multiple=True, metavar="PATH", help="Manifests to seed: a file or a folder; repeatable.")
@click.option("--example", metavar="NAME", default="", help="Seed a shipped example instead, see below.")
@click.option("--subscriptions", type=click.IntRange(0, MOST_SUBSCRIPTIONS), help="Generate so many more of them.")
@click.option(
    "--kubeconfig", "kubeconfig_out", required=True, metavar="OUT", help="Where to write it; its folder is made."
)
@click.option("--controllers", type=click.Choice(["3.5", "3.6", "none"]), default="3.5", help="Which ones are played.")
@click.option("--upgrade-after", metavar="TIME", default="", help="Approve the InstallPlan by itself after this.")
@click.option("--build", metavar="SPEC", default="", help="Which generation of 3.6 is played.")
@click.option("--speed", type=float, default=10.0, help="Divides the product's delays; default 10.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port; 0 takes a free one.")
@click.option("--api-server", metavar="embedded|KUBECONFIG", default="embedded", help="Drive this server instead.")
@click.argument("more", nargs=-1, metavar="[PATH…]")
@common_but("kubeconfig")
def command(  # noqa: PLR0913, PLR0917 - click gives one parameter a flag, by name
    objects: tuple[str, ...],
    example: str,
    subscriptions: int | None,
    kubeconfig_out: str,
    controllers: Controllers,
    upgrade_after: str,
    build: str,
    speed: float,
    port: int,
    api_server: str,
    more: tuple[str, ...],
) -> int:
    """Serve a sandbox cluster with played controllers until stopped; more PATHs may follow --objects."""
    paths = (*objects, *more)
    if more and not objects:
        raise BadInputError(f"What is {more[0]!r}?", resolution="Put --objects before the paths.")
    options = SandboxOptions(
        objects=tuple(Path(path) for path in paths),
        example=example,
        subscriptions=subscriptions,
        controllers=controllers,
        kubeconfig=Path(kubeconfig_out),
        port=port,
        speed=speed,
        build=build,
        upgrade_after_s=_seconds(upgrade_after),
        api_server=api_server,
    )
    run_sandbox(options, ready=_say_ready, stop=_stopped_by_signals())
    return 0


def _seconds(text: str) -> float | None:
    if not text:
        return None
    try:
        return float(parse_duration(text))
    except WindowError as error:
        raise BadInputError(f"--upgrade-after: {error}.", resolution="Write it like --upgrade-after 5s.") from error


def _stopped_by_signals() -> threading.Event:
    stop = threading.Event()

    def take(number: int, frame: FrameType | None) -> None:
        del number, frame
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, take)
    return stop


def _say_ready(ready: SandboxReady) -> None:
    line = {"event": "ready", "server": ready.server, "kubeconfig": str(ready.kubeconfig)}
    click.echo(json.dumps(line))
