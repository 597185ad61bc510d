"""
Goal: at no place of a run does any fault lose anything, whichever way one goes on.

Method: every durable place of four courses (forward, back, and both parts of the upgrade) times every fault that can
happen there times {resume, rollback}. None is left out; ``tests.torture.sweep`` says how that is affordable.
"""

import typing

import pytest

from migrate.records.steps import Step
from tests.torture.sweep import COURSES, SWEPT, Course, Sweep

SHARES = [(course, share, of) for course, of in zip(COURSES, (4, 2, 3, 4), strict=True) for share in range(of)]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("course", "share", "of"), SHARES, ids=[f"{c.name}-{s}".replace(" ", "-") for c, s, _ in SHARES]
)
def test_no_fault_at_any_place_loses_anything(course: Course, share: int, of: int) -> None:
    sweep = Sweep(course=course, share=share, of=of)

    bad = sweep.run()

    assert [str(case) for case in bad] == []
    expected = sum(len(SWEPT[point.place]) * 2 for point in sweep.points)
    assert len(sweep.cases) in {expected // of, expected // of + 1}


def test_every_step_of_a_run_has_a_place_where_it_may_be_killed() -> None:
    actions: set[str] = set()
    for course in COURSES:
        sweep = Sweep(course=course, wanted=lambda *_: False)
        assert sweep.run() == []
        assert sweep.planned - set(sweep.steps) == set(), course.name
        actions |= sweep.actions
    known = {kind.__struct_config__.tag for kind in typing.get_args(Step)}
    assert known - actions == {"Pause"}, "a kind of step that no course passes has no kill point"
