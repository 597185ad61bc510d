"""Flags stand before or after the verb; what is said wins over the environment wherever it is said."""

import click
import pytest
from click.testing import CliRunner

from migrate.cli.settings import common, settings_of


@click.group()
@common
def program() -> None:
    """Stand for the whole program."""


@program.command()
@common
@click.pass_context
def verb(context: click.Context) -> None:
    """Tell where the state lives."""
    click.echo(settings_of(context).state_dir)


@pytest.mark.parametrize(
    ("words", "environment", "expected"),
    [
        pytest.param(["--state-dir", "said", "verb"], "other", "said", id="before-the-verb"),
        pytest.param(["verb", "--state-dir", "said"], "other", "said", id="after-the-verb"),
        pytest.param(["--state-dir", "first", "verb", "--state-dir", "last"], "other", "last", id="twice"),
        pytest.param(["verb"], "other", "other", id="environment-alone"),
        pytest.param(["--state-dir", "said", "verb"], None, "said", id="no-environment"),
    ],
)
def test_what_is_said_wins_over_the_environment(words: list[str], environment: str | None, expected: str) -> None:
    env = {"MAAS_MIGRATE_STATE_DIR": environment}

    assert CliRunner().invoke(program, words, env=env).output == f"{expected}\n"
