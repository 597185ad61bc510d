"""
Goal: whatever happens in whatever order, nothing is lost and every run comes to an end.

Method: a share of the seeds of ``make torture``: random faults, foreign writers, slow and stuck controllers, jumping
clocks, a second operator. Zero violations in n seeds put the 95 % upper bound at 3/n for a simulated run.
"""

import pytest

from tests.torture.scenario import run_seed

SEEDS, SHARES = 80, 4


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("share", range(SHARES))
def test_no_seed_violates_an_invariant(share: int) -> None:
    for seed in range(share, SEEDS, SHARES):
        assert [f"seed {seed}: {violation}" for violation in run_seed(seed).violations] == []


def test_a_seed_gives_the_same_story_twice() -> None:
    first, second = run_seed(28), run_seed(28)

    assert first.struck == second.struck
    assert [outcome.code for outcome in first.outcomes] == [outcome.code for outcome in second.outcomes]
    assert first.virtual_s == second.virtual_s
