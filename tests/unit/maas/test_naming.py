"""Names per tenant, row by row of contract §2.4."""

import pytest

from migrate.maas import annotations, naming
from migrate.maas.naming import TenantIdentityError, suffixed, tenant_id_of, tenant_name_of
from migrate.records.objects import KubeObject
from tests.builders import a_tenant_config, changed


def _config(labels: dict[str, str | None], tenant: str = "redteam", name: str = "default-tenant") -> KubeObject:
    return KubeObject(changed(a_tenant_config(tenant), {"metadata": {"name": name, "labels": labels}}))


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(_config({annotations.MANAGED_BY_AITENANT: None}), "", id="no-mark-ignores-the-name"),
        pytest.param(_config({annotations.MANAGED_BY_AITENANT: "yes"}), "", id="mark-other-than-true"),
        pytest.param(_config({}, tenant="models-as-a-service"), "", id="the-default-tenant"),
        pytest.param(_config({}), "redteam", id="any-other-name"),
    ],
)
def test_the_tenant_id_comes_from_the_labels(config: KubeObject, expected: str) -> None:
    assert tenant_id_of(config) == expected


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(_config({annotations.TENANT_NAME: None}), id="name-missing"),
        pytest.param(_config({annotations.TENANT_NAME: ""}), id="name-empty"),
        pytest.param(_config({}, tenant="models-as-a-service", name="other"), id="default-of-another-name"),
        pytest.param(
            _config({annotations.TENANT_NAMESPACE: "elsewhere"}, tenant="models-as-a-service"),
            id="default-of-another-namespace",
        ),
    ],
)
def test_labels_that_do_not_name_a_tenant_are_an_error_and_never_the_default(config: KubeObject) -> None:
    with pytest.raises(TenantIdentityError):
        tenant_id_of(config)


@pytest.mark.parametrize(
    ("base", "tenant_id", "expected"),
    [
        (naming.PLUGINS_CONFIG_MAP, "", "payload-processing-plugins"),
        (naming.PLUGINS_CONFIG_MAP, "redteam", "payload-processing-plugins-redteam"),
        (naming.EXTERNAL_MODEL_FILTERS, "x" * 21, "payload-processing-external-model-filters-" + "x" * 21),
    ],
)
def test_names_are_the_base_and_the_id(base: str, tenant_id: str, expected: str) -> None:
    assert suffixed(base, tenant_id) == expected


@pytest.mark.parametrize(
    ("base", "longest"),
    [
        (naming.EXTERNAL_MODEL_FILTERS, naming.MAX_ID_WITH_EXTERNAL_MODELS),
        (naming.PAYLOAD_PROCESSING_READER_POST, naming.MAX_ID_ON_PRAXIS),
        (naming.PLUGINS_CONFIG_MAP, 36),
        (naming.PAYLOAD_PRE_PROCESSING, 40),
    ],
)
def test_the_length_limits_are_what_fits_into_63(base: str, longest: int) -> None:
    assert len(suffixed(base, "x" * longest)) == naming.MAX_LABEL


@pytest.mark.parametrize(
    ("gateway", "expected"),
    [("maas-default-gateway", "maas-gateway-auth"), ("redteam", "redteam-maas-auth")],
)
def test_the_auth_policy_is_named_after_its_gateway(gateway: str, expected: str) -> None:
    assert naming.auth_policy_name(gateway) == expected


def test_a_tenant_is_called_like_its_aitenant_and_the_default_one_by_its_own_name() -> None:
    assert tenant_name_of(_config({})) == "redteam"
    assert tenant_name_of(_config({}, tenant="models-as-a-service")) == "models-as-a-service"


def test_a_tenant_without_a_name_label_is_called_by_its_annotation_for_the_screen_only() -> None:
    assert tenant_name_of(_config({annotations.TENANT_NAME: None})) == "redteam"


def test_an_external_models_route_never_outgrows_a_label() -> None:
    assert naming.external_model_route_name("gpt-4o") == "maas-gpt-4o"
    assert len(naming.external_model_route_name("m" * 200)) == naming.MAX_LABEL
