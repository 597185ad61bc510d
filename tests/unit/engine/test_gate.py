"""At the gate the run gives the lock back, and goes on when somebody else's work is done."""

from migrate.engine.hands import Ending
from migrate.engine.run import run
from migrate.records.plan import BackUp, BackUpItem, Plan
from tests.fakes import FakeHands
from tests.unit.engine.story import CONFIG, OPEN, TEXTS, a_plan, a_step, a_world, forward_steps, gate_step, must


def go(fakes: FakeHands, plan: Plan) -> Ending:
    return run("run-1", plan, fakes.hands(), OPEN)


def part_one(fakes: FakeHands) -> Plan:
    item = BackUpItem(object=CONFIG, uid="config-1")
    forecast = forward_steps(fakes.cluster)
    return a_plan((a_step(BackUp, "backup-1", items=(item,)), gate_step()), fakes.cluster, forecast=forecast)


def upgrade(fakes: FakeHands) -> None:
    fakes.cluster.foreign(CONFIG, {"spec": {"version": "3.6"}}, "olm")


def test_at_the_gate_the_run_waits_for_the_upgrade_without_the_lock() -> None:
    fakes = a_world()

    ending = go(fakes, part_one(fakes))

    assert (ending.state.exit_code, ending.state.state) == (20, "waiting-for-upgrade")
    assert fakes.lock.held is False
    assert ending.state.ended_at == ""


def test_while_nothing_has_happened_resume_ends_20_at_once() -> None:
    fakes = a_world()
    plan = part_one(fakes)
    go(fakes, plan)
    before = fakes.clock.passed_s

    ending = go(fakes, plan)

    assert (ending.state.exit_code, ending.state.state) == (20, "waiting-for-upgrade")
    assert fakes.clock.passed_s == before


def test_in_transition_resume_waits_until_the_gate_is_open() -> None:
    fakes = a_world()
    plan = part_one(fakes)
    go(fakes, plan)
    fakes.cluster.foreign(CONFIG, {"spec": {"version": "3.5.9"}}, "olm")
    fakes.clock.after(60, lambda: upgrade(fakes))

    ending = go(fakes, plan)

    assert ending.gate_passed
    assert ending.error is None
    assert ending.state.state == "running"


def test_a_transition_that_does_not_end_is_22_and_still_waits() -> None:
    fakes = a_world()
    plan = part_one(fakes)
    go(fakes, plan)
    fakes.cluster.foreign(CONFIG, {"spec": {"version": "3.5.9"}}, "olm")

    ending = go(fakes, plan)

    assert (ending.state.exit_code, ending.state.state) == (22, "waiting-for-upgrade")


def test_part_two_runs_in_the_same_run_with_its_own_plan() -> None:
    fakes = a_world()
    plan = part_one(fakes)
    go(fakes, plan)
    upgrade(fakes)
    go(fakes, plan)
    second = a_plan(forward_steps(fakes.cluster), fakes.cluster, part=2)

    ending = go(fakes, second)

    assert ending.state.state == "succeeded"
    assert ending.state.plans == (plan.id, second.id)
    assert must(fakes.cluster, TEXTS).get("data") == {"new.yaml": "new"}


def test_after_a_crash_behind_the_gate_it_is_still_open() -> None:
    fakes = a_world()
    plan = part_one(fakes)
    go(fakes, plan)
    upgrade(fakes)
    go(fakes, plan)

    assert go(fakes, plan).gate_passed


def test_a_signal_at_the_gate_leaves_it_waiting() -> None:
    fakes = a_world()
    plan = part_one(fakes)
    go(fakes, plan)
    fakes.cluster.foreign(CONFIG, {"spec": {"version": "3.5.9"}}, "olm")
    fakes.operator.signal = 2

    ending = go(fakes, plan)

    assert (ending.state.exit_code, ending.state.state) == (130, "waiting-for-upgrade")
