"""Players write only what differs, try again what failed, and settle."""

from typing import Any, ClassVar

from migrate.maas.resources import CONFIG_MAP, DEPLOYMENT, Kind
from migrate.records.objects import Json
from migrate.sandbox.apiserver import ApiServer, Fault
from migrate.sandbox.controllers.player import Player, PlayerContext
from migrate.sandbox.controllers.shapes import condition, contains, merged_conditions, only_differences
from migrate.sandbox.controllers.timing import Timers
from migrate.sandbox.inprocess import InProcessTransport
from tests.unit.sandbox.controllers.builders import NAMESPACE, a_config_map
from tests.unit.sandbox.controllers36.stage import VirtualClock


class Keeper(Player):
    """Keeps one ConfigMap as it should be."""

    name = "keeper"
    manager = "keeper"
    kinds: ClassVar[tuple[Kind, ...]] = (CONFIG_MAP,)
    wanted: ClassVar[Json] = a_config_map("kept")

    def reconcile(self) -> None:
        self.ensure_applied(CONFIG_MAP, self.wanted)


def a_context() -> tuple[ApiServer, VirtualClock, PlayerContext]:
    clock = VirtualClock()
    server = ApiServer(clock=clock)
    server.seed([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}])
    return server, clock, PlayerContext(transport=InProcessTransport(server), clock=clock, speed=10)


def test_a_pass_over_what_is_right_writes_nothing() -> None:
    _, _, context = a_context()
    keeper = Keeper(context)

    first, second = keeper.step(), keeper.step()

    assert (first, second) == (True, False)
    assert context.client.counter.writes == 1


def test_an_edit_by_somebody_else_is_put_right() -> None:
    _, _, context = a_context()
    context.troupe.add(Keeper(context))
    context.troupe.step()

    context.client.patch(CONFIG_MAP, a_config_map("kept"), {"data": {"key": "other"}})
    context.troupe.step()

    assert context.client.get(CONFIG_MAP, NAMESPACE, "kept")["data"] == {"key": "value"}


def test_a_refused_write_is_tried_again_in_the_next_pass() -> None:
    server, _, context = a_context()
    context.troupe.add(Keeper(context))
    server.plant(Fault(verb="patch", resource="configmaps", code=500))

    busy = context.troupe.step()
    missing = context.client.find(CONFIG_MAP, NAMESPACE, "kept")
    context.troupe.step()

    assert busy
    assert missing is None
    assert context.client.find(CONFIG_MAP, NAMESPACE, "kept") is not None


def test_a_lost_answer_is_no_second_write() -> None:
    server, _, context = a_context()
    context.troupe.add(Keeper(context))
    server.plant(Fault(verb="patch", resource="configmaps", when="after", reset=True))

    for _ in range(3):
        context.troupe.step()

    assert context.client.counter.writes == 1


def test_a_troupe_settles_after_a_quiet_while_and_a_delay_holds_it_up() -> None:
    _, clock, context = a_context()
    keeper = Keeper(context)
    context.troupe.add(keeper)
    keeper.timers.hold("later", 20, pending=True)

    def settled_after(seconds: float) -> bool:
        for _ in range(4):
            context.troupe.step()
            clock.seconds += seconds / 4
        return context.troupe.settled

    assert not settled_after(1.5)
    assert settled_after(6)


def test_who_leaves_writes_no_more() -> None:
    _, _, context = a_context()
    context.troupe.add(Keeper(context))

    context.troupe.remove("keeper")
    context.troupe.step()

    assert context.client.find(CONFIG_MAP, NAMESPACE, "kept") is None


def test_who_hangs_writes_nothing_until_it_may_go_on_and_holds_nobody_up() -> None:
    _, clock, context = a_context()
    keeper = Keeper(context)
    context.troupe.add(keeper)
    keeper.hangs = True

    for _ in range(3):
        context.troupe.step()
        clock.seconds += 1
    assert context.troupe.settled
    assert context.client.find(CONFIG_MAP, NAMESPACE, "kept") is None

    context.troupe.let_go_on(keeper)
    context.troupe.step()
    assert context.client.find(CONFIG_MAP, NAMESPACE, "kept") is not None


def test_the_view_follows_through_a_cut_watch_and_a_lost_history() -> None:
    server, _, context = a_context()
    context.troupe.add(Keeper(context))
    context.troupe.step()

    server.drop_watches()
    context.client.create(CONFIG_MAP, a_config_map("one"))
    server.compact()
    for _ in range(3):
        context.troupe.step()

    assert context.view.get(CONFIG_MAP, NAMESPACE, "one") is not None


def test_a_thread_plays_until_it_is_stopped() -> None:
    server = ApiServer()
    server.seed([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}])
    context = PlayerContext(transport=InProcessTransport(server))
    context.troupe.add(Keeper(context))

    context.troupe.start()
    settled = context.troupe.wait_settled(30)
    context.troupe.stop()
    context.client.delete(CONFIG_MAP, a_config_map("kept"), precondition=False)

    assert settled
    assert context.client.find(CONFIG_MAP, NAMESPACE, "kept") is None


def test_a_speed_divides_delays() -> None:
    clock = VirtualClock()
    timers = Timers(clock, speed=10)

    timers.elapsed("start", 20)
    clock.seconds = 1.9
    early = timers.elapsed("start", 20)
    clock.seconds = 2.0

    assert not early
    assert timers.elapsed("start", 20)
    assert not timers.pending


def test_contains_forgives_defaults_and_nothing_else() -> None:
    live: dict[str, Any] = {"a": 1, "list": [{"name": "x", "default": True}], "more": {}}

    assert contains(live, {"list": [{"name": "x"}]})
    assert contains(live, {"gone": None})
    assert not contains(live, {"list": [{"name": "x"}, {"name": "y"}]})
    assert not contains({"flag": 1}, {"flag": True})


def test_differences_are_a_merge_patch() -> None:
    live = {"spec": {"replicas": 1, "paused": True}, "data": {"a": "1"}}
    wanted = {"spec": {"replicas": 2, "paused": None}, "data": {"a": "1"}}

    assert only_differences(live, wanted) == {"spec": {"replicas": 2, "paused": None}}


def test_a_conditions_time_moves_only_with_its_status() -> None:
    first = merged_conditions([], [condition("Ready", "True", "Done")], "t1")
    same = merged_conditions(first, [condition("Ready", "True", "Other")], "t2")
    other = merged_conditions(same, [condition("Ready", "False", "Broken")], "t3")

    assert [found[0]["lastTransitionTime"] for found in (first, same, other)] == ["t1", "t1", "t3"]


def test_objects_of_a_kind_that_is_not_served_are_none() -> None:
    _, _, context = a_context()

    assert context.view.list(DEPLOYMENT) == []
    assert not context.view.is_served(Kind(group="example.com", version="v1", kind="Thing", plural="things"))
