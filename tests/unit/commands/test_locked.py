"""While another run works, its lock is named before what it makes of the cluster meanwhile."""

from pathlib import Path

import pytest

from migrate.commands.documents import LockHolder
from migrate.commands.locked import lock_goes_first
from migrate.errors import BlockedError, MigrateError, NotAuthorisedError, PlanIsStaleError, RunLockedError
from tests.unit.commands.contexts import OneLive, a_context

RUN = "20261130t120000z-ab12cd"
HELD = LockHolder(state="held", holder=f"sre@other/1/{RUN}", run=RUN, renewed="2026-11-30T12:00:00Z")
STALE = PlanIsStaleError("The plan is stale.", resolution="Plan again.")
BLOCKED = BlockedError("The plan is blocked.", resolution="Look at the Pod.")


class Unreadable(OneLive):
    """A connection that may not read the lock."""

    def holder(self) -> LockHolder:
        raise NotAuthorisedError("Not permitted: get Lease.", resolution="Ask for it.")


@pytest.mark.parametrize("refusal", [STALE, BLOCKED], ids=["stale", "blocked"])
def test_a_refusal_beside_a_lock_that_is_held_is_of_the_lock(tmp_path: Path, refusal: MigrateError) -> None:
    context = a_context(tmp_path, lambda: OneLive(holder=HELD))

    with pytest.raises(RunLockedError) as refused, lock_goes_first(context):
        raise refusal

    assert refused.value.run == RUN
    assert "nothing was written" in refused.value.message
    assert refusal.message in refused.value.message
    assert f"maas-migrate unlock {RUN}" in refused.value.resolution


@pytest.mark.parametrize("live", [OneLive(), Unreadable()], ids=["free", "unknown"])
def test_beside_a_lock_that_is_free_or_unknown_the_refusal_stands(tmp_path: Path, live: OneLive) -> None:
    with pytest.raises(PlanIsStaleError), lock_goes_first(a_context(tmp_path, lambda: live)):
        raise STALE


def test_what_goes_before_the_lock_stays_before_it(tmp_path: Path) -> None:
    context = a_context(tmp_path, lambda: OneLive(holder=HELD))

    with pytest.raises(NotAuthorisedError), lock_goes_first(context):
        raise NotAuthorisedError("Not permitted.", resolution="Ask for it.")
