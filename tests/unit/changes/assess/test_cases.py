"""Cases of the project that an assessment has to get right, each by its id."""

from typing import Any

import pytest

from migrate.changes.payload_processing.assess_running import changed_at, parse_instant
from migrate.changes.platform.health import condition_state
from migrate.maas import annotations, resources
from migrate.records.objects import KubeObject
from tests.builders import (
    RESPONSE_TRANSLATION_TEXT,
    a_cluster,
    a_deployment,
    a_gap,
    a_maas_external_model,
    a_namespace,
    a_pod,
    a_provider,
    a_snapshot,
    an_external_model,
    an_object,
    annotated,
    managed_by,
    patched,
    without,
)
from tests.unit.changes.assess.judging import judged, loud, said, tenant, the

CUSTOM = {"data": {"custom-ipp-config.yaml": "kind: PayloadProcessorConfig\nplugins: [{type: metering}]\n"}}
PLUGINS = "payload-processing-plugins"


def test_ch_01_a_tenant_without_a_name_label_is_blocked_and_the_defaults_config_map_is_not_judged_for_it() -> None:
    things = [
        *patched(
            a_cluster("3.5", "redteam"),
            "MaasTenantConfig",
            "default-tenant",
            {"metadata": {"labels": {annotations.TENANT_NAME: None}}},
        ),
        an_object(resources.CONFIG_MAP, "openshift-ingress", PLUGINS, data=CUSTOM["data"]),
    ]

    assessment = judged(things)

    redteam = tenant(assessment, "redteam")
    assert redteam.decision == "blocked"
    assert redteam.config_map is None
    assert annotations.TENANT_NAME in the(assessment, "TenantIdentityInvalid").message
    assert not said(assessment, "PluginsConfigMapCustomised")


def test_ch_01_the_name_is_not_derived_from_the_namespace() -> None:
    things = patched(
        a_cluster("3.5", "redteam"),
        "MaasTenantConfig",
        "default-tenant",
        {"metadata": {"labels": {annotations.TENANT_NAME: None}}},
    )

    assert tenant(judged(things), "redteam").tenant_id == ""
    assert not said(judged(things), "FingerprintRecognised")


def test_ch_02_the_fingerprint_and_the_compatibility_are_two_lines_and_force_is_not_offered() -> None:
    things = [
        *patched(
            a_cluster(),
            "ConfigMap",
            PLUGINS,
            {"data": {"custom-ipp-config.yaml": RESPONSE_TRANSLATION_TEXT}},
        ),
        a_provider("openai"),
        an_external_model("gpt-a"),
        a_maas_external_model("az-b", "azure-openai"),
        a_provider("vertex"),
        an_external_model("vx-c", "vertex", weight=0),
    ]

    assessment = judged(things)

    assert the(assessment, "FingerprintRecognised").impact == "info"
    lost = the(assessment, "UnsupportedExternalModel")
    assert (lost.impact, lost.object.name if lost.object else "") == ("blocking", "az-b")
    assert "--api-translation models-as-a-service=false" in lost.resolution
    assert "force" not in lost.resolution
    inactive = the(assessment, "InactiveExternalModel")
    assert (inactive.impact, inactive.object.name if inactive.object else "") == ("info", "vx-c")
    assert tenant(assessment).decision == "blocked"
    assert tenant(assessment).api_translation.after is True


def test_ch_02_a_provider_that_is_not_known_counts_as_unsupported() -> None:
    things = [*a_cluster(), a_provider("acme"), an_external_model("a", "acme")]

    assert the(judged(things), "UnsupportedExternalModel").impact == "blocking"


def test_ch_05_a_terminating_legacy_tenant_blocks_and_is_named_with_its_finalizer_and_since_when() -> None:
    legacy = an_object(
        resources.TENANT,
        "models-as-a-service",
        "default-tenant",
        metadata={
            "deletionTimestamp": "2026-09-28T05:00:00Z",
            "finalizers": ["maas.opendatahub.io/tenant-finalizer"],
        },
    )

    assessment = judged([*a_cluster(), legacy])

    found = the(assessment, "LegacyTenantTerminating")
    assert "Tenant models-as-a-service/default-tenant" in found.message
    assert "2026-09-28T05:00:00Z" in found.message
    assert "maas.opendatahub.io/tenant-finalizer" in found.message
    assert tenant(assessment).decision == "blocked"


def test_ch_05_one_in_a_namespace_without_a_tenant_blocks_every_tenant() -> None:
    legacy = an_object(
        resources.TENANT,
        "elsewhere",
        "default-tenant",
        metadata={"deletionTimestamp": "2026-09-28T05:00:00Z", "finalizers": ["x"]},
    )

    assessment = judged([*a_cluster(), legacy])

    assert the(assessment, "LegacyTenantTerminating").tenant == ""
    assert tenant(assessment).decision == "blocked"


def _asked_for_praxis(reason: str, message: str, *, blocked: bool) -> list[dict[str, Any]]:
    marker = {annotations.PAYLOAD_PROCESSING_MIGRATION: "blocked"} if blocked else {}
    condition = {"type": "Ready", "status": "False", "reason": reason, "message": message, "observedGeneration": 4}
    return patched(
        a_cluster("3.6"),
        "MaasTenantConfig",
        "default-tenant",
        {
            "metadata": {
                "generation": 4,
                "annotations": {annotations.PAYLOAD_PROCESSING_TYPE: "praxis", **marker},
            },
            "status": {"conditions": [condition]},
        },
    )


def test_ch_08_a_clean_up_that_waits_for_a_pod_is_not_a_blocked_config_map_and_force_is_not_offered() -> None:
    message = "IPP clean-up: pod openshift-ingress/payload-processing-6c9d-x2 still runs, routes are cleaned later"

    assessment = judged(_asked_for_praxis("PlatformReconcileFailed", message, blocked=False))

    found = the(assessment, "CleanupWaits")
    assert "payload-processing-6c9d-x2" in found.message
    assert "Force does not help" in found.resolution
    assert not said(assessment, "PayloadProcessingBlocked")
    assert not [one for one in assessment.findings if "--accept force" in one.resolution]


@pytest.mark.parametrize(
    ("reason", "blocked", "code"),
    [
        pytest.param("DeploymentsNotReady", True, "PayloadProcessingBlocked", id="blocked"),
        pytest.param("PlatformReconcileFailed", True, "CleanupWaits", id="a-marker-beside-a-clean-up"),
        pytest.param("DeploymentsNotReady", False, "MigrationInTransition", id="not-ready-without-a-marker"),
    ],
)
def test_ch_08_blocked_needs_the_marker_and_the_reason(reason: str, blocked: bool, code: str) -> None:
    assessment = judged(_asked_for_praxis(reason, "words", blocked=blocked))

    assert {"PayloadProcessingBlocked", "CleanupWaits", "MigrationInTransition"} & loud(assessment) == {code}


def test_ch_08_a_leftover_marker_alone_does_not_block() -> None:
    things = patched(
        a_cluster(),
        "MaasTenantConfig",
        "default-tenant",
        {"metadata": {"annotations": {annotations.PAYLOAD_PROCESSING_MIGRATION: "blocked"}}},
    )

    assessment = judged(things)

    assert the(assessment, "BlockedMarkerLeft").impact == "advisory"
    assert tenant(assessment).decision == "proceed"


def _in_team_ingress(config_map: dict[str, Any] | None) -> list[dict[str, Any]]:
    things = without(a_cluster(), "ConfigMap", PLUGINS)
    things = patched(
        things, "AITenant", "models-as-a-service", {"status": {"gatewayRef": {"namespace": "team-ingress"}}}
    )
    return [*things, *([config_map] if config_map else [])]


def test_ch_09_the_config_map_is_judged_where_the_gateway_reference_points() -> None:
    custom = an_object(resources.CONFIG_MAP, "team-ingress", PLUGINS, data=CUSTOM["data"])

    assessment = judged([*_in_team_ingress(custom), a_namespace("team-ingress")])

    facts = tenant(assessment).config_map
    assert facts is not None
    assert (facts.namespace, facts.verdict) == ("team-ingress", "custom-blocked")


def test_ch_09_absent_is_believed_only_where_the_gateways_namespace_exists() -> None:
    believed = tenant(judged([*_in_team_ingress(None), a_namespace("team-ingress")])).config_map
    doubted = judged(_in_team_ingress(None))
    facts = tenant(doubted).config_map

    assert believed is not None
    assert believed.verdict == "absent"
    assert facts is not None
    assert facts.verdict == "error"
    assert "team-ingress" in the(doubted, "GatewayNamespaceMissing").message
    assert tenant(doubted).decision == "blocked"


@pytest.mark.parametrize(
    "gap",
    [
        pytest.param(a_gap(resources.NAMESPACE, "", "openshift-ingress"), id="namespace-not-read"),
        pytest.param(a_gap(resources.CONFIG_MAP, "openshift-ingress", PLUGINS), id="config-map-not-read"),
    ],
)
def test_ch_09_what_was_not_read_is_never_absent(gap: Any) -> None:
    things = without(a_cluster(), "ConfigMap", PLUGINS)
    if gap.query.kind == "Namespace":
        things = without(things, "Namespace", "openshift-ingress")

    assessment = judged(things, gaps=[gap])

    facts = tenant(assessment).config_map
    assert facts is not None
    assert facts.verdict == "error"
    assert all(one.unreadable and one.impact == "blocking" for one in said(assessment, "CouldNotRead"))
    assert tenant(assessment).decision == "blocked"


def _with_pods(time: Any, *starts: str) -> list[dict[str, Any]]:
    entry = {**managed_by("kubectl-edit", "Update")[0], "time": time}
    if time is None:
        del entry["time"]
    things = patched(a_cluster(), "ConfigMap", PLUGINS, {"metadata": {"managedFields": [entry]}})
    pods = [
        a_pod(f"payload-processing-7d9c-{letter * 2}", "openshift-ingress", app="payload-processing", started_at=start)
        for letter, start in zip("abcdef", starts, strict=False)
    ]
    return [*things, *pods]


def test_ch_10_a_pod_older_than_the_config_map_is_named_and_the_verdict_is_said_to_speak_of_the_config_map() -> None:
    assessment = judged(_with_pods("2026-10-01T09:00:00Z", "2026-09-15T08:00:00Z", "2026-10-02T08:00:00Z"))

    found = the(assessment, "PodOlderThanConfigMap")
    assert found.object is not None
    assert found.object.name.endswith("-aa")
    assert "speaks of the ConfigMap only" in found.message
    assert tenant(assessment).decision == "proceed"


def test_ch_10_a_missing_time_is_unknown_and_no_error() -> None:
    assessment = judged(_with_pods(None, "2026-09-15T08:00:00Z"))

    assert "unknown" in the(assessment, "ConfigMapAgeUnknown").message
    assert not said(assessment, "PodOlderThanConfigMap")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2026-10-01T09:00:00Z", "2026-10-01T11:00:00+02:00"),
        ("2026-10-01T09:00:00Z", "2026-10-01T09:00:00.000000Z"),
        ("2026-10-01T09:00:00.123456Z", "2026-10-01T09:00:00.123456789Z"),
    ],
    ids=["zones", "fractions", "nine-digits"],
)
def test_ch_10_times_are_compared_as_instants(one: str, other: str) -> None:
    assert parse_instant(one) == parse_instant(other) is not None


@pytest.mark.parametrize("text", ["", "yesterday", None, 5])
def test_ch_10_what_is_no_time_is_none(text: Any) -> None:
    assert parse_instant(text) is None


def test_ch_10_an_edit_of_metadata_alone_does_not_make_the_content_newer() -> None:
    entries = [
        {"manager": "maas-controller", "time": "2026-09-01T00:00:00Z", "fieldsV1": {"f:data": {}}},
        {"manager": "kubectl", "time": "2026-10-01T00:00:00Z", "fieldsV1": {"f:metadata": {}}},
    ]

    changed = changed_at(KubeObject({"metadata": {"managedFields": entries}}))

    assert changed == parse_instant("2026-09-01T00:00:00Z")


def test_ch_11_a_deployment_that_runs_from_another_config_map_is_named_and_backed_up_with_it() -> None:
    deployment = annotated(
        a_deployment(
            "payload-processing",
            "openshift-ingress",
            config_map="ipp-config",
            image="registry.example.com/team/ipp-metering:v6",
        ),
        **{annotations.MANAGED: "false"},
    )
    other = an_object(resources.CONFIG_MAP, "openshift-ingress", "ipp-config", data={"config.yaml": "plugins: []\n"})

    assessment = judged([*a_cluster(), deployment, other])

    facts = tenant(assessment).config_map
    assert facts is not None
    assert facts.verdict == "default"
    message = the(assessment, "IppRunsFromAnotherConfigMap").message
    assert "ipp-config" in message
    assert "ipp-metering:v6" in message
    assert {(ref.kind, ref.name) for ref in tenant(assessment).extra_backups} == {
        ("ConfigMap", "ipp-config"),
        ("Deployment", "payload-processing"),
    }
    assert "clean-up" in the(assessment, "ObjectOptedOut").message


def test_ch_20_the_flux_kustomization_is_named_with_how_to_suspend_it_and_the_risk_is_asked_for() -> None:
    labels = {
        "kustomize.toolkit.fluxcd.io/name": "maas",
        "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
    }
    things = patched(a_cluster(), "MaasTenantConfig", "default-tenant", {"metadata": {"labels": labels}})

    assessment = judged(things)

    found = the(assessment, "GitOpsManaged")
    assert "flux-system/maas" in found.message
    assert "flux suspend kustomization" in found.resolution
    assert (found.impact, found.risk) == ("risk", "gitops-managed-object")
    assert tenant(assessment).decision == "needs-acceptance"
    assert tenant(judged(things, accept=["gitops-managed-object"])).decision == "proceed"


@pytest.mark.parametrize(
    ("status", "state"),
    [
        pytest.param({"conditions": [{"type": "Ready", "status": "True"}]}, "unreported", id="1-nowhere"),
        pytest.param(
            {"observedGeneration": 5, "conditions": [{"type": "Ready", "status": "True", "observedGeneration": 6}]},
            "true",
            id="2-the-conditions-own-wins",
        ),
        pytest.param(
            {"observedGeneration": 6, "conditions": [{"type": "Ready", "status": "True", "observedGeneration": 0}]},
            "true",
            id="3-zero-is-not-set",
        ),
        pytest.param(
            {"observedGeneration": 5, "conditions": [{"type": "Ready", "status": "True"}]}, "stale", id="4-stale"
        ),
    ],
)
def test_ch_27_how_far_ready_is_believed(status: dict[str, Any], state: str) -> None:
    thing = KubeObject({"metadata": {"generation": 6}, "status": status})

    assert condition_state(thing, "Ready")[0] == state


def _ready(status: dict[str, Any]) -> list[dict[str, Any]]:
    patch = {"metadata": {"generation": 6}, "status": {**status}}
    return patched(a_cluster(), "MaasTenantConfig", "default-tenant", patch)


def test_ch_27_a_stale_ready_blocks_and_says_both_numbers() -> None:
    assessment = judged(_ready({"observedGeneration": 5, "conditions": [{"type": "Ready", "status": "True"}]}))

    assert "observedGeneration is 5 of 6" in the(assessment, "ReadyIsStale").message
    assert tenant(assessment).decision == "blocked"


def test_ch_27_a_generation_that_nobody_reports_is_said_and_does_not_block() -> None:
    assessment = judged(_ready({"conditions": [{"type": "Ready", "status": "True"}]}))

    assert "no observedGeneration is reported" in the(assessment, "GenerationNotReported").message
    assert tenant(assessment).decision == "proceed"


def test_the_snapshot_of_a_healthy_cluster_has_nothing_to_complain_of() -> None:
    """What the cases above change is the only thing that is wrong in them."""
    assert loud(judged(a_cluster())) == set()
    assert a_snapshot().objects == ()
