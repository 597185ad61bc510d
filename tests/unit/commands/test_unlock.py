"""``unlock``: only a named run that is dead loses the lock."""

from pathlib import Path

import pytest

from migrate.commands.documents import LockHolder
from migrate.commands.unlock import unlock
from migrate.errors import BadInputError, BlockedError, ExitCode, NotConfirmedError, RunLockedError
from migrate.store.run_directory import StateDirectory
from tests.unit.commands.contexts import OneLive, a_context

RUN = "20261130t120000z-ab12cd"
HELD = LockHolder(state="held", holder=f"sre@other/1/{RUN}", run=RUN, renewed="2026-11-30T12:00:00Z")


class SilentLock:
    """A lock whose holder turns out to be dead."""

    def __init__(self) -> None:
        self.taken_from: list[str] = []

    def unlock(self, run: str) -> bool:
        self.taken_from.append(run)
        return True


class LivelyLock:
    """A lock whose holder renews it."""

    def unlock(self, run: str) -> bool:
        raise RunLockedError(f"Run {run} is alive.", resolution="Let it end.", run=run)


def test_a_free_lock_is_nothing_to_do(tmp_path: Path) -> None:
    lock = SilentLock()

    document = unlock(a_context(tmp_path, lambda: OneLive(lock=lock)), "")

    assert (document.unlocked, document.was.state, lock.taken_from) == (False, "free", [])


def test_a_run_that_nobody_knows_is_no_success_because_the_lock_is_free(tmp_path: Path) -> None:
    said: list[str] = []
    StateDirectory(tmp_path / "state").create_run(RUN)
    context = a_context(tmp_path, OneLive, said=said)

    with pytest.raises(BadInputError, match="no run 'mistyped'") as caught:
        unlock(context, "mistyped")

    assert RUN in caught.value.message
    assert said == ["the lock is free; nothing to do"]
    assert unlock(context, RUN).unlocked is False


def test_a_lock_of_which_nobody_knows_is_not_called_free(tmp_path: Path) -> None:
    unknown = LockHolder(state="unknown", message="there is no namespace x.")

    with pytest.raises(BlockedError, match="there is no namespace x"):
        unlock(a_context(tmp_path, lambda: OneLive(holder=unknown)), "")


def test_without_the_runs_name_nothing_is_taken_and_the_holder_is_named(tmp_path: Path) -> None:
    lock = SilentLock()

    with pytest.raises(NotConfirmedError, match=RUN) as caught:
        unlock(a_context(tmp_path, lambda: OneLive(holder=HELD, lock=lock)), "")

    assert (caught.value.exit_code, lock.taken_from) == (ExitCode.NOT_CONFIRMED, [])
    assert caught.value.resolution.endswith(f"maas-migrate unlock {RUN}")


def test_a_silent_run_that_is_named_loses_it(tmp_path: Path) -> None:
    lock = SilentLock()

    document = unlock(a_context(tmp_path, lambda: OneLive(holder=HELD, lock=lock)), RUN)

    assert (document.unlocked, document.was, lock.taken_from) == (True, HELD, [RUN])


def test_a_run_that_is_alive_keeps_it(tmp_path: Path) -> None:
    with pytest.raises(RunLockedError) as caught:
        unlock(a_context(tmp_path, lambda: OneLive(holder=HELD, lock=LivelyLock())), RUN)

    assert caught.value.exit_code == ExitCode.LOCKED


def test_a_run_that_a_process_of_this_machine_works_on_is_alive_however_silent(tmp_path: Path) -> None:
    lock = SilentLock()
    directory = StateDirectory(tmp_path / "state").create_run(RUN)

    with directory.lock(), pytest.raises(RunLockedError, match="on this machine"):
        unlock(a_context(tmp_path, lambda: OneLive(holder=HELD, lock=lock)), RUN)

    assert lock.taken_from == []
