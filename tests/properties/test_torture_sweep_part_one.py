"""The sweep of ``test_torture_sweep`` over every place of an apply on 3.5, up to the gate."""

import pytest

from tests.properties.test_torture_sweep import must_lose_nothing


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_no_fault_at_any_place_loses_anything() -> None:
    must_lose_nothing("part one")
