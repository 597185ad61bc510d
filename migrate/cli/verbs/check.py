"""``maas-migrate check``."""

import click

from migrate.cli.output import check_format, emit
from migrate.cli.plan_options import plan_options
from migrate.cli.settings import common, settings_of
from migrate.cli.wiring import context_of
from migrate.commands.check import check
from migrate.commands.planning import PlanFlags
from migrate.render.check_text import check_text
from migrate.render.style import Paint


@click.command(name="check")
@plan_options(choices=False)
@common
@click.pass_context
def command(context: click.Context, flags: PlanFlags) -> int:
    """Read the cluster, or a saved snapshot, and print findings. Writes nothing."""
    settings = settings_of(context)
    check_format(settings)
    document = check(context_of(settings), flags)
    names = [f"tenant/{tenant.name}" for tenant in document.tenants]

    def text(paint: Paint) -> str:
        return check_text(
            cluster=document.cluster,
            platform=document.platform,
            tenants=document.tenants,
            subscriptions=document.subscriptions,
            findings=document.findings,
            paint=paint,
        )

    emit(settings, document, text, names=names)
    return document.exit_code
