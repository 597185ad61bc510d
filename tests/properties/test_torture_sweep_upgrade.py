"""
Goal: the same as in ``test_torture_sweep``, for both parts of the way through the operator's upgrade.

Method: the same; a file of its own, so that two workers share the sweeps.
"""

import pytest

from tests.properties.test_torture_sweep import must_lose_nothing
from tests.torture.sweep import COURSES, Course


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("course", COURSES[2:], ids=lambda course: course.name.replace(" ", "-"))
def test_no_fault_at_any_place_of_the_upgrade_loses_anything(course: Course) -> None:
    must_lose_nothing(course)
