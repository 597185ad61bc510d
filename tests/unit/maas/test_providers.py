"""Which bindings Praxis serves, row by row of contract §5.1 and §5.2."""

from typing import Any

import pytest

from migrate.maas.providers import Binding, bindings_of, deduplicated, qualify, tenant_of_model
from migrate.records.objects import KubeObject
from tests.builders import a_maas_external_model, a_model_ref, a_provider, an_external_model, changed


def _bindings(model: dict[str, Any], *providers: dict[str, Any]) -> tuple[Binding, ...]:
    return bindings_of(
        KubeObject(model), {(KubeObject(p).namespace, KubeObject(p).name): KubeObject(p) for p in providers}
    )


@pytest.mark.parametrize(
    ("provider", "api_format", "auth", "path", "verdict"),
    [
        pytest.param("openai", "openai-chat", "apikey", "/v1/chat/completions", "qualified", id="openai"),
        pytest.param("openai", "openai-chat", "apikey", "", "qualified", id="openai-path-absent"),
        pytest.param("openai", "openai-chat", "simple", "", "qualified", id="openai-simple"),
        pytest.param("anthropic", "messages", "apikey", "/v1/messages", "needs-translation", id="anthropic"),
        pytest.param("anthropic", "messages", "simple", "", "needs-translation", id="anthropic-path-absent"),
        pytest.param("azure-openai", "openai-chat", "apikey", "", "unqualified", id="azure-openai"),
        pytest.param("azure", "openai-chat", "apikey", "", "unqualified", id="azure"),
        pytest.param("vertex", "openai-chat", "oauth2", "", "unqualified", id="vertex"),
        pytest.param("aws-bedrock", "openai-chat", "sigv4", "", "unqualified", id="bedrock"),
        pytest.param("vllm", "openai-chat", "apikey", "", "unqualified", id="unknown-provider"),
        pytest.param("openai", "messages", "apikey", "", "unqualified", id="crossed-format"),
        pytest.param("anthropic", "openai-chat", "apikey", "", "unqualified", id="crossed-format-2"),
        pytest.param("OpenAI", "openai-chat", "apikey", "", "unqualified", id="case"),
        pytest.param("openai", "openai-chat", "sigv4", "", "unqualified", id="sigv4"),
        pytest.param("openai", "openai-chat", "oauth2", "", "unqualified", id="oauth2"),
        pytest.param("openai", "openai-chat", "", "", "unqualified", id="no-auth"),
        pytest.param("openai", "openai-chat", "apikey", "/v1/responses", "unqualified", id="responses-path"),
        pytest.param("openai", "openai-chat", "apikey", "/v1/completions", "unqualified", id="completions-path"),
        pytest.param("openai", "openai-chat", "apikey", "/{deployment}/chat", "unqualified", id="templated-path"),
    ],
)
def test_the_qualified_tuples_exactly(provider: str, api_format: str, auth: str, path: str, verdict: str) -> None:
    (binding,) = _bindings(
        an_external_model("m", provider, api_format=api_format, path=path),
        a_provider(provider, name=provider, auth=auth),
    )

    assert qualify(binding).verdict == verdict


@pytest.mark.parametrize(
    ("provider", "verdict"),
    [("openai", "qualified"), ("anthropic", "needs-translation"), ("azure-openai", "unqualified"), ("", "unqualified")],
)
def test_the_old_group_implies_format_path_and_auth(provider: str, verdict: str) -> None:
    (binding,) = _bindings(a_maas_external_model("m", provider))

    assert qualify(binding).verdict == verdict


@pytest.mark.parametrize(
    ("model", "active"),
    [
        pytest.param(an_external_model("m"), True, id="weight-absent"),
        pytest.param(an_external_model("m", weight=1), True, id="weight-1"),
        pytest.param(an_external_model("m", weight=0), False, id="weight-0"),
        pytest.param(an_external_model("m", status={"phase": "Failed"}), True, id="not-ready-counts"),
        pytest.param(
            an_external_model("m", metadata={"deletionTimestamp": "2026-09-01T00:00:00Z"}), False, id="deleting"
        ),
    ],
)
def test_only_weight_0_and_deletion_take_a_binding_out(model: dict[str, Any], active: bool) -> None:
    (binding,) = _bindings(model, a_provider())

    assert binding.active is active


def test_a_provider_that_is_not_there_is_unqualified_and_named() -> None:
    (binding,) = _bindings(an_external_model("m"))

    assert qualify(binding).verdict == "unqualified"
    assert "llm/openai" in qualify(binding).reason


def test_the_references_own_auth_wins_over_the_providers() -> None:
    model = an_external_model("m")
    model["spec"]["externalProviderRefs"][0]["auth"] = {"type": "sigv4"}

    (binding,) = _bindings(model, a_provider())

    assert binding.auth == "sigv4"


def test_the_inference_group_wins_over_the_old_one_of_the_same_name() -> None:
    new, old = KubeObject(an_external_model("m")), KubeObject(a_maas_external_model("m"))
    other = KubeObject(a_maas_external_model("z"))

    assert deduplicated((new,), (old, other)) == (new, other)


@pytest.mark.parametrize(
    ("refs", "tenants"),
    [
        pytest.param([], ("models-as-a-service",), id="no-model-ref"),
        pytest.param([a_model_ref("m", kind="ExternalModel")], ("models-as-a-service",), id="names-no-tenant"),
        pytest.param([a_model_ref("m", kind="ExternalModel", tenant="redteam")], ("redteam",), id="spec"),
        pytest.param(
            [changed(a_model_ref("m", kind="ExternalModel", tenant="a"), {"status": {"resolvedTenantRef": "b"}})],
            ("b",),
            id="status-wins",
        ),
        pytest.param([a_model_ref("m", tenant="redteam")], ("models-as-a-service",), id="another-kind"),
        pytest.param(
            [a_model_ref("m", "elsewhere", kind="ExternalModel", tenant="redteam")],
            ("models-as-a-service",),
            id="another-namespace",
        ),
    ],
)
def test_whose_model_it_is(refs: list[dict[str, Any]], tenants: tuple[str, ...]) -> None:
    model = KubeObject(an_external_model("m"))

    assert tenant_of_model(model, tuple(KubeObject(ref) for ref in refs)) == tenants
