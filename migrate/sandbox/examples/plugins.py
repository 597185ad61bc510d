"""
The data of the plugins ConfigMap in the examples, written out as they stand on a cluster.

Source: contract 3.2.
"""

from typing import Final

from migrate.sandbox.controllers.rendering import (
    POST_CONFIG,
    POST_CONFIG_TRANSLATING,
    POST_KEY,
    PRE_CONFIG,
    PRE_KEY,
)

_METERED: Final = """\
apiVersion: llm-d.ai/v1alpha1
kind: PayloadProcessorConfig
plugins:
- type: maas-headers-guard
  name: maas-headers-guard
- type: stream-usage-enforcer
- type: model-provider-resolver
- type: api-translation
- type: apikey-injection
# Billing asked for this one.
- type: external-metering
  name: metering
  parameters:
    endpoint: http://metering.billing.svc:8080/v1/usage
    batchSize: 50
profiles:
- name: default
  plugins:
    request:
    - pluginRef: maas-headers-guard
    - pluginRef: stream-usage-enforcer
    - pluginRef: model-provider-resolver
    - pluginRef: api-translation
    - pluginRef: apikey-injection
    - pluginRef: metering
    response:
    - pluginRef: metering
"""

DEFAULT: Final = {PRE_KEY: PRE_CONFIG, POST_KEY: POST_CONFIG}
"""The product's default."""

TRANSLATING: Final = {PRE_KEY: PRE_CONFIG, POST_KEY: POST_CONFIG_TRANSLATING}
"""The default with response translation switched on."""

CUSTOMISED: Final = {PRE_KEY: PRE_CONFIG, POST_KEY: _METERED}
"""Somebody added a plugin of their own."""
