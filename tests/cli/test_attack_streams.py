"""Streams that are closed, full or left by their reader; files in the way of ours."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from migrate.cli.terminal import leave, say
from migrate.store.run_directory import StateDirectory
from tests.cli.conftest import Call
from tests.e2e.stage import CALL_S, Stage, program

GO = ("apply", "--window", "now+90m", "--dry-run", "server")


def shell(stage: Stage, line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of shell where ``$P`` is the program."""
    return subprocess.run(
        ["/bin/bash", "-c", line],
        env=stage.environment(P=program("maas-migrate")),
        cwd=stage.place,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=CALL_S,
    )


@pytest.mark.parametrize("where", [">/dev/full", ">&-"], ids=["full", "closed"])
def test_a_document_that_cannot_be_written_is_told_and_no_success(stage: Stage, where: str) -> None:
    done = shell(stage, f"$P version -o json {where}; echo $? >&2")

    assert "error: stdout cannot be written" in done.stderr
    assert done.stderr.splitlines()[-1] == "3"
    assert "fault of this tool" not in done.stderr


def test_a_reader_that_leaves_changes_no_exit_code(stage: Stage) -> None:
    done = shell(stage, "$P check -o json | true; echo ${PIPESTATUS[0]}")

    assert (done.stdout, done.stderr) == ("2\n", "")


def test_a_stderr_that_is_full_stops_nothing(stage: Stage) -> None:
    done = shell(stage, f"$P {' '.join(GO)} -o json 2>/dev/full; echo $? >&2")

    assert json.loads(done.stdout)["format"] == "maas-migrate/plan"
    assert done.stderr.splitlines()[-1] == "0"


def test_colour_that_is_asked_for_passes_a_pipe(stage: Stage) -> None:
    assert "\x1b[" in shell(stage, "$P check --color always").stdout
    assert "\x1b[" in shell(stage, "FORCE_COLOR=1 $P check").stdout
    assert "\x1b[" not in shell(stage, "FORCE_COLOR=1 $P check --color never").stdout
    assert "\x1b[" not in shell(stage, "FORCE_COLOR=1 $P check -o json").stdout


def test_a_plan_is_written_over_a_plan_and_over_nothing_else(on: Call, tmp_path: Path) -> None:
    path, note = tmp_path / "plan.json", tmp_path / "note"
    note.write_text("mine", encoding="utf-8")

    assert on("plan", "--out", str(path)).code == 0
    assert on("plan", "--out", str(path)).code == 0
    for other in (note, tmp_path, Path(os.devnull), tmp_path / "none" / "plan.json"):
        said = on("plan", "--out", str(other))
        assert (said.code, str(other) in said.err) == (3, True), said.err

    assert note.read_text(encoding="utf-8") == "mine"
    assert Path(os.devnull).is_char_device()


def test_a_snapshot_is_never_written_over_a_file(on: Call, tmp_path: Path) -> None:
    note = tmp_path / "note"
    note.write_text("mine", encoding="utf-8")

    for other in (note, tmp_path, tmp_path / "none" / "s.json"):
        said = on("snapshot", "--out", str(other))
        assert (said.code, str(other) in said.err) == (3, True), said.err

    assert note.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    "words",
    [
        ("plan", "--out", "{}"),
        ("snapshot", "--out", "{}"),
        ("check", "--log-file", "{}"),
        ("backups", "export", "20261130t120000z-ab12cd", "--out", "{}"),
    ],
)
def test_no_folder_is_made_unasked_and_the_command_that_makes_it_is_told(
    call: Call, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """No cluster is there either, so this is said before anything is read."""
    StateDirectory(tmp_path / "state").create_run("20261130t120000z-ab12cd")
    folder = tmp_path / "not there"

    said = call(*(word.format(folder / "file") for word in words), "--kubeconfig", str(tmp_path / "none"))

    assert said.code == 3
    assert f"there is no folder {folder}; nothing was written" in said.err
    assert f"mkdir -p '{folder}'" in said.err
    assert not folder.exists()


@pytest.mark.parametrize("make", ["symlink", "open to all", "file"])
def test_a_plan_that_cannot_be_saved_in_the_state_dir_is_said_even_quietly(on: Call, tmp_path: Path, make: str) -> None:
    state = tmp_path / "odd"
    if make == "symlink":
        state.symlink_to(tmp_path)
    elif make == "file":
        state.touch()
    else:
        state.mkdir()
        state.chmod(0o777)

    said = on("plan", "-q", "-o", "name", "--state-dir", str(state))

    assert said.code == 0
    assert "warning: the plan was not saved" in said.err
    assert str(state) in said.err


@pytest.mark.parametrize(("where", "verb"), [("/proc/maas-migrate", "made"), ("file/state", "read")])
def test_a_state_dir_that_takes_no_run_says_that_the_cluster_is_untouched(
    on: Call, tmp_path: Path, where: str, verb: str
) -> None:
    """Nothing can be made in /proc or under a file, whoever asks, as on a disk that is read-only."""
    (tmp_path / "file").touch()

    said = on("apply", "--window", "now+90m", "--yes", "--state-dir", str(tmp_path / where))

    assert said.code == 24
    assert f"cannot be {verb}: " in said.err
    assert "; this call has written nothing to the cluster\n" in said.err


def test_nobody_at_the_other_end_of_stderr_is_no_error() -> None:
    class Gone:
        def write(self, text: str) -> int:
            raise OSError(5, "gone")

    leave(Gone())
    say("", level=9)
