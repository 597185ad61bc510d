"""From a journal to a prediction, and from a prediction to checks."""

from pathlib import Path
from typing import Any

import pytest

from migrate.commands.planning import PlanFlags
from migrate.commands.rehearsal_document import assumptions_of, rehearsed_steps
from migrate.commands.rehearse import RehearseFlags, build_of, rehearse, served
from migrate.commands.rehearsed import LATEST, find_rehearsal
from migrate.errors import BadInputError
from migrate.records.journal import Event
from migrate.sandbox.run import SandboxOptions
from migrate.store.rehearsals import rehearsal_ids
from migrate.store.run_directory import StateDirectory
from tests import builders as b
from tests.unit.changes.plan import stories as s
from tests.unit.commands.contexts import OneLive, a_context


def event(number: int, name: Any, step: str, **data: Any) -> Event:
    return Event(seq=number, at=f"2026-11-30T12:00:{number:02d}Z", event=name, step=step, data=data)


def test_the_last_word_of_the_journal_is_what_is_foretold() -> None:
    steps = s.plan(s.cluster("3.6"), platform="3.6").steps[:3]
    first, second, third = (step.id for step in steps)
    events = [
        event(1, "step.started", first),
        event(3, "step.failed", first, message="no answer"),
        event(4, "step.started", first),
        event(5, "step.succeeded", first, message="done"),
        event(6, "step.started", second),
        event(7, "step.skipped", second, message="not needed"),
    ]

    told = list(rehearsed_steps(steps, events, 1))

    assert [(step.id, step.outcome, step.message, step.rehearsed_seconds) for step in told] == [
        (first, "succeeded", "done", 3.0),
        (second, "skipped", "not needed", 1.0),
        (third, "pending", "", 0.0),
    ]


def test_the_assumptions_name_the_build(tmp_path: Path) -> None:
    options = SandboxOptions(example="default", kubeconfig=tmp_path, build="handshake=D,gate=off,identity=V4")

    [build, *_, upgrade] = assumptions_of(options, "mine.json")

    assert "handshake D" in build
    assert "identity V4" in build
    assert "does not judge the plugins" in build
    assert "InstallPlan" in upgrade


def test_the_build_is_told_by_the_cluster_on_3_6_only() -> None:
    assert build_of(b.a_snapshot(*s.cluster("3.5")), "3.5") == ""
    assert build_of(b.a_snapshot(*s.cluster("3.6")), "3.6") == ""


def test_two_sources_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="exclude"):
        rehearse(
            a_context(tmp_path, OneLive),
            PlanFlags(snapshot="x.json"),
            RehearseFlags(example="default"),
            served(lambda *_: a_context(tmp_path, OneLive)),
        )


def test_without_a_rehearsal_of_the_cluster_nothing_is_compared(tmp_path: Path) -> None:
    class OfACluster:
        class state:  # noqa: N801 - stands for a property
            cluster = "kube-system-uid"

        id = "run-1"

    assert rehearsal_ids(StateDirectory(tmp_path / "state")) == ()
    with pytest.raises(BadInputError, match="no rehearsal for cluster") as refused:
        find_rehearsal(a_context(tmp_path, OneLive), OfACluster(), LATEST)  # type: ignore[arg-type]  # a stand-in
    assert f"maas-migrate rehearse --snapshot {tmp_path}/state/run-1/snapshot.json" in refused.value.resolution
    with pytest.raises(BadInputError, match="no rehearsal 'x'"):
        find_rehearsal(a_context(tmp_path, OneLive), OfACluster(), "x")  # type: ignore[arg-type]  # a stand-in
