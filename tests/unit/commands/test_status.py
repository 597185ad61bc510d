"""``runs`` and ``status``: a run that cannot be read is told apart from one that stopped."""

from pathlib import Path

from migrate.commands.plan import save_plan
from migrate.commands.runs import begin_run
from migrate.commands.status import runs
from migrate.records.journal import BackupEntry
from migrate.render.run_text import backups_text, runs_text
from migrate.store.run_directory import StateDirectory
from tests import builders as b
from tests.unit.changes.plan import stories as s
from tests.unit.commands.contexts import OneLive, a_context


def test_a_journal_that_cannot_be_read_is_warned_of_and_shown_without_times(tmp_path: Path) -> None:
    warned: list[str] = []
    directory = StateDirectory(tmp_path / "state").create_run("20261130t120000z-ab12cd")
    (directory.path / "journal.jsonl").write_text("{}\n{}\n")

    document = runs(a_context(tmp_path, OneLive, warn=warned.append))

    assert [run.state for run in document.runs] == ["needs-person"]
    assert [line.partition(":")[0] for line in warned] == [f"run {directory.id} cannot be read"]
    assert runs_text(document.runs).splitlines()[1].split() == [directory.id, "needs-person", "-", "-", "-"]


def test_a_state_dir_that_does_not_last_is_not_named(tmp_path: Path) -> None:
    said: list[str] = []
    context = a_context(tmp_path, OneLive, said=said, keeps=False)
    plan, snapshot = s.plan(s.cluster("3.6"), platform="3.6"), b.a_snapshot(*s.cluster("3.6"))

    save_plan(context, plan, snapshot)
    run = begin_run(context, plan, snapshot)

    assert said == [f"run {run.id}"]


def test_a_list_of_backups_that_were_not_checked_says_when_they_were() -> None:
    entry = BackupEntry(object="ConfigMap a/b", file="objects/backup/x.json", sha256="0" * 64, bytes=1, verified=True)

    assert "VERIFIED WHEN SAVED" in backups_text([entry], checked=False)
    assert "WHEN SAVED" not in backups_text([entry])
