"""A cluster that the real 3.5 maas-controller set up is right already: the players leave it as it is."""

from pathlib import Path

import pytest

from migrate.maas.resources import (
    AUTH_POLICY,
    CONFIG_MAP,
    DEPLOYMENT,
    ENVOY_FILTER,
    HTTP_ROUTE,
    MAAS_MODEL_REF,
    MAAS_SUBSCRIPTION,
    MAAS_TENANT_CONFIG,
    TOKEN_RATE_LIMIT_POLICY,
)
from migrate.sandbox.crds import crds_of
from migrate.sandbox.seeding import load_objects, prepared
from tests.unit.sandbox.controllers36.stage import Stage

REAL = Path(__file__).parents[5] / "shared" / "clusters" / "real-3.5"
KINDS = (
    AUTH_POLICY,
    CONFIG_MAP,
    DEPLOYMENT,
    ENVOY_FILTER,
    HTTP_ROUTE,
    MAAS_MODEL_REF,
    MAAS_SUBSCRIPTION,
    MAAS_TENANT_CONFIG,
    TOKEN_RATE_LIMIT_POLICY,
)


@pytest.mark.shared
@pytest.mark.skipif(not REAL.is_dir(), reason="the recorded cluster is not beside this checkout")
def test_nothing_that_was_recorded_is_written_again() -> None:
    seeds = prepared(load_objects([REAL]), crds_of("3.5"), "2026-12-01T00:00:00Z")
    stage = Stage(seeds, "platform", "3.5")
    before = {found.ref: found.resource_version for kind in KINDS for found in stage.all(kind)}

    assert stage.play(600)

    after = {found.ref: found.resource_version for kind in KINDS for found in stage.all(kind)}
    assert after == before
    assert len(before) > 40
