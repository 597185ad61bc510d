"""Every generation of the hand-over and of the identity: told by its signals, planned for, or refused."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import pytest

from migrate.changes.assess import assess
from migrate.changes.verify import verify_cluster
from migrate.maas import annotations as key
from migrate.maas import rate_limits, resources
from migrate.records.assessment import Assessment, Finding
from migrate.records.objects import Json, KubeObject
from migrate.records.verification import CheckResult, Verification
from migrate.sandbox.controllers.build_36 import Build, as_built, as_stamped
from migrate.sandbox.crds import crds_of
from tests.builders import (
    TAKEN_AT,
    a_cluster,
    a_model_ref,
    a_policy,
    a_snapshot,
    a_subscription,
    annotated,
    changed,
    on_praxis,
    patched,
)

B_MARKER = "maas.opendatahub.io/ipp-migration-cleanup-complete"
PRAXIS = {key.PAYLOAD_PROCESSING_TYPE: key.TYPE_PRAXIS}


def with_build(things: Iterable[Json], text: str) -> list[Json]:
    """Return the cluster with the CRDs and stamps of a build."""
    build = Build.parse(text)
    rest = [thing for thing in things if thing["kind"] != "CustomResourceDefinition"]
    return [*as_stamped(rest, build), *as_built(crds_of("3.6"), build)]


def limits(*subscriptions: Json, short: bool) -> dict[str, Any]:
    members = [
        rate_limits.member_of(KubeObject(thing), thing["spec"]["modelRefs"][0], "short" if short else "legacy")
        for thing in subscriptions
    ]
    return rate_limits.group_limits(members)


def served(*, stamp: str = "", short: bool = False, names: dict[str, Any] | None = None) -> list[Json]:
    """Return a 3.6 cluster with two subscriptions and the policy of their model."""
    gold, free = (a_subscription(name, "granite", identity=stamp) for name in ("gold", "free"))
    policy = a_policy(
        "granite", names or limits(gold, free, short=short), "models-as-a-service/free", "models-as-a-service/gold"
    )
    return [*a_cluster("3.6"), a_model_ref("granite"), gold, free, policy]


def judged(things: Iterable[Json]) -> Assessment:
    return assess(a_snapshot(*things))


def said(assessment: Assessment, code: str) -> list[Finding]:
    return [one for one in assessment.findings if one.code == code]


def checks(verification: Verification, code: str) -> list[CheckResult]:
    return [check for check in verification.checks if check.code == code]


@pytest.mark.parametrize(
    ("things", "build", "generation"),
    [
        pytest.param(served(stamp="legacy"), "", "V5", id="v5"),
        pytest.param(served(stamp="legacy"), "identity=V4", "V4", id="v4"),
        pytest.param(served(short=True), "identity=none", "V3", id="v3"),
        pytest.param(served(), "identity=none", "V2", id="v2"),
        pytest.param(served(names={"rl-0123456789abcdef": {}}), "identity=none", "V1", id="v1"),
    ],
)
def test_a_plan_names_the_generation_of_the_identity_and_what_tells_it(
    things: list[Json], build: str, generation: str
) -> None:
    assessment = judged(with_build(things, build))

    (found,) = said(assessment, "BuildGeneration")
    assert assessment.platform == "3.6"
    assert assessment.generation == f"handshake C or D, identity {generation}"
    assert f"rate-limit identity {generation} (" in found.message


@pytest.mark.parametrize(
    ("build", "stamp", "short", "expected"),
    [
        ("", "legacy", False, {"legacy"}),
        ("identity=V4", "short", True, {"short"}),
        ("identity=none", "", True, {"short"}),
        ("identity=none", "", False, {"legacy"}),
    ],
    ids=["v5", "v4", "v3", "v2"],
)
def test_identities_are_foretold_and_verified_by_the_rules_of_the_build(
    build: str, stamp: str, short: bool, expected: set[str]
) -> None:
    snapshot = a_snapshot(*with_build(served(stamp=stamp, short=short), build))

    assessment, verification = assess(snapshot), verify_cluster(snapshot, _now())

    assert {one.expected for one in assessment.subscriptions} == expected
    assert [check.result for check in checks(verification, "LimitsMatchStamps")] == ["passed"]
    assert bool(said(assessment, "IdentityUnknown")) == (build == "identity=none")


def _now() -> datetime:
    return datetime.fromisoformat(TAKEN_AT)


def test_limits_that_break_the_rules_of_an_unstamped_build_are_found() -> None:
    mixed = {**limits(a_subscription("gold", "granite"), short=True)}
    snapshot = a_snapshot(*with_build(served(names=mixed), "identity=none"))

    verification = verify_cluster(snapshot, _now())

    assert [check.result for check in checks(verification, "LimitsMatchStamps")] == ["failed"]


def test_an_identity_generation_whose_rules_are_in_no_source_is_refused() -> None:
    v1 = judged(with_build(served(names={"rl-0123456789abcdef": {}}), "identity=none"))
    both = {**limits(a_subscription("gold", "granite"), short=True)}
    both |= {"tokens-1-per-1s": limits(a_subscription("free", "granite"), short=False)["tokens-100-per-1m"]}
    v3b = judged(with_build(served(names=both), "identity=none"))

    for assessment, name in ((v1, "V1"), (v3b, "V3b")):
        (found,) = said(assessment, "IdentityNotSupported")
        assert (found.impact, name in found.message) == ("blocking", True)
        assert [tenant.decision for tenant in assessment.tenants] == ["blocked"]


def _mirrored(manager: str) -> list[Json]:
    """Return a cluster whose AITenant and config ask for Praxis; *manager* wrote it on the config."""
    fields: Json = {"f:metadata": {"f:annotations": {f"f:{key.PAYLOAD_PROCESSING_TYPE}": {}}}}
    entry = {"manager": manager, "operation": "Update", "fieldsV1": fields}
    return [
        annotated(changed(thing, {"metadata": {"managedFields": [entry]}}), **PRAXIS)
        if thing["kind"] == resources.MAAS_TENANT_CONFIG.kind
        else annotated(thing, **PRAXIS)
        if thing["kind"] == resources.AI_TENANT.kind
        else thing
        for thing in a_cluster("3.6")
    ]


def test_generation_a_is_told_by_the_mirrored_annotation_and_refused() -> None:
    mirrored, by_hand = judged(_mirrored("manager")), judged(_mirrored("kubectl-annotate"))

    (found,) = said(mirrored, "HandshakeNotSupported")
    assert mirrored.generation.startswith("handshake A,")
    assert "mirrors it" in found.message
    assert not said(by_hand, "HandshakeNotSupported")
    assert said(by_hand, "AnnotationOnAITenant")


def test_generation_b_is_told_by_its_marker_and_refused() -> None:
    things = patched(
        a_cluster("3.6"), "MaasTenantConfig", "default-tenant", {"metadata": {"annotations": {B_MARKER: "true"}}}
    )

    assessment = judged(things)

    assert assessment.generation.startswith("handshake B,")
    assert [one.impact for one in said(assessment, "HandshakeNotSupported")] == ["blocking"]


def test_praxis_without_a_status_annotation_is_of_an_older_build_and_refused() -> None:
    gone = {"metadata": {"annotations": {key.PAYLOAD_PROCESSING_STATUS: None}}}
    things = patched(on_praxis(a_cluster("3.6")), "MaasTenantConfig", "default-tenant", gone)

    assessment = judged(things)

    assert assessment.generation.startswith("handshake A or B,")
    assert said(assessment, "HandshakeNotSupported")


def test_a_build_without_the_fields_of_the_page_is_3_6_all_the_same() -> None:
    assessment = judged(with_build(a_cluster("3.6"), "compatibility=off,identity=none"))

    assert assessment.platform == "3.6"
    assert [tenant.decision for tenant in assessment.tenants] == ["proceed"]
