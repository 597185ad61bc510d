"""What happens to a run when the real thing fails: servers stop and start, a token is of the past, history is gone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

from tests.e2e import cluster
from tests.e2e.stage import GO
from tests.real import rights
from tests.real.stage import Play, RealStage, real_stage
from tests.servers.locate import Programs

pytestmark = [pytest.mark.real, pytest.mark.slow]
CONFIGS = cluster.CONFIG.rpartition("/")[0]


@pytest.fixture
def stage(programs: Programs, tmp_path: Path) -> Iterator[RealStage]:
    with real_stage(tmp_path, programs, Play(example="default", controllers="3.6")) as found:
        yield found


def test_an_api_server_that_restarts_without_its_history_costs_time_only(stage: RealStage) -> None:
    plan = stage.plan()
    seen = stage.api.get(CONFIGS)["metadata"]["resourceVersion"]
    running = stage.start("apply", plan["id"], *GO)
    stage.until("the flip is written", lambda: cluster.annotations(stage).get(cluster.TYPE) == "praxis")

    with stage.players_asleep():
        stage.plane.stop_api()
        stage.plane.compact_etcd()
        stage.plane.start_api()
        lost = stage.until("the kind is served again", lambda: _first_event(stage, seen))
        assert running.poll() is None
    done = stage.finish(running, None)
    if done.code:
        assert done.code in {20, 22}, done.err
        stage.cli("resume", *GO)

    assert (lost["type"], lost["object"]["code"], lost["object"]["reason"]) == ("ERROR", 410, "Expired")
    assert cluster.on_praxis(stage)
    assert stage.cli("verify", stage.run_id()).document["passed"] is True


def _first_event(stage: RealStage, since: str) -> dict[str, Any] | None:
    """Return the first event of a watch from a version on, None while the server's caches fill."""
    try:
        return stage.api.get(f"{CONFIGS}?watch=true&timeoutSeconds=2&resourceVersion={since}")
    except HTTPError as error:
        assert error.code == 429  # noqa: PT017 - what an API server says that has just started
        return None


def test_a_store_that_is_away_for_a_while_costs_time_only(stage: RealStage) -> None:
    plan = stage.plan()
    running = stage.start("apply", plan["id"], *GO)
    stage.until("the run has begun", lambda: bool(stage.journal()))

    stage.plane.stop_etcd()
    stage.plane.start_etcd()
    done = stage.finish(running, None)
    stage.until("the server is ready", stage.plane.is_ready)
    if done.code:
        assert done.code in {5, 20, 22}, done.err
        stage.cli("resume", *GO)
    if not cluster.on_praxis(stage):  # It ended before its first write.
        stage.apply(stage.plan()["id"])

    assert cluster.on_praxis(stage)


def test_a_token_of_the_past_is_four_and_a_new_one_goes_on(stage: RealStage) -> None:
    rights.bind(stage, "mover", rights.roles_for(stage, "apply", "mover"))
    mover = rights.as_account(stage, "mover")
    stage.until("the roles are known", lambda: mover.finish(mover.start("plan"), None).code == 0)
    plan = mover.plan()
    stage.kubectl("delete", "serviceaccount", "mover", "-n", rights.HOME)
    stage.until("the token is of the past", lambda: mover.finish(mover.start("plan"), None).code == 4)

    mover.cli("apply", plan["id"], *GO, wanted=4)
    stage.kubectl("create", "serviceaccount", "mover", "-n", rights.HOME)
    rights.use_token(mover.kubeconfig, rights.token_of(stage, "mover"))

    running = mover.start("apply", plan["id"], *GO)
    stage.until("the flip is written", lambda: cluster.annotations(stage).get(cluster.TYPE) == "praxis")
    with stage.players_asleep():
        stage.kubectl("delete", "serviceaccount", "mover", "-n", rights.HOME)
        stopped = mover.finish(running, 21)
    assert "does not accept the credentials" in stopped.document["message"]

    stage.kubectl("create", "serviceaccount", "mover", "-n", rights.HOME)
    rights.use_token(mover.kubeconfig, rights.token_of(stage, "mover"))
    mover.cli("resume", *GO)
    assert cluster.on_praxis(stage)
    assert mover.cli("verify", mover.run_id()).document["passed"] is True
