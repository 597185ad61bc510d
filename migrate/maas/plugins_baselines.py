"""
The known plugins ConfigMaps: keys, schema, product defaults of today and of before.

Source, where nothing else is named: maas-controller at 182af75f,
``pkg/platform/tenantreconcile/plugins_migration.go``.
"""

from collections.abc import Mapping
from typing import Any, Final

from migrate.goyaml import AnyMap, Slice, Struct, Text

PRE_PROCESSING_KEY: Final = "custom-pre-processing-ipp-config.yaml"
"""Data key that the Deployment ``payload-pre-processing`` loads, before authentication."""

PROCESSING_KEY: Final = "custom-ipp-config.yaml"
"""Data key that the Deployment ``payload-processing`` loads, after authentication."""

IPP_KEYS: Final = (PRE_PROCESSING_KEY, PROCESSING_KEY)
"""Both must be there, and nothing else, in the order in which the controller parses them."""

PRAXIS_KEYS: Final = ("pre-extproc.yaml", "extproc.yaml")
"""One of them suffices for the controller to say that the object has the Praxis shape."""

STAGES: Final[Mapping[str, str]] = {PRE_PROCESSING_KEY: "pre-processing", PROCESSING_KEY: "processing"}
"""What the controller calls each document in its messages."""

CONFIG_KIND: Final = "PayloadProcessorConfig"
"""The kind that passes, besides an empty one."""

CONFIG_API_VERSION: Final = "llm-d.ai/v1alpha1"
"""
The apiVersion that IPP itself can load; the controller does not look at it.

Source: llm-d-inference-payload-processor, ``apix/config/v1alpha1``.
"""

_REFS: Final = Slice(Struct({"pluginRef": Text()}))

CONFIG: Final = Struct(
    {
        "apiVersion": Text(),
        "kind": Text(),
        "plugins": Slice(Struct({"type": Text(), "name": Text(), "parameters": AnyMap()})),
        "profiles": Slice(Struct({"name": Text(), "plugins": Struct({"request": _REFS, "response": _REFS})})),
    }
)
"""The struct into which the controller decodes either document."""

FEATURE_FIELDS: Final = frozenset({
    "preprocessing", "postprocessing", "profilepicker", "datalayer", "featuregates", "flowcontrol", "objectives",
})  # fmt: skip
"""
Top-level sections, in lower case, that IPP has or had in some version and the fingerprint does not model.

Source: llm-d-inference-payload-processor, ``apix/config/v1alpha1``; the data layer: the cases of the project.
"""

DEFAULT: Final = "default"
"""Name of the baseline that 3.5 ships."""

RESPONSE_API_TRANSLATION: Final = "default+response-api-translation"
"""Name of baseline #2: the default with response-side translation."""

Config = Mapping[str, Any]


def _plugin(kind: str, name: str = "", parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"type": kind, "name": name or kind, "parameters": dict(parameters or {})}


def _config(plugins: list[dict[str, Any]], response: tuple[str, ...] = ()) -> Config:
    """Return a config whose one profile requests every plugin in order, as all product defaults do."""
    request = [plugin["name"] for plugin in plugins]
    return {"plugins": plugins, "profiles": [{"name": "default", "request": request, "response": list(response)}]}


_EXTRACTOR: Final = _plugin(
    "body-field-to-header", "model-extractor", {"fieldName": "model", "headerName": "X-Gateway-Model-Name"}
)
_TRANSLATION: Final = "api-translation"
_THREE: Final = [_plugin("model-provider-resolver"), _plugin(_TRANSLATION), _plugin("apikey-injection")]
_FOUR: Final = [_plugin("stream-usage-enforcer"), *_THREE]
_FIVE: Final = [_plugin("maas-headers-guard"), *_FOUR]

PRE_PROCESSING: Final[Config] = _config([_EXTRACTOR, _plugin("model-provider-resolver")])
"""
The pre-processing document that both baselines have.

Source: models-as-a-service at c0639b1b, ``deployment/base/payload-processing/manager/plugins-configmap.yaml``.
"""

PROCESSING: Final[Mapping[str, Config]] = {
    DEFAULT: _config(_FIVE),
    RESPONSE_API_TRANSLATION: _config(_FIVE, (_TRANSLATION,)),
}
"""
The processing documents that pass, by the name of their baseline.

Source: as above since 7158a871 (2026-07-28); #2 was the product default from e245289c (2026-07-19) until then.
"""

OLDER_DEFAULTS: Final[Mapping[str, tuple[Config, Config]]] = {
    "3d9f8d6d (2026-06-24)": (_config([_EXTRACTOR]), _config(_THREE, (_TRANSLATION,))),
    "a42898d9 (2026-07-06)": (_config([_EXTRACTOR]), _config(_FOUR, (_TRANSLATION,))),
}
"""
Pairs of documents that earlier builds shipped and that are not recognised any more.

Source: history of the file above, as the project's contract lists it.
"""

OLD_PLUGIN_STRING_SUFFIX: Final = "-plugin"
"""
End of every data key in the layout of before IPP, one ``--plugin`` argument a key.

Source: history of the file above, 45e85333 (2026-04-06).
"""
