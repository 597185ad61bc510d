"""``maas-migrate rehearse``."""

import dataclasses
from pathlib import Path
from typing import cast

import click

from migrate.cli.hasty import HastyClock
from migrate.cli.output import check_format, emit
from migrate.cli.person import Stop
from migrate.cli.plan_options import plan_options
from migrate.cli.settings import Settings, common, settings_of
from migrate.cli.wiring import context_of
from migrate.commands.context import Context
from migrate.commands.documents import RehearsalDocument
from migrate.commands.planning import PlanFlags
from migrate.commands.rehearse import SPEED, Connect, RehearseFlags, rehearse, served
from migrate.render.rehearsal_text import rehearsal_text
from migrate.render.style import Paint
from migrate.sandbox.run import Controllers


@click.command(name="rehearse")
@click.option("--example", metavar="NAME", default="", help="A shipped example instead of a cluster or a snapshot.")
@click.option("--controllers", type=click.Choice(["3.5", "3.6"]), default="3.5", help="Where an example starts.")
@click.option("--build", metavar="BUILD", default="", help="Which build of 3.6, as for sandbox; else what is known.")
@click.option("--speed", type=float, default=SPEED, help="By how much the product's delays are divided.")
@plan_options(choices=True)
@common
@click.pass_context
def command(context: click.Context, flags: PlanFlags, example: str, controllers: str, build: str, speed: float) -> int:
    """Do the whole job, and undo it, on a sandbox seeded like the cluster; say what the real run will do."""
    settings = settings_of(context)
    check_format(settings)
    asked = RehearseFlags(
        example=example, controllers=cast("Controllers", controllers), build=build, speed=max(speed, 1.0)
    )
    with Stop().listening() as stop:
        document, code = rehearse(context_of(settings, stop=stop), flags, asked, served(_connector(settings, stop)))
    emit(settings, document, lambda paint: _text(document, paint), names=[document.id])
    return code


def _connector(settings: Settings, stop: Stop) -> Connect:
    def connect(kubeconfig: Path, state: Path, speed: float) -> Context:
        own = dataclasses.replace(
            settings, kubeconfig=str(kubeconfig), context="", as_user="", as_group=(), state_dir=str(state)
        )
        return dataclasses.replace(context_of(own, yes=True, stop=stop), clock=HastyClock(stop, speed))

    return connect


def _text(document: RehearsalDocument, paint: Paint) -> str:
    head = [
        f"Rehearsal   {document.id}",
        f"Of          {document.source} ({document.cluster.server or 'no cluster'}), platform {document.platform}",
        f"Runbook     {document.runbook}",
        *(f"{finding.impact:<11} {finding.code}: {finding.message}" for finding in document.findings),
        *(f"Tenant      {tenant.name}: {tenant.decision}" for tenant in document.tenants),
    ]
    return rehearsal_text(
        head=head,
        steps=document.steps,
        way_back=document.way_back,
        outcome=document.outcome,
        rolled_back=document.rolled_back,
        verified=document.verified,
        unexpected=document.unexpected,
        assumptions=document.assumptions,
        not_proved=document.not_proved,
        paint=paint,
    )
