"""A release's changes upon a CRD that is not ours."""

import copy
from pathlib import Path
from typing import Any

import pytest

from migrate.sandbox.crds import crds_of
from migrate.sandbox.crds.overlay import overlaid
from migrate.sandbox.seeding import load_objects
from tests.builders.overlay import GONE_IN_36, NEW_IN_36, changes_of

OLD, NEW = ({crd["metadata"]["name"]: crd for crd in crds_of(release)} for release in ("3.5", "3.6"))
NAME = "maassubscriptions.maas.opendatahub.io"
PUBLIC = Path(__file__).parents[4] / "shared" / "crds"


def spec_of(crd: Any) -> Any:
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]


def test_our_own_crd_becomes_the_new_one() -> None:
    for name, crd in OLD.items():
        assert overlaid(crd, crd, NEW[name])["spec"] == NEW[name]["spec"]


def test_fields_of_the_clusters_crd_stay_and_the_releases_come() -> None:
    live = copy.deepcopy(OLD[NAME])
    model = spec_of(live)["modelRefs"]["items"]
    model["required"] = ["tokenRateLimits", "name", "namespace"]
    model["x-kubernetes-validations"] = [{"rule": "true", "message": "of the cluster"}]
    spec_of(live)["ofTheCluster"] = {"type": "string"}
    before = copy.deepcopy(live)

    made = spec_of(overlaid(live, OLD[NAME], NEW[NAME]))

    assert live == before
    assert made["ofTheCluster"] == {"type": "string"}
    assert made["rateLimitIdentity"]["enum"] == ["short", "legacy"]
    assert made["modelRefs"]["items"]["required"] == ["name", "namespace"]
    rules = [rule["rule"] for rule in made["modelRefs"]["items"]["x-kubernetes-validations"]]
    assert rules[0] == "true"
    assert len(rules) == 2


def test_a_value_that_is_gone_from_an_enum_goes() -> None:
    name = "externalproviders.inference.opendatahub.io"
    live = copy.deepcopy(OLD[name])
    spec_of(live)["auth"]["properties"]["type"]["enum"] = ["simple", "apikey", "more"]

    made = spec_of(overlaid(live, OLD[name], NEW[name]))

    assert made["auth"]["properties"]["type"]["enum"] == ["apikey", "more"]


def test_the_overlay_twice_is_the_overlay_once() -> None:
    for name, crd in OLD.items():
        once = overlaid(crd, crd, NEW[name])
        assert overlaid(once, crd, NEW[name]) == once


def test_what_a_cluster_does_not_ask_for_is_not_asked_for_by_the_overlay() -> None:
    name = "externalmodels.inference.opendatahub.io"
    live = copy.deepcopy(OLD[name])
    del live["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["required"]

    assert "required" not in overlaid(live, OLD[name], NEW[name])["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


@pytest.mark.shared
@pytest.mark.skipif(not PUBLIC.is_dir(), reason="the public CRDs are not beside this checkout")
def test_a_public_crd_keeps_all_but_what_36_takes_and_gets_only_what_36_adds() -> None:
    public = {crd["metadata"]["name"]: crd for crd in load_objects([PUBLIC]).objects}
    gone: set[tuple[str, str]] = set()
    new: set[tuple[str, str]] = set()
    for name in public.keys() & OLD.keys():
        went, came = changes_of(public[name]["spec"], overlaid(public[name], OLD[name], NEW[name])["spec"])
        gone |= went
        new |= came

    assert gone == GONE_IN_36
    assert new == NEW_IN_36
    assert len(public.keys() & OLD.keys()) > 20
