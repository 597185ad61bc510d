"""Codes of the change from IPP to Praxis. A table: name, impact as a rule, meaning, source."""

from migrate.changes.findings_code import code

_PAGE = "Upgrade to 3.6, IPP → Praxis API translation migration"

CODES = (
    code(
        "FingerprintRecognised", "info", "The plugins ConfigMap is a known product default.", f"{_PAGE}; contract §3.3"
    ),
    code(
        "PluginsConfigMapCustomised",
        "risk",
        "The controller blocks on this plugins ConfigMap unless forced.",
        f"{_PAGE}; contract §3.3, §3.5",
    ),
    code(
        "PluginsConfigMapAbsent",
        "advisory",
        "There is no plugins ConfigMap: nothing to preserve.",
        "contract §3.3; case CH-09",
    ),
    code(
        "PluginsConfigMapWarning",
        "advisory",
        "Something in the plugins ConfigMap that the controller does not look at.",
        "contract §3.4; cli, fingerprint",
    ),
    code(
        "PluginsConfigMapTerminating",
        "blocking",
        "The plugins ConfigMap is being deleted: no base for a plan or a backup.",
        "cli, fingerprint",
    ),
    code(
        "HeldByFinalizer",
        "advisory",
        "A finalizer holds something that the clean-up of IPP deletes: the move waits until somebody lets it go.",
        "contract §4.2 steps 5 and 11, §4.3",
    ),
    code(
        "PayloadObjectTerminating",
        "advisory",
        "Something that the clean-up of IPP deletes is being deleted already, and is still there.",
        "contract §4.2 steps 5 and 11, §4.3",
    ),
    code(
        "PluginsConfigMapMixed",
        "risk",
        "A customised IPP part stands beside Praxis keys: it is lost without any gate.",
        "contract §10 row 7",
    ),
    code(
        "PraxisShapeOnIpp",
        "advisory",
        "The plugins ConfigMap has Praxis keys though the tenant runs on IPP.",
        "contract §3.3, §10 row 7",
    ),
    code(
        "SteadyWithoutPraxisConfig",
        "advisory",
        "The tenant is on Praxis and its plugins ConfigMap is not in Praxis' shape.",
        "contract §4.2",
    ),
    code(
        "PodOlderThanConfigMap",
        "advisory",
        "A Pod started before the plugins ConfigMap last changed: it runs an older text.",
        "case CH-10",
    ),
    code(
        "ConfigMapAgeUnknown",
        "advisory",
        "When the plugins ConfigMap last changed is unknown, and so whether the Pods run it.",
        "case CH-10",
    ),
    code(
        "IppRunsFromAnotherConfigMap",
        "advisory",
        "IPP runs from a ConfigMap that the controller's gate does not see.",
        "case CH-11",
    ),
    code("AlreadyOnPraxis", "info", "The tenant is on Praxis.", "contract §4.2"),
    code(
        "MigrationInTransition", "blocking", "A hand-over between the controllers is under way.", "contract §2.1, §4.8"
    ),
    code(
        "PraxisRequestedEarly",
        "advisory",
        "payload-processing-type=praxis on 3.5: the planned pin to ipp cures it.",
        "contract §4.8",
    ),
    code(
        "ForceLeftBehind",
        "blocking",
        "The force annotation was left behind: a flip would be forced unasked.",
        "contract §2.1, §4.8, §7.2, 10",
    ),
    code(
        "BlockedMarkerLeft",
        "advisory",
        "An earlier attempt was blocked and its marker is still there.",
        "contract §4.4, §7.2, 10; case CH-08",
    ),
    code(
        "UnknownAnnotationValue",
        "advisory",
        "A migration annotation has a value that nobody defined; builds differ in what they make of it.",
        "contract §0.2, §2.1",
    ),
    code(
        "GenerationBMarker",
        "blocking",
        "A marker of an older handshake: another build is handing over.",
        "contract §0.2, §2.1",
    ),
    code(
        "PayloadProcessingBlocked",
        "blocking",
        "The controller refuses the migration that is asked for.",
        "Upgrade to 3.6, While blocked; contract §4.4",
    ),
    code(
        "CleanupWaits",
        "blocking",
        "A clean-up of IPP has begun and waits for its Pods; force does not help.",
        "case CH-08; contract §4.2, step 5",
    ),
    code(
        "PraxisHoldsNames",
        "blocking",
        "Objects of this tenant belong to ai-gateway-controller though it runs on IPP.",
        "contract §2.3, §4.2, step 11",
    ),
    code(
        "ObjectWithoutOwnershipMark",
        "blocking",
        "An object has a name of the tenant's and no mark that MaaS made it: the migration would hang on it.",
        "contract §4.3, §4.8",
    ),
    code(
        "ApiTranslationUnknown",
        "blocking",
        "The CRD of this cluster does not know spec.apiTranslation.",
        "contract §7.4; Upgrade to 3.6",
    ),
    code(
        "ApiTranslationInvalid", "blocking", "spec.apiTranslation.enabled is neither true nor false.", "contract §1.6"
    ),
    code(
        "ApiTranslationByController",
        "info",
        "The controller will write spec.apiTranslation.enabled: true itself.",
        f"{_PAGE}; contract §4.2, step 2",
    ),
    code(
        "UnsupportedExternalModel",
        "blocking",
        "An active external model is not qualified on Praxis: the controller keeps IPP.",
        f"{_PAGE}; contract §5.2, §5.3",
    ),
    code(
        "UnsupportedModelAccepted",
        "risk",
        "apiTranslation false: active external models lose what IPP did for them.",
        f"{_PAGE}; contract §5.3",
    ),
    code(
        "UnsupportedModelUnchecked",
        "risk",
        "This build of 3.6 checks no external models: an unqualified one is lost unasked.",
        "contract §0.1, §10 row 3",
    ),
    code("ExternalModelsCompatible", "info", "Every active external model is qualified on Praxis.", "contract §5.3"),
    code(
        "InactiveExternalModel",
        "info",
        "An external model that is switched off or being deleted does not count.",
        "contract §5.1; case CH-02",
    ),
    code("AuthTypeSimple", "advisory", "auth type simple is gone in 3.6; it means apikey.", "contract §10 row 15"),
    code(
        "OtherHostBehindOpenAI",
        "advisory",
        "An OpenAI binding leads to another host; parity is not established.",
        "contract §5.2",
    ),
    code(
        "ProviderNotReady",
        "advisory",
        "The provider of an external model is not Ready: Praxis would skip it.",
        "contract §5.4",
    ),
    code(
        "ProviderReferencedTwice",
        "blocking",
        "Two active references of one model name the same provider: Praxis refuses.",
        "contract §5.4",
    ),
    code(
        "WeightsDiffer",
        "blocking",
        "References of one model have different weights: 3.6 does not support it.",
        "contract §5.4",
    ),
    code(
        "ModelOfUnknownTenant", "advisory", "An external model counts for a tenant that is not there.", "contract §5.1"
    ),
)
"""Plugins ConfigMap, handshake, external models."""
