"""
Goal: the name of what is written survives a loss of power, also where another process had made the folder.

Method: a disk that counts which folders were synced; everything is there already, as after a kill before the sync.
"""

from pathlib import Path

from migrate.records.objects import KubeObject
from migrate.store.atomic import Disk
from migrate.store.journal_file import FileJournal
from migrate.store.run_directory import StateDirectory
from tests.fakes import TickingClock
from tests.unit.engine.story import texts

RUN = "20261130t142201z-ab12cd"


class CountingDisk(Disk):
    """Remembers which folders were synced."""

    def __init__(self) -> None:
        self.synced: list[Path] = []

    def sync_folder(self, path: Path) -> None:
        super().sync_folder(path)
        self.synced.append(path)


def test_a_state_dir_that_is_there_has_its_name_synced_before_a_run_is_made(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir(mode=0o700)
    disk = CountingDisk()

    StateDirectory(tmp_path / "state", disk=disk).create_run(RUN)

    assert disk.synced == [tmp_path, tmp_path / "state"]


def test_a_journal_that_is_there_has_its_name_synced_before_anything_is_appended(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").touch()
    disk = CountingDisk()

    FileJournal(tmp_path / "journal.jsonl", TickingClock(), disk=disk)

    assert disk.synced == [tmp_path]


def test_a_folder_of_sets_that_is_there_has_its_name_synced_before_a_set_counts(tmp_path: Path) -> None:
    disk = CountingDisk()
    run = StateDirectory(tmp_path / "state", disk=disk).create_run(RUN)
    (run.path / "objects").mkdir(mode=0o700)
    thing = texts()
    thing["metadata"]["uid"] = "u"

    run.backups().save("backup", [KubeObject(thing)])

    before, last = disk.synced[-2:]
    assert (before.parent, before.name.startswith(".partial-backup-"), last) == (last, True, run.path / "objects")
    assert run.path in disk.synced
