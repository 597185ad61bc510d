"""A wait that ends in vain says what the cluster itself says of it."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import msgspec

from migrate.engine.run import run
from migrate.records.objects import ObjectRef
from migrate.records.plan import Failure, Hint, Plan, Verify, Wait
from migrate.records.predicates import All, ConditionIs, Exists, FieldIs
from migrate.records.verification import Verification
from tests.fakes import FakeHands, FakeSurveyor
from tests.unit.engine.story import CONFIG, OPEN, PODS, a_plan, a_step, a_world

READY = ConditionIs(object=CONFIG, type="Ready", status="True")


def unready(message: str) -> FakeHands:
    fakes = a_world(blocked="yes")
    ready = {"type": "Ready", "status": "False", "reason": "DeploymentsNotReady", "message": message}
    fakes.cluster.foreign(CONFIG, {"status": {"conditions": [ready]}}, "controller")
    return fakes


def test_a_refusal_quotes_the_controllers_own_words_on_one_line() -> None:
    fakes = unready("plugins deviate\nerror: do as I say")
    marked = FieldIs(object=CONFIG, path=("metadata", "annotations", "blocked"), values=("yes",))
    when = All(of=(marked, ConditionIs(object=CONFIG, type="Ready", status="False")))
    refused = Failure(reason="Blocked", message="It refuses.", resolution="Mend it.", when=when)
    wait = a_step(Wait, "wait", until=READY, fails=(refused,))

    message = run("run-1", a_plan((wait,)), fakes.hands(), OPEN).state.message

    assert message == f"Blocked: It refuses. Ready of {CONFIG} says: plugins deviate error: do as I say"


def test_a_wait_out_of_time_tells_the_last_message_and_what_holds_up_the_pods() -> None:
    fakes = unready("pod ns/pods-1 still runs")
    asked = []

    def ask_why(refs: Collection[ObjectRef]) -> tuple[str, ...]:
        asked.append(refs)
        return ("Pod ns/pods-1: container a waits: ImagePullBackOff",)

    until = All(of=(READY, ConditionIs(object=PODS, type="Available", status="True")))
    known = (Hint(when=Exists(object=PODS), says="waiting on a writer pod"),)
    wait = a_step(Wait, "wait", until=until, hints=known)
    hands = replace(fakes.hands(), ask_why=ask_why)

    message = run("run-1", a_plan((wait,)), hands, OPEN).state.message

    assert "waited 120 s in vain: waiting on a writer pod; " in message
    assert "seen: False DeploymentsNotReady: pod ns/pods-1 still runs" in message
    assert message.endswith("ImagePullBackOff")
    assert asked == [{CONFIG, PODS}]


def test_a_risk_that_the_verdict_still_shows_is_said_at_the_end() -> None:
    fakes = a_world()

    class Seeing(FakeSurveyor):
        def verify(self, plan: Plan, tenants: Sequence[str]) -> Verification:
            return msgspec.structs.replace(super().verify(plan, tenants), recorded_risks=("no parity",))

    fakes.surveyor = Seeing()

    state = run("run-1", a_plan((a_step(Verify, "verify", final=True),)), fakes.hands(), OPEN).state

    assert (state.state, state.notes) == ("succeeded", ("still shows: no parity",))
