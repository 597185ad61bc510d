"""What lies in the state dir is damaged: it is noticed before anything is written."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.stage import GO, Stage

pytestmark = pytest.mark.slow


def _plugins_backup(run: Path) -> None:
    path = next(run.rglob("objects/backup/*payload-processing-plugins*.json"))
    path.chmod(0o600)
    text = path.read_bytes()
    path.write_bytes(text[:-20] + bytes([text[-20] ^ 1]) + text[-19:])


def _a_missing_backup(run: Path) -> None:
    path = next(run.rglob("objects/backup/MaasTenantConfig*.json"))
    path.parent.chmod(0o700)
    path.unlink()


def _the_journal(run: Path) -> None:
    path = run / "journal.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[2] = lines[2].replace('"', "'", 1)
    path.write_text("".join(lines), encoding="utf-8")


def _the_plan(run: Path) -> None:
    path = run / "plan.json"
    path.chmod(0o600)
    path.write_text(path.read_text(encoding="utf-8").replace('"praxis"', '"praxis "', 1), encoding="utf-8")


DAMAGES: tuple[Callable[[Path], None], ...] = (_plugins_backup, _a_missing_backup, _the_journal, _the_plan)


@pytest.mark.story
def test_a_damaged_backup_journal_or_plan_is_24_and_nothing_is_written(stage: Stage) -> None:
    run = stage.apply(stage.plan()["id"])["id"]
    stage.api.forget_requests()

    for damage in DAMAGES:
        state = stage.place / damage.__name__
        shutil.copytree(stage.state, state)
        damage(state / run)
        refused = stage.cli("rollback", run, "--yes", "--state-dir", str(state), wanted=24).document
        assert (refused["reason"], bool(refused["resolution"])) == ("StoreDamaged", True), damage.__name__

    assert stage.api.writes_of_the_tool() == []
    stage.cli("backups", "verify", run, "--state-dir", str(stage.place / _plugins_backup.__name__), wanted=24)
    stage.cli("status", run, "--state-dir", str(stage.place / _the_journal.__name__), wanted=24)
    assert stage.cli("rollback", run, "--yes").document["state"] == "rolled-back"


@pytest.mark.story
def test_a_run_directory_is_all_that_a_rollback_needs_on_another_machine(stage: Stage) -> None:
    run = stage.apply(stage.plan()["id"])["id"]
    elsewhere = stage.place / "elsewhere"
    (elsewhere / run).parent.mkdir()
    shutil.copytree(stage.state / run, elsewhere / run)
    shutil.rmtree(stage.state)

    assert stage.cli("rollback", run, "--yes", "--state-dir", str(elsewhere)).document["state"] == "rolled-back"
    stage.cli("resume", run, *GO, "--state-dir", str(elsewhere))
