"""How the ConfigMap is put back: whole, in one request, without what the server or others own."""

from typing import Any

import pytest

from migrate.changes.rollback_steps import dropped_annotations
from migrate.maas import annotations as key
from migrate.maas import resources
from migrate.records.objects import KubeObject
from migrate.records.plan import BackUp, Restore
from tests import builders as b
from tests.unit.changes.plan import stories as s
from tests.unit.changes.rollback.test_rollback import T, a_run, codes, steady


def restored(**changes: Any) -> Restore:
    saved = b.changed(b.a_plugins_config_map(processing=b.CUSTOM_TEXT), changes)
    step = s.step(a_run(saved).back(steady()), f"restore:{T}")
    assert isinstance(step, Restore)
    return step


def test_ch_18_the_config_map_is_put_back_whole_in_one_request_and_stays_ours() -> None:
    noted = {key.PAYLOAD_PROCESSING_MIGRATION: "blocked", "team": "a"}
    step = restored(metadata={"annotations": noted})

    assert step.sections == ("data", "binaryData", "immutable")
    assert step.set_annotations == {key.MANAGED: "false"}
    assert step.drop_annotations == (key.PAYLOAD_PROCESSING_MIGRATION,)
    assert step.file.startswith("objects/backup/")
    assert step.sha256 == f"sha-{step.file}"


def test_ch_15_a_stale_owner_is_not_put_back_and_is_listed() -> None:
    config = b.changed(b.a_config(), {"metadata": {"uid": "22220000"}})

    plan = a_run().back([*steady(), config])
    fresh = a_run().back(steady())

    message = next(finding.message for finding in plan.findings if finding.code == "OwnerNotPutBack")
    assert "Config default with UID" in message
    assert "OwnerNotPutBack" not in codes(fresh)


@pytest.mark.parametrize(
    ("copy", "dropped"),
    [
        pytest.param('{"data": {"a": "1"}}', False, id="says-the-same"),
        pytest.param('{"data": {"a": "2"}}', True, id="stale"),
        pytest.param("{", True, id="unreadable"),
        pytest.param('{"data": {"a": "1"}, "pad": "' + "x" * 262_144 + '"}', True, id="ch-16-over-the-limit"),
    ],
)
def test_ch_16_the_copy_of_kubectl_is_kept_only_when_it_is_true_and_fits(copy: str, dropped: bool) -> None:
    saved = b.an_object(
        resources.CONFIG_MAP, "n", "m", data={"a": "1"}, metadata={"annotations": {key.LAST_APPLIED: copy}}
    )

    assert (key.LAST_APPLIED in dropped_annotations(KubeObject(saved))) is dropped


def test_ch_17_an_immutable_config_map_is_announced_and_the_live_one_is_saved_first() -> None:
    frozen = b.changed(s.on_praxis()[-1], {"immutable": True})

    plan = a_run().back([*steady(), frozen])
    saved = next(step for step in plan.steps if isinstance(step, BackUp))

    assert "ImmutableReplaced" in codes(plan)
    assert KubeObject(frozen).ref in {item.object for item in saved.items}
    assert "deleted and created" in s.step(plan, f"restore:{T}").prose
