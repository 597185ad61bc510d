"""
Builders of the objects that a cluster holds, in their smallest useful shape.

Each returns JSON (a ``dict``) as a server would give it, so that a test changes one
field and puts it into a snapshot: ``a_snapshot(a_tenant_config(), ...)``.
"""

from tests.builders.clusters import PROPERTIES, a_cluster, a_crd, a_platform, a_tenant, crds, on_praxis
from tests.builders.models import (
    a_maas_external_model,
    a_model_ref,
    a_policy,
    a_provider,
    a_subscription,
    an_auth_policy,
    an_external_model,
)
from tests.builders.objects import (
    ALL_KINDS,
    CLUSTER_ID,
    CREATED_AT,
    TAKEN_AT,
    a_gap,
    a_snapshot,
    a_uid,
    an_object,
    annotated,
    changed,
    conditions,
    config_owner,
    gateway_name_of,
    id_of,
    kind_infos,
    managed_by,
    namespace_of,
    patched,
    without,
)
from tests.builders.plugins import (
    CUSTOM_TEXT,
    PRE_PROCESSING_TEXT,
    PROCESSING_TEXT,
    RESPONSE_TRANSLATION_TEXT,
    a_plugins_config_map,
    a_praxis_config_map,
)
from tests.builders.tenants import a_config, a_gateway, a_namespace, a_tenant_config, an_ai_tenant
from tests.builders.workloads import a_deployment, a_pod

__all__ = [
    "ALL_KINDS",
    "CLUSTER_ID",
    "CREATED_AT",
    "CUSTOM_TEXT",
    "PRE_PROCESSING_TEXT",
    "PROCESSING_TEXT",
    "PROPERTIES",
    "RESPONSE_TRANSLATION_TEXT",
    "TAKEN_AT",
    "a_cluster",
    "a_config",
    "a_crd",
    "a_deployment",
    "a_gap",
    "a_gateway",
    "a_maas_external_model",
    "a_model_ref",
    "a_namespace",
    "a_platform",
    "a_plugins_config_map",
    "a_pod",
    "a_policy",
    "a_praxis_config_map",
    "a_provider",
    "a_snapshot",
    "a_subscription",
    "a_tenant",
    "a_tenant_config",
    "a_uid",
    "an_ai_tenant",
    "an_auth_policy",
    "an_external_model",
    "an_object",
    "annotated",
    "changed",
    "conditions",
    "config_owner",
    "crds",
    "gateway_name_of",
    "id_of",
    "kind_infos",
    "managed_by",
    "namespace_of",
    "on_praxis",
    "patched",
    "without",
]
