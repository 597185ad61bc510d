"""
Goal: a second fault on top of the first loses nothing either.

Method: one pair of places for every pair of kinds of fault; ``make torture-pairs`` takes as many as it is given.
"""

import pytest

from tests.torture.every_pair import EveryPair
from tests.torture.pairs import covering, live_through
from tests.torture.points import Point
from tests.torture.sweep import COURSES

PAIRS, SHARES = covering(), 6


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("share", range(SHARES))
def test_no_pair_of_faults_loses_anything(share: int) -> None:
    for pair in PAIRS[share::SHARES]:
        assert [f"{pair}: {violation}" for violation in live_through(pair)] == []


def test_killed_after_the_flip_and_again_anywhere_on_the_way_on_it_loses_nothing() -> None:
    """One first place of ``make torture-every-pair``, with every second one."""
    sweep = EveryPair(course=COURSES[0], wanted=_is_answer_to_the_flip)

    bad = sweep.run()

    assert ([str(case) for case in bad], sweep.bad) == ([], [])
    assert sweep.pairs > 50


def _is_answer_to_the_flip(point: Point, _fault: str, way_on: str) -> bool:
    return (point.place, point.what, way_on) == ("api.after", "PATCH maastenantconfigs", "resume")
