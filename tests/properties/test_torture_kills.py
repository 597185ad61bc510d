"""
Goal: the installed program survives kill -9.

Method: a handful of real kills on a sandbox in another process; ``make torture-kills`` takes many.
"""

import pytest

from tests.torture.kills import stage


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_installed_program_is_killed_and_nothing_is_lost() -> None:
    with stage(seed=7) as at:
        while at.killed < 5 and not at.found:
            at.go(kills=4)

        assert at.found == []
