"""The release by its signals, the platform under it, the generations of a build; and what was not read."""

from typing import Any

import pytest

from migrate.changes.assess import assess, tenant_names
from migrate.changes.platform.versions import platform_of
from migrate.maas import annotations, resources
from migrate.records.assessment import VersionSignal
from tests.builders import (
    a_cluster,
    a_crd,
    a_deployment,
    a_gap,
    a_policy,
    a_snapshot,
    a_subscription,
    an_object,
    annotated,
    on_praxis,
    patched,
    without,
)
from tests.unit.changes.assess.judging import DEFAULT, judged, loud, said, tenant, the

OLD: dict[str, Any] = {"a-b-c-tokens": {}}
NEW: dict[str, Any] = {"tokens-100-per-1m": {}}


@pytest.mark.parametrize("release", ["3.5", "3.6"])
def test_a_cluster_of_one_release_says_so_by_every_signal(release: str) -> None:
    assessment = judged(a_cluster(release))

    assert assessment.platform == release
    assert {signal.says for signal in assessment.signals} == {release}
    assert len(assessment.signals) == 9


@pytest.mark.parametrize(
    ("says", "platform"),
    [
        (["3.5", "3.5"], "3.5"),
        (["3.6", ""], "3.6"),
        (["3.5", "3.6"], "in-transition"),
        (["mixed"], "in-transition"),
        (["3.5", "mixed"], "in-transition"),
        (["3.4"], "unknown"),
        (["3.6", "3.7"], "unknown"),
        ([""], "unknown"),
        ([], "unknown"),
    ],
    ids=["one", "silent", "conflict", "mixed", "half", "older", "newer", "nothing", "none"],
)
def test_the_platform_is_what_all_signals_agree_on(says: list[str], platform: str) -> None:
    signals = tuple(VersionSignal(signal=f"s{place}", says=word) for place, word in enumerate(says))

    assert platform_of(signals) == platform


def test_an_image_tag_decides_only_where_nothing_else_says_anything() -> None:
    image = VersionSignal(signal="image of maas-controller", says="3.6")

    assert platform_of((image,)) == "3.6"
    assert platform_of((VersionSignal(signal="CRD", says="3.5"), image)) == "3.5"


def _release(kind: str, name: str, version: str) -> list[dict[str, Any]]:
    return patched(a_cluster(), kind, name, {"status": {"release": {"version": version}}})


def _second_csv() -> list[dict[str, Any]]:
    csv = an_object(
        resources.CLUSTER_SERVICE_VERSION,
        resources.OPERATOR_NAMESPACE,
        "rhods-operator.3.6.0",
        metadata={"labels": {annotations.CSV_LABEL: ""}},
        spec={"version": "3.6.0"},
        status={"phase": "Installing"},
    )
    return [*a_cluster(), csv]


@pytest.mark.parametrize(
    "things",
    [
        pytest.param(_release("DataScienceCluster", "default-dsc", "3.6.0"), id="1-dsc"),
        pytest.param(_release("DSCInitialization", "default-dsci", "3.6.0"), id="2-dsci"),
        pytest.param(_second_csv(), id="3-csv-installing"),
        pytest.param(
            [*a_cluster(), a_deployment("ai-gateway-controller", "redhat-ods-applications")], id="4-controller"
        ),
        pytest.param([*a_cluster(), a_crd(resources.CONFIG, "spec.usageMetricsDashboard")], id="5-crd"),
        pytest.param([*a_cluster(), a_crd(resources.MAAS_SUBSCRIPTION, "spec.rateLimitIdentity")], id="6-half-a-crd"),
        pytest.param([*a_cluster(), a_crd(resources.MAAS_TENANT_CONFIG, "spec.apiTranslation")], id="7-crd"),
        pytest.param([*a_cluster(), a_policy("m", NEW)], id="9-new-limits"),
        pytest.param([*a_cluster("3.6"), a_policy("m", OLD)], id="9-old-limits"),
        pytest.param([*a_cluster("3.6"), a_policy("m", {**OLD, **NEW})], id="9-half-written"),
    ],
)
def test_one_signal_against_the_others_is_an_upgrade_under_way(things: list[dict[str, Any]]) -> None:
    assessment = judged(things)

    assert assessment.platform == "in-transition"
    assert the(assessment, "PlatformInTransition").impact == "blocking"
    assert tenant(assessment).decision == "blocked"


def test_an_opted_out_policy_is_no_signal() -> None:
    policy = annotated(a_policy("m", OLD), **{annotations.MANAGED: "false"})

    assert judged([*a_cluster("3.6"), policy]).platform == "3.6"


def test_a_build_of_3_6_from_before_the_product_page_is_3_6_and_not_under_way() -> None:
    older = [a_crd(kind) for kind in (resources.CONFIG, resources.MAAS_SUBSCRIPTION, resources.MAAS_TENANT_CONFIG)]

    assert judged([*a_cluster("3.6"), *older]).platform == "3.6"


def test_another_release_is_refused_by_name() -> None:
    things = _release("DataScienceCluster", "default-dsc", "3.7.0")

    assert "3.7" in the(judged(things), "PlatformNotSupported").message


def test_open_data_hub_counts_its_versions_differently_and_says_nothing() -> None:
    release = {"status": {"release": {"name": "Open Data Hub", "version": "2.40.0"}}}
    things = patched(a_cluster(), "DataScienceCluster", "default-dsc", release)
    things = patched(things, "DSCInitialization", "default-dsci", release)

    assert judged(without(things, "ClusterServiceVersion", "rhods-operator.3.5.0")).platform == "3.5"


def test_an_empty_cluster_is_unknown_and_blocked_and_no_error() -> None:
    assessment = judged([])

    assert assessment.platform == "unknown"
    assert {"PlatformUnknown", "ConfigMissing", "NoTenants"} <= loud(assessment)


@pytest.mark.parametrize(
    ("history", "code"),
    [
        pytest.param([("4.19.8", "Completed")], "OpenShiftTooOld", id="too-old"),
        pytest.param([("4.20.0", "Partial"), ("4.18.1", "Completed")], "OpenShiftTooOld", id="update-not-over"),
        pytest.param([], "VersionNotKnown", id="not-given"),
    ],
)
def test_the_version_of_openshift_is_that_of_the_last_completed_update(
    history: list[tuple[str, str]], code: str
) -> None:
    entries = [{"version": version, "state": state} for version, state in history]
    status = {"history": entries, "desired": None}

    assert said(judged(patched(a_cluster(), "ClusterVersion", "version", {"status": status})), code)


@pytest.mark.parametrize(
    ("version", "code"),
    [("1.2.9", "ConnectivityLinkTooOld"), ("1.4.0", "ConnectivityLinkBypass"), ("latest", "VersionNotKnown")],
)
def test_the_version_of_connectivity_link(version: str, code: str) -> None:
    things = patched(a_cluster(), "ClusterServiceVersion", "rhcl-operator.v1.4.1", {"spec": {"version": version}})

    assert said(judged(things), code)


@pytest.mark.parametrize("version", ["1.3.0", "1.4.1", "1.5.2"])
def test_a_new_enough_connectivity_link_is_not_worth_a_word(version: str) -> None:
    things = patched(a_cluster(), "ClusterServiceVersion", "rhcl-operator.v1.4.1", {"spec": {"version": version}})

    assert loud(judged(things)) == set()


V4 = annotated(a_subscription("a"), **{annotations.RATE_LIMIT_IDENTITY: "legacy"})
OLDER = [a_crd(resources.MAAS_SUBSCRIPTION)]


@pytest.mark.parametrize(
    ("things", "generation"),
    [
        pytest.param(a_cluster("3.5"), "handshake none (3.5), identity V0", id="3.5"),
        pytest.param(a_cluster("3.6"), "handshake C or D, identity V5", id="v5"),
        pytest.param([*a_cluster("3.6"), *OLDER, V4], "handshake C or D, identity V4", id="v4"),
        pytest.param(
            [*a_cluster("3.6"), *OLDER, a_policy("m", {"rl-0123456789abcdef": {}})],
            "handshake C or D, identity V1",
            id="v1",
        ),
        pytest.param([*a_cluster("3.6"), *OLDER, a_policy("m", NEW)], "handshake C or D, identity V2 or V3", id="v2"),
        pytest.param(
            patched(
                on_praxis(a_cluster("3.6")),
                "MaasTenantConfig",
                "default-tenant",
                {"metadata": {"annotations": {annotations.PAYLOAD_PROCESSING_TYPE: None}}},
            ),
            "handshake D, identity V5",
            id="d",
        ),
        pytest.param(
            patched(
                a_cluster("3.6"),
                "MaasTenantConfig",
                "default-tenant",
                {"metadata": {"annotations": {"maas.opendatahub.io/ipp-migration-cleanup-complete": "true"}}},
            ),
            "handshake B, identity V5",
            id="b",
        ),
    ],
)
def test_the_generation_is_told_as_far_as_objects_tell_it(things: list[dict[str, Any]], generation: str) -> None:
    assert judged(things).generation == generation


READ = [
    resources.DATA_SCIENCE_CLUSTER,
    resources.DSC_INITIALIZATION,
    resources.CONFIG,
    resources.MAAS_TENANT_CONFIG,
    resources.AI_TENANT,
    resources.MAAS_SUBSCRIPTION,
    resources.MAAS_AUTH_POLICY,
    resources.TOKEN_RATE_LIMIT_POLICY,
    resources.AUTH_POLICY,
    resources.GATEWAY,
    resources.HTTP_ROUTE,
    resources.KUADRANT,
    resources.CLUSTER_SERVICE_VERSION,
    resources.CLUSTER_VERSION,
    resources.CRD,
    resources.POD,
]


@pytest.mark.parametrize("kind", READ, ids=lambda kind: kind.crd_name)
@pytest.mark.parametrize("status", [403, 500], ids=["refused", "failed"])
def test_a_kind_that_could_not_be_read_is_unknown_blocks_and_is_never_absent(kind: resources.Kind, status: int) -> None:
    things = [thing for thing in a_cluster() if thing["kind"] != kind.kind]

    assessment = judged(things, gaps=[a_gap(kind, status=status)])

    assert any(one.unreadable and one.impact == "blocking" and kind.kind in one.message for one in assessment.findings)
    absences = {"ConfigMissing", "NoTenants", "AITenantMissing", "GatewayMissing", "AuthPolicyMissing", "PolicyMissing"}
    assert not absences & loud(assessment)
    assert all(one.decision == "blocked" for one in assessment.tenants)


def test_a_deployment_that_could_not_be_read_blocks_its_tenant_alone() -> None:
    things = without(a_cluster("3.5", DEFAULT, "redteam"), "Deployment", "payload-processing-redteam")
    gap = a_gap(resources.DEPLOYMENT, "openshift-ingress", "payload-processing-redteam")

    assessment = judged(things, gaps=[gap])

    assert tenant(assessment, "redteam").decision == "blocked"
    assert {one.tenant for one in said(assessment, "CouldNotRead")} == {"redteam"}


def test_what_a_saved_source_left_out_is_said_and_blocks_only_where_it_is_needed() -> None:
    things = [thing for thing in a_cluster() if thing["kind"] not in {"CustomResourceDefinition", "MaaSModelRef"}]
    crds = a_gap(resources.CRD)
    refs = a_gap(resources.MAAS_MODEL_REF)
    left_out = [type(gap)(query=gap.query, reason="not-in-source") for gap in (crds, refs)]

    without_crds, without_refs = judged(things, gaps=left_out[:1]), judged(things, gaps=left_out[1:])

    assert the(without_crds, "NotInSource").impact == "advisory"
    assert tenant(without_crds).decision == "proceed"
    assert tenant(without_refs).decision == "blocked"


def test_a_required_kind_that_is_not_served_blocks() -> None:
    kinds = [kind for kind in resources.REQUIRED if kind is not resources.ENVOY_FILTER]

    assert "RequiredKindMissing" in loud(assess(a_snapshot(*a_cluster(), kinds=[*kinds, resources.DEPLOYMENT])))


def test_the_names_that_may_be_asked_for_are_those_of_the_cluster() -> None:
    assert tenant_names(a_snapshot(*a_cluster("3.5", "redteam", DEFAULT))) == (DEFAULT, "redteam")
