"""
Goal: at no place of a run does any fault lose anything, whichever way one goes on.

Method: every durable place of four courses (forward, back, and both parts of the upgrade) times every fault that can
happen there times {resume, rollback}. None is left out; ``tests.torture.sweep`` says how that is affordable. Each
course has a file of its own, so that workers share them.
"""

import typing
from pathlib import Path

from migrate.records.steps import Step
from tests.torture import plantings as plant
from tests.torture.museum import shown
from tests.torture.sweep import COURSES, POWER_LOSS, SWEPT, Sweep


def must_lose_nothing(name: str) -> None:
    """Sweep the course *name*, and hold it to its bar: every case, and none with a violation."""
    sweep = Sweep(course=next(course for course in COURSES if course.name == name))

    bad = sweep.run()

    assert [str(case) for case in bad] == []
    assert len(sweep.cases) == sum(len(SWEPT[point.place]) * 2 for point in sweep.points)


def test_every_step_of_a_run_has_a_place_where_it_may_be_killed() -> None:
    actions: set[str] = set()
    for course in COURSES:
        sweep = Sweep(course=course, wanted=lambda *_: False)
        assert sweep.run() == []
        assert sweep.planned - set(sweep.steps) == set(), course.name
        actions |= sweep.actions
    known = {kind.__struct_config__.tag for kind in typing.get_args(Step)}
    assert known - actions == set(), "a kind of step that no course passes has no kill point"


def test_every_course_has_a_file_of_its_own() -> None:
    told = "".join(file.read_text(encoding="utf-8") for file in Path(__file__).parent.glob("test_torture_sweep_*.py"))
    assert [course.name for course in COURSES if f'must_lose_nothing("{course.name}")' not in told] == []


def test_a_sweep_of_power_losses_finds_what_is_not_synced() -> None:
    for planting in (plant.NO_SYNC_OF_THE_JOURNAL, plant.NO_SYNC_OF_FILES, plant.NO_SYNC_OF_FOLDERS):
        sweep = Sweep(course=COURSES[0], faults=POWER_LOSS, share=3, of=211)
        with shown(planting):
            assert sweep.run() != []
