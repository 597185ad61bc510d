"""``maas-migrate completion``."""

import click

from migrate.cli.completing import PLUGIN, script_of
from migrate.cli.settings import common


@click.command(name="completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "kubectl"]))
@common
def command(shell: str) -> int:
    """
    Print the completion script of a shell.

    bash: source <(maas-migrate completion bash). zsh: source <(maas-migrate completion zsh). fish: maas-migrate
    completion fish | source. kubectl: save it as an executable file kubectl_complete-maas_migrate on the PATH.
    """
    click.echo(PLUGIN if shell == "kubectl" else script_of(shell), nl=False)
    return 0
