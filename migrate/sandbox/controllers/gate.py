"""
May this tenant leave IPP? The two judgements of maas-controller before it cleans up.

Pure. The first looks at the plugins ConfigMap, the second at the external
models. Source: contract 3.3, 3.5, 4.8, 5.3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from migrate.maas import annotations
from migrate.maas.plugins_baselines import IPP_KEYS, PRAXIS_KEYS
from migrate.maas.plugins_config import judge
from migrate.maas.providers import Binding, qualify
from migrate.records.objects import KubeObject
from migrate.sandbox.controllers.build_36 import Build

FORCE: Final = "force"
ABSENT: Final = "absent"
PRAXIS: Final = "praxis"
TRANSLATED: Final = "default+response-api-translation"
UNJUDGED: Final = "unjudged"
"""The baseline that a build without a gate takes for granted."""

_NO
