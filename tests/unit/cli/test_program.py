"""The outside of the program: help, bad input, one document on stdout."""

import json
import subprocess
import sys

import pytest

from migrate.cli.program import VERBS, run_program
from migrate.sandbox.examples import EXAMPLES


def test_help_costs_no_client_import() -> None:
    code = (
        "import sys; from migrate.__main__ import main; sys.argv = ['maas-migrate', '--help']; main();"
        "heavy = {'kubernetes', 'kubernetes_validate', 'rich', 'tenacity', 'yaml'} & set(sys.modules);"
        "sys.exit(','.join(heavy) or 0)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert all(verb in done.stdout for verb in VERBS)


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (["plam"], "plan"),
        (["plan", "--acept", "x=y"], "--accept"),
        (["version", "extra"], "extra"),
        (["version", "--log-format", "xml"], "xml"),
        (["snapshot", "--out", "-"], "stdout"),
        (["plan", "--out", "-"], "stdout"),
    ],
)
def test_bad_usage_is_3_names_the_word_and_offers_the_near_match(
    words: list[str], near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_program(words) == 3
    assert near in capsys.readouterr().err


def test_what_click_says_in_several_lines_is_said_in_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_program(["completion"]) == 3

    error = capsys.readouterr().err
    assert "Choose from: bash, zsh, fish, kubectl" in error
    assert "\\" not in error


def test_an_error_with_json_output_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_program(["plam", "-o", "json"]) == 3

    document = json.loads(capsys.readouterr().out)
    assert (document["format"], document["version"], document["exitCode"]) == ("maas-migrate/error", 1, 3)


def test_flags_stand_before_or_after_the_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_program(["-o", "json", "version"]) == run_program(["version", "-o", "json"]) == 0

    lines = capsys.readouterr().out
    assert lines.count('"maas-migrate/version"') == 2


def test_sandbox_help_says_what_each_example_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_program(["sandbox", "--help"]) == 0

    told = capsys.readouterr().out.splitlines()
    for name in EXAMPLES:
        (line,) = (line for line in told if line.split()[:1] == [name])
        assert len(line.split()) > 3


def test_an_unknown_output_format_is_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_program(["version", "-o", "xml"]) == 3
    assert "json" in capsys.readouterr().err
