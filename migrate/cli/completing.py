"""Completion: the scripts that shells source, and the answer when one of them asks."""

import os
from typing import Final

import click
from click.shell_completion import get_completion_class, shell_complete

NAME: Final = "maas-migrate"
ASKING: Final = "_MAAS_MIGRATE_COMPLETE"
"""The variable by which a script asks: ``bash_complete``, ``zsh_complete``, ``fish_complete``."""

PLUGIN: Final = f"""\
#!/usr/bin/env bash
# Save as an executable file called kubectl_complete-maas_migrate on the PATH: kubectl 1.26 and later call it.
words=({NAME} "$@")
COMP_WORDS="$(printf '%q ' "${{words[@]}}")" COMP_CWORD="$#" {ASKING}=bash_complete {NAME} |
  while IFS=, read -r _ word; do printf '%s\\n' "$word"; done
echo :4
"""
"""What kubectl asks for the words that may follow: one a line, then ``:4`` (no file names)."""


def script_of(shell: str) -> str:
    """Return the script for *shell*."""
    kind = get_completion_class(shell)
    if kind is None:
        raise ValueError(shell)
    return kind(click.Command(NAME), {}, NAME, ASKING).source() + "\n"


def answered(program: click.Command) -> bool:
    """Return whether a shell asked for words and got them; then nothing else is to be done."""
    asked = os.environ.get(ASKING)
    if not asked:
        return False
    shell_complete(program, {}, NAME, ASKING, asked)
    return True
