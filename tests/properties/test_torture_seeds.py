"""
Goal: whatever happens in whatever order, nothing is lost and every run comes to an end.

Method: a share of the seeds of ``make torture``: random faults, foreign writers, slow and stuck controllers, jumping
clocks, a second operator. Zero violations in n seeds put the 95 % upper bound at 3/n for a simulated run.
"""

import pytest

from tests.torture import plantings as plant
from tests.torture.museum import shown
from tests.torture.scenario import run_seed
from tests.torture.trunk import bundles, play_all, told_of

SEEDS, SHARES = 120, 4
LOSES_POWER = 203
"""A seed with a loss of power while the journal has lines that such a bug would not have synced."""


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("share", range(SHARES))
def test_no_seed_violates_an_invariant(share: int) -> None:
    told = [one for some in bundles(range(SEEDS))[share::SHARES] for one in play_all(some)]

    assert [f"seed {one.seed}: {violation}" for one in told for violation in one.violations] == []
    assert sum(one.met for one in told) > len(told) / 2, "nothing went wrong in most of them: they show nothing"


def test_every_seed_has_its_place_in_one_bundle() -> None:
    assert sorted(seed for some in bundles(range(SEEDS)) for seed in some) == list(range(SEEDS))


def test_a_seed_that_shares_its_beginning_with_others_comes_to_what_it_comes_to_alone() -> None:
    most = max(bundles(range(SEEDS)), key=len)

    told = {one.seed: one for one in play_all(most)}

    assert told == {seed: told_of(run_seed(seed), seed) for seed in most}


def test_what_was_not_synced_is_lost_with_the_power_in_a_fork_too() -> None:
    kind = next(some for some in bundles(range(150, 250)) if LOSES_POWER in some)
    with shown(plant.NO_SYNC_OF_THE_JOURNAL):
        told = {one.seed: one for one in play_all(kind)}
        alone = {seed: told_of(run_seed(seed), seed) for seed in kind}

    assert told == alone
    assert any("I8" in violation for one in told.values() for violation in one.violations)


def test_a_seed_gives_the_same_story_twice() -> None:
    first, second = run_seed(28), run_seed(28)

    assert first.struck == second.struck
    assert [outcome.code for outcome in first.outcomes] == [outcome.code for outcome in second.outcomes]
    assert first.virtual_s == second.virtual_s
