"""Nobody else's write is lost, and an unknown outcome is settled by reading."""

from pathlib import Path

import pytest

import migrate.engine
from migrate.engine.hands import Ending
from migrate.engine.ports import Answer
from migrate.engine.run import run
from migrate.records.essence import fingerprint
from migrate.records.objects import Json
from migrate.records.plan import Ask, BackUp, BackUpItem, Plan, SetFields, Wait
from migrate.records.predicates import FieldIs
from migrate.records.writes import Write
from tests.fakes import FakeCluster, FakeHands, Willing
from tests.unit.engine.story import (
    CONFIG,
    IGNORED,
    OPEN,
    TEXTS,
    Controller,
    a_plan,
    a_step,
    a_world,
    flip_and_wait,
    forward_plan,
    forward_steps,
    gate_step,
    must,
)

COLOUR = ("spec", "colour")


def go(fakes: FakeHands, plan: Plan | None = None) -> Ending:
    return run("run-1", plan or forward_plan(fakes.cluster), fakes.hands(), OPEN)


def paint(fakes: FakeHands, colour: str, step_id: str = "paint", *, more: Json | None = None) -> SetFields:
    live = must(fakes.cluster, CONFIG)
    step: SetFields = a_step(
        SetFields,
        step_id,
        object=CONFIG,
        uid=live.uid,
        expects=fingerprint(live, IGNORED),
        after={"spec": {"colour": colour, **(more or {})}},
    )
    return step


def test_only_one_line_of_the_engine_sends_writes() -> None:
    folder = Path(migrate.engine.__file__).parent
    senders = [
        path.name for path in folder.glob("*.py") for line in path.read_text().split("\n") if "cluster.write(" in line
    ]

    assert set(senders) == {"perform.py"}


def test_every_write_carries_uid_and_resource_version_in_its_body() -> None:
    fakes = a_world()
    go(fakes)

    body = fakes.cluster.writes[0].body or {}

    assert body["metadata"]["uid"] == "config-1"
    assert body["metadata"]["resourceVersion"]


def test_what_is_already_as_wanted_is_not_written() -> None:
    fakes = a_world()
    before = must(fakes.cluster, CONFIG).resource_version

    ending = go(fakes, a_plan((paint(fakes, "blue"),)))

    assert ending.state.exit_code == 0
    assert must(fakes.cluster, CONFIG).resource_version == before
    assert ending.state.steps[0].message == "nothing to write"


def test_ch_04_another_object_of_the_same_name_is_refused_before_the_first_write() -> None:
    fakes = a_world()
    plan = a_plan((paint(fakes, "red"),))
    thing = dict(fakes.cluster.objects[CONFIG], metadata={"namespace": "ns", "name": "config", "uid": "beef"})
    fakes.cluster.put(thing)

    ending = go(fakes, plan)

    assert (ending.state.exit_code, ending.state.reason) == (13, "PlanIsStale")
    assert "plan is for another object" in ending.state.message
    assert fakes.cluster.writes == []


def test_a_foreign_change_before_the_first_write_is_stale_and_says_from_what_to_what_and_who() -> None:
    fakes = a_world()
    plan = forward_plan(fakes.cluster)
    fakes.cluster.foreign(CONFIG, {"spec": {"colour": "green"}}, "kubectl-edit")

    ending = go(fakes, plan)

    assert (ending.state.exit_code, ending.state.wrote) == (13, False)
    assert 'spec.colour from "blue" to "green" (by kubectl-edit)' in ending.state.message
    assert ending.state.ended_at


def test_a_foreign_change_after_the_first_write_needs_a_person_and_is_not_written_over() -> None:
    fakes = a_world()
    plan = a_plan((paint(fakes, "red"), paint(fakes, "black", "again")), fakes.cluster)
    fakes.cluster.reactions.append(
        lambda cluster, _write: cluster.foreign(CONFIG, {"spec": {"size": 3}}, "kubectl-edit")
    )

    ending = go(fakes, plan)

    assert ending.state.exit_code == 21
    assert "spec.size from absent to 3 (by kubectl-edit)" in ending.state.message
    assert must(fakes.cluster, CONFIG).get("spec") == {"colour": "red", "size": 3}


def test_a_change_of_what_the_flip_would_lose_after_its_backup_stops_the_flip() -> None:
    fakes = a_world()
    steps = forward_steps(fakes.cluster)
    fakes.operator = EditingOperator(fakes.cluster)

    ending = go(fakes, a_plan(steps, fakes.cluster))

    assert ending.state.exit_code == 13
    assert "data.a.yaml" in ending.state.message
    assert fakes.cluster.writes == []


class EditingOperator(Willing):
    """Edits the texts while being asked."""

    def __init__(self, cluster: FakeCluster) -> None:
        super().__init__()
        self.cluster = cluster

    def ask(self, step: Ask) -> Answer | None:
        self.cluster.foreign(TEXTS, {"data": {"a.yaml": "newer"}}, "kubectl-edit")
        return super().ask(step)


def test_no_flip_without_a_sealed_backup_of_what_it_loses() -> None:
    fakes = a_world()

    ending = go(fakes, a_plan(flip_and_wait(fakes.cluster), fakes.cluster))

    assert ending.state.exit_code == 24
    assert fakes.cluster.writes == []


def test_no_flip_with_a_damaged_backup() -> None:
    fakes = a_world()
    fakes.operator = DamagingOperator(fakes)

    ending = go(fakes)

    assert ending.state.exit_code == 24
    assert fakes.cluster.writes == []


class DamagingOperator(Willing):
    """Damages the backups while being asked."""

    def __init__(self, fakes: FakeHands) -> None:
        super().__init__()
        self.fakes = fakes

    def ask(self, step: Ask) -> Answer | None:
        self.fakes.backups.damaged = True
        return super().ask(step)


def test_a_backup_taken_before_the_gate_does_not_count_after_it() -> None:
    fakes = a_world()
    first = a_plan(
        (a_step(BackUp, "backup", items=(BackUpItem(object=CONFIG, uid="config-1"),)), gate_step()), fakes.cluster
    )
    go(fakes, first)
    fakes.cluster.foreign(CONFIG, {"spec": {"version": "3.6"}})
    assert go(fakes, first).gate_passed

    ending = go(fakes, a_plan(flip_and_wait(fakes.cluster), fakes.cluster, part=2))

    assert ending.state.exit_code == 24
    assert fakes.cluster.writes == []


@pytest.mark.parametrize("fault", ["lost", "dropped", "conflict", "webhook-down"])
def test_ch_23_a_write_is_tried_again_only_after_it_was_settled_by_reading(fault: str) -> None:
    fakes = a_world()
    fakes.cluster.faults = {0: fault}

    ending = go(fakes, a_plan((paint(fakes, "red"),)))

    assert ending.state.exit_code == 0
    assert len(fakes.cluster.writes) == 1
    assert "write.settled" in fakes.journal.names()


def test_ch_28_a_webhook_that_is_down_is_ridden_out() -> None:
    fakes = a_world()
    fakes.cluster.faults = {0: "webhook-down", 1: "webhook-down"}

    ending = go(fakes, a_plan((paint(fakes, "red"),)))

    assert ending.state.exit_code == 0
    assert fakes.cluster.sent == 3


def test_ch_28_a_denial_is_final_and_passed_on() -> None:
    fakes = a_world()
    fakes.cluster.faults = {0: "refused"}

    ending = go(fakes, a_plan((paint(fakes, "red"),)))

    assert ending.state.exit_code == 11
    assert "denied the request: no" in ending.state.message
    assert fakes.cluster.sent == 1


def test_a_denial_after_the_first_write_needs_a_person() -> None:
    fakes = a_world()
    fakes.cluster.faults = {1: "refused"}

    ending = go(fakes, a_plan((paint(fakes, "red"), paint(fakes, "black", "again"))))

    assert ending.state.exit_code == 21


def test_a_write_that_never_gets_through_ends_within_the_steps_time() -> None:
    fakes = a_world()
    fakes.cluster.faults = dict.fromkeys(range(500), "dropped")

    ending = go(fakes, a_plan((paint(fakes, "red"),)))

    assert ending.state.exit_code in {5, 22}
    assert fakes.clock.passed_s < 200


def test_an_object_that_is_gone_makes_the_plan_stale() -> None:
    fakes = a_world()
    fakes.cluster.faults = {0: "gone"}

    assert go(fakes, a_plan((paint(fakes, "red"),))).state.exit_code == 13


def test_ch_19_a_revert_is_patched_again_a_few_times_and_then_stops() -> None:
    fakes = a_world(Controller(stuck=True))

    def revert(cluster: FakeCluster, write: Write) -> None:
        cluster.clock.after(2, lambda: cluster.foreign(CONFIG, {"spec": {"colour": "blue"}}, "argocd-controller"))

    fakes.cluster.reactions.append(revert)
    wait = a_step(
        Wait, "wait", until=FieldIs(object=CONFIG, path=("spec", "done"), values=(True,)), timeout_seconds=600
    )
    ending = go(fakes, a_plan((paint(fakes, "red"), wait), fakes.cluster))

    assert ending.state.exit_code == 21
    assert "reverted by argocd-controller" in ending.state.message
    assert len(fakes.cluster.writes) == 3


def test_a_revert_seen_by_the_next_step_is_mended_in_the_same_patch() -> None:
    fakes = a_world(Controller(stuck=True))
    once = [lambda: fakes.cluster.foreign(CONFIG, {"spec": {"colour": "blue"}}, "argocd-controller")]
    fakes.cluster.reactions.append(lambda _cluster, _write: once.pop()() if once else None)
    second = paint(fakes, "red", "again", more={"size": 1})

    ending = go(fakes, a_plan((paint(fakes, "red"), second), fakes.cluster))

    assert ending.state.exit_code == 0
    assert must(fakes.cluster, CONFIG).get("spec") == {"colour": "red", "size": 1}


def test_ch_29_a_verb_that_is_not_permitted_stops_before_the_first_write_and_is_named() -> None:
    fakes = a_world()
    fakes.cluster.denied = {"patch configs"}

    ending = go(fakes)

    assert ending.state.exit_code == 4
    assert "'patch configs.example.com'" in ending.state.message


def test_a_refused_dry_run_blocks_before_the_first_write() -> None:
    fakes = a_world()
    fakes.cluster.refuses = lambda write: "no such field" if write.object == CONFIG else ""

    ending = go(fakes)

    assert ending.state.exit_code == 11
    assert "no such field" in ending.state.message
    assert fakes.cluster.writes == []


def test_the_dry_run_tries_the_restore_too() -> None:
    fakes = a_world()

    go(fakes)

    assert [write.object for write in fakes.cluster.dry_runs] == [CONFIG, CONFIG, TEXTS]
