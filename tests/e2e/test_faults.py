"""What an API server does on a bad day: lost replies, webhooks away, conflicts, throttling, watches that end."""

from typing import Any

import pytest

from tests.e2e import cluster
from tests.e2e.api import Json
from tests.e2e.stage import GO, Stage

pytestmark = pytest.mark.slow

FLIP: dict[str, Any] = {
    "verb": "patch",
    "resource": "maastenantconfigs",
    "query": {"fieldManager": "maas-migrate"},
    "dry_run": False,
}
WEBHOOK = 'Internal error occurred: failed calling webhook "vmaastenantconfig.kb.io": '
DENIED = 'admission webhook "vmaastenantconfig.kb.io" denied the request: not today'


def _flips(stage: Stage) -> list[Json]:
    return [
        entry
        for entry in stage.api.requests()
        if entry["resource"] == "maastenantconfigs"
        and entry["verb"] == "patch"
        and entry["user_agent"].startswith("maas-migrate")
        and not entry["dry_run"]
    ]


@pytest.mark.story
def test_a_lost_reply_to_the_flip_is_settled_by_reading(stage: Stage) -> None:
    stage.api.fault(**FLIP, when="after", reset=True)

    run = stage.apply(stage.plan()["id"])

    assert run["state"] == "succeeded"
    assert [entry["code"] for entry in _flips(stage)] == [0]
    assert any(entry["event"] == "write.settled" for entry in stage.journal())


@pytest.mark.story
def test_ch_28_a_webhook_that_is_away_is_waited_for(stage: Stage) -> None:
    for cause in ("no endpoints available", "dial tcp: connect: connection refused"):
        stage.api.fault(**FLIP, code=500, message=WEBHOOK + cause)

    run = stage.apply(stage.plan()["id"])

    assert run["state"] == "succeeded"
    assert [entry["code"] for entry in _flips(stage)] == [500, 500, 200]


@pytest.mark.story
def test_ch_28_a_denial_is_final_and_its_words_are_passed_on(stage: Stage) -> None:
    stage.api.fault(**FLIP, code=400, message=DENIED, times=None)

    run = stage.cli("apply", stage.plan()["id"], *GO, wanted=11).document

    assert "not today" in run["message"]
    assert len(_flips(stage)) == 1
    assert cluster.TYPE not in cluster.annotations(stage)


@pytest.mark.story
def test_conflicts_throttling_and_broken_watches_do_not_stop_a_run(stage: Stage) -> None:
    mine = {"user": "admin"}
    stage.api.fault(**FLIP, code=409)
    stage.api.fault(**FLIP, code=429, headers={"Retry-After": "1"})
    stage.api.fault(**mine, verb="list", resource="maassubscriptions", code=429, headers={"Retry-After": "1"})
    stage.api.fault(**mine, verb="get", resource="maastenantconfigs", code=503, skip=1)
    stage.api.fault(**mine, verb="watch", resource="maastenantconfigs", code=410)
    stage.api.fault(**mine, verb="watch", resource="configmaps", code=429, headers={"Retry-After": "1"})
    applying = stage.start("apply", stage.plan()["id"], *GO)
    stage.until_step(f"praxis:{cluster.TENANT_NAMESPACE}")
    stage.api.call("POST", "/sandbox/drop-watches")
    stage.api.call("POST", "/sandbox/compact")

    run = stage.finish(applying).document

    assert run["state"] == "succeeded"
    assert cluster.on_praxis(stage)
    assert sum(stage.api.struck()) >= 4


@pytest.mark.story
def test_ch_21_a_list_that_expires_between_its_pages_is_read_from_the_start(stage: Stage) -> None:
    stage.api.fault(user="admin", verb="list", resource="maassubscriptions", query={"limit": "*"}, code=410)

    assert stage.plan()["subscriptions"]["total"] == 3
    assert stage.api.struck() == [1]
