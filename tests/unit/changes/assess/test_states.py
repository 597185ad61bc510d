"""Where a tenant stands, and what earlier attempts left behind: contract §2.1, §4.2, §4.4, §4.8."""

from typing import Any

import pytest

from migrate.maas import annotations as key
from tests.builders import (
    CUSTOM_TEXT,
    a_cluster,
    a_maas_external_model,
    a_tenant_config,
    annotated,
    conditions,
    on_praxis,
    patched,
)
from tests.unit.changes.assess.judging import DEFAULT, judged, loud, said, tenant, the

B_MARKER = "maas.opendatahub.io/ipp-migration-cleanup-complete"


def _annotated(release: str, **marks: str | None) -> list[dict[str, Any]]:
    return _marked(a_cluster(release), marks)


def _marked(things: list[dict[str, Any]], marks: dict[str, str | None]) -> list[dict[str, Any]]:
    return patched(things, "MaasTenantConfig", "default-tenant", {"metadata": {"annotations": marks}})


TABLE = [
    ("3.5", {}, "proceed", None),
    ("3.5", {key.PAYLOAD_PROCESSING_TYPE: "ipp"}, "proceed", None),
    ("3.5", {key.PAYLOAD_PROCESSING_TYPE: "praxis"}, "proceed", "PraxisRequestedEarly"),
    ("3.5", {key.FORCE_PAYLOAD_PROCESSING_MIGRATION: "true"}, "blocked", "ForceLeftBehind"),
    ("3.5", {key.FORCE_PAYLOAD_PROCESSING_MIGRATION: "True"}, "proceed", "UnknownAnnotationValue"),
    ("3.5", {key.PAYLOAD_PROCESSING_TYPE: "weird"}, "proceed", "UnknownAnnotationValue"),
    ("3.6", {key.PAYLOAD_PROCESSING_TYPE: ""}, "proceed", "UnknownAnnotationValue"),
    ("3.6", {key.PAYLOAD_PROCESSING_MIGRATION: "paused"}, "proceed", "UnknownAnnotationValue"),
    ("3.5", {key.PAYLOAD_PROCESSING_MIGRATION: "blocked"}, "proceed", "BlockedMarkerLeft"),
    ("3.5", {key.PAYLOAD_PROCESSING_STATUS: "steady"}, "blocked", "MigrationInTransition"),
    ("3.5", {B_MARKER: "true"}, "blocked", "GenerationBMarker"),
    ("3.6", {}, "proceed", None),
    ("3.6", {key.PAYLOAD_PROCESSING_TYPE: "ipp"}, "proceed", None),
    ("3.6", {key.PAYLOAD_PROCESSING_TYPE: "praxis"}, "blocked", "MigrationInTransition"),
    ("3.6", {key.PAYLOAD_PROCESSING_STATUS: "cleanup-complete"}, "blocked", "MigrationInTransition"),
    ("3.6", {key.PAYLOAD_PROCESSING_STATUS: ""}, "blocked", "MigrationInTransition"),
    ("3.6", {key.PAYLOAD_PROCESSING_STATUS: "a-peers-claim"}, "blocked", "MigrationInTransition"),
    (
        "3.6",
        {key.PAYLOAD_PROCESSING_STATUS: "steady", key.PAYLOAD_PROCESSING_TYPE: "ipp"},
        "blocked",
        "MigrationInTransition",
    ),
    ("3.6", {key.FORCE_PAYLOAD_PROCESSING_MIGRATION: "true"}, "blocked", "ForceLeftBehind"),
    (
        "3.6",
        {key.PAYLOAD_PROCESSING_TYPE: "ipp", key.PAYLOAD_PROCESSING_MIGRATION: "blocked"},
        "proceed",
        "BlockedMarkerLeft",
    ),
    ("3.6", {B_MARKER: "true"}, "blocked", "GenerationBMarker"),
]


@pytest.mark.parametrize(
    ("release", "marks", "decision", "code"),
    TABLE,
    ids=[
        f"{release}-{'-'.join(value or 'empty' for value in marks.values()) or 'nothing'}"
        for release, marks, _, _ in TABLE
    ],
)
def test_what_the_annotations_mean(release: str, marks: dict[str, str | None], decision: str, code: str | None) -> None:
    assessment = judged(_annotated(release, **marks))

    assert tenant(assessment).decision == decision
    # A marker of generation B tells of the whole build as well, where 3.6 runs.
    of_build = {"HandshakeNotSupported"} if B_MARKER in marks and release == "3.6" else set()
    assert loud(assessment) == ({code} if code else set()) | of_build


@pytest.mark.parametrize("kind", ["praxis", None, "something"], ids=["C", "D-absent", "D-unknown"])
def test_a_steady_tenant_has_nothing_to_do_in_every_generation(kind: str | None) -> None:
    things = _marked(on_praxis(a_cluster("3.6")), {key.PAYLOAD_PROCESSING_TYPE: kind})

    assessment = judged(things)

    assert tenant(assessment).decision == "nothing-to-do"
    assert loud(assessment) == set()


def test_steady_alone_is_no_proof_while_the_tenant_is_not_ready() -> None:
    things = patched(
        on_praxis(a_cluster("3.6")),
        "MaasTenantConfig",
        "default-tenant",
        {"status": {"conditions": conditions("Ready", status="False")}},
    )

    assert "MigrationInTransition" in loud(judged(things))
    assert tenant(judged(things)).decision == "blocked"


def test_a_tenant_on_praxis_is_neither_blocked_nor_asked_for_anything() -> None:
    things = _marked(on_praxis(a_cluster("3.6")), {key.FORCE_PAYLOAD_PROCESSING_MIGRATION: "true"})
    things = patched(
        things, "MaasTenantConfig", "default-tenant", {"metadata": {"labels": {"argocd.argoproj.io/instance": "maas"}}}
    )

    assessment = judged([*things, a_maas_external_model("azure")])

    assert tenant(assessment).decision == "nothing-to-do"
    assert the(assessment, "ForceLeftBehind").impact == "advisory"
    assert the(assessment, "GitOpsManaged").impact == "advisory"
    assert assessment.risks == ()


def test_a_tenant_on_praxis_with_an_ipp_config_map_is_said() -> None:
    patch = {"data": {"extproc.yaml": None, "pre-extproc.yaml": None, "custom-ipp-config.yaml": CUSTOM_TEXT}}
    things = patched(on_praxis(a_cluster("3.6")), "ConfigMap", "payload-processing-plugins", patch)

    assert the(judged(things), "SteadyWithoutPraxisConfig").impact == "advisory"
    assert tenant(judged(things)).force is False


def test_one_tenant_on_praxis_and_one_on_ipp_have_their_own_decisions() -> None:
    assessment = judged(on_praxis(a_cluster("3.6", DEFAULT, "redteam")))

    assert (tenant(assessment).decision, tenant(assessment, "redteam").decision) == ("nothing-to-do", "proceed")


def test_narrowing_leaves_the_other_tenants_out_and_says_that_they_are_not_pinned() -> None:
    things = _marked(a_cluster("3.5", DEFAULT, "redteam"), {})
    things = [*things, a_maas_external_model("azure")]

    assessment = judged(things, only=["redteam"])

    assert [one.name for one in assessment.tenants] == ["redteam"]
    assert tenant(assessment, "redteam").decision == "proceed"
    assert not said(assessment, "UnsupportedExternalModel")
    assert "models-as-a-service" in the(assessment, "TenantNotPinned").message


def test_a_tenant_left_out_that_is_pinned_already_is_not_worth_a_word() -> None:
    things = a_cluster("3.5", DEFAULT, "redteam")
    pinned = annotated(a_tenant_config(), **{key.PAYLOAD_PROCESSING_TYPE: "ipp"})

    assert loud(judged([*things, pinned], only=["redteam"])) == set()
