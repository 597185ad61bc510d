"""Contract 6.4, row by row."""

from typing import Any

import pytest

from migrate.records.objects import KubeObject
from migrate.sandbox.controllers.build_36 import Build
from migrate.sandbox.controllers.stamping import identity_of, stamp_of

V5, V4, NONE = Build(identity="V5"), Build(identity="V4"), Build(identity="none")
KEY = "maas.opendatahub.io/rate-limit-identity"


def a_subscription(*, spec: str = "", annotation: str = "", **status: Any) -> KubeObject:
    return KubeObject(
        {
            "metadata": {"annotations": {KEY: annotation} if annotation else {}},
            "spec": {"rateLimitIdentity": spec} if spec else {},
            "status": status,
        }
    )


@pytest.mark.parametrize(
    ("subscription", "expected"),
    [
        pytest.param(a_subscription(phase="Active"), "legacy", id="existed, with a phase"),
        pytest.param(a_subscription(conditions=[{"type": "Ready"}]), "legacy", id="existed, with a condition"),
        pytest.param(a_subscription(), "short", id="created after, or never had a status"),
        pytest.param(a_subscription(conditions=[]), "short", id="an empty list is no condition"),
        pytest.param(a_subscription(phase="Active", rateLimitIdentity="short"), "short", id="the stamp is sticky"),
        pytest.param(a_subscription(rateLimitIdentity="legacy"), "legacy", id="a legacy stamp too"),
        pytest.param(a_subscription(spec="short", phase="Active", rateLimitIdentity="legacy"), "short", id="spec wins"),
        pytest.param(a_subscription(annotation="short", phase="Active"), "legacy", id="no annotation in V5"),
    ],
)
def test_identity_of_the_product_page(subscription: KubeObject, expected: str) -> None:
    assert identity_of(subscription, V5) == expected


def test_v4_keeps_its_stamp_in_an_annotation() -> None:
    assert identity_of(a_subscription(annotation="short", phase="Active", rateLimitIdentity="legacy"), V4) == "short"
    assert identity_of(a_subscription(phase="Active", spec="short"), V4) == "legacy"
    assert stamp_of(a_subscription(annotation="wrong"), V4) is None


def test_a_build_without_grandfathering_makes_all_short() -> None:
    assert identity_of(a_subscription(phase="Active", rateLimitIdentity="legacy"), NONE) == "short"
