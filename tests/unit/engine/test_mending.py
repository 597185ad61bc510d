"""
Goal: what somebody reverts is written again only while that loses nothing that is not saved.

Method: the flip of the small story is reverted in the middle of the clean-up, with and without new content.
"""

from migrate.engine.hands import Ending
from migrate.engine.run import run
from tests.fakes import FakeCluster, FakeHands
from tests.unit.engine.story import CONFIG, OPEN, TEXTS, Controller, a_world, forward_plan, texts


def go(fakes: FakeHands) -> Ending:
    return run("run-1", forward_plan(fakes.cluster), fakes.hands(), OPEN)


def revert(cluster: FakeCluster) -> None:
    cluster.foreign(CONFIG, {"metadata": {"annotations": {"engine": "old"}}}, "argocd-controller")


def test_a_flip_that_is_reverted_is_not_made_again_over_what_was_made_anew_meanwhile() -> None:
    fakes = a_world(Controller(pace_s=5.0))

    def revert_and_create() -> None:
        revert(fakes.cluster)
        fakes.cluster.put(texts({"a.yaml": "by hand, in no backup"}), "kubectl")

    once = [revert_and_create]
    fakes.cluster.reactions.append(lambda _cluster, _write: fakes.clock.after(7, once.pop()) if once else None)

    ending = go(fakes)

    flips = [write for write in fakes.cluster.writes if write.object == CONFIG]
    assert ending.state.exit_code == 21
    assert str(TEXTS) in ending.state.message
    assert len(flips) == 1


def test_a_flip_that_is_reverted_is_made_again_when_what_was_saved_is_merely_gone() -> None:
    fakes = a_world(Controller(pace_s=5.0))
    once = [lambda: revert(fakes.cluster)]
    fakes.cluster.reactions.append(lambda _cluster, _write: fakes.clock.after(7, once.pop()) if once else None)

    assert go(fakes).state.state == "succeeded"
