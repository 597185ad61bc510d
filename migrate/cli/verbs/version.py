"""``maas-migrate version``."""

import json
import platform
from importlib import metadata
from pathlib import Path

import click

import migrate
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
    """Return the commit that this runs from: of the checkout, else as the installer noted it, else ``""``."""
    git = Path(migrate.__file__).resolve().parent.parent / ".git"
    return _head_of(git) if git.is_dir() else _installed_from()


def _installed_from() -> str:
    try:
        noted = metadata.distribution("maas-migrate").read_text("direct_url.json")
        commit = json.loads(noted or "{}").get("vcs_info", {}).get("commit_id", "")
    except (metadata.PackageNotFoundError, ValueError, AttributeError):
        return ""
    return str(commit)


def _head_of(git: Path) -> str:
    try:
        head = (git / "HEAD").read_text(encoding="ascii").strip()
        if not head.startswith("ref: "):
            return head
        ref = head.removeprefix("ref: ")
        loose = git / ref
        if loose.is_file():
            return loose.read_text(encoding="ascii").strip()
        packed = (git / "packed-refs").read_text(encoding="ascii").splitlines()
        return next((line.split()[0] for line in packed if line.endswith(f" {ref}")), "")
    except (OSError, UnicodeDecodeError):
        return ""
