"""``maas-migrate version``."""

import platform
from importlib import metadata

import click

from migrate import __version__
from migrate.cli.output import emit
from migrate.cli.settings import common, settings_of
from migrate.commands.documents import VersionDocument
from migrate.render.tables import table


@click.command(name="version")
@common
@click.pass_context
def command(context: click.Context) -> int:
    """Versions of this program and of what it runs on."""
    document = VersionDocument(
        release=__version__,
        commit=_commit(),
        python=platform.python_version(),
        kubernetes=metadata.version("kubernetes"),
    )
    rows = [
        ("maas-migrate", document.release),
        ("commit", document.commit or "unknown"),
        ("python", document.python),
        ("kubernetes client", document.kubernetes),
    ]
    emit(
        settings_of(context),
        document,
        lambda _: table(("WHAT", "VERSION"), rows),
        names=[f"maas-migrate/{__version__}"],
    )
    return 0


def _commit() -> str:
    """Return the commit that the package was built from, ``""`` when the build did not say."""
    try:
        text = metadata.distribution("maas-migrate").read_text("commit.txt")
    except metadata.PackageNotFoundError:
        return ""
    return (text or "").strip()
