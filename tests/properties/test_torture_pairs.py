"""
Goal: a second fault on top of the first loses nothing either.

Method: one pair of places for every pair of kinds of fault; ``make torture-pairs`` takes as many as it is given.
"""

import pytest

from tests.torture.pairs import covering, live_through

PAIRS, SHARES = covering(), 6


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("share", range(SHARES))
def test_no_pair_of_faults_loses_anything(share: int) -> None:
    for pair in PAIRS[share::SHARES]:
        assert [f"{pair}: {violation}" for violation in live_through(pair)] == []
