"""Versions and CRD fields, by contract §7.3 and §7.4."""

from typing import Any

import pytest

from migrate.maas import resources
from migrate.maas.versions import crd_has_field, crd_is_open, parse_version, release_of
from migrate.records.objects import KubeObject
from tests.builders import a_crd, changed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3.5.0", (3, 5, 0)),
        ("v3.6", (3, 6, 0)),
        ("rhods-operator.3.6.1", (3, 6, 1)),
        ("rhods-operator.v3.6.1", (3, 6, 1)),
        ("4.19.9-rc.1", (4, 19, 9)),
        ("registry.redhat.io/rhoai/odh-maas-controller-rhel9:v3.5", (3, 5, 0)),
        ("", None),
        (None, None),
        ("latest", None),
    ],
)
def test_versions_are_read_from_text(text: object, expected: object) -> None:
    assert parse_version(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("3.5.2", "3.5"), ("3.6.0", "3.6"), ("3.7.0", ""), ("2.25.0", ""), (None, "")]
)
def test_only_3_5_and_3_6_are_releases_we_know(text: Any, expected: str) -> None:
    assert release_of(text) == expected


def test_a_crd_is_asked_for_a_field_by_its_schema() -> None:
    crd = KubeObject(a_crd(resources.MAAS_TENANT_CONFIG, "spec.apiTranslation.enabled"))

    assert crd_has_field(crd, "spec", "apiTranslation")
    assert not crd_has_field(crd, "spec", "rateLimitIdentity")


def test_a_crd_without_schema_knows_nothing_and_says_nothing() -> None:
    permissive = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    crd = KubeObject(
        changed(
            a_crd(resources.CONFIG),
            {"spec": {"versions": [{"name": "v1alpha1", "storage": True, "schema": {"openAPIV3Schema": permissive}}]}},
        )
    )

    assert crd_is_open(crd)
    assert not crd_has_field(crd, "spec", "usageMetricsDashboard")
    assert not crd_is_open(KubeObject(a_crd(resources.CONFIG)))
