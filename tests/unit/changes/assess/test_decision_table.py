"""The decision table for external models, row by row of contract §5.3, and what surrounds it."""

from typing import Any

import pytest

from migrate.maas import resources
from migrate.records.objects import get_in
from tests.builders import (
    PROCESSING_TEXT,
    RESPONSE_TRANSLATION_TEXT,
    a_cluster,
    a_crd,
    a_gap,
    a_maas_external_model,
    a_model_ref,
    a_provider,
    an_external_model,
    patched,
)
from tests.unit.changes.assess.judging import DEFAULT, judged, loud, said, tenant, the

OPENAI = [a_provider("openai"), an_external_model("gpt")]
ANTHROPIC = [
    *OPENAI,
    a_provider("anthropic"),
    an_external_model("claude", "anthropic", api_format="messages", path="/v1/messages"),
]
UNQUALIFIED = [*OPENAI, a_maas_external_model("azure")]
MODELS = {"openai": OPENAI, "anthropic": ANTHROPIC, "unqualified": UNQUALIFIED, "none": []}
TEXTS = {"default": PROCESSING_TEXT, "#2": RESPONSE_TRANSLATION_TEXT}
ABSENT = None

GO, STOP, RISK = "proceed", "blocked", "needs-acceptance"
TABLE = [
    ("default", ABSENT, "openai", GO),
    ("default", ABSENT, "anthropic", STOP),
    ("default", ABSENT, "unqualified", STOP),
    ("default", True, "openai", GO),
    ("default", True, "anthropic", GO),
    ("default", True, "unqualified", STOP),
    ("default", False, "openai", GO),
    ("default", False, "anthropic", RISK),
    ("default", False, "unqualified", RISK),
    ("#2", ABSENT, "openai", GO),
    ("#2", ABSENT, "anthropic", GO),
    ("#2", ABSENT, "unqualified", STOP),
    ("#2", True, "openai", GO),
    ("#2", True, "anthropic", GO),
    ("#2", True, "unqualified", STOP),
    ("#2", False, "openai", GO),
    ("#2", False, "anthropic", RISK),
    ("#2", False, "unqualified", RISK),
    ("default", ABSENT, "none", GO),
    ("#2", ABSENT, "none", GO),
]


def _cluster(baseline: str, enabled: bool | None, models: str, release: str = "3.6") -> list[dict[str, Any]]:
    things = patched(
        a_cluster(release),
        "ConfigMap",
        "payload-processing-plugins",
        {"data": {"custom-ipp-config.yaml": TEXTS[baseline]}},
    )
    if enabled is not None:
        things = patched(
            things, "MaasTenantConfig", "default-tenant", {"spec": {"apiTranslation": {"enabled": enabled}}}
        )
    return [*things, *MODELS[models]]


@pytest.mark.parametrize(
    ("baseline", "enabled", "models", "decision"),
    TABLE,
    ids=[f"{baseline}-{enabled}-{models}" for baseline, enabled, models, _ in TABLE],
)
def test_the_table(baseline: str, enabled: bool | None, models: str, decision: str) -> None:
    things = _cluster(baseline, enabled, models)

    assert tenant(judged(things)).decision == decision
    if decision == RISK:
        assert tenant(judged(things, accept=["unsupported-external-models"])).decision == GO


@pytest.mark.parametrize(
    ("baseline", "enabled", "asked", "after", "written_by"),
    [
        pytest.param("default", None, None, None, "", id="default-stays-absent"),
        pytest.param("#2", None, None, True, "controller", id="two-is-written-by-the-controller"),
        pytest.param("#2", False, None, False, "operator", id="an-operators-false-stands"),
        pytest.param("default", True, None, True, "operator", id="an-operators-true-stands"),
        pytest.param("default", None, False, False, "us", id="asked-false"),
        pytest.param("default", True, False, False, "us", id="asked-against-the-operators"),
        pytest.param("#2", None, True, True, "us", id="asked-what-the-controller-would-write"),
        pytest.param("default", True, True, True, "operator", id="asked-what-is"),
    ],
)
def test_api_translation_has_three_states_and_one_writer(
    baseline: str, enabled: bool | None, asked: bool | None, after: bool | None, written_by: str
) -> None:
    translation = {DEFAULT: asked} if asked is not None else {}

    found = tenant(judged(_cluster(baseline, enabled, "none"), translation=translation)).api_translation

    assert (found.before, found.after, found.written_by) == (enabled, after, written_by)


def test_what_is_asked_for_no_tenant_by_name_holds_for_every_tenant() -> None:
    assert tenant(judged(_cluster("default", None, "none"), translation={"": False})).api_translation.after is False


def test_asking_for_a_field_that_a_3_6_cluster_lacks_blocks_and_on_3_5_it_is_foreseen() -> None:
    lacking = [*_cluster("default", None, "none"), a_crd(resources.MAAS_TENANT_CONFIG)]

    on_36 = judged(lacking, translation={DEFAULT: True})
    on_35 = judged(_cluster("default", None, "none", "3.5"), translation={DEFAULT: True})

    assert (on_36.platform, the(on_36, "ApiTranslationUnknown").impact) == ("3.6", "blocking")
    assert not said(on_35, "ApiTranslationUnknown")
    assert tenant(on_35).decision == GO


def test_a_value_that_is_no_boolean_blocks() -> None:
    things = patched(
        a_cluster(), "MaasTenantConfig", "default-tenant", {"spec": {"apiTranslation": {"enabled": "yes"}}}
    )

    assert the(judged(things), "ApiTranslationInvalid").impact == "blocking"


def test_an_anthropic_model_alone_may_be_helped_by_translation_and_the_resolution_says_so() -> None:
    found = the(judged(_cluster("default", None, "anthropic")), "UnsupportedExternalModel")

    assert "--api-translation models-as-a-service=true" in found.resolution


def test_a_model_counts_for_the_tenant_that_its_model_ref_names() -> None:
    things = [
        *a_cluster("3.5", DEFAULT, "redteam"),
        a_maas_external_model("azure"),
        a_model_ref("azure", kind="ExternalModel", tenant="redteam"),
    ]

    assessment = judged(things)

    assert tenant(assessment).decision == "proceed"
    assert tenant(assessment, "redteam").decision == "blocked"


def test_a_model_of_a_tenant_that_is_not_there_is_said() -> None:
    things = [*a_cluster(), a_maas_external_model("azure"), a_model_ref("azure", kind="ExternalModel", tenant="gone")]

    assert "tenant gone" in the(judged(things), "ModelOfUnknownTenant").message


@pytest.mark.parametrize(
    "kind",
    [resources.EXTERNAL_MODEL, resources.MAAS_EXTERNAL_MODEL, resources.EXTERNAL_PROVIDER, resources.MAAS_MODEL_REF],
    ids=lambda kind: kind.crd_name,
)
def test_a_list_that_was_not_read_is_never_no_models(kind: resources.Kind) -> None:
    assessment = judged(a_cluster(), gaps=[a_gap(kind)])

    assert the(assessment, "CouldNotRead").unreadable
    assert tenant(assessment).decision == "blocked"


def test_a_gap_in_one_of_the_groups_does_not_hide_what_the_other_holds() -> None:
    assessment = judged([*a_cluster(), a_maas_external_model("azure")], gaps=[a_gap(resources.EXTERNAL_MODEL)])

    assert {"CouldNotRead", "UnsupportedExternalModel"} <= loud(assessment)


def test_the_bindings_stand_in_the_tenant_with_what_they_need() -> None:
    found = {one.object.name: one for one in tenant(judged(_cluster("default", None, "anthropic"))).external_models}

    assert (found["gpt"].qualified, found["claude"].qualified, found["claude"].needs_translation) == (True, False, True)


def _with_references(*references: dict[str, Any]) -> list[dict[str, Any]]:
    model = an_external_model("gpt")
    get_in(model, "spec")["externalProviderRefs"] = [
        {"targetModel": "gpt", "apiFormat": "openai-chat", **reference} for reference in references
    ]
    return [*a_cluster(), a_provider("openai"), a_provider("openai", name="second"), model]


@pytest.mark.parametrize(
    ("references", "code"),
    [
        pytest.param([{"ref": {"name": "openai"}}, {"ref": {"name": "openai"}}], "ProviderReferencedTwice", id="twice"),
        pytest.param(
            [{"ref": {"name": "openai"}, "weight": 3}, {"ref": {"name": "second"}}], "WeightsDiffer", id="weights"
        ),
    ],
)
def test_what_the_resolver_refuses_blocks_before_ipp_is_gone(references: list[dict[str, Any]], code: str) -> None:
    assessment = judged(_with_references(*references))

    assert the(assessment, code).impact == "blocking"


def test_a_reference_of_weight_0_is_no_second_one() -> None:
    assessment = judged(_with_references({"ref": {"name": "openai"}}, {"ref": {"name": "openai"}, "weight": 0}))

    assert tenant(assessment).decision == "proceed"


@pytest.mark.parametrize(
    ("things", "code"),
    [
        pytest.param([a_provider("openai", auth="simple"), an_external_model("gpt")], "AuthTypeSimple", id="simple"),
        pytest.param(
            [a_provider("openai", host="llm.corp.example"), an_external_model("gpt")],
            "OtherHostBehindOpenAI",
            id="host",
        ),
        pytest.param(
            [a_provider("openai", status={"phase": "Failed"}), an_external_model("gpt")],
            "ProviderNotReady",
            id="failed",
        ),
    ],
)
def test_what_is_worth_a_word_does_not_block(things: list[dict[str, Any]], code: str) -> None:
    assessment = judged([*a_cluster(), *things])

    assert loud(assessment) == {code}
    assert tenant(assessment).decision == "proceed"


def test_both_groups_of_one_name_are_one_model() -> None:
    things = [*a_cluster(), a_provider("openai"), an_external_model("gpt"), a_maas_external_model("gpt")]

    assert tenant(judged(things)).decision == "proceed"
    assert len(tenant(judged(things)).external_models) == 1
