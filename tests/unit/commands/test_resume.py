"""``resume`` decides nothing anew."""

from pathlib import Path

import pytest

from migrate.commands.resume import resume
from migrate.commands.windows import WindowFlags
from migrate.errors import BadInputError, StoreError
from migrate.store.run_directory import StateDirectory
from tests.unit.commands.contexts import OneLive, a_context


def test_a_risk_that_decides_steps_cannot_be_accepted_on_the_way(tmp_path: Path) -> None:
    context = a_context(tmp_path, OneLive)

    with pytest.raises(BadInputError, match="force-custom-plugins-configmap decides the steps"):
        resume(context, "", "", WindowFlags(window="now+1h"), ("force-custom-plugins-configmap=x",))


def test_a_state_dir_that_cannot_be_written_says_that_the_cluster_is_untouched(tmp_path: Path) -> None:
    run = StateDirectory(tmp_path / "state").create_run("20261130t120000z-ab12cd")
    (run.path / "lock").mkdir()  # It cannot be opened to be written, as on a disk that is read-only.

    with pytest.raises(StoreError, match="this call has written nothing to the cluster") as caught:
        resume(a_context(tmp_path, OneLive), run.id, "", WindowFlags(window="now+1h"), ())

    assert caught.value.message.startswith(f"{run.path / 'lock'} cannot be opened")


def test_an_absent_window_can_be_accepted_for_each_call(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    said: list[str] = []
    context = a_context(tmp_path, OneLive, said=said)

    ended = resume(context, "", "", WindowFlags(window="none"), ("no-maintenance-window=night",))

    assert (ended.code, said) == (0, ["nothing to resume"])
