"""``maas-migrate rbac``."""

from typing import cast

import click

from migrate.changes.access_rules import Verb
from migrate.cli.output import check_format, emit
from migrate.cli.plan_options import plan_options
from migrate.cli.settings import common, settings_of
from migrate.cli.wiring import context_of
from migrate.commands.planning import PlanFlags
from migrate.commands.rbac import STUB, RbacFlags, rbac, rbac_yaml


@click.command(name="rbac")
@click.option(
    "--for", "verb", type=click.Choice(["plan", "apply"]), default="apply", help="The verb; apply by default."
)
@click.option("--to", metavar="SUBJECT", default=STUB, help="user:NAME, group:NAME or serviceaccount:NS/NAME.")
@click.option("--generic", is_flag=True, help="For any cluster: all namespaces, nothing is read.")
@plan_options(choices=False)
@common
@click.pass_context
def command(context: click.Context, verb: str, to: str, flags: PlanFlags, *, generic: bool) -> int:
    """Print the least Roles that a verb needs, as YAML, narrowed to the cluster or the snapshot where they are read."""
    settings = settings_of(context)
    check_format(settings)
    asked = RbacFlags(verb=cast("Verb", verb), subject=to, generic=generic)
    document = rbac(context_of(settings), flags, asked)
    names = [f"{manifest['kind'].lower()}/{manifest['metadata']['name']}" for manifest in document.manifests]
    emit(settings, document, lambda _: rbac_yaml(document), names=names, more={"yaml": lambda: rbac_yaml(document)})
    return 0
