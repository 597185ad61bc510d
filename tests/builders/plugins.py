"""Plugins ConfigMaps: the product default, response translation, a customised one, Praxis'."""

from typing import Any

from migrate.maas import annotations, naming, resources
from migrate.records.objects import Json
from tests.builders.objects import an_object, changed, config_owner, id_of, managed_by

PRE_PROCESSING_TEXT = """\
apiVersion: llm-d.ai/v1alpha1
kind: PayloadProcessorConfig
plugins:
- type: body-field-to-header
  name: model-extractor
  parameters: {fieldName: model, headerName: X-Gateway-Model-Name}
- type: model-provider-resolver
profiles:
- name: default
  plugins:
    request: [{pluginRef: model-extractor}, {pluginRef: model-provider-resolver}]
"""
_PROCESSING_TEXT = """\
apiVersion: llm-d.ai/v1alpha1
kind: PayloadProcessorConfig
plugins:
- {type: maas-headers-guard, name: maas-headers-guard}
- {type: stream-usage-enforcer}
- {type: model-provider-resolver}
- {type: api-translation}
- {type: apikey-injection}
profiles:
- name: default
  plugins:
    request:
    - {pluginRef: maas-headers-guard}
    - {pluginRef: stream-usage-enforcer}
    - {pluginRef: model-provider-resolver}
    - {pluginRef: api-translation}
    - {pluginRef: apikey-injection}
    response: RESPONSE
"""
PROCESSING_TEXT = _PROCESSING_TEXT.replace("RESPONSE", "[]")
RESPONSE_TRANSLATION_TEXT = _PROCESSING_TEXT.replace("RESPONSE", "[{pluginRef: api-translation}]")
CUSTOM_TEXT = PROCESSING_TEXT.replace(
    "- {type: apikey-injection}\n", "- {type: apikey-injection}\n- {type: metering}\n", 1
)


def a_plugins_config_map(
    tenant: str = resources.DEFAULT_TENANT_NAME,
    processing: str = PROCESSING_TEXT,
    namespace: str = resources.GATEWAY_NAMESPACE,
    **sections: Any,
) -> Json:
    """Return the plugins ConfigMap of IPP; the product default unless *processing* says otherwise."""
    thing = an_object(
        resources.CONFIG_MAP,
        namespace,
        naming.suffixed(naming.PLUGINS_CONFIG_MAP, id_of(tenant)),
        metadata={
            "labels": {annotations.TENANT_NAME: tenant},
            "annotations": {annotations.MANAGED: "false"},
            "managedFields": managed_by(annotations.MAAS_CONTROLLER),
            "ownerReferences": [config_owner()],
        },
        data={
            "custom-pre-processing-ipp-config.yaml": PRE_PROCESSING_TEXT,
            "custom-ipp-config.yaml": processing,
        },
    )
    return changed(thing, sections)


def a_praxis_config_map(tenant: str = resources.DEFAULT_TENANT_NAME, **sections: Any) -> Json:
    """Return the plugins ConfigMap of Praxis."""
    thing = an_object(
        resources.CONFIG_MAP,
        resources.GATEWAY_NAMESPACE,
        naming.suffixed(naming.PLUGINS_CONFIG_MAP, id_of(tenant)),
        metadata={
            "labels": {
                annotations.TENANT_NAME: tenant,
                annotations.MANAGED_BY: annotations.AI_GATEWAY_CONTROLLER,
                annotations.IPP_PROFILE: annotations.IPP_PROFILE_PRAXIS,
            },
            "managedFields": managed_by(annotations.AI_GATEWAY_CONTROLLER),
        },
        data={"pre-extproc.yaml": "server: {}\n", "extproc.yaml": "server: {}\n"},
    )
    return changed(thing, sections)
