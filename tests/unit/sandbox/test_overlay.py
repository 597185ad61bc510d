"""A release's changes upon a CRD that is not ours."""

import copy
from typing import Any

from migrate.sandbox.crds import crds_of
from migrate.sandbox.crds.overlay import overlaid

OLD, NEW = ({crd["metadata"]["name"]: crd for crd in crds_of(release)} for release in ("3.5", "3.6"))
NAME = "maassubscriptions.maas.opendatahub.io"


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
