"""What a plugins ConfigMap means for a tenant: force, two risks apart, mixed shapes, terminating, not read."""

from typing import Any

import pytest

from migrate.maas import annotations
from migrate.records.essence import canonical_json
from tests.builders import (
    CUSTOM_TEXT,
    PROCESSING_TEXT,
    RESPONSE_TRANSLATION_TEXT,
    a_cluster,
    a_maas_external_model,
    annotated,
    patched,
    without,
)
from tests.unit.changes.assess.judging import DEFAULT, judged, loud, said, tenant, the

FORCE = "force-custom-plugins-configmap"
MODELS = "unsupported-external-models"


def _with(patch: dict[str, Any], release: str = "3.5") -> list[dict[str, Any]]:
    return patched(a_cluster(release), "ConfigMap", "payload-processing-plugins", patch)


def _text(text: str) -> list[dict[str, Any]]:
    return _with({"data": {"custom-ipp-config.yaml": text}})


@pytest.mark.parametrize(
    ("text", "verdict", "decision"),
    [
        (PROCESSING_TEXT, "default", "proceed"),
        (RESPONSE_TRANSLATION_TEXT, "default+response-api-translation", "proceed"),
        (CUSTOM_TEXT, "custom-blocked", "needs-acceptance"),
        ("plugins: [", "invalid", "needs-acceptance"),
        (None, "custom-blocked", "needs-acceptance"),
    ],
    ids=["default", "two", "customised", "invalid", "one-key-alone"],
)
def test_each_verdict_has_its_decision(text: Any, verdict: str, decision: str) -> None:
    found = tenant(judged(_text(text)))

    assert found.config_map is not None
    assert (found.config_map.verdict, found.decision) == (verdict, decision)


@pytest.mark.parametrize("text", [PROCESSING_TEXT, RESPONSE_TRANSLATION_TEXT], ids=["default", "two"])
def test_a_recognised_baseline_is_never_forced_even_when_the_risk_is_accepted(text: str) -> None:
    assessment = judged(_text(text), accept=[FORCE])

    assert tenant(assessment).force is False
    (risk,) = assessment.risks
    assert (risk.id, risk.at_stake, risk.accepted) == (FORCE, False, True)


def test_a_customised_one_is_forced_only_when_accepted_and_says_what_is_lost() -> None:
    refused, accepted = tenant(judged(_text(CUSTOM_TEXT))), tenant(judged(_text(CUSTOM_TEXT), accept=[FORCE]))

    assert (refused.force, refused.decision) == (False, "needs-acceptance")
    assert (accepted.force, accepted.decision) == (True, "proceed")
    assert any("metering" in line for line in accepted.lost)


def test_force_and_compatibility_are_two_risks_with_two_acceptances() -> None:
    things = [*_text(CUSTOM_TEXT), a_maas_external_model("azure")]
    off = {DEFAULT: False}

    assert tenant(judged(things, accept=[FORCE])).decision == "blocked"
    assert tenant(judged(things, accept=[FORCE], translation=off)).decision == "needs-acceptance"
    assert tenant(judged(things, accept=[MODELS], translation=off)).decision == "needs-acceptance"
    both = judged(things, accept=[FORCE, MODELS], translation=off)
    assert tenant(both).decision == "proceed"
    assert [risk.id for risk in both.risks if risk.accepted] == [FORCE, MODELS]


def test_an_acceptance_carries_its_reason_and_who_gave_it() -> None:
    (risk,) = judged(_text(CUSTOM_TEXT), accept=[FORCE]).risks

    assert (risk.reason, risk.by) == ("a reason", "ops@bastion")


def test_a_customised_one_with_enabled_false_is_still_blocked_by_its_fingerprint() -> None:
    things = patched(
        _text(CUSTOM_TEXT), "MaasTenantConfig", "default-tenant", {"spec": {"apiTranslation": {"enabled": False}}}
    )

    assert tenant(judged(things)).decision == "needs-acceptance"


def test_praxis_keys_beside_a_customised_ipp_part_need_the_acceptance_though_no_force_is_needed() -> None:
    things = _with({"data": {"extproc.yaml": "server: {}\n", "custom-ipp-config.yaml": CUSTOM_TEXT}})

    refused, accepted = judged(things), judged(things, accept=[FORCE])

    assert the(refused, "PluginsConfigMapMixed").risk == FORCE
    assert tenant(refused).decision == "needs-acceptance"
    assert (tenant(accepted).decision, tenant(accepted).force) == ("proceed", False)


def test_praxis_keys_beside_an_unmarked_custom_part_block() -> None:
    unmarked = {"labels": None, "annotations": None, "managedFields": None, "ownerReferences": None}
    things = _with({"metadata": unmarked, "data": {"extproc.yaml": "x", "custom-ipp-config.yaml": CUSTOM_TEXT}})

    assert tenant(judged(things, accept=[FORCE])).decision == "blocked"


def test_praxis_keys_beside_the_product_default_lose_nothing() -> None:
    assessment = judged(_with({"data": {"extproc.yaml": "server: {}\n"}}))

    assert "PraxisShapeOnIpp" in loud(assessment)
    assert tenant(assessment).decision == "proceed"


def test_a_terminating_one_blocks_whatever_its_verdict() -> None:
    terminating = {"metadata": {"deletionTimestamp": "2026-10-01T00:00:00Z", "finalizers": ["x/y"]}}

    assessment = judged(_with(terminating), accept=[FORCE])

    assert "2026-10-01" in the(assessment, "PluginsConfigMapTerminating").message
    assert tenant(assessment).decision == "blocked"


def test_an_absent_one_has_nothing_to_preserve() -> None:
    assessment = judged(without(a_cluster(), "ConfigMap", "payload-processing-plugins"))

    facts = tenant(assessment).config_map
    assert facts is not None
    assert (facts.verdict, facts.uid, facts.digest) == ("absent", "", None)
    assert the(assessment, "PluginsConfigMapAbsent").impact == "advisory"
    assert tenant(assessment).decision == "proceed"


def test_what_the_controller_does_not_look_at_is_said() -> None:
    assessment = judged(_with({"binaryData": {"more": "AA=="}}))

    assert "binaryData" in the(assessment, "PluginsConfigMapWarning").message
    assert tenant(assessment).decision == "proceed"


def test_a_gitops_mark_on_the_config_map_is_one_finding_and_asks_for_its_risk() -> None:
    things = [
        annotated(thing, **{"argocd.argoproj.io/tracking-id": "maas:/ConfigMap:x"})
        if thing["metadata"]["name"] == "payload-processing-plugins"
        else thing
        for thing in a_cluster()
    ]

    assessment = judged(things)

    assert "Argo CD" in the(assessment, "GitOpsManaged").message
    assert not said(assessment, "PluginsConfigMapWarning")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("Service", "payload-processing"),
        ("EnvoyFilter", "payload-processing"),
        ("NetworkPolicy", "payload-processing"),
        ("ServiceAccount", "payload-processing"),
        ("DestinationRule", "payload-pre-processing"),
        ("Deployment", "payload-pre-processing"),
        ("ConfigMap", "payload-processing-plugins"),
    ],
)
def test_an_object_without_an_ownership_mark_blocks(kind: str, name: str) -> None:
    bare = {"metadata": {"labels": None, "annotations": None, "managedFields": None, "ownerReferences": None}}

    assessment = judged(patched(a_cluster(), kind, name, bare))

    assert the(assessment, "ObjectWithoutOwnershipMark").impact == "blocking"
    assert tenant(assessment).decision == "blocked"


@pytest.mark.parametrize(
    "mark",
    [
        pytest.param({"annotations": {annotations.MANAGED: "false"}}, id="opted-out"),
        pytest.param({"labels": {annotations.TENANT_NAME: "x"}}, id="label"),
        pytest.param({"managedFields": [{"manager": "maas-controller"}]}, id="manager"),
        pytest.param(
            {
                "ownerReferences": [
                    {"apiVersion": "maas.opendatahub.io/v1alpha1", "kind": "Config", "name": "d", "controller": True}
                ]
            },
            id="owner",
        ),
    ],
)
def test_each_ownership_mark_of_the_contract_counts(mark: dict[str, Any]) -> None:
    bare = {"labels": None, "annotations": None, "managedFields": None, "ownerReferences": None}

    assessment = judged(patched(a_cluster(), "Service", "payload-processing", {"metadata": {**bare, **mark}}))

    assert not said(assessment, "ObjectWithoutOwnershipMark")


def test_an_object_of_the_other_controller_on_an_ipp_tenant_blocks() -> None:
    theirs = {"metadata": {"managedFields": [{"manager": "ai-gateway-controller"}], "labels": None}}

    assessment = judged(patched(a_cluster(), "Service", "payload-processing", theirs))

    assert the(assessment, "PraxisHoldsNames").impact == "blocking"


def test_the_same_cluster_gives_the_same_assessment_byte_for_byte() -> None:
    things = [*_text(CUSTOM_TEXT), a_maas_external_model("azure")]

    first, second = judged(things), judged(list(reversed(things)))

    assert canonical_json(first.findings) == canonical_json(second.findings)
    assert [one.impact for one in first.findings] == sorted(
        (one.impact for one in first.findings), key=["blocking", "risk", "advisory", "info"].index
    )
