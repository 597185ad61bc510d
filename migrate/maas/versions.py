"""
How to tell 3.5 from 3.6, and the least versions of the platform under it.

Sources: contract §7.3 (platform), §7.4 (signals).
"""

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from migrate.records.objects import KubeObject, get_in

Release = Literal["3.5", "3.6", ""]

OPENSHIFT_LEAST: Final = (4, 19, 9)
"""Source: contract §7.3."""
CONNECTIVITY_LINK_LEAST: Final = (1, 3, 0)
"""Red Hat Connectivity Link. Source: contract §7.3."""
CONNECTIVITY_LINK_BYPASS: Final = (1, 4, 0)
"""This one has an authentication bypass; take 1.4.1 or later. Source: contract §7.3."""
RHOAI_35: Final = "3.5"
"""Source: contract §7.4."""
RHOAI_36: Final = "3.6"
"""Source: contract §7.4."""

USAGE_DASHBOARD_FIELD: Final = "usageMetricsDashboard"
"""In the 3.6 CRD of Config. Source: contract §7.4, signal 5."""
RATE_LIMIT_IDENTITY_FIELD: Final = "rateLimitIdentity"
"""In spec and status of the 3.6 CRD of MaaSSubscription. Source: contract §7.4, signal 6."""
API_TRANSLATION_FIELD: Final = "apiTranslation"
"""In the 3.6 CRD of MaasTenantConfig. Source: contract §7.4, signal 7."""


def parse_version(text: object) -> tuple[int, int, int] | None:
    """Return major, minor, patch of the first version in *text* (``v3.5.0``, ``rhods-operator.3.6.1``), or None."""
    match = re.search(r"(?<!\d)(\d+)\.(\d+)(?:\.(\d+))?", text) if isinstance(text, str) else None
    return (int(match[1]), int(match[2]), int(match[3] or 0)) if match else None


def release_of(text: object) -> Release:
    """Return ``3.5`` or ``3.6`` for a version of OpenShift AI, ``""`` for any other. Source: contract §7.4."""
    version = parse_version(text)
    if version is None:
        return ""
    known: dict[tuple[int, int], Release] = {(3, 5): "3.5", (3, 6): "3.6"}
    return known.get(version[:2], "")


def is_open_data_hub(release_name: object) -> bool:
    """Return whether a release name is Open Data Hub's, which counts its versions differently. Contract §7.4."""
    return isinstance(release_name, str) and "open data hub" in release_name.lower()


def schema_of(crd: KubeObject) -> Mapping[str, Any]:
    """Return the OpenAPI schema of the storage version of a CRD, else of the first served one; empty for none."""
    versions = crd.get("spec", "versions")
    served = [entry for entry in versions if isinstance(entry, dict)] if isinstance(versions, list) else []
    for entry in sorted(served, key=lambda entry: not entry.get("storage")):
        schema = get_in(entry, "schema", "openAPIV3Schema")
        if isinstance(schema, Mapping):
            return schema
    return {}


def crd_has_field(crd: KubeObject, *path: str) -> bool:
    """Return whether a CRD knows the field, such as ``spec``, ``apiTranslation``."""
    schema: Any = schema_of(crd)
    for part in path:
        schema = get_in(schema, "properties", part)
    return isinstance(schema, Mapping)


def crd_is_open(crd: KubeObject) -> bool:
    """Return whether a CRD keeps any field: it then says nothing about which build wrote it."""
    schema = schema_of(crd)
    return not get_in(schema, "properties", "spec", "properties") and bool(
        get_in(schema, "x-kubernetes-preserve-unknown-fields")
        or get_in(schema, "properties", "spec", "x-kubernetes-preserve-unknown-fields")
    )
