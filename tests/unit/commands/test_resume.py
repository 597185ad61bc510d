"""``resume`` decides nothing anew."""

from pathlib import Path

import pytest

from migrate.commands.resume import resume
from migrate.commands.windows import WindowFlags
from migrate.errors import BadInputError
from tests.unit.commands.contexts import OneLive, a_context


def test_a_risk_that_decides_steps_cannot_be_accepted_on_the_way(tmp_path: Path) -> None:
    context = a_context(tmp_path, OneLive)

    with pytest.raises(BadInputError, match="force-custom-plugins-configmap decides the steps"):
        resume(context, "", "", WindowFlags(window="now+1h"), ("force-custom-plugins-configmap=x",))


def test_an_absent_window_can_be_accepted_for_each_call(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    said: list[str] = []
    context = a_context(tmp_path, OneLive, said=said)

    ended = resume(context, "", "", WindowFlags(window="none"), ("no-maintenance-window=night",))

    assert (ended.code, said) == (0, ["nothing to resume"])
