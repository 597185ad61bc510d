"""
Goal: what holds for the engine on memory holds on a disk: a kill at any durable step loses nothing.

Method: a disk that counts its steps kills the process before, after and in the middle of each. A new process
opens the same run directory and goes on, or goes back.
"""

from pathlib import Path

import pytest

from migrate.engine.hands import Ending, Hands
from migrate.engine.run import run
from migrate.records.plan import Plan
from migrate.store.atomic import Disk
from migrate.store.run_directory import RunDirectory, StateDirectory
from tests.fakes import Crash, FakeHands, KillSwitch, Willing
from tests.unit.engine.story import CUSTOM, OPEN, TEXTS, a_world, forward_plan, must, rollback_plan

RUN = "20261130t142201z-ab12cd"


class MortalDisk(Disk):
    """A disk whose machine may stop before, after and in the middle of a step."""

    def __init__(self, kill: KillSwitch) -> None:
        self.kill = kill

    def flush(self, number: int) -> None:
        """Processes are killed here, not machines; what a process wrote stays without it."""

    def create(self, path: Path, data: bytes, *, mode: int = 0o600) -> None:
        self.kill.point()
        try:
            self.kill.point()
        except Crash:
            super().create(path, data[: len(data) // 2], mode=mode)
            raise
        super().create(path, data, mode=mode)
        self.kill.point()

    def append(self, path: Path, data: bytes) -> None:
        self.kill.point()
        try:
            self.kill.point()
        except Crash:
            super().append(path, data[: len(data) // 2])
            raise
        super().append(path, data)
        self.kill.point()

    def rename(self, source: Path, target: Path) -> None:
        self.kill.point()
        super().rename(source, target)
        self.kill.point()

    def make_folder(self, path: Path) -> None:
        self.kill.point()
        super().make_folder(path)
        self.kill.point()

    def set_mode(self, path: Path, mode: int) -> None:
        super().set_mode(path, mode)
        self.kill.point()


def hands_on(fakes: FakeHands, directory: RunDirectory) -> Hands:
    return Hands(
        cluster=fakes.cluster,
        journal=directory.journal(fakes.clock),
        backups=directory.backups(),
        lock=fakes.lock,
        operator=fakes.operator,
        clock=fakes.clock,
        surveyor=fakes.surveyor,
    )


def a_directory(tmp_path: Path, kill: KillSwitch) -> RunDirectory:
    StateDirectory(tmp_path).create_run(RUN)
    return RunDirectory(tmp_path / RUN, RUN, disk=MortalDisk(kill))


def go(fakes: FakeHands, directory: RunDirectory, plan: Plan) -> Ending:
    with directory.lock():
        return run(RUN, plan, hands_on(fakes, directory), OPEN)


def count_points(tmp_path: Path) -> int:
    kill = KillSwitch()
    fakes = a_world()
    go(fakes, a_directory(tmp_path, kill), forward_plan(fakes.cluster))
    return kill.passed


POINTS = 190
"""More than there are; the last test says so when the engine comes to have more."""


@pytest.mark.parametrize("at", range(POINTS))
def test_a_kill_at_any_durable_step_changes_nothing_in_the_end(tmp_path: Path, at: int) -> None:
    kill = KillSwitch(at)
    fakes = a_world()
    plan = forward_plan(fakes.cluster)
    directory = a_directory(tmp_path, kill)
    try:
        ending = go(fakes, directory, plan)
    except Crash:
        kill.at = -1
        fakes.new_process()
        ending = go(fakes, directory, plan)

    assert ending.state.state == "succeeded"
    assert directory.state() == ending.state
    saved = next(entry for entry in directory.backups().verify() if entry.object == str(TEXTS))
    assert directory.backups().load(saved.file, saved.sha256).get("data") == CUSTOM


def test_a_run_on_disk_can_be_taken_back_by_another_process(tmp_path: Path) -> None:
    fakes = a_world()
    directory = a_directory(tmp_path, KillSwitch())
    go(fakes, directory, forward_plan(fakes.cluster))
    fakes.backups.entries = list(directory.backups().verify())

    ending = run(RUN, rollback_plan(fakes), hands_on(fakes, directory), OPEN, phase="rollback")

    assert ending.state.state == "rolled-back"
    assert must(fakes.cluster, TEXTS).get("data") == CUSTOM


def test_a_damaged_backup_on_disk_stops_the_flip(tmp_path: Path) -> None:
    fakes = a_world()
    directory = a_directory(tmp_path, KillSwitch())
    plan = forward_plan(fakes.cluster)
    fakes.operator = StopAfterReview(directory)
    assert go(fakes, directory, plan).state.exit_code == 130
    fakes.operator = Willing()
    for path in (directory.path / "objects").glob("*/ConfigMap*.json"):
        path.chmod(0o600)
        path.write_bytes(path.read_bytes().replace(b"custom", b"broken"))

    ending = go(fakes, directory, plan)

    assert ending.state.exit_code == 24
    assert fakes.cluster.writes == []


class StopAfterReview(Willing):
    """Asks to stop once the review is answered."""

    def __init__(self, directory: RunDirectory) -> None:
        super().__init__()
        self.directory = directory

    def stop_requested(self) -> int:
        return 2 if any(event.event == "ask.answered" for event in self.directory.events()) else 0


def test_the_sweep_reaches_every_point(tmp_path: Path) -> None:
    assert 120 < count_points(tmp_path) <= POINTS
