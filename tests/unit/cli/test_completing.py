"""Completion in a real shell, and the scripts for those that are not here."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.cli.program import VERBS, run_program


def in_bash(tmp_path: Path, script: str) -> list[str]:
    """Run *script* in a bash that has sourced the completion; return the words it printed."""
    (tmp_path / "maas-migrate").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m migrate "$@"\n', encoding="utf-8")
    (tmp_path / "maas-migrate").chmod(0o755)
    bash = shutil.which("bash")
    assert bash
    done = subprocess.run(
        [bash, "-c", f"source <(maas-migrate completion bash)\n{script}"],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path)},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def words_after(*typed: str) -> str:
    words = " ".join(typed)
    begin = f"COMPREPLY=(); COMP_WORDS=({words}); COMP_CWORD={len(typed) - 1}"
    return f'{begin}; _maas_migrate_completion maas-migrate; echo "${{COMPREPLY[@]}}"'


def test_bash_completes_verbs_flags_and_codes(tmp_path: Path) -> None:
    script = "; ".join(
        [
            words_after("maas-migrate", "ver"),
            words_after("maas-migrate", "plan", "--acc"),
            words_after("maas-migrate", "explain", "gitopsm"),
        ]
    )

    assert in_bash(tmp_path, script) == ["verify", "version", "--accept", "GitOpsManaged"]


def test_kubectl_gets_one_word_a_line_and_a_directive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_program(["completion", "kubectl"]) == 0
    plugin = tmp_path / "kubectl_complete-maas_migrate"
    plugin.write_text(capsys.readouterr().out, encoding="utf-8")

    assert in_bash(tmp_path, f"bash {plugin} ro") == ["rollback", ":4"]
    assert in_bash(tmp_path, f"bash {plugin} plan --ac") == ["--accept", ":4"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_a_script_for_this_program(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_program(["completion", shell]) == 0

    script = capsys.readouterr().out
    assert f"_MAAS_MIGRATE_COMPLETE={shell}_complete" in script
    assert "maas-migrate" in script


def test_a_shell_without_a_script_is_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_program(["completion", "tcsh"]) == 3
    assert "bash" in capsys.readouterr().err


def test_every_verb_that_is_listed_can_be_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in VERBS:
        assert run_program([verb, "--help"]) == 0
        assert "Usage" in capsys.readouterr().out
