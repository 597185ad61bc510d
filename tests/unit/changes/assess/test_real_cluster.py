"""A real 3.5 installation, read as it lies in the project's shared folder."""

from typing import Any

import pytest
import yaml

from migrate.changes.assess import assess
from migrate.records.assessment import Assessment, Options
from migrate.records.snapshot import Snapshot
from tests.builders import crds
from tests.unit.changes.assess.conftest import SHARED
from tests.unit.changes.assess.judging import DEFAULT, loud, tenant, the
from tests.unit.changes.test_survey import collect

pytestmark = pytest.mark.shared

LOSS = Options(api_translation={DEFAULT: False})


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    objects: list[dict[str, Any]] = []
    for path in sorted(SHARED.glob("*.yaml")):
        objects += yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)["items"]
    return collect([*objects, *crds("3.5")])[0]


@pytest.fixture(scope="module")
def as_seeded(snapshot: Snapshot) -> Assessment:
    return assess(snapshot)


def test_the_default_tenant_is_blocked_by_its_azure_model_and_redteam_may_go(as_seeded: Assessment) -> None:
    assert as_seeded.platform == "3.5"
    assert [(one.name, one.decision) for one in as_seeded.tenants] == [(DEFAULT, "blocked"), ("redteam", "proceed")]
    found = the(as_seeded, "UnsupportedExternalModel")
    assert found.object is not None
    assert (found.object.namespace, found.object.name) == ("llm", "gpt-azure")


def test_that_model_is_the_only_thing_that_blocks_and_the_rest_is_worth_a_word(as_seeded: Assessment) -> None:
    assert loud(as_seeded) == {
        "UnsupportedExternalModel",
        "CountersRestart",
        "LimitadorInMemory",
        "UsageDashboardOptIn",
    }


def test_both_config_maps_are_the_product_default(as_seeded: Assessment) -> None:
    verdicts = [one.config_map.verdict for one in as_seeded.tenants if one.config_map]

    assert verdicts == ["default", "default"]


def test_redteam_alone_goes(snapshot: Snapshot) -> None:
    assessment = assess(snapshot, Options(only_tenants=("redteam",)))

    assert [one.decision for one in assessment.tenants] == ["proceed"]
    assert not [one for one in assessment.findings if one.impact == "blocking"]


def test_with_translation_off_and_the_loss_accepted_everything_goes(snapshot: Snapshot) -> None:
    asked = assess(snapshot, LOSS)
    accepted = assess(
        snapshot, Options(api_translation={DEFAULT: False}, accepted={"unsupported-external-models": "r"})
    )

    assert tenant(asked).decision == "needs-acceptance"
    assert [one.decision for one in accepted.tenants] == ["proceed", "proceed"]


def test_every_subscription_existed_and_stays_legacy(as_seeded: Assessment) -> None:
    assert len(as_seeded.subscriptions) == 5
    assert {one.expected for one in as_seeded.subscriptions} == {"legacy"}
